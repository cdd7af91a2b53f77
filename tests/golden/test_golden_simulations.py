"""Simulated conversations and jobs of experiments give the numbers that were recorded, but for their times."""

import golden_worlds as worlds
import pytest
from golden_files import assert_as_recorded, read


def case_and_results(recorded, name):
    return {key: value for key, value in recorded.items() if key != name}, recorded[name]


@pytest.mark.parametrize(
    "recorded", read("simulations")["simulations"], ids=lambda case: f"{case['world']} {' '.join(case['strategies'])}"
)
def test_a_simulation_is_as_recorded(recorded):
    case, expected = case_and_results(recorded, "conversations")
    assert_as_recorded(worlds.simulated(**case), expected)


@pytest.mark.parametrize("recorded", read("experiments")["experiments"], ids=lambda case: case["experiment"])
def test_an_experiment_is_as_recorded(recorded):
    case, expected = case_and_results(recorded, "jobs")
    assert_as_recorded(worlds.experiment(**case), expected)
