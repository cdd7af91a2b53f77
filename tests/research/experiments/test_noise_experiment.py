"""The experiment about noise of one's own: what is stated against what came true, counted by hand."""

from dataclasses import replace

import pytest

from rather.research.experiments import load_spec
from rather.research.experiments.engine import Job
from rather.research.experiments.personal_noise.conversations import work
from rather.research.experiments.personal_noise.tables import noise_tables, reliability, stated_error
from rather.research.experiments.summary import ExperimentSummary, MethodSummary

POPULATION = {"source": "gaussian", "dimensions": 3, "items": 30, "particles": 60}


def job(noise, actual=(1.0,), seed=3):
    parameters = {
        "population": POPULATION,
        "strategy": "auto",
        "settings": {"noise": noise},
        "k": 2,
        "questions": 3,
        "users": 4,
        "actual": list(actual),
    }
    return Job("personal-noise", "small", str(noise), 0, seed, parameters, {"vectors": ""})


def without_times(outcome):
    return {name: value for name, value in outcome.items() if name != "seconds"}


def row(method, stated, said, true, regret=(1.0, 0.5), ahead=(0.0, 0.0), error=(0.0, 0.0), trials=10):
    """A method whose trials stated chances of 0.05, 0.15 … this often."""
    mean = {"regret": list(regret), "mean_regret": [regret[1]], "stated": stated, "stated_sum": said, "came_true": true}
    mean |= {"seconds:question": [0.001], "seconds:answer": [0.002]}
    errors = {name: [0.0] * len(values) for name, values in mean.items()}
    differences = {"mean_regret": [ahead[1]]}, {"mean_regret": [error[1]]}
    return MethodSummary(
        variant="Gaussian, a mixture",
        method=method,
        trials=trials,
        mean=mean,
        error=errors,
        ahead=list(ahead),
        ahead_error=list(error),
        differences=differences[0],
        differences_error=differences[1],
    )


def at(index, value):
    return [value if place == index else 0.0 for place in range(10)]


def test_a_trial_gives_the_same_every_time_and_is_counted_right():
    first, second = (work(job("personal", (0.25, 4.0))) for _ in range(2))
    assert without_times(first) == without_times(second)
    assert len(first["regret"]) == 4
    assert first["mean_regret"][0] == pytest.approx(sum(first["regret"][1:]) / 3, rel=1e-5)
    assert sum(first["stated"]) == 4 * 3
    assert all(true <= times for true, times in zip(first["came_true"], first["stated"], strict=True))


def test_the_users_and_items_are_those_of_every_method():
    """So that differences are those of the assumed noise alone."""
    found = [work(job(noise))["regret"][0] for noise in (0.25, 1.0, "personal")]
    assert found[0] == found[1] == found[2]


def test_reliability_is_what_was_stated_beside_how_often_it_came_true():
    """In ten trials, 20 chances of 0.65 came true 12 times, and one of 0.15 is too few to show."""
    stated = [a + b for a, b in zip(at(6, 2.0), at(1, 0.1), strict=True)]
    said = [a + b for a, b in zip(at(6, 1.3), at(1, 0.015), strict=True)]
    (point,) = reliability(row("personal", stated, said, at(6, 1.2)))
    assert point[:2] == pytest.approx((0.65, 0.6))
    assert point[2] == pytest.approx((0.6 * 0.4 / 20) ** 0.5)


def test_the_error_of_stated_chances_is_the_mean_distance():
    pairs = ((1, 3), (0.25, 2.5), (0.5, 2.4))
    stated, said, true = ([a + b for a, b in zip(at(2, x), at(8, y), strict=True)] for x, y in pairs)
    assert stated_error(row("personal", stated, said, true)) == pytest.approx((0.25 + 0.1) / 4)


@pytest.mark.parametrize(("error", "behind"), [(0.05, "yes"), (0.2, "no")])
def test_it_is_compared_with_the_best_of_the_others_and_its_error(error, behind):
    """`ahead` of a method is by how much the personal one is ahead of it."""
    rows = [
        row("fixed at 1", at(5, 1.0), at(5, 0.55), at(5, 0.5), (1.0, 0.4), (0.0, -0.1), (0.0, error)),
        row("fixed at 4", at(5, 1.0), at(5, 0.55), at(5, 0.5), (1.0, 0.9), (0.0, 0.4), (0.0, error)),
        row("personal", at(5, 1.0), at(5, 0.55), at(5, 0.5), (1.0, 0.5)),
    ]
    spec = load_spec("personal-noise")
    only = [variant for variant in spec.variants if variant.label == "Gaussian, a mixture"]
    summary = ExperimentSummary("personal-noise", "command", 10, False, [], rows)
    table = noise_tables(replace(spec, variants=tuple(only)), summary)[1]
    assert table.head[1:3] == ["fixed at 1", "personal"]
    assert [line[-1] for line in table.rows] == [behind, behind]
    assert table.rows[-1][:3] == ["mean of all", "0.400", "0.500"]
