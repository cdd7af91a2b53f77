"""What a small product space can be filtered by is what the table of its configurations can be."""

import torch

import rather
from rather.formats.spaces.valid import ValidConfigurations
from rather.model.filters import CountedColumn, NumberColumn


def space_of(*extras):
    return rather.ProductSpace(
        "bag",
        [
            rather.Option("size", [20, 30, 40], unit="l"),
            rather.Option("cloth", {"cotton": {}, "nylon": {"price": 15}, "paper": {}}),
            rather.Extra("cover", adds={"price": 12}),
            *(rather.Extra(f"extra {number}") for number in range(*extras)),
        ],
        totals=[rather.Total("price", base=40, unit="EUR")],
        rules=["cloth == 'nylon' implies size >= 30", "cloth != 'paper'"],
    )


def described(column):
    if isinstance(column, NumberColumn):
        return column.name, column.unit, column.values.tolist()
    return column.name, column.several, {value: list(rows) for value, rows in column.rows.items()}


def test_it_is_that_of_the_table():
    space = space_of(0)
    valid = ValidConfigurations(space)
    rows = torch.arange(valid.compiled.diagram.count)
    table = rather.open(valid.table(valid.compiled.diagram.choices(rows)), settings=space.table_settings).catalog
    found = [described(column) for column in rather.open(space).catalog.filters.columns(10)]
    assert found == [described(column) for column in table.filters.columns(10)]
    assert [column[0] for column in found] == ["size", "cloth", "cover", "price"]


def test_of_a_large_space_only_counts_and_bounds_are_known():
    columns = rather.open(space_of(13)).catalog.filters.columns(10)
    counts = {column.name: dict(column.counts) for column in columns if isinstance(column, CountedColumn)}
    # Sizes and cloths: cotton in three, nylon in two.
    assert counts["cloth"] == {"cotton": 3 * 2**14, "nylon": 2 * 2**14}
    assert {column.name: column.bounds for column in columns if isinstance(column, NumberColumn)} == {
        "size": (20, 40),
        "price": (40, 67),
    }
