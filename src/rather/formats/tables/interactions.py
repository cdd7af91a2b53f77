"""What two columns of a table are worth together: "a light laptop, unless it is for gaming".

The utility of a table is a sum over columns (it is generalised additive: Fishburn 1967, Gonzales & Perny 2004). A pair
of columns whose worth is joint adds one term of both,

    u(x) = sum_c f_c(x_c) + sum_(a,b) g_ab(x_a, x_b),   g_ab = ((a - r_a) ⊗ (b - r_b)) @ w

with the parameters a `(p,)` and b `(q,)` of the two columns and p q weights w. Utility stays linear in its parameters.
The references r are an average row, so that g says what goes beyond the two columns by themselves: with an average b,
a change of a changes nothing but f_a.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rather.formats.tables.basis import Floats, Gaussian
from rather.formats.tables.blocks import Block
from rather.formats.tables.column_kinds import Role
from rather.formats.tables.table_columns import InspectedTable

# A number has some six parameters: six with thirty categories are fewer, two columns of tags are not.
MOST_PARAMETERS = 256


@dataclass(frozen=True)
class Interaction:
    """The joint term of two columns.

    Attributes:
        blocks: The indices of the two blocks.
        names: Of their columns, ascending.
        references: `(p,)` and `(q,)`, what their parameters are compared with: an average row, to one digit, so that
            a new price does not move it.
        mean: `(p q,)`, the average of the products.
        prior: How the weights are distributed over people.
    """

    blocks: tuple[int, int]
    names: tuple[str, str]
    references: tuple[Floats, Floats] = field(repr=False)
    mean: Floats = field(repr=False)
    prior: Gaussian = field(repr=False)

    @property
    def size(self) -> int:
        """The number of parameters p q."""
        return len(self.mean)

    def rows(self, first: Floats, second: Floats) -> Floats:
        """Products `(n, p q)` of rows `(n, p)` and `(n, q)` that are not centred; nor are the products."""
        return _products(first - self.references[0], second - self.references[1])

    def change(self, block: int, change: Floats, other: Floats) -> Floats:
        """What a change `(p,)` of one block changes in the products `(p q,)`, beside the row `(q,)` of the other."""
        if block == self.blocks[0]:
            return _outer(change, other - self.references[1])
        return _outer(other - self.references[0], change)

    def other(self, block: int) -> int:
        """The block that joins this one."""
        return self.blocks[1] if block == self.blocks[0] else self.blocks[0]


def build_interactions(
    inspected: InspectedTable, blocks: Sequence[Block], rows: Sequence[Floats]
) -> tuple[Interaction, ...]:
    """The interactions that the settings declare between columns that are learned from.

    Args:
        inspected: The table.
        blocks: The parameters of its columns.
        rows: Of each block its rows `(n, p)`, not centred.
    """
    index = {block.column.name: number for number, block in enumerate(blocks)}
    found = []
    for names in inspected.given.interactions or ():
        if all(name in index for name in names):
            pair = index[names[0]], index[names[1]]
            _reject_many(inspected, names, [blocks[number].size for number in pair])
            found.append(interaction_of(pair, blocks, rows))
    return tuple(found)


def left_out(inspected: InspectedTable) -> dict[tuple[str, str], str]:
    """The declared interactions with a column that is not learned from, each with a sentence that says so."""
    used = {column.name for column in inspected.columns if column.role is Role.USE}
    return {
        names: f"{names[0]} and {names[1]}: their interaction is left out, because {name!r} is not learned from."
        for names in inspected.given.interactions or ()
        for name in [next((name for name in names if name not in used), None)]
        if name is not None
    }


def column_changes(
    interactions: Sequence[Interaction], block: int, change: Floats, rows: Sequence[Floats]
) -> list[Floats]:
    """What a change `(p,)` of a block changes in the products of every interaction, beside the rows of all blocks."""
    return [
        each.change(block, change, rows[each.other(block)]) if block in each.blocks else np.zeros(each.size)
        for each in interactions
    ]


def interaction_of(pair: tuple[int, int], blocks: Sequence[Block], rows: Sequence[Floats]) -> Interaction:
    """The joint term of two blocks, given by their indices, with rows as in `build_interactions`."""
    first, second = sorted(pair, key=lambda index: blocks[index].column.name)
    names = blocks[first].column.name, blocks[second].column.name
    references = np.round(blocks[first].mean, 1), np.round(blocks[second].mean, 1)
    centred = rows[first] - references[0], rows[second] - references[1]
    mean = centred[0].T @ centred[1] / len(centred[0])
    prior = _prior(blocks[first], blocks[second], centred, mean)
    return Interaction((first, second), names, references, np.round(mean.ravel(), 12), prior)


def _prior(first: Block, second: Block, centred: tuple[Floats, Floats], mean: Floats) -> Gaussian:
    """Weights with the covariance `s C_a ⊗ C_b`: curves that are smooth in both columns.

    The factor s makes the joint term vary over the table as much as the two columns do on average, for an average
    person.
    """
    a, b = first.prior.covariance, second.prior.covariance
    forms = [((part @ own) * part).sum(axis=1) for part, own in zip(centred, (a, b), strict=True)]
    joint = float((forms[0] * forms[1]).mean() - (a @ mean @ b * mean).sum())
    single = [_variance(block, part) for block, part in zip((first, second), centred, strict=True)]
    # Columns that never vary together have no joint term to scale. Six digits are the same on every machine.
    factor = float(f"{np.mean(single) / joint:.6g}") if joint > 1e-12 else 1.0
    return Gaussian(np.zeros(mean.size), (factor * np.kron(a, b)).astype(np.float64))


def _variance(block: Block, rows: Floats) -> float:
    """The variance over rows of what a column is worth, for an average person."""
    spread = np.cov(rows, rowvar=False, bias=True).reshape(block.size, block.size)
    mean = block.prior.mean
    return float((spread * block.prior.covariance).sum() + mean @ spread @ mean)


def _outer(first: Floats, second: Floats) -> Floats:
    return (first[:, None] * second).ravel()


def _products(first: Floats, second: Floats) -> Floats:
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)


def _reject_many(inspected: InspectedTable, names: tuple[str, str], sizes: Sequence[int]) -> None:
    count = sizes[0] * sizes[1]
    if count > MOST_PARAMETERS:
        inspected.given.reject(
            ("table", "interactions"),
            f"the interaction of {names[0]!r} ({sizes[0]} parameters) and {names[1]!r} ({sizes[1]}) would have {count} "
            f"parameters, at most {MOST_PARAMETERS}: choose columns with fewer values, or set `buckets`.",
        )
