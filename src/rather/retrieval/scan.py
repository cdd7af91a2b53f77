"""One pass over all items: blocked matrix products, and the best rows of each block.

A maximum with its index, or a top-k, over a long last axis is several times slower than the matrix product itself
(65,536 scores for 50 directions on one thread: product 3.5 ms, top-5 11 ms, maximum with index 5 ms, plain maximum
0.6 ms). So a scan takes plain maxima over groups of neighbouring rows, picks the best groups, and scores only their
rows again: the count best items lie in the count groups with the largest maxima.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from rather.model.catalog import Catalog
from rather.numerics.threads import on_all_threads


@dataclass(frozen=True)
class ScanSettings:
    """How a scan divides its work. Speed and memory depend on it, the result does not.

    Attributes:
        block_groups: Groups of rows in a block, which one thread scores at once: some 32,000 rows by default, whose
            scores for 64 directions take 8 MiB.
        group_rows: Rows in a group; by default it depends on the count, see `rows_per_group`.
        direct_rows: Up to this many rows are ranked directly, without groups;
        direct_scores: so are up to this many scores.
        batch_directions: Directions scored in one batch; more where items are few, up to twice `direct_scores`.
        parallel_from: Multiplications from which a scan runs on all threads. In smaller scans starting the helpers
            takes longer than they save.
    """

    block_groups: int = 256
    group_rows: int | None = None
    direct_rows: int = 8192
    direct_scores: int = 2**17
    batch_directions: int = 64
    parallel_from: int = 20_000_000

    def rows_per_group(self, count: int) -> int:
        """Rows in a group: fewer to score again when many groups win, fewer maxima to compare when few do."""
        return self.group_rows or (128 if count <= 4 else 32)


@dataclass(frozen=True)
class Best:
    """The best rows for each direction, best first: scores and rows, both `(b, count)`."""

    scores: Tensor
    rows: Tensor


def best_rows(
    items: Tensor,
    directions: Tensor,
    count: int,
    allowed: Tensor | None = None,
    settings: ScanSettings = ScanSettings(),  # noqa: B008 - immutable
) -> Best:
    """The `count` rows of items `(n, d)` with the largest inner products, for directions `(b, d)`.

    If fewer rows are allowed, the scores end with minus infinity.
    """
    batches = torch.split(directions, max(settings.batch_directions, 2 * settings.direct_scores // max(1, len(items))))
    parts = [_best_rows(items, batch, count, allowed, settings) for batch in batches]
    if len(parts) == 1:
        return parts[0]
    return Best(torch.cat([part.scores for part in parts]), torch.cat([part.rows for part in parts]))


def _best_rows(items: Tensor, directions: Tensor, count: int, allowed: Tensor | None, settings: ScanSettings) -> Best:
    n, d = items.shape
    if n <= settings.direct_rows or n * len(directions) <= settings.direct_scores:
        return best_of(_scores(items, directions, allowed), count)
    group = settings.rows_per_group(count)
    block_rows = settings.block_groups * group

    def best_groups(start: int) -> Best:
        block = slice(start, start + block_rows)
        scores = _scores(items[block], directions, None if allowed is None else allowed[block])
        best = best_of(_group_maxima(scores, group), count)
        return Best(best.scores, best.rows + start // group)

    starts = range(0, n, block_rows)
    in_parallel = n * d * len(directions) >= settings.parallel_from
    blocks = on_all_threads(best_groups, starts) if in_parallel else list(map(best_groups, starts))
    groups = best_first(torch.cat([b.scores for b in blocks], dim=1), torch.cat([b.rows for b in blocks], dim=1), count)
    return _best_in_groups(items, directions, groups.rows.sort(dim=1).values, group, count, allowed)


def every_score(catalog: Catalog, directions: Tensor) -> Tensor:
    """Inner products `(n, b)` of every item of a catalogue with directions `(b, d)`, which must fit into memory."""
    return catalog.items @ directions.T


def _scores(items: Tensor, directions: Tensor, allowed: Tensor | None) -> Tensor:
    """Inner products `(b, n)`, minus infinity for what is not allowed."""
    scores = directions @ items.T
    return scores if allowed is None else scores.masked_fill_(~allowed, -torch.inf)


def _group_maxima(scores: Tensor, group: int) -> Tensor:
    """The largest of each `group` neighbouring scores, `(b, groups)`."""
    if ragged := -scores.shape[1] % group:
        scores = pad(scores, (0, ragged), value=-torch.inf)
    return scores.view(len(scores), -1, group).amax(dim=2)


def _best_in_groups(
    items: Tensor, directions: Tensor, groups: Tensor, group: int, count: int, allowed: Tensor | None
) -> Best:
    """The best rows among those of the groups `(b, g)`, given in ascending order."""
    rows = (groups[:, :, None] * group + torch.arange(group)).flatten(1)
    inside = rows < len(items)
    rows = rows.clamp_max(len(items) - 1)
    scores = (items[rows] @ directions[:, :, None])[:, :, 0]
    usable = inside if allowed is None else inside & allowed[rows]
    best = best_of(scores.masked_fill_(~usable, -torch.inf), count)
    return Best(best.scores, rows.gather(1, best.rows))


def argmax(scores: Tensor) -> Tensor:
    """The index of the highest of scores `(b, ..., n)`, the first among equals, shape `(b, ...)`."""
    # NumPy compares sixteen numbers at once: 20 times faster than torch for 128 rows of 2,000.
    return torch.from_numpy(scores.detach().numpy().argmax(axis=-1))


def best_of(scores: Tensor, count: int) -> Best:
    """The `count` highest of scores `(b, n)` and their indices, the first among equals; all if there are fewer."""
    if count == 1:
        indices = argmax(scores)[:, None]
        return Best(scores.gather(1, indices), indices)
    if count >= scores.shape[1]:
        return best_first(scores, torch.arange(scores.shape[1]).expand(scores.shape), count)
    found, indices = scores.topk(count + 1, dim=1)
    # topk returns equal scores in any order, and any of those at the cut. Excluded items (-inf) need no order.
    equal = (found[:, 1:] == found[:, :-1]) & (found[:, 1:] > -torch.inf)
    found, indices = found[:, :count], indices[:, :count]
    if not equal.any():
        return Best(found, indices)
    tied = equal[:, -1]
    indices[tied] = _first_of_equals(scores[tied], found[tied, -1:], count)
    found[tied] = scores[tied].gather(1, indices[tied])
    return best_first(found, indices, count)


def _first_of_equals(scores: Tensor, cut: Tensor, count: int) -> Tensor:
    """Indices `(b, count)` of the scores `(b, n)` above the cut `(b, 1)` and of the first ones equal to it."""
    above, equal = scores > cut, scores == cut
    wanted = count - above.sum(dim=1, keepdim=True)
    kept = above | (equal & (equal.cumsum(dim=1) <= wanted))
    return kept.nonzero()[:, 1].view(-1, count)


def best_first(scores: Tensor, rows: Tensor, count: int) -> Best:
    """The first `count` by descending score, equal scores by ascending row."""
    by_row = rows.argsort(dim=1)
    scores, rows = scores.gather(1, by_row), rows.gather(1, by_row)
    order = scores.argsort(dim=1, descending=True, stable=True)[:, :count]
    return Best(scores.gather(1, order), rows.gather(1, order))
