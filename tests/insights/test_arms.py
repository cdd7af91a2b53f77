"""The arms of a study: numbers by hand, and intervals that hold the truth as often as they say."""

import math
import random

import pytest

from rather.insights.arms import Interview, compare, newcombe, student, wilson
from rather.insights.estimates import Estimate

ROUNDS = 400


def interview(arm="a", answered=5, finished=True, regret=0.5, holdouts=0, hits=0):
    return Interview(arm, answered, finished, regret, holdouts, hits)


def test_a_case_by_hand():
    a = [interview("a", 4, regret=0.2, holdouts=2, hits=2), interview("a", 6, regret=0.4, holdouts=2, hits=1)]
    left = interview("a", 1, finished=False, regret=0.9, holdouts=1, hits=1)
    b = [interview("b", 8, regret=0.5), interview("b", 8, regret=0.5)]
    first, second = compare([*a, left, *b])
    assert (first.name, first.began, first.finished, first.holdouts) == ("a", 3, 2, 4)
    assert first.measures.questions.value == 5
    assert first.measures.regret_left.value == pytest.approx(0.3)
    assert first.measures.finished.value == pytest.approx(2 / 3)
    assert first.measures.hit_rate.value == 0.75
    half = 12.706204736174696 * 1.0  # the standard error of 4 and 6 is 1, with one degree of freedom
    assert first.measures.questions.low == pytest.approx(5 - half)
    assert second.measures.hit_rate is None
    assert second.differences.questions.value == 3
    assert second.differences.hit_rate is None
    assert first.differences is None


def test_wilson_against_published_values():
    # Newcombe (1998), table I: 15 of 148.
    found = wilson(15 / 148, 148)
    assert (found.low, found.high) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0.0, 20).low == 0
    assert wilson(0.0, 20).high == pytest.approx(0.1611, abs=5e-5)


def test_newcombe_against_published_values():
    # Newcombe (1998), table II, method 10: 56 of 70 and 48 of 80.
    found = newcombe(wilson(56 / 70, 70), wilson(48 / 80, 80))
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@pytest.mark.parametrize(("freedom", "value"), [(1, 12.7062), (2, 4.3027), (3, 3.1824), (5, 2.5706), (30, 2.0423)])
def test_student_against_published_values(freedom, value):
    assert student(freedom) == pytest.approx(value, rel=2e-3)


def test_the_order_is_that_of_the_names_with_the_one_compared_with_first():
    found = compare([interview(name) for name in "cab"], against="b")
    assert [arm.name for arm in found] == ["b", "a", "c"]
    assert [arm.differences is None for arm in found] == [True, False, False]


def test_nobody_is_no_arm():
    assert compare([]) == []
    (only,) = compare([interview(finished=False)])
    assert only.measures.questions is None
    assert only.measures.finished.value == 0


def holds(found: Estimate, truth: float) -> bool:
    return found.low <= truth <= found.high


def people(generator, arm, count, rate, shift):
    """Interviews in which the hits of one person go together, and questions depend on the arm."""
    for _ in range(count):
        own = rate + (0.25 if generator.random() < 0.5 else -0.25)
        hits = sum(generator.random() < own for _ in range(4))
        answered = round(6 + shift + generator.gauss(0, 2))
        yield Interview(arm, answered, generator.random() < 0.8, generator.betavariate(2, 3), 4, hits)


def test_intervals_hold_the_truth_as_often_as_they_say():
    generator = random.Random(5)
    truths = {"finished": 0.8, "questions": 6.0, "regret_left": 0.4, "hit_rate": 0.6}
    differences = {"finished": 0.0, "questions": 1.0, "regret_left": 0.0, "hit_rate": -0.1}
    covered = dict.fromkeys([*truths, *(f"{name} difference" for name in truths)], 0)
    for _ in range(ROUNDS):
        one, other = compare([*people(generator, "a", 60, 0.6, 0), *people(generator, "b", 60, 0.5, 1)])
        for name, truth in truths.items():
            covered[name] += holds(getattr(one.measures, name), truth)
            covered[f"{name} difference"] += holds(getattr(other.differences, name), differences[name])
    error = math.sqrt(0.95 * 0.05 / ROUNDS)
    for name, count in covered.items():
        assert abs(count / ROUNDS - 0.95) < 4 * error, (name, count / ROUNDS)


def test_clusters_are_not_counted_as_independent():
    generator = random.Random(1)
    together = [interview(holdouts=10, hits=10 * (generator.random() < 0.5)) for _ in range(50)]
    (arm,) = compare(together)
    width = arm.measures.hit_rate.high - arm.measures.hit_rate.low
    one_each = wilson(arm.measures.hit_rate.value, 50)
    assert width == pytest.approx(one_each.high - one_each.low, rel=0.05)


def test_a_mean_without_spread_is_exact():
    first, second = compare([interview("a"), interview("a"), interview("b", 7), interview("b", 7)])
    assert first.measures.questions == Estimate(5, 5, 5)
    assert second.differences.questions == Estimate(2, 2, 2)
