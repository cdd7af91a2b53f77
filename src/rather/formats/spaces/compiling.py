"""From decisions, totals and rules to a decision diagram.

Decisions are taken one after the other. A state holds what the choices so far mean for those to come: what is left of
the rules, the values that a joint worth will need, and the totals so far of those that are not settled. Totals are
whole numbers of their smallest unit, held in arrays, so that thousands of them cost as much as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rather.formats.spaces.rules import FALSE, Formula, TotalWithin
from rather.model.diagrams import NO_EDGE, Diagram, Ints, reduced

# Some 60 MB and, at ten directions in a millisecond, the largest that questions can be asked about in seconds.
MOST_EDGES = 3_000_000

# Edges that take as long as to simplify the rules once: the limit holds for both together.
FORMULA_COST = 9

# Sums that are written down to find the distinct ones: 80 MB.
MOST_SUMS = 10_000_000

# Digits of base 3 after which numbers of groups are counted anew: with a million sums they are below 4 * 10^15.
DIGITS = 20

# Configurations are numbered by signed 64-bit integers.
MOST_CONFIGURATIONS = 9 * 10**18


@dataclass(frozen=True)
class Total:
    """A sum over choices, in its smallest unit.

    Attributes:
        base: What it starts from.
        adds: For each decision what its values add, `(values,)`; None where they add nothing.
        is_wanted: Whether the end of the sum has to be known: it has a worth of its own.
    """

    base: int
    adds: tuple[Ints | None, ...]
    is_wanted: bool

    def last(self, order: Sequence[int]) -> int:
        """The layer after which it is settled."""
        return max((layer for layer, decision in enumerate(order) if self.adds[decision] is not None), default=0)

    def amounts(self) -> Ints:
        """All amounts that some combination of values has, valid or not, ascending."""
        found = np.array([self.base])
        for adds in self.adds:
            if adds is not None:
                found = _sums(found, np.unique(adds))
        return found

    def rest(self, order: Sequence[int]) -> list[tuple[int, int]]:
        """For each layer the least and the most that the choices after it add."""
        found = [(0, 0)]
        for decision in reversed(order[1:]):
            adds = self.adds[decision]
            low, high = (0, 0) if adds is None else (int(adds.min()), int(adds.max()))
            found.append((found[-1][0] + low, found[-1][1] + high))
        return found[::-1]


class Settled(NamedTuple):
    """What a choice settles: the value, and what can be told only now.

    Attributes:
        value: The value chosen.
        totals: Of each total that is settled by this choice, its amount.
        pairs: Of each joint worth that is settled by this choice, the two values (or amounts) it depends on.
    """

    value: int
    totals: tuple[tuple[int, int], ...]
    pairs: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Part:
    """A decision or a total that a joint worth depends on."""

    index: int
    is_total: bool = False


@dataclass(frozen=True, eq=False)
class Compiled:
    """All valid configurations.

    Attributes:
        diagram: Their diagram.
        order: The decision that each layer takes.
        settled: For each layer what its symbols mean.
    """

    diagram: Diagram = field(repr=False)
    order: tuple[int, ...]
    settled: tuple[tuple[Settled, ...], ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Problem:
    """What configurations there are.

    Attributes:
        sizes: How many values each decision has.
        totals: Sums over choices.
        pairs: What joint worths depend on.
        order: In which decisions are taken.
        most_edges: Reject a diagram with more edges.
    """

    sizes: tuple[int, ...]
    totals: tuple[Total, ...] = ()
    pairs: tuple[tuple[Part, Part], ...] = ()
    order: tuple[int, ...] = ()
    most_edges: int = MOST_EDGES

    def compiled(self, rules: Formula) -> Compiled | None:
        """The diagram of all configurations that satisfy the rules; None if there are none."""
        return _Compiler(self, rules).run()


class _Key(NamedTuple):
    """What is the same for many totals: the rules that are left, and the values that joint worths need."""

    rules: Formula
    kept: tuple[tuple[int, int], ...]


@dataclass(eq=False)
class _Edges:
    """The edges of a layer, in parts."""

    sources: list[Ints] = field(default_factory=list)
    values: list[Ints] = field(default_factory=list)
    keys: list[Ints] = field(default_factory=list)
    sums: list[Ints] = field(default_factory=list)
    details: list[Ints] = field(default_factory=list)

    def add(self, sources: Ints, value: int, key: int, sums: Ints, details: Ints) -> None:
        """More edges with the same value, to states of the same key."""
        self.sources.append(sources)
        self.values.append(np.full(len(sources), value))
        self.keys.append(np.full(len(sources), key))
        self.sums.append(sums)
        self.details.append(details)


class _Compiler:
    """One pass over the decisions."""

    def __init__(self, problem: Problem, rules: Formula) -> None:
        self.problem, self.rules = problem, rules
        order = self.order = problem.order or tuple(range(len(problem.sizes)))
        layer_of = {decision: layer for layer, decision in enumerate(order)}
        self.last = [total.last(order) for total in problem.totals]
        self.rest = [total.rest(order) for total in problem.totals]
        self.pair_layers = [
            tuple(self.last[part.index] if part.is_total else layer_of[part.index] for part in pair)
            for pair in problem.pairs
        ]
        self.needed_at = [self._needed_at(total) for total in range(len(problem.totals))]

    def run(self) -> Compiled | None:
        if self.rules == FALSE:
            return None
        states: dict[_Key, tuple[Ints, Ints]] = {
            _Key(self.rules, ()): (
                np.zeros(1, dtype=np.int64),
                np.array([[total.base for total in self.problem.totals]], dtype=np.int64),
            )
        }
        children, symbols, settled = [], [], []
        left, nodes = self.problem.most_edges, 1
        for layer, decision in enumerate(self.order):
            edges, keys, left = self._edges(layer, decision, states, left)
            if not edges.sources:
                return None
            sources, values = np.concatenate(edges.sources), np.concatenate(edges.values)
            states, targets = _states(np.concatenate(edges.keys), np.concatenate(edges.sums), keys)
            details = np.concatenate([values[:, None], np.concatenate(edges.details)], axis=1)
            distinct, symbol = np.unique(details, axis=0, return_inverse=True)
            child = np.full((nodes, self.problem.sizes[decision]), NO_EDGE)
            shown = np.zeros_like(child)
            child[sources, values], shown[sources, values] = targets, symbol.ravel()
            children.append(child)
            symbols.append(shown)
            settled.append(self._meaning(layer, distinct))
            nodes = sum(len(rows) for rows, _ in states.values())
        self._join_ends(children)
        # In floating point: the exact numbers would have overflowed.
        if (count := _count(children)) > MOST_CONFIGURATIONS:
            raise TooManyConfigurationsError(count)
        diagram = reduced(children, symbols)
        if diagram is None:
            return None
        return Compiled(diagram, self.order, tuple(settled))

    def _edges(
        self, layer: int, decision: int, states: dict[_Key, tuple[Ints, Ints]], most: int
    ) -> tuple[_Edges, list[_Key], int]:
        """The edges of a layer, the keys of the states that they lead to, and how many more edges there may be."""
        edges, numbers = _Edges(), dict[_Key, int]()
        for key, (nodes, sums) in states.items():
            for value in range(self.problem.sizes[decision]):
                left = key.rules.chosen(decision, value)
                if left == FALSE:
                    continue
                added = self._added(sums, decision, value)
                kept = (*key.kept, (decision, value))
                for rules, inside in self._by_totals(left, added, layer):
                    details = self._details(layer, dict(kept), added[inside])
                    following = _Key(rules, self._needed(kept, layer))
                    number = numbers.setdefault(following, len(numbers))
                    edges.add(nodes[inside], value, number, self._open(added[inside], rules, layer), details)
                    most -= len(inside) + FORMULA_COST
                    if most < 0:  # before a layer of many values fills the memory
                        raise TooWideError
        return edges, list(numbers), most

    def _added(self, sums: Ints, decision: int, value: int) -> Ints:
        gains = [0 if (adds := total.adds[decision]) is None else int(adds[value]) for total in self.problem.totals]
        return sums + np.asarray(gains, dtype=np.int64)

    def _by_totals(self, rules: Formula, sums: Ints, layer: int) -> list[tuple[Formula, Ints]]:
        """What is left of the rules for which of the sums `(s, totals)`, given by their positions."""
        conditions = sorted(rules.totals, key=lambda each: (each.total, each.holds))
        everything = np.arange(len(sums))
        if not conditions:
            return [(rules, everything)]
        decided = [self._decided(each, sums, layer) for each in conditions]
        group = np.zeros(len(sums), dtype=np.int64)  # one number for what is known of all conditions
        for index, codes in enumerate(decided):
            group = 3 * group + codes + 1
            if index % DIGITS == DIGITS - 1:
                group = np.unique(group, return_inverse=True)[1].ravel()
        groups = []
        for number, first in zip(*np.unique(group, return_index=True), strict=True):
            known = {
                each: codes[first] == 1 for each, codes in zip(conditions, decided, strict=True) if codes[first] >= 0
            }
            if (left := rules.settled(known) if known else rules) != FALSE:
                groups.append((left, np.flatnonzero(group == number)))
        return groups

    def _decided(self, condition: TotalWithin, sums: Ints, layer: int) -> npt.NDArray[np.int8]:
        low, high = self.rest[condition.total][layer]
        return condition.decided(sums[:, condition.total] + low, sums[:, condition.total] + high)

    def _open(self, sums: Ints, rules: Formula, layer: int) -> Ints:
        """The sums with 0 for what nothing depends on any more."""
        tested = {each.total for each in rules.totals}
        wanted = [index in tested or self.needed_at[index] > layer for index in range(len(self.problem.totals))]
        return np.where(np.asarray(wanted, dtype=bool), sums, 0)

    def _needed_at(self, total: int) -> int:
        """The last layer at which a total is needed for its worth or for a joint one; -1 if it never is."""
        joint = (
            max(layers)
            for pair, layers in zip(self.problem.pairs, self.pair_layers, strict=True)
            if Part(total, is_total=True) in pair
        )
        return max([*joint, self.last[total] if self.problem.totals[total].is_wanted else -1])

    def _needed(self, kept: Sequence[tuple[int, int]], layer: int) -> tuple[tuple[int, int], ...]:
        """Those of the values chosen that a joint worth needs after this layer."""
        waiting = {
            part.index
            for pair, layers in zip(self.problem.pairs, self.pair_layers, strict=True)
            for part in pair
            if not part.is_total and max(layers) > layer
        }
        return tuple(each for each in kept if each[0] in waiting)

    def _details(self, layer: int, kept: dict[int, int], sums: Ints) -> Ints:
        """For each of the sums `(s, totals)` what this layer settles, `(s, columns)`."""
        columns = [sums[:, index] for index in self._totals_settled(layer)]
        for pair in self._pairs_settled(layer):
            for part in self.problem.pairs[pair]:
                columns.append(sums[:, part.index] if part.is_total else np.full(len(sums), kept[part.index]))
        return np.stack(columns, axis=1) if columns else np.zeros((len(sums), 0), dtype=np.int64)

    def _totals_settled(self, layer: int) -> list[int]:
        return [
            index for index, total in enumerate(self.problem.totals) if total.is_wanted and self.last[index] == layer
        ]

    def _pairs_settled(self, layer: int) -> list[int]:
        return [index for index, layers in enumerate(self.pair_layers) if max(layers) == layer]

    def _meaning(self, layer: int, details: Ints) -> tuple[Settled, ...]:
        totals, pairs = self._totals_settled(layer), self._pairs_settled(layer)
        found = []
        for value, *rest in details.tolist():
            amounts = tuple(zip(totals, rest, strict=False))
            both = rest[len(totals) :]
            found.append(
                Settled(
                    value,
                    amounts,
                    tuple((pair, both[2 * number], both[2 * number + 1]) for number, pair in enumerate(pairs)),
                )
            )
        return tuple(found)

    @staticmethod
    def _join_ends(children: list[Ints]) -> None:
        """After the last decision nothing is open: all ends are one."""
        last = children[-1]
        children[-1] = np.where(last >= 0, 0, NO_EDGE)


class TooWideError(Exception):
    """The diagram has more edges than it may."""


class TooManyConfigurationsError(Exception):
    """There are more configurations than can be numbered.

    Args:
        count: About how many there are.
    """

    def __init__(self, count: float) -> None:
        super().__init__(count)
        self.count = count


def _sums(first: Ints, second: Ints) -> Ints:
    """All sums of a number of each, ascending and distinct."""
    low, high = int(first.min() + second.min()), int(first.max() + second.max())
    if len(first) * len(second) <= MOST_SUMS:
        return np.unique(first[:, None] + second)
    # So many that most numbers between the ends occur: each is marked.
    occurs = np.zeros(high - low + 1, dtype=bool)
    for each in second.tolist():
        occurs[first + (each - low)] = True
    return occurs.nonzero()[0] + low


def _states(keys: Ints, sums: Ints, names: Sequence[_Key]) -> tuple[dict[_Key, tuple[Ints, Ints]], Ints]:
    """The distinct states by key, each with its numbers and sums, and for each edge the number of its state."""
    rows, inverse = np.unique(np.concatenate([keys[:, None], sums], axis=1), axis=0, return_inverse=True)
    starts = np.searchsorted(rows[:, 0], np.arange(len(names) + 1))
    states = {
        name: (np.arange(starts[number], starts[number + 1]), rows[starts[number] : starts[number + 1], 1:])
        for number, name in enumerate(names)
    }
    return states, inverse.ravel()


def _count(children: Sequence[Ints]) -> float:
    """How many paths there are, about."""
    paths = np.ones(1)
    for child in reversed(children):
        paths = np.where(child >= 0, paths[child], 0.0).sum(axis=1)
    return float(paths[0])
