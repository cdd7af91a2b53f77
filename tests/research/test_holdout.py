"""A held-out column: hidden from the belief, decisive for the answers, found by the recommendation."""

import numpy as np
import pytest

from rather.errors import InvalidInputError
from rather.research.holdout import hold_out


def sweets(n=60):
    rng = np.random.default_rng(0)
    sour, nuts, size = rng.integers(0, 2, n), rng.integers(0, 2, n), rng.uniform(0, 10, n)
    return {
        "name": [f"sweet {row}" for row in range(n)],
        "sour": sour.astype(bool).tolist(),
        "nuts": nuts.astype(bool).tolist(),
        "size": size.tolist(),
        "wins": (30 + 25 * nuts - 10 * sour + size + rng.normal(0, 2, n)).tolist(),
    }


def test_a_hidden_column_that_the_others_explain_is_found():
    found = hold_out(sweets(), "wins", questions=6, conversations=6)
    assert found.beaten[:, -1].mean() > 0.8 > 0.7 > found.beaten[:, 0].mean()
    assert found.values[:, -1].mean() > found.quarter


def test_less_turns_the_truth_around():
    found = hold_out(sweets(), "wins", less=True, questions=6, conversations=6)
    assert found.values[:, -1].mean() < found.quarter
    assert found.beaten[:, -1].mean() > 0.8


def test_only_numbers_can_be_held_out():
    table = sweets() | {"colour": ["red", "blue", "green"] * 20}
    with pytest.raises(InvalidInputError, match="must hold numbers"):
        hold_out(table, "colour", conversations=1)
    with pytest.raises(InvalidInputError, match="wins"):
        hold_out(table, "wims", conversations=1)
