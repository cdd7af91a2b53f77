"""Small product spaces, some of them random, and all their configurations by brute force."""

import itertools
from decimal import Decimal

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from rather import Extra, NumberRange, Option, ProductSpace, Total
from rather.formats.tables.filter_expressions import where_mask
from rather.formats.tables.inspection import inspect_table


def bicycle(**parts) -> ProductSpace:
    """1,626 configurations of 2,304 combinations, unless the rules are others."""
    worth = parts.pop("worth", "line")
    rules = ["frame == 'carbon' implies brakes != 'rim' and size <= 58", "price <= 1500", "weight <= 9 or rack"]
    return ProductSpace(
        "bicycle",
        [
            Option(
                "frame",
                {
                    "steel": {"price": 0, "weight": 2.4},
                    "aluminium": {"price": 120, "weight": 1.8},
                    "carbon": {"price": 900, "weight": 1.1},
                },
            ),
            Option("brakes", {"rim": None, "disc": {"price": 80, "weight": 0.3}}),
            NumberRange("size", 48, 62, step=2, unit="cm"),
            Option("gears", {1: None, 3: {"price": 90}, 8: {"price": 180}, 11: {"price": 320}}),
            Extra("lights", adds={"price": 60}),
            Extra("rack", adds={"price": 40, "weight": 0.7}),
            Option("colour", ["red", "blue", "green"], role="show"),
        ],
        totals=[
            Total("price", base=400, unit="EUR", direction="less", worth=worth),
            Total("weight", base=6, unit="kg", direction="less", worth=worth),
        ],
        **{"rules": rules, **parts},
    )


def combinations(space: ProductSpace) -> dict[str, list]:
    """Every combination of values with its totals, valid or not, as the columns of a table."""
    chosen = list(itertools.product(*(range(len(each.values)) for each in space.decisions)))
    columns = {each.name: [each.values[row[number]] for row in chosen] for number, each in enumerate(space.decisions)}
    for total in space.totals:
        sums = [Decimal(str(total.base))] * len(chosen)
        for number, each in enumerate(space.decisions):
            gains = [Decimal(str(adds.get(total.name, 0))) for adds in each.adds]
            if each.name in total.counts:
                gains = [Decimal(0), Decimal(1)]
            sums = [amount + gains[row[number]] for amount, row in zip(sums, chosen, strict=True)]
        columns[total.name] = list(map(float, sums))
    return columns


def satisfying(space: ProductSpace, columns: dict[str, list], rules) -> np.ndarray:
    """Which rows of such a table satisfy all rules, by the masks of tables."""
    inspected = inspect_table(columns, space.table_settings).columns
    holds = np.ones(len(next(iter(columns.values()))), dtype=bool)
    for rule in rules:
        holds &= where_mask(rule, inspected)
    return holds


def rows_of(columns: dict[str, list]) -> list[tuple]:
    return list(zip(*columns.values(), strict=True))


def valid_rows(space: ProductSpace) -> list[tuple]:
    """The valid configurations with their totals, as tuples of cells."""
    columns = combinations(space)
    holds = satisfying(space, columns, space.rules)
    return [row for row, valid in zip(rows_of(columns), holds.tolist(), strict=True) if valid]


def random_things(rng, decisions, rules) -> ProductSpace:
    """A small space with rules that exclude pairs of values."""
    sizes = rng.integers(2, 5, size=decisions)
    options = [Option(f"o{i}", [f"v{j}" for j in range(size)]) for i, size in enumerate(sizes)]
    excluding = []
    for _ in range(rules):
        a, b = rng.permutation(decisions)[:2]
        excluding.append(f"o{a} == 'v{rng.integers(sizes[a])}' implies o{b} != 'v{rng.integers(sizes[b])}'")
    return ProductSpace("thing", options, rules=excluding)


TEXTS = ["red", "a/b", "unknown", "50%", "it's", 'the "best"', "naïve ü", "n/a", "two words", "yes"]
AMOUNTS = st.sampled_from([0, 1, 2, 5, 10, 25, -3, 0.5, 2.25, 99.9])


