"""A parameter of a table stands for a value, wherever the knots and categories are today."""

import json

import numpy as np
import pytest
import torch

from rather.errors import CatalogChangedError, InvalidInputError
from rather.formats.tables import encode_table

PRICES = [10, 12, 15, 18, 20, 25, 30, 34, 40, 45, 50, 60, 70, 80, 90, 100]
MAKERS = ["Ada", "Bel", "Cor", "Dix"] * 4
COLUMNS = ("price", "maker", "fast")


def table(*, direction=None, **columns):
    rows = {
        "name": [f"item {row}" for row in range(16)],
        "price": PRICES,
        "maker": MAKERS,
        "fast": ["yes", "no"] * 8,
    }
    settings = {"columns": {"price": {"direction": direction}}} if direction else {}
    return encode_table({**rows, **columns}, settings)


def translation(before, now):
    return now.catalog.space.translation(json.loads(json.dumps(before.catalog.space.description)))


def parameters(encoded, row):
    """The parameters of a row, neither centred nor scaled."""
    mean = np.concatenate([block.mean for block in encoded.blocks])
    return torch.from_numpy(encoded.catalog.vectors(row).numpy() / encoded.scale + mean).float()


def test_the_same_table_translates_to_itself():
    assert translation(table(), table()).matrix is None


@pytest.mark.parametrize("direction", [None, "less", "more"])
def test_differences_of_items_at_knots_stay_what_they_are(direction):
    """Between two values that were knots, the difference in the new parameters is that of the new rows."""
    before = table(direction=direction)
    moved = [price + (3 if price > 40 else 0) for price in PRICES]
    now = table(price=moved, direction=direction)
    block = before.blocks[[block.column.name for block in before.blocks].index("price")]
    knots = block.basis.knots
    assert knots != now.blocks[0].basis.knots or direction
    matrix = translation(before, now).matrix.double().numpy()
    new = now.blocks[0].basis.rows(np.asarray(knots))
    old = block.basis.rows(np.asarray(knots))
    translated = old @ matrix[: now.blocks[0].size, : block.size].T
    assert np.allclose(np.diff(translated, axis=0), np.diff(new, axis=0), atol=1e-6)


def test_a_new_price_leaves_the_evidence_of_others_as_it_was():
    """With the same knots and categories nothing is translated, although the scale and the average have moved."""
    before, now = table(), table(price=[*PRICES[:5], 26, *PRICES[6:]])
    assert before.blocks[0].basis.knots == now.blocks[0].basis.knots
    assert before.scale != now.scale
    assert translation(before, now).matrix is None


def test_values_are_found_by_name():
    before = table()
    now = table(maker=["Dix"] * 6 + ["Ada", "Bel"] * 3 + ["Cor"] * 2 + ["Eve"] * 2)
    assert before.blocks[1].values != now.blocks[1].values
    for row in range(16):
        translated = translation(before, now)(parameters(before, row))
        values = translated[now.blocks[0].size :][: now.blocks[1].size]
        assert values.argmax() == now.blocks[1].values.index(MAKERS[row])


def test_a_value_that_is_gone_is_one_of_the_others_or_reported():
    before = table()
    with_others = table(maker=["Ada", "Bel"] * 6 + ["Cor", "Dix", "Eve", "Fay"])
    number = before.blocks[1].values.index("Dix")
    start, own = before.blocks[0].size, with_others.blocks[0].size
    column = translation(before, with_others).matrix[own : own + with_others.blocks[1].size, start + number]
    assert with_others.blocks[1].values[int(column.argmax())] == "any other"
    assert translation(before, with_others).lost == ()
    without = translation(before, table(maker=["Ada", "Bel"] * 8))
    assert set(without.lost) == {"maker Cor", "maker Dix"}


def test_missing_values_may_come_and_go():
    gaps = table(price=[None, None, *PRICES[2:]])
    full = table()
    there, back = translation(full, gaps), translation(gaps, full)
    assert there.matrix.shape == (gaps.catalog.dimensions, full.catalog.dimensions)
    unknown = back(parameters(gaps, 0))[: full.blocks[0].size]
    assert np.allclose(unknown, full.blocks[0].mean, atol=1e-5)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"weight": [1, 2, 3, 4] * 4}, "the column 'weight' is new"),
        ({"maker": [1.5, 2.5, 3.5, 4.5] * 4}, "the column 'maker' is of another kind"),
        ({"price": [f"{price} EUR" for price in PRICES]}, "the unit of 'price' has changed from no unit to €"),
    ],
)
def test_other_columns_have_another_meaning(columns, message):
    with pytest.raises(CatalogChangedError, match=message):
        translation(table(), table(**columns))


@pytest.mark.parametrize(
    "columns",
    [
        [{"name": name} for name in COLUMNS],
        [{"name": name, "values": 7, "unknown": False} for name in COLUMNS],
        ["price", "maker", "fast"],
        [
            {"name": "price", "knots": ["a"], "steps": 0, "unit": "", "unknown": False},
            {"name": "maker"},
            {"name": "fast"},
        ],
    ],
)
def test_what_is_not_a_description_is_rejected(columns):
    with pytest.raises(InvalidInputError):
        table().catalog.space.translation({"columns": columns, "others": ["name"]})


def test_a_column_that_is_gone_is_named():
    full = table(weight=[1, 2, 3, 4] * 4)
    with pytest.raises(CatalogChangedError, match="the column 'weight' is gone"):
        translation(full, table())


def test_a_column_that_is_there_but_no_longer_learned_from_is_reported():
    """It happens by itself: a column in which all rows are the same now, or that says the same as another."""
    before, now = table(), table(fast=["yes"] * 16)
    assert translation(before, now).lost == ("fast",)
    assert translation(before, now).matrix.shape == (now.catalog.dimensions, before.catalog.dimensions)
    back = translation(now, before)
    assert back.lost == ()
    assert not back.matrix[before.catalog.features.index("fast")].any()
