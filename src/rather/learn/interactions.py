"""Which pairs of columns have a joint worth, by ratings that were held out.

For a table and each pair of its columns, a rating is what the item is worth in the table's parameters:

    y_ui = x_i @ (w + v_u) + noise,   w ~ N(0, C),   v_u ~ N(0, C)

with w shared by all, v_u of the person, and C the prior of the table, with and without the pair. Both are estimated in
closed form from the ratings that are seen, first w, then each person's v_u from what w leaves. The pair is worth what
it removes of the squared error on the others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rather.errors import InvalidInputError
from rather.formats.tables.basis import Floats
from rather.formats.tables.encoded_table import EncodedTable, encode_table
from rather.formats.tables.interactions import MOST_PARAMETERS, interaction_of
from rather.formats.tables.prior import joint_prior
from rather.formats.tables.settings import TableSettings
from rather.learn.ratings import Ratings

# Variance of the noise, relative to that of utility over the table: the best of these for the table as it is.
NOISES = (0.3, 1.0, 3.0, 10.0)


@dataclass(frozen=True)
class SuggestedInteraction:
    """A pair of columns, and what a joint term for it adds.

    Attributes:
        columns: Their names.
        gain: Share of the squared error on held-out ratings that it removes; negative where it makes things worse.
        error: Standard error of the gain, over people. A gain below two of these is hardly one.
    """

    columns: tuple[str, str]
    gain: float
    error: float

    @property
    def is_clear(self) -> bool:
        """Whether the gain is more than two standard errors, which is reason enough to declare the pair."""
        return self.gain > 2 * self.error


def suggest_interactions(
    table: Any,
    ratings: Ratings,
    settings: TableSettings | Mapping[str, Any] | str | Path | None = None,
    *,
    held_out: float = 0.2,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[SuggestedInteraction]:
    """All pairs of columns, the one that predicts held-out ratings best first.

    Pairs that are declared already are part of the table, and not suggested again.

    Args:
        table: See `rather.formats.tables.encode_table`; its ids are those of the ratings' items.
        ratings: Who rated what. Items that the table does not have are left out.
        settings: Of the table.
        held_out: Share of the ratings to measure on.
        seed: Draws these.
        on_progress: Called after each pair, with how many are done and how many there are.
    """
    encoded = encode_table(table, settings)
    rows = _table_rows(encoded, ratings)
    seen, rest = (_Rated.of(part, rows) for part in ratings.split(held_out, seed))
    if not len(seen.values) or not len(rest.values):
        raise InvalidInputError(
            f"`ratings` must be about items of the table: of {ratings.n_items:,} items it has {(rows >= 0).sum():,}."
        )
    items, covariance = _parameters(encoded)
    noise = min(NOISES, key=lambda each: float(_squared_errors(items, covariance, seen, rest, each).sum()))
    before = _squared_errors(items, covariance, seen, rest, noise)
    found = []
    pairs = _pairs(encoded)
    for names, products, prior in pairs:
        both = np.concatenate([items, products], axis=1)
        across = np.zeros((len(covariance), len(prior)))
        joint = np.block([[covariance, across], [across.T, prior]])
        found.append(_suggestion(names, before, _squared_errors(both, joint, seen, rest, noise), rest.users))
        if on_progress is not None:
            on_progress(len(found), len(pairs))
    return sorted(found, key=lambda each: -each.gain)


@dataclass(frozen=True, eq=False)
class _Rated:
    """Ratings of rows of a table, relative to the person's average: users, rows and values, `(r,)` each."""

    users: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: Floats

    @classmethod
    def of(cls, ratings: Ratings, rows: NDArray[np.int64]) -> "_Rated":
        known = rows[ratings.items] >= 0
        order = np.argsort(ratings.users[known], kind="stable")
        return cls(
            ratings.users[known][order],
            rows[ratings.items[known]][order],
            ratings.values[known][order].astype(np.float64),
        )

    def of_users(self) -> dict[int, slice]:
        """Where the ratings of each person are."""
        users, starts = np.unique(self.users, return_index=True)
        ends = [*starts[1:].tolist(), len(self.users)]
        return {user: slice(start, end) for user, start, end in zip(users.tolist(), starts.tolist(), ends, strict=True)}


