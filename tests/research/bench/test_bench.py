import pytest
import torch

import rather
from rather import Belief, Catalog, Logistic, Policy
from rather.errors import InvalidInputError
from rather.formats.vectors.vector_files import Vectors, save_vectors
from rather.research.bench import BenchSettings, Size, bench
from rather.research.bench.contest import (
    AUTO,
    CONT_FREE,
    GREEDY,
    ITERATION,
    Setting,
    contenders,
    evoi_beside_iteration,
    measured,
)
from rather.research.bench.conversation_costs import (
    after_answer,
    attribute_questions,
    cached_question,
    opening,
    throughput,
)
from rather.research.bench.machine import Load
from rather.research.bench.measurements import EvoiShare, Times
from rather.research.bench.memory import peak_bytes
from rather.research.bench.origins import Origin, normal_origin, random_origin
from rather.research.bench.supply import Supply
from rather.retrieval import ExactRetriever, ShortlistRetriever
from worlds import normal, world


@pytest.fixture
def vectors(tmp_path):
    return save_vectors(Vectors(normal(300, 4).numpy(), normal(60, 4, seed=1).numpy()), tmp_path / "vectors.npz")


@pytest.fixture(scope="module")
def seed_dependent():
    """A policy whose first question depends on the seed: many directions are alike in N(0, I)."""
    return Policy(Catalog(normal(2000, 20)), Belief.from_users(normal(300, 20, seed=1)), response=Logistic(0.2))


def nothing(*_):
    return None


def test_sizes_are_read_as_people_write_them():
    assert Size.parse("1e6,500,2") == Size(1_000_000, 500, 2)
    for wrong in ("1e6,500", "many,1,2", "100,20,1", "100,20,99", "1e999,2,2"):
        with pytest.raises(InvalidInputError, match="A size must"):
            Size.parse(wrong)


def test_times_are_medians_with_quartiles():
    assert Times.of([4.0, 1.0, 2.0, 3.0, 5.0]) == Times(3.0, 2.0, 4.0, 5, 5.0)
    assert Times.of([4.0]) == Times(4.0, 4.0, 4.0, 1, 4.0)


def test_a_larger_catalogue_begins_with_the_smaller_one():
    origin = random_origin(n=100, users=10, dimensions=5)
    assert torch.equal(origin.resampled(200, block=64)[:90], origin.resampled(90, block=64))


def test_resampled_items_lie_near_real_ones():
    origin = Origin(10 * torch.eye(3), torch.eye(3), "axes")
    made = origin.resampled(500)
    distances = torch.cdist(made, origin.items).amin(dim=1)
    assert 2 < float(distances.square().mean().sqrt()) < 4  # 0.3 times the length of 10
    assert set(torch.cdist(made, origin.items).argmin(dim=1).tolist()) == {0, 1, 2}


def test_users_who_are_asked_are_not_in_the_belief_if_there_are_enough():
    origin = Origin(torch.eye(3), torch.arange(30.0).view(10, 3), "few")
    members, others = origin.draw_users(6, 4)
    assert (len(members), len(others)) == (6, 4)
    assert not {tuple(row) for row in members.tolist()} & {tuple(row) for row in others.tolist()}
    with pytest.raises(InvalidInputError, match="11 particles, but there are vectors of 10 users"):
        origin.draw_users(11, 1)


def test_every_method_is_valued_against_the_best_for_the_same_belief():
    small = world(n=40, m=30, d=4)
    exact = ExactRetriever(small.catalog)
    setting = Setting(small.catalog, small.belief, Logistic(0.2), 2, exact)
    part = contenders(setting, *setting.situations(small.belief.particles[:2]), exact)
    for number in range(4):
        for contender in part:
            contender.turn(setting, number, 60.0)
    found = {method.name: method for method in measured(setting, part, exact, Times.of([0.5]))}
    assert max(method.evoi for method in found.values()) <= 1 + 1e-6
    assert found[GREEDY].evoi_to_greedy == pytest.approx(1.0)
    assert found[GREEDY].speedup == 1.0
    assert found[ITERATION].evoi_to_iteration == pytest.approx(1.0)
    assert found[AUTO].scans == found[AUTO].times.median / 0.5
    assert found[AUTO].times.runs == 3  # the first turn was to warm up