@st.composite
def product_spaces(draw, most=2_000, totals=(0, 2), interactions=True, rules=(0, 3), worths=("line", "curve")):
    """Random product spaces of 3 to `most` valid configurations; at most `most` combinations."""
    count = draw(st.integers(*totals))
    names = ["price", "weight"][:count]
    decisions, size = [], 1
    for number in range(draw(st.integers(2, 6))):
        decision = draw(_decisions(f"d{number}", names))
        if size * len(decision.values) > most:
            break
        decisions.append(decision)
        size *= len(decision.values)
    assume(size >= 4)
    made = [
        Total(
            name,
            base=draw(AMOUNTS),
            worth=draw(st.sampled_from(worths)),
            direction=draw(st.sampled_from(["less", "depends"])),
        )
        for name in names
    ]
    extras = [each.name for each in decisions if each.kind == "yes/no"]
    if len(extras) > 1 and draw(st.booleans()):
        made.append(Total("extras", counts=extras))
    plain = ProductSpace("thing", decisions, made)
    wanted = draw(st.lists(expressions(plain), min_size=rules[0], max_size=rules[1]))
    columns = combinations(plain)
    kept: list[str] = []
    for rule in wanted:  # leave out those that would leave next to nothing
        if satisfying(plain, columns, [*kept, rule]).sum() >= 3:
            kept.append(rule)
    # A total that is a line has no joint worth.
    able = [each.name for each in decisions] + [each.name for each in made if each.settings.get("worth") == "curve"]
    able = [name for name in able if len(set(columns[name])) > 1]
    pairs = list(itertools.combinations(able, 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=2)) if interactions and pairs else []
    return ProductSpace("thing", decisions, made, kept, chosen)


@st.composite
def _decisions(draw, name, totals):
    def adds():
        return {total: amount for total in totals if (amount := draw(AMOUNTS)) and draw(st.booleans())}

    kind = draw(st.sampled_from(["option", "option", "numbers", "range", "extra"]))
    if kind == "extra":
        return Extra(name, adds=adds())
    if kind == "range":
        low, steps, step = draw(st.integers(-3, 3)), draw(st.integers(1, 4)), draw(st.sampled_from([1, 0.1, 2.5]))
        return NumberRange(name, low, float(Decimal(str(step)) * steps + low), step=step, adds=adds())
    if kind == "numbers":
        values = draw(st.lists(st.sampled_from([0, 1, 2.5, 8, 100, -4]), min_size=2, max_size=4, unique=True))
    else:
        values = draw(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=4, unique=True))
    return Option(name, {value: adds() for value in values})


@st.composite
def expressions(draw, space: ProductSpace, depth=2):
    """Random expressions about the columns of a product space."""
    if depth and draw(st.booleans()):
        left, right = draw(expressions(space, depth - 1)), draw(expressions(space, depth - 1))
        joined = draw(st.sampled_from(["({}) and ({})", "({}) or ({})", "({}) implies ({})", "not ({}) or ({})"]))
        return joined.format(left, right)
    column = draw(st.sampled_from([*space.decisions, *space.totals]))
    sign = draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
    if isinstance(column, Total):
        return f"{column.name} {sign} {draw(st.sampled_from([0, 1, 5, 10.5, 30, 100]))}"
    if column.kind == "yes/no":
        return draw(st.sampled_from([column.name, f"not {column.name}", f"{column.name} == 'yes'"]))
    if column.kind == "number":
        numbers = [each for each in space.decisions if each.kind == "number" and each is not column]
        if numbers and draw(st.booleans()):
            return f"{column.name} {sign} {draw(st.sampled_from(numbers)).name}"
        return f"{column.name} {sign} {draw(st.sampled_from(column.values))!r}"
    some = draw(st.lists(st.sampled_from(column.values), min_size=1, max_size=2, unique=True))
    listed = ", ".join(map(_quoted, some))
    return draw(st.sampled_from([f"{column.name} in ({listed})", f"{column.name} != {_quoted(some[0])}"]))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
