"""The catalogues that are measured: spaces of 10^12 configurations, and what they are compared with."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import torch

from rather.formats.opening import open as rather_open
from rather.formats.spaces.definition import Extra, NumberRange, Option, ProductSpace, Total
from rather.model.belief import Belief
from rather.model.catalog import Catalog

# A space without rules: 12 options with 10 values each, 10^12 configurations.
OPTIONS, VALUES = 12, 10

# Cut down to 3 values for eight of the options and 2 for four: 104,976 rows.
CUT = (3,) * 8 + (2,) * 4

# Configurations of the space without rules that are written down: as many dimensions, and the same belief.
WRITTEN = 100_000

TABLE = "table of the same columns, cut down"


@dataclass(frozen=True, eq=False)
class World:
    """A catalogue, and the belief that conversations about it start from."""

    name: str
    catalog: Catalog
    belief: Belief


def without_rules(options: int = OPTIONS, values: int = VALUES) -> ProductSpace:
    """A space in which everything goes with everything."""
    return ProductSpace("product", [Option(f"option {number}", _values(number, values)) for number in range(options)])


def generated(seed: int = 0) -> ProductSpace:
    """A space of some 10^9 configurations that nobody wrote: random prices, rules between random options."""
    generator = torch.Generator().manual_seed(seed)

    def draw(most: int) -> int:
        return int(torch.randint(most, (1,), generator=generator))

    decisions = [
        Option(f"option {number}", {value: {"price": 10 * draw(40)} for value in _values(number, 3 + draw(4))})
        for number in range(10)
    ]
    numbers = [NumberRange(f"number {number}", 1, 6, step=1, adds={"price": 5 + draw(30)}) for number in range(2)]
    extras = [Extra(f"extra {number}", adds={"price": 10 * draw(12)}) for number in range(4)]
    rules = [
        f"`option {number}` == '{_values(number, 1)[0]}' implies `option {number + 1}` != "
        f"'{_values(number + 1, 3)[draw(3)]}'"
        for number in range(0, 9, 2)
    ]
    rules += ["`extra 0` implies not `extra 1`", "price <= 2000"]
    price = Total("price", base=100, direction="less")
    return ProductSpace("product", [*decisions, *numbers, *extras], [price], rules)


def _values(number: int, count: int) -> list[str]:
    return [f"value {number}-{value}" for value in range(count)]


def opened(name: str, source: ProductSpace | str) -> World:
    """A space, opened."""
    return World(name, *rather_open(source))


def cut_down() -> World:
    """The space without rules with fewer values for each option, as a table that is read like any other."""
    rows = itertools.product(*(_values(number, values) for number, values in enumerate(CUT)))
    columns = zip(*rows, strict=True)
    table = {f"option {number}": list(column) for number, column in enumerate(columns)}
    return World(f"{TABLE} ({math.prod(CUT):,} rows)", *rather_open(table))


def written_down(world: World, count: int = WRITTEN) -> World:
    """Random configurations of a space as a plain list of vectors, with the same belief."""
    numbers = torch.randint(len(world.catalog), (count,), generator=torch.Generator().manual_seed(0))
    return World(
        f"{count:,} of these configurations, written down", Catalog(world.catalog.vectors(numbers)), world.belief
    )
