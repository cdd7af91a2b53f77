"""Joint terms of an earlier version of a table, read by those of today.

The products of an earlier version are about its own parameters and references. With T_a and T_b from the parameters of
the two columns then to those now, and d_a = T_a r_a - r_a' between the references,

    (T_a a - r_a') ⊗ (T_b b - r_b') = T_a (a - r_a) ⊗ T_b (b - r_b) + T_a a ⊗ d_b + d_a ⊗ T_b b + constant

so that the products of now are linear in the products and the parameters of then. What is the same for all items does
not matter to any answer.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rather.formats.tables.basis import Floats
from rather.formats.tables.interactions import Interaction
from rather.formats.tables.naming import words


class ColumnTranslation(NamedTuple):
    """A column that there was, and `(p, q)` from its q parameters then to its p now; p is 0 if it is gone."""

    name: str
    matrix: Floats


def described_interaction(interaction: Interaction) -> dict[str, Any]:
    """A joint term in plain JSON."""
    return {
        "columns": list(interaction.names),
        "references": [reference.tolist() for reference in interaction.references],
    }


def with_interactions(
    matrix: Floats,
    columns: Sequence[ColumnTranslation],
    before: Sequence[Mapping[str, Any]],
    now: Sequence[Interaction],
) -> tuple[Floats, list[str]]:
    """The translation `(d, c)` of columns extended by the joint terms of then and now, and those that are gone."""
    sizes = {column.name: column.matrix.shape[1] for column in columns}
    starts = dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))
    described = {tuple(each["columns"]): each for each in before}
    counts = [sizes[first] * sizes[second] for first, second in described]
    if any(len(names) != 2 for names in described):
        raise ValueError("an interaction has two columns")
    joint_starts = dict(zip(described, (matrix.shape[1] + np.cumsum([0, *counts])).tolist(), strict=False))
    by_name = {column.name: column.matrix for column in columns}
    rows = [np.pad(matrix, ((0, 0), (0, sum(counts))))]
    for each in now:
        part = np.zeros((each.size, rows[0].shape[1]))
        if each.names in described:
            first, second = (by_name[name] for name in each.names)
            then = [np.asarray(reference, dtype=np.float64) for reference in described[each.names]["references"]]
            moved = [own @ old - new for own, old, new in zip((first, second), then, each.references, strict=True)]
            for start, block in (
                (joint_starts[each.names], np.kron(first, second)),
                (starts[each.names[0]], np.kron(first, moved[1][:, None])),
                (starts[each.names[1]], np.kron(moved[0][:, None], second)),
            ):
                part[:, start : start + block.shape[1]] = block
        rows.append(part)
    kept = {each.names for each in now}
    lost = [" with ".join(" ".join(words(name)) for name in names) for names in described if names not in kept]
    return np.concatenate(rows), lost
