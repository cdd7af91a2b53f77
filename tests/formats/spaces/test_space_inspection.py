"""What `rather inspect` says of a product space, against its configurations one by one."""

import itertools

import pytest

import rather
from rather.formats.spaces.encoding import encode_space
from rather.formats.spaces.inspection import inspected_columns, inspected_rules

RULES = {
    "frame == 'carbon' implies not carrier": lambda bike: bike["frame"] != "carbon" or not bike["carrier"],
    "size <= 54 or brakes == 'disc'": lambda bike: bike["size"] <= 54 or bike["brakes"] == "disc",
    "brakes != 'coaster'": lambda bike: bike["brakes"] != "coaster",
    "price <= 1500": lambda bike: bike["price"] <= 1500,
    "price <= 5000": lambda bike: True,
}
FRAMES = {"steel": 0, "alloy": 120, "carbon": 900}


@pytest.fixture(scope="module")
def encoded():
    space = rather.ProductSpace(
        "bicycle",
        [
            rather.Option("frame", {name: {"price": price} for name, price in FRAMES.items()}),
            rather.Option("brakes", ["rim", "disc", "coaster"]),
            rather.NumberRange("size", 50, 60, step=2, adds={"price": 0.5}),
            rather.Extra("carrier", adds={"price": 700}),
        ],
        totals=[rather.Total("price", base=100, unit="EUR")],
        rules=list(RULES),
    )
    return encode_space(space)


@pytest.fixture(scope="module")
def combinations():
    found = []
    for frame, brakes, size, carrier in itertools.product(
        FRAMES, ("rim", "disc", "coaster"), range(50, 61, 2), (False, True)
    ):
        price = 100 + FRAMES[frame] + 0.5 * size + 700 * carrier
        found.append({"frame": frame, "brakes": brakes, "size": size, "carrier": carrier, "price": price})
    return found


def test_each_rule_says_how_many_configurations_it_alone_excludes(encoded, combinations):
    expected = {
        rule: sum(
            not holds(bike) and all(other(bike) for name, other in RULES.items() if name != rule)
            for bike in combinations
        )
        for rule, holds in RULES.items()
    }
    found = {each.rule: each.excludes for each in inspected_rules(encoded)}
    assert found == expected
    assert found["price <= 5000"] == 0
    assert encoded.valid.compiled.diagram.count == sum(
        all(holds(bike) for holds in RULES.values()) for bike in combinations
    )


def test_rules_are_not_counted_when_there_is_no_time_left(encoded):
    assert [each.excludes for each in inspected_rules(encoded, seconds=0)] == [None] * len(RULES)


def test_a_rule_that_keeps_a_space_small_enough_is_not_counted():
    """Without it there would be more configurations than can be numbered."""
    options = [rather.Option(f"a{number}", "pqrs") for number in range(32)]
    alike = " and ".join(f"a{number} == 'p'" for number in range(10))
    encoded = encode_space(rather.ProductSpace("x", options, rules=[alike]))
    assert encoded.valid.compiled.diagram.count == 4**22
    assert [each.excludes for each in inspected_rules(encoded)] == [None]


def test_values_that_no_valid_configuration_has_and_the_bounds_of_totals(encoded, combinations):
    valid = [bike for bike in combinations if all(holds(bike) for holds in RULES.values())]
    columns = {each.column.name: each for each in inspected_columns(encoded)}
    assert {name: list(each.never) for name, each in columns.items() if each.never} == {"brakes": ["coaster"]}
    assert "coaster" not in {bike["brakes"] for bike in valid}
    prices = [bike["price"] for bike in valid]
    assert columns["price"].bounds == (min(prices), max(prices))


def test_what_values_add(encoded):
    columns = {each.column.name: each for each in inspected_columns(encoded)}
    assert columns["frame"].adds == {"price": (0, 120, 900)}
    assert columns["size"].adds == {"price": (25, 26, 27, 28, 29, 30)}
    assert columns["carrier"].adds == {"price": (0, 700)}
    assert columns["brakes"].adds == {}