def test_the_value_of_a_question_is_that_of_the_problem():
    small = world(n=40, m=30, d=4)
    exact = ExactRetriever(small.catalog)
    setting = Setting(small.catalog, small.belief, Logistic(0.2), 2, exact)
    first, _ = setting.situations(small.belief.particles[:1])
    question = setting.policy("random").question(small.belief, ())
    expected = small.problem().evoi(torch.tensor([question.slate]))
    assert setting.evoi(question, first, exact) == pytest.approx(float(expected), abs=1e-6)


def test_a_slow_method_has_no_further_turn():
    small = world(n=40, m=30, d=4)
    exact = ExactRetriever(small.catalog)
    setting = Setting(small.catalog, small.belief, Logistic(0.2), 2, exact)
    slow = contenders(setting, *setting.situations(small.belief.particles[:1]), exact)[0]
    for number in range(4):
        slow.turn(setting, number, 0.0)
    assert len(slow.seconds) == 1


def test_the_time_of_a_question_includes_fitting_the_retriever():
    small = world(n=600, m=30, d=4)
    fitted = []

    class Counting:
        """A shortlist that counts how often it is fitted."""

        def __init__(self):
            self.shortlist = ShortlistRetriever.build(small.catalog, small.belief)

        def top(self, directions, count, allowed=None):
            return self.shortlist.top(directions, count, allowed)

        def fitted(self, belief, allowed=None):
            fitted.append(belief)
            return self.shortlist.fitted(belief, allowed)

    setting = Setting(small.catalog, small.belief, Logistic(0.2), 2, Counting())
    first, later = setting.situations(small.belief.particles[:1])
    auto = contenders(setting, first, later, ExactRetriever(small.catalog))[0]
    fitted.clear()
    for number in range(3):
        auto.turn(setting, number, 60.0)
    assert len([belief for belief in fitted if belief is not small.belief]) == 3


def test_users_whose_first_questions_differ_are_asked_on(seed_dependent):
    """Such a benchmark once ended in "it comes from another session"."""
    policy = seed_dependent
    slates = {policy.with_seed(seed).question(policy.prior, ()).slate for seed in range(4)}
    assert len(slates) > 1
    assert throughput(policy, users=4, rounds=1).questions_per_second > 0


def test_a_benchmark_of_such_a_catalogue_ends(tmp_path):
    path = save_vectors(Vectors(normal(2000, 20).numpy(), normal(303, 20, seed=1).numpy()), tmp_path / "normal.npz")
    report = bench(
        BenchSettings([Size(2000, 300, 2)], path, repeats=2, most_seconds=0.0, memory=False, attributes=False), nothing
    )
    assert report.sizes[0].throughput.questions_per_second > 0


def test_a_cached_question_is_not_computed_again(seed_dependent, monkeypatch):
    computed, compute = [], Policy.question
    monkeypatch.setattr(Policy, "question", lambda *arguments: computed.append(1) or compute(*arguments))
    assert cached_question(seed_dependent, runs=3).in_process.runs == 3
    assert len(computed) == 1


def test_a_run_measures_every_size_and_says_where_its_items_come_from(vectors):
    steps = []
    settings = BenchSettings([Size(500, 20, 2), Size(100, 20, 3)], vectors, repeats=2, memory=False, attributes=False)
    report = bench(settings, lambda: steps.append(1))
    assert [(size.n, size.m, size.k) for size in report.sizes] == [(100, 20, 3), (500, 20, 2)]
    assert all(size.origin == "the vectors of vectors.npz, items resampled with noise" for size in report.sizes)
    assert len(steps) == settings.steps
    assert report.sizes[0].peak_bytes is None
    assert report.sizes[0].method(CONT_FREE).name == CONT_FREE


