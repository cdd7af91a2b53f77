"""A joint worth that was planted in ratings is found, and no other."""

import itertools

import numpy as np
import pytest

from rather.errors import InvalidInputError
from rather.learn import suggest_interactions
from rather.learn.ratings import Ratings

ROWS = list(itertools.product((1.0, 1.5, 2.0, 2.5), ("gaming", "office"), ("Ada", "Bel", "Cor"), ("yes", "no")))
TABLE = {
    "sku": [f"L{row}" for row in range(len(ROWS))],
    **{
        name: list(column)
        for name, column in zip(("weight", "use", "maker", "touch"), zip(*ROWS, strict=True), strict=True)
    },
}
SETTINGS = {"table": {"id": "sku"}}


def ratings(worth, people=60, each=24, noise=0.5, seed=0):
    """Of random items by people who differ in taste, in all but what `worth(row, taste)` says."""
    rng = np.random.default_rng(seed)
    users, items, values = [], [], []
    for user in range(people):
        taste = rng.normal(size=4)
        for row in rng.choice(len(ROWS), size=each, replace=False).tolist():
            weight, use, maker, touch = ROWS[row]
            own = taste[0] * (weight - 1.75) + 0.5 * taste[1] * (use == "office") + 0.5 * taste[2] * (touch == "yes")
            users.append(user)
            items.append(row)
            values.append(3 + own + 0.5 * taste[3] * (maker == "Ada") + worth(ROWS[row], taste) + noise * rng.normal())
    return Ratings(
        np.array(users), np.array(items), np.array(values, dtype=np.float32), range(people), TABLE["sku"], TABLE["sku"]
    )


def shared(row, taste):
    return 1.5 * (row[0] - 1.75) * (1 if row[1] == "gaming" else -1)


def personal(row, taste):
    return np.sign(taste[0]) * shared(row, taste)


@pytest.mark.parametrize("worth", [shared, personal])
def test_a_planted_interaction_comes_first_and_clearly(worth):
    found = suggest_interactions(TABLE, ratings(worth), SETTINGS)
    assert len(found) == 6
    assert found[0].columns == ("use", "weight")
    assert found[0].gain > 0.1
    assert found[0].gain > 4 * found[0].error
    assert all(each.gain < 2 * each.error for each in found[1:])


def test_without_one_nothing_is_suggested():
    found = suggest_interactions(TABLE, ratings(lambda row, taste: 0.0), SETTINGS)
    assert all(each.gain < max(0.01, 2 * each.error) for each in found)


def test_a_declared_pair_is_not_suggested_again():
    settings = {"table": {"id": "sku", "interactions": [["weight", "use"]]}}
    found = suggest_interactions(TABLE, ratings(shared), settings)
    assert ("use", "weight") not in [each.columns for each in found]
    assert all(each.gain < 2 * each.error for each in found)


def test_ratings_of_other_items_are_rejected():
    others = ratings(shared)
    others = Ratings(
        others.users,
        others.items,
        others.values,
        others.user_ids,
        [f"x{row}" for row in range(len(ROWS))],
        others.labels,
    )
    with pytest.raises(InvalidInputError, match="`ratings` must be about items of the table: of 48 items it has 0"):
        suggest_interactions(TABLE, others, SETTINGS)