def _table_rows(encoded: EncodedTable, ratings: Ratings) -> NDArray[np.int64]:
    """`(n,)`, the row of each rated item in the table; -1 for those it does not have."""
    row_of = {str(id): row for row, id in enumerate(encoded.catalog.ids)}
    return np.array([row_of.get(str(id), -1) for id in ratings.item_ids], dtype=np.int64)


def _parameters(encoded: EncodedTable) -> tuple[Floats, Floats]:
    """Item vectors `(n, d)`, and the covariance of the table's parameters `(d, d)`, neither around a direction."""
    return _vectors(encoded), joint_prior(encoded.blocks, encoded.interactions).covariance


def _vectors(encoded: EncodedTable) -> Floats:
    """Of all rows, `(n, d)`: a joint term is what it would be in the whole table, whatever was rated."""
    vectors: Floats = encoded.catalog.vectors(range(len(encoded.catalog))).double().numpy()
    return vectors


def _pairs(encoded: EncodedTable) -> list[tuple[tuple[str, str], Floats, Floats]]:
    """For each pair that may be declared: names, products `(n, p q)` and the covariance of their weights."""
    ends = np.cumsum([block.size for block in encoded.blocks])
    parts = np.split(_vectors(encoded) / encoded.scale, ends, axis=1)
    rows = [part + block.mean for part, block in zip(parts, encoded.blocks, strict=False)]
    declared = {each.names for each in encoded.interactions}
    found = []
    for first, second in combinations(range(len(encoded.blocks)), 2):
        sizes = [encoded.blocks[index].size for index in (first, second)]
        joint = interaction_of((first, second), encoded.blocks, rows)
        if joint.names not in declared and sizes[0] * sizes[1] <= MOST_PARAMETERS:
            products = joint.rows(*(rows[index] for index in joint.blocks)) - joint.mean
            found.append((joint.names, encoded.scale * products, joint.prior.covariance))
    return found


def _squared_errors(items: Floats, covariance: Floats, seen: _Rated, rest: _Rated, noise: float) -> Floats:
    """Of the predictions of the ratings in `rest`, `(r,)`; the mean of a person's seen ratings where they have some."""
    average, spread = float(seen.values.mean()), max(float(seen.values.std()), 1e-12)
    values, others = seen.values - average, rest.values - average
    seen_users, rest_users = seen.of_users(), rest.of_users()
    # A person's level: shrunk towards 0 by three ratings, so that one of a kind does not decide it.
    levels = {user: values[own].sum() / (own.stop - own.start + 3) for user, own in seen_users.items()}
    relative = (values - np.array([levels[user] for user in seen.users.tolist()])) / spread
    rated = items[seen.rows]
    evidence = covariance @ (rated.T @ rated) + noise * np.eye(len(covariance))
    shared = np.linalg.solve(evidence, covariance @ (rated.T @ relative))
    left = relative - rated @ shared
    predicted = items[rest.rows] @ shared
    for user, own in rest_users.items():
        if user in seen_users:
            mine = rated[seen_users[user]]
            gram = mine @ covariance @ mine.T + noise * np.eye(len(mine))
            weights = np.linalg.solve(gram, left[seen_users[user]])
            predicted[own] += items[rest.rows[own]] @ (covariance @ (mine.T @ weights))
    expected = spread * predicted + np.array([levels.get(user, 0.0) for user in rest.users.tolist()])
    errors: Floats = (others - expected) ** 2
    return errors


def _suggestion(
    names: tuple[str, str], before: Floats, after: Floats, users: NDArray[np.int64]
) -> SuggestedInteraction:
    total = before.sum()
    removed = np.bincount(users, before - after)[np.unique(users)] / total
    return SuggestedInteraction(names, float(removed.sum()), float(removed.std() * np.sqrt(len(removed))))
