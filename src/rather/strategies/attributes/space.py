"""The partial items there are, and slates of them: all that does not depend on the belief.

A partial item is p ascending indices of attributes, no two of which contradict each other, nor more of them together
where that is known. A slate is k different ones, a tensor `(k, p)`; a batch of slates is `(b, k, p)`.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from rather.errors import InvalidInputError, number_range
from rather.nouns import counted

# Up to this many partial items are listed in order to be counted. Where each is checked, fewer, which takes 30 ms:
# larger spaces are never exhausted, neither by a conversation nor by exhaustive search.
LISTED_ITEMS, CHECKED_ITEMS = 100_000, 2_500


@dataclass(frozen=True, eq=False)
class AttributeSpace:
    """All slates of k partial items of p attributes.

    Attributes:
        columns: `(a,)`, a number for each attribute; those with the same number contradict each other.
        k: Partial items on a slate.
        p: Attributes that each of them makes.
        together: `(a, a)` boolean, which two attributes hold of at least one item; the others contradict each other
            as well. None where that is not known.
        combinable: Whether three or more ascending attributes, each two of which do not contradict each other, hold of
            one item together. None where that is not known.
    """

    columns: Tensor
    k: int
    p: int
    together: Tensor | None = None
    combinable: Callable[[tuple[int, ...]], bool] | None = None

    def __post_init__(self) -> None:
        count = len(set(self.columns.tolist()))
        if not 1 <= self.p <= count:
            allowed = number_range(1, count)
            raise InvalidInputError(f"`p` must be {allowed} (the columns that attributes are about), got {self.p}.")
        found = len(list(itertools.islice(self.every_item(), max(self.k, 2))))
        if self.k < 2 or found < self.k:
            said = counted(self.p, "attribute")
            if found < 2:
                raise InvalidInputError(
                    f"A question compares at least 2 options, but {said} can be combined in only one way here: "
                    "ask about items, or use another `p`."
                )
            allowed = number_range(2, self.items if self.k < 2 else found)
            raise InvalidInputError(f"`k` must be {allowed} (the partial items of {said}), got {self.k}.")

    @cached_property
    def clash(self) -> Tensor:
        """`(a, a)` boolean, which two attributes contradict each other; each does itself."""
        same = self.columns[:, None] == self.columns
        return same if self.together is None else same | ~self.together

    def impossible(self, items: Tensor) -> Tensor:
        """`(...)` boolean, which of items `(..., q)` hold of nothing, though each two of their attributes may.

        -1 stands for an attribute that is not stated.
        """
        if self.combinable is None or items.shape[-1] < 3:
            return torch.zeros(items.shape[:-1], dtype=torch.bool)
        said = [[each for each in item if each >= 0] for item in items.flatten(0, -2).tolist()]
        return torch.tensor([not self._is_combinable(each) for each in said], dtype=torch.bool).view(items.shape[:-1])

    def _is_combinable(self, said: Sequence[int]) -> bool:
        return self.combinable is None or len(said) < 3 or self.combinable(tuple(sorted(said)))

    @cached_property
    def items(self) -> int:
        """How many partial items there are.

        An upper bound where there are very many: from p = 4 on, with `combinable` from p = 3 on.
        """
        if self.p == 1:
            return len(self.columns)
        fits = (~self.clash).double()
        if self.p == 2:
            return int(fits.sum()) // 2
        most = int(((fits @ fits) * fits).sum()) // 6 if self.p == 3 else self._items_by_column()
        if self.combinable is not None:
            listed = sum(1 for _ in itertools.islice(self.every_item(), CHECKED_ITEMS))
            return listed if listed < CHECKED_ITEMS else most
        return sum(1 for _ in self.every_item()) if self.p > 3 and most <= LISTED_ITEMS else most

    def _items_by_column(self) -> int:
        """The p-th elementary symmetric polynomial of the columns' sizes."""
        ways = [1] + [0] * self.p
        for size in Counter(self.columns.tolist()).values():
            for count in range(self.p, 0, -1):
                ways[count] += size * ways[count - 1]
        return ways[self.p]

    @cached_property
    def slates(self) -> int:
        """How many slates there are, whatever their order."""
        return math.comb(self.items, self.k)

    def every_item(self, order: list[int] | None = None) -> Iterator[tuple[int, ...]]:
        """All partial items, in the order of their attributes or, if given, in another order of attributes."""
        indices = range(len(self.columns)) if order is None else order
        clash = self.clash.tolist()

        def grown(said: tuple[int, ...], left: list[int]) -> Iterator[tuple[int, ...]]:
            if len(said) == self.p:
                yield tuple(sorted(said))
                return
            for at, index in enumerate(left):
                if self._is_combinable((*said, index)):
                    yield from grown((*said, index), [other for other in left[at + 1 :] if not clash[index][other]])

        yield from grown((), list(indices))

    def random(self, count: int, generator: torch.Generator) -> Tensor:
        """`count` random slates, `(count, k, p)`."""
        shape = (count, self.k, len(self.columns))
        return self.projected(torch.rand(shape, generator=generator, dtype=torch.float32))

    def projected(self, scores: Tensor) -> Tensor:
        """The slates `(b, k, p)` that scores `(b, k, a)` point at: of each item the p largest without contradiction.

        An item that its slate already has gives way to the one of highest total score among its neighbours.
        """
        left = scores.clone()
        picked: list[Tensor] = []
        stuck = torch.zeros(scores.shape[:2], dtype=torch.bool)
        for _ in range(self.p):
            most, best = self._largest(left, picked)
            stuck |= most == -torch.inf
            picked.append(best)
            left.masked_fill_(self.clash[best], -torch.inf)
        slates: Tensor = torch.stack(picked, dim=2).sort(dim=2).values
        for row, slot in stuck.nonzero().tolist():
            order = scores[row, slot].argsort(descending=True).tolist()
            slates[row, slot] = torch.tensor(next(self.every_item(order)))
        for row in _with_repeats(slates):
            slates[row] = self._without_repeats(slates[row], scores[row])
        return slates

    def _largest(self, left: Tensor, picked: list[Tensor]) -> tuple[Tensor, Tensor]:
        """The largest scores `(b, k)` and their attributes; what is impossible beside those picked leaves `left`."""
        while True:
            most, best = left.max(dim=2)
            wrong = most > -torch.inf
            wrong[wrong.clone()] = self.impossible(torch.stack([*picked, best], dim=2)[wrong])
            if not wrong.any():
                return most, best
            left[wrong] = left[wrong].scatter(1, best[wrong][:, None], -torch.inf)

    def _without_repeats(self, slate: Tensor, scores: Tensor) -> Tensor:
        taken: list[tuple[int, ...]] = []
        for item, worth in zip(slate, scores, strict=True):
            options = [tuple(item.tolist())]
            if options[0] in taken:
                nearby = [tuple(near) for near in self._neighbours(item[None]).tolist()]
                options = [near for near in nearby if near not in taken]
            if not options:
                options = [next(other for other in self.every_item() if other not in taken)]
            taken.append(max(options, key=lambda option: float(worth[list(option)].sum())))
        return torch.tensor(taken)

    def _neighbours(self, items: Tensor) -> Tensor:
        """Partial items that differ from one of `items` `(b, p)` in one attribute."""
        found = [self._replaced(items, position) for position in range(self.p)]
        nearby = torch.cat([candidates[valid] for candidates, valid in found])
        return nearby[~self.impossible(nearby)]

    def _replaced(self, items: Tensor, position: int) -> tuple[Tensor, Tensor]:
        """Items `(b, p)` with the attribute in `position` replaced by every other: `(b, a, p)`, and which are valid."""
        a = len(self.columns)
        candidates = items[:, None, :].repeat(1, a, 1)
        candidates[:, :, position] = torch.arange(a)
        others = torch.cat([items[:, :position], items[:, position + 1 :]], dim=1)
        same = torch.arange(a) == items[:, position, None]
        return candidates.sort(dim=2).values, ~(self._clash_if_stated[others].any(dim=1) | same)

    @cached_property
    def _clash_if_stated(self) -> Tensor:
        """`clash` with a last row for an attribute that is not stated, which contradicts none."""
        return torch.cat([self.clash, torch.zeros_like(self.clash[:1])])

    def swaps(self, slates: Tensor, item: int, position: int) -> tuple[Tensor, Tensor]:
        """What replaces an item if one of its attributes is replaced by every other.

        Args:
            slates: `(b, k, p)`; -1 stands for an attribute that is not stated yet.
            item: Which item of each slate.
            position: Which of its attributes.

        Returns:
            `(b, a, p)` items, and `(b, a)` which of them make slates of distinct partial items; of three attributes or
            more they may still be `impossible`, which takes longer to tell.
        """
        replaced, valid = self._replaced(slates[:, item], position)
        others = torch.cat([slates[:, :item], slates[:, item + 1 :]], dim=1)
        repeated = (replaced[:, :, None, :] == others[:, None, :, :]).all(dim=3).any(dim=2)
        return replaced, valid & ~repeated

    def neighbours(self, slates: Tensor) -> Tensor:
        """Every slate `(c, k, p)` that differs from one of `slates` in one attribute."""
        found = []
        for item in range(self.k):
            for position in range(self.p):
                replaced, valid = self.swaps(slates, item, position)
                candidates = slates[:, None].repeat(1, len(self.columns), 1, 1)
                candidates[:, :, item] = replaced
                found.append(candidates[valid])
        slates = torch.cat(found)
        return slates[~self.impossible(slates).any(dim=1)]


def _with_repeats(slates: Tensor) -> list[int]:
    """The slates `(b, k, p)` in which two items are the same, as rows."""
    k = slates.shape[1]
    same = (slates[:, :, None] == slates[:, None]).all(dim=3)
    rows: list[int] = (same.sum(dim=(1, 2)) > k).nonzero()[:, 0].tolist()
    return rows