def test_what_does_not_fit_into_memory_is_left_out_and_said(vectors):
    sizes = [Size(100, 20, 2), Size(2000, 20, 2)]
    report = bench(
        BenchSettings(sizes, vectors, repeats=2, memory=False, available_bytes=20_000, attributes=False), nothing
    )
    assert [size.n for size in report.sizes] == [100]
    assert "2,000 items, 20 particles, k = 2: needs 0.0 GB of memory" in report.skipped[0]


def test_peak_memory_holds_the_catalogue_at_least():
    assert peak_bytes(normal(100_000, 20), normal(30, 20, seed=1), 2) > 100_000 * 20 * 4


def test_the_share_of_others_leaves_our_own_work_out():
    before, after = Load(10.0, ours=1.0, at=0.0, cores=2), Load(14.0, ours=4.0, at=1.0, cores=2)
    assert after.others(before) == pytest.approx(0.5)  # one of two processor seconds was theirs


def test_the_share_of_others_is_unknown_if_the_system_does_not_say():
    before, after = Load(None, ours=1.0, at=0.0, cores=2), Load(None, ours=4.0, at=1.0, cores=2)
    assert after.others(before) is None


def test_a_run_says_for_each_origin_what_was_reached(vectors):
    settings = BenchSettings([Size(200, 20, 2)], vectors, repeats=2, memory=False, attributes=False)
    [goal] = bench(settings, nothing).goals  # the others are about a million items
    assert (goal.origin, goal.limit, goal.reached) == ("vectors", 1.0, goal.value <= 1.0)
    assert goal.what == "an answer, in questions (200 items, 20 particles, k = 2)"


def test_origins_without_ratings_are_left_out_and_said():
    supply = Supply("films", lambda: None, [Size(100, 20, 2)])
    assert supply.reason_to_skip(Size(100, 20, 2)) == "its ratings are not on this machine, or not learnt from yet"


def test_normal_items_are_new_ones_and_a_larger_catalogue_begins_with_the_smaller_one():
    origin = normal_origin(users=10, dimensions=5)
    items = origin.resampled(200, block=64)
    assert torch.equal(items[:90], origin.resampled(90, block=64))
    assert len(torch.unique(items[:, 0])) == 200
    assert abs(float(items.std()) - 1) < 0.1


def test_opening_again_is_not_the_first_opening(seed_dependent):
    policies = []

    def policy(seed):
        policies.append(seed)
        return seed_dependent.with_seed(seed)

    assert opening(policy, runs=3).later.runs == 3
    assert policies == [0, 1, 2, 3]


def test_questions_about_attributes_are_compared_with_those_about_items():
    measured = attribute_questions(*rather.open("films"), p=1, runs=1)
    assert measured.ratio == measured.times.median / measured.items.median
    assert (measured.p, measured.times.runs, measured.items.runs) == (1, 1, 1)


def test_after_an_answer_the_question_the_list_and_the_stop_are_timed_apart(seed_dependent):
    question = seed_dependent.question(seed_dependent.prior, ())
    found = after_answer(seed_dependent.with_seed, question, runs=2)
    assert (found.question.runs, found.recommendation.runs, found.stop.runs) == (2, 2, 2)
    assert found.recommendation_ratio == found.recommendation.median / found.question.median
    assert found.stop_ratio == found.stop.median / found.question.median


def test_where_auto_tries_all_slates_query_iteration_finds_none_that_is_better():
    catalog, belief = Catalog(normal(6, 3)), Belief.from_users(normal(600, 3, seed=1), smooth=False)
    exact = ExactRetriever(catalog)
    setting = Setting(catalog, belief, Logistic(2.0), 2, exact)
    share = evoi_beside_iteration(setting, normal(6, 3, seed=2), exact)
    assert share.users == 6
    assert share.mean >= 1 - 1e-5


def test_a_share_comes_with_its_standard_error():
    share = EvoiShare.of([0.9, 1.0, 1.1, 1.0])
    assert (share.users, share.mean, share.error) == (4, pytest.approx(1), pytest.approx((0.02 / 3) ** 0.5 / 2))
