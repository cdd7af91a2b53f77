"""Rules about configurations, as formulas that become simpler with every choice.

A formula is made of conditions by `and` and `or`; a negation is carried down to the conditions. Once a decision is
taken, the conditions about it are true or false and vanish. What is left says which choices are still allowed, and two
configurations with the same formula left have the same choices before them (formula progression, Bacchus & Kabanza
1998).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt


class Formula:
    """A condition on configurations."""

    def __and__(self, other: Formula) -> Formula:
        return every((self, other))

    def __or__(self, other: Formula) -> Formula:
        return some((self, other))

    def __invert__(self) -> Formula:
        raise TypeError(f"{type(self).__name__} has no negation")

    def chosen(self, decision: int, value: int) -> Formula:
        """What is left of it once a decision has been taken."""
        return self

    @property
    def decisions(self) -> frozenset[int]:
        """The decisions that it depends on directly."""
        return frozenset()

    @property
    def totals(self) -> frozenset[TotalWithin]:
        """Its conditions on totals."""
        return frozenset()

    def settled(self, known: dict[TotalWithin, bool]) -> Formula:
        """What is left of it once some of its conditions on totals are known."""
        return self


@dataclass(frozen=True)
class Constant(Formula):
    """True or false."""

    holds: bool

    def __invert__(self) -> Formula:
        return Constant(not self.holds)


TRUE, FALSE = Constant(True), Constant(False)


@dataclass(frozen=True)
class OneOf(Formula):
    """A decision has one of some values."""

    decision: int
    values: frozenset[int]
    count: int
    """How many values the decision has."""

    def __invert__(self) -> Formula:
        return one_of(self.decision, frozenset(range(self.count)) - self.values, self.count)

    def chosen(self, decision: int, value: int) -> Formula:
        """See `Formula.chosen`."""
        return self if decision != self.decision else (TRUE if value in self.values else FALSE)

    @property
    def decisions(self) -> frozenset[int]:
        """See `Formula.decisions`."""
        return frozenset((self.decision,))


def one_of(decision: int, values: Iterable[int], count: int) -> Formula:
    """`OneOf`, or a constant where all or none of the values are meant."""
    chosen = frozenset(values)
    if not chosen:
        return FALSE
    return TRUE if len(chosen) == count else OneOf(decision, chosen, count)


@dataclass(frozen=True)
class PairOf(Formula):
    """Two decisions have one of some pairs of values."""

    first: int
    second: int
    pairs: frozenset[tuple[int, int]]
    counts: tuple[int, int]

    def __invert__(self) -> Formula:
        rows, columns = self.counts
        every_pair = {(row, column) for row in range(rows) for column in range(columns)}
        return PairOf(self.first, self.second, frozenset(every_pair) - self.pairs, self.counts)

    def chosen(self, decision: int, value: int) -> Formula:
        """See `Formula.chosen`."""
        if decision == self.first:
            return one_of(self.second, (b for a, b in self.pairs if a == value), self.counts[1])
        if decision == self.second:
            return one_of(self.first, (a for a, b in self.pairs if b == value), self.counts[0])
        return self

    @property
    def decisions(self) -> frozenset[int]:
        """See `Formula.decisions`."""
        return frozenset((self.first, self.second))


@dataclass(frozen=True)
class TotalWithin(Formula):
    """A total has one of some amounts.

    Attributes:
        total: Which one.
        amounts: All amounts it may have, ascending, in the smallest units that occur.
        holds: For each of them whether the condition holds.
    """

    total: int
    amounts: tuple[int, ...]
    holds: tuple[bool, ...]

    def __invert__(self) -> Formula:
        return TotalWithin(self.total, self.amounts, tuple(not each for each in self.holds))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.total, self.holds))

    @property
    def totals(self) -> frozenset[TotalWithin]:
        """See `Formula.totals`."""
        return frozenset((self,))

    def settled(self, known: dict[TotalWithin, bool]) -> Formula:
        """See `Formula.settled`."""
        return self if self not in known else (TRUE if known[self] else FALSE)

    def decided(self, low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """For amounts that end up between `low` and `high`: 1 where it will hold, 0 where not, -1 where it may."""
        amounts, holding = self._cumulative
        start = np.searchsorted(amounts, low, side="left")
        end = np.searchsorted(amounts, high, side="right")
        held = holding[end] - holding[start]
        return np.where(held == 0, 0, np.where(held == end - start, 1, -1)).astype(np.int8)

    @cached_property
    def _cumulative(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        return np.asarray(self.amounts), np.concatenate([[0], np.cumsum(self.holds)])


@dataclass(frozen=True)
class Compound(Formula):
    """Several formulas, none of which is of this kind itself."""

    parts: frozenset[Formula]

    @staticmethod
    def joined(parts: Iterable[Formula]) -> Formula:
        """The parts as one formula of this kind, as simple as can be."""
        raise NotImplementedError

    @staticmethod
    def opposite(parts: Iterable[Formula]) -> Formula:
        """The parts as one formula of the other kind."""
        raise NotImplementedError

    def __invert__(self) -> Formula:
        return self.opposite(~part for part in self.parts)

    def chosen(self, decision: int, value: int) -> Formula:
        """See `Formula.chosen`."""
        return self.joined(part.chosen(decision, value) for part in self.parts) if decision in self.decisions else self

    @cached_property
    def decisions(self) -> frozenset[int]:
        """See `Formula.decisions`."""
        return frozenset().union(*(part.decisions for part in self.parts))

    @cached_property
    def totals(self) -> frozenset[TotalWithin]:
        """See `Formula.totals`."""
        return frozenset().union(*(part.totals for part in self.parts))

    def settled(self, known: dict[TotalWithin, bool]) -> Formula:
        """See `Formula.settled`."""
        return self.joined(part.settled(known) for part in self.parts)


class Every(Compound):
    """All of its parts hold."""

    @staticmethod
    def joined(parts: Iterable[Formula]) -> Formula:
        """See `Compound.joined`."""
        return every(parts)

    @staticmethod
    def opposite(parts: Iterable[Formula]) -> Formula:
        """See `Compound.opposite`."""
        return some(parts)


class AnyOf(Compound):
    """At least one of its parts holds."""

    @staticmethod
    def joined(parts: Iterable[Formula]) -> Formula:
        """See `Compound.joined`."""
        return some(parts)

    @staticmethod
    def opposite(parts: Iterable[Formula]) -> Formula:
        """See `Compound.opposite`."""
        return every(parts)


def every(parts: Iterable[Formula]) -> Formula:
    """All of these hold."""
    return _joined(parts, TRUE, FALSE, Every)


def some(parts: Iterable[Formula]) -> Formula:
    """At least one of these holds."""
    return _joined(parts, FALSE, TRUE, AnyOf)


def _joined(parts: Iterable[Formula], neutral: Constant, decisive: Constant, kind: type[Compound]) -> Formula:
    kept: set[Formula] = set()
    for part in parts:
        if part == decisive:
            return decisive
        if isinstance(part, kind):
            kept |= part.parts
        elif part != neutral:
            kept.add(part)
    if len(kept) < 2:
        return next(iter(kept), neutral)
    return kind(frozenset(kept))
