"""Which configurations of a product space are valid: its rules as formulas, and all that satisfy them as a diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NoReturn

import numpy as np
import torch
from torch import Tensor

from rather.errors import InvalidInputError, NeedsListError, NoneAllowedError
from rather.formats.spaces.clashes import smallest_clash
from rather.formats.spaces.compiling import (
    MOST_CONFIGURATIONS,
    MOST_EDGES,
    Compiled,
    Part,
    Problem,
    TooManyConfigurationsError,
    TooWideError,
    Total,
)
from rather.formats.spaces.conditions import SpaceConditions
from rather.formats.spaces.definition import LARGEST_AMOUNT, ProductSpace, Units
from rather.formats.spaces.rules import Formula, every
from rather.formats.tables.column_kinds import Role, Worth
from rather.formats.tables.inspection import inspect_table
from rather.formats.tables.table_columns import TableColumn
from rather.model.diagrams import Ints
from rather.nouns import counted

# Different amounts of a total. More come of prices in cents that were not rounded.
MOST_AMOUNTS = 500_000


@dataclass(frozen=True, eq=False)
class ValidConfigurations:
    """The valid configurations of a product space.

    Attributes:
        space: What can be chosen, and the rules.
        most_edges: Reject a diagram with more edges.
    """

    space: ProductSpace
    most_edges: int = MOST_EDGES

    @cached_property
    def units(self) -> tuple[Units, ...]:
        """In which units each total is computed."""
        return tuple(
            Units.of(
                [
                    total.base,
                    *(adds[total.name] for each in self.space.decisions for adds in each.adds if total.name in adds),
                ]
            )
            for total in self.space.totals
        )

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """The totals in whole numbers."""
        found = []
        for total, units in zip(self.space.totals, self.units, strict=True):
            adds: list[Ints | None] = []
            for decision in self.space.decisions:
                gains = [adds.get(total.name, 0.0) for adds in decision.adds]
                if decision.name in total.counts:
                    gains = [0.0, 1.0]
                adds.append(np.array([units.whole(gain) for gain in gains]) if any(gains) else None)
            own = self.space.table_settings.column(total.name)
            is_wanted = own.role is Role.USE and own.worth is not Worth.LINE
            most = abs(units.whole(total.base)) + sum(int(np.abs(each).max()) for each in adds if each is not None)
            if most > LARGEST_AMOUNT:
                self.space.reject(
                    (total.name,),
                    f"{total.name!r} must come to at most 15 digits, decimals included, got up to "
                    f"{most / 10**units.decimals:.1e}.",
                )
            found.append(Total(units.whole(total.base), tuple(adds), is_wanted))
        return tuple(found)

    @cached_property
    def amounts(self) -> tuple[Ints, ...]:
        """All amounts of each total, in its smallest unit, ascending."""
        found = []
        for total, each in zip(self.totals, self.space.totals, strict=True):
            if (size := _bound(total)) > MOST_AMOUNTS:
                self.space.reject(
                    (each.name,),
                    f"{each.name!r} must have at most {MOST_AMOUNTS:,} different amounts, but it may have {size:,}: "
                    "round what the choices add to it.",
                )
            found.append(total.amounts())
        return tuple(found)

    @cached_property
    def values(self) -> tuple[TableColumn, ...]:
        """The columns of tables in which every value of every column occurs; the first rows of each are its values."""
        rows = max(len(each.values) for each in self.space.decisions)
        decisions = {
            each.name: [*each.cells, *([each.cells[0]] * (rows - len(each.cells)))] for each in self.space.decisions
        }
        # Totals are tables of their own: as rows of one table, thousands of amounts would make every column as long.
        tables = [decisions]
        for total, units, amounts in zip(self.space.totals, self.units, self.amounts, strict=True):
            cells: list[str | float | bool] = [units.amount(each) for each in amounts.tolist()]
            tables.append({total.name: cells if len(cells) > 1 else 2 * cells})  # a table has two rows at least
        return tuple(column for table in tables for column in self._inspected(table))

    def _inspected(self, table: Mapping[str, Sequence[str | float | bool]]) -> tuple[TableColumn, ...]:
        settings = self.space.table_settings
        own = {name: settings.column(name) for name in table}
        return inspect_table(table, replace(settings, columns=own, interactions=None)).columns

    @cached_property
    def conditions(self) -> SpaceConditions:
        """What expressions mean here."""
        sizes = tuple(len(each.values) for each in self.space.decisions)
        return SpaceConditions(self.values, sizes, tuple(tuple(each.tolist()) for each in self.amounts))

    @cached_property
    def rules(self) -> tuple[Formula, ...]:
        """The rules as formulas, in the order of the space."""
        found = []
        conditions = self.conditions
        for number, rule in enumerate(self.space.rules):
            try:
                found.append(conditions.formula(rule, "a rule"))
            except InvalidInputError as error:
                self.space.reject(("space", "rules", str(number)), str(error))
        return tuple(found)

    @cached_property
    def problem(self) -> Problem:
        """What configurations there are, but for the rules."""
        index = {name: Part(number) for number, name in enumerate(each.name for each in self.space.decisions)}
        index |= {total.name: Part(number, is_total=True) for number, total in enumerate(self.space.totals)}
        pairs = tuple((index[first], index[second]) for first, second in self.space.interactions)
        sizes = tuple(len(each.values) for each in self.space.decisions)
        return Problem(sizes, self.totals, pairs, self._order(pairs), self.most_edges)

    def _order(self, pairs: Sequence[tuple[Part, Part]]) -> tuple[int, ...]:
        """In which to take the decisions, so that little is open at a time.

        What nothing else depends on comes first; then always the decision that leaves the fewest rules, totals and
        pairs begun but not settled.
        """
        adding = [{number for number, adds in enumerate(total.adds) if adds is not None} for total in self.totals]
        scopes = [set(each) for each in adding]
        for rule in self.rules:
            tested = (adding[each.total] for each in rule.totals)
            scopes.append(set(rule.decisions).union(*tested))
        for pair in pairs:
            scopes.append(set().union(*(adding[part.index] if part.is_total else {part.index} for part in pair)))
        scopes = [scope for scope in scopes if len(scope) > 1]
        order: list[int] = []
        left = list(range(len(self.space.decisions)))
        while left:
            taken = set(order)

            def still_open(decision: int, taken: set[int] = taken) -> tuple[int, int]:
                now = taken | {decision}
                begun = [scope for scope in scopes if scope & now and not scope <= now]
                return len(begun), -sum(decision in scope for scope in begun)

            order.append(min(left, key=still_open))
            left.remove(order[-1])
        return tuple(order)

    @cached_property
    def compiled(self) -> Compiled:
        """All valid configurations; rejects rules that contradict each other."""
        found = self._compiled(self.rules)
        if found is None:
            self._reject_contradiction()
        return found

    def filtered(self, expressions: Sequence[str]) -> Compiled:
        """Those that satisfy further expressions; rejects expressions that none does."""
        wanted = [self.conditions.formula(each) for each in expressions]
        found = self._compiled((*self.rules, *wanted))
        if found is None:
            raise NoneAllowedError(f"No {self.space.name} satisfies {' and '.join(map(repr, expressions))}.")
        return found

    def count_without(self, rule: int) -> int | None:
        """How many configurations satisfy all rules but one; None if there are too many to count."""
        # What has a worth plays no part.
        totals = tuple(replace(total, is_wanted=False) for total in self.totals)
        problem = replace(self.problem, totals=totals, pairs=())
        try:
            found = problem.compiled(every(each for number, each in enumerate(self.rules) if number != rule))
        except (TooManyConfigurationsError, TooWideError):
            return None
        return None if found is None else found.diagram.count

    def occurring(self, decision: int) -> list[bool]:
        """Which values of a decision some valid configuration has."""
        layer = self.compiled.order.index(decision)
        return self.compiled.diagram.layers[layer].exists.any(dim=0).tolist()

    def _compiled(self, rules: Sequence[Formula]) -> Compiled | None:
        try:
            return self.problem.compiled(every(rules))
        except TooManyConfigurationsError as error:
            raise InvalidInputError(
                f"{self.space.source}: a product space must have at most {MOST_CONFIGURATIONS:.0e} configurations; "
                f"this one has {error.count:.1e}. Leave options out that nobody chooses by, or add rules."
            ) from None
        except TooWideError:
            raise InvalidInputError(
                f"{self.space.source}: its rules, totals and interactions depend on too much at once (more than "
                f"{self.most_edges:,} edges in its decision diagram). Round what choices add to totals, or leave out a "
                "rule or an interaction that spans many columns."
            ) from None

    def _reject_contradiction(self) -> NoReturn:
        numbers = self.clashing_rules()
        first = ("space", "rules", str(numbers[0]))
        if len(numbers) == 1:
            self.space.reject(first, f"no configuration satisfies the rule {self.space.rules[numbers[0]]!r}.")
        listed = []
        for number in numbers:
            line = self.space.lines.get(("space", "rules", str(number)))
            listed.append(
                f"\n  {self.space.rules[number]}" if line is None else f"\n  line {line}: {self.space.rules[number]}"
            )
        self.space.reject(
            first, f"no configuration satisfies these {counted(len(numbers), 'rule')} together:{''.join(listed)}"
        )

    def clashing_rules(self) -> tuple[int, ...]:
        """The smallest set of rules that no configuration satisfies together, given that all of them are too many.

        See `rather.formats.spaces.clashes.smallest_clash`.
        """
        return smallest_clash(len(self.rules), self._can_hold)

    def _can_hold(self, rules: Sequence[int]) -> bool:
        """Whether some configuration satisfies these rules; also where that would take too much to find out."""
        # What has a worth plays no part.
        totals = tuple(replace(total, is_wanted=False) for total in self.totals)
        problem = replace(self.problem, totals=totals, pairs=())
        try:
            return problem.compiled(every(self.rules[each] for each in rules)) is not None
        except (TooManyConfigurationsError, TooWideError):
            return True

    def table(self, choices: Tensor) -> dict[str, list[str | float | bool]]:
        """Configurations `(b, L)`, in the order of the diagram, as the columns of a table."""
        order = self.compiled.order
        columns: dict[str, list[str | float | bool]] = {}
        by_decision = {decision: choices[:, layer] for layer, decision in enumerate(order)}
        for number, decision in enumerate(self.space.decisions):
            cells = np.array(decision.cells, dtype=object)
            columns[decision.name] = cells[by_decision[number].numpy()].tolist()
        for each, total, units in zip(self.space.totals, self.totals, self.units, strict=True):
            amounts = [units.amount(amount) for amount in self.whole_amounts(total, by_decision, len(choices)).tolist()]
            columns[each.name] = list(amounts)
        return columns

    def listed(self, most_rows: int) -> dict[str, list[str | float | bool]]:
        """All configurations, in the order of their numbers, as the columns of a table."""
        diagram = self.compiled.diagram
        if diagram.count > most_rows:
            raise NeedsListError(diagram.count, most_rows)
        return self.table(diagram.choices(torch.arange(diagram.count)))

    def total_bounds(self, index: int) -> tuple[float, float]:
        """The least and the most that a total comes to in a valid configuration."""
        total, units = self.totals[index], self.units[index]
        return units.amount(total.base - self._most(total, -1)), units.amount(total.base + self._most(total, 1))

    def _most(self, total: Total, sign: int) -> int:
        """The most that valid choices add, or the least, with a minus."""
        best = torch.zeros(1, dtype=torch.float64)
        layers = self.compiled.diagram.layers
        for layer, decision in zip(reversed(layers), reversed(self.compiled.order), strict=True):
            adds = total.adds[decision]
            gains = np.zeros(layer.values) if adds is None else sign * adds
            reached = torch.from_numpy(gains.astype(np.float64)) + best[layer.target]
            best = reached.masked_fill(~layer.exists, -torch.inf).amax(dim=1)
        return int(best[0])

    @staticmethod
    def whole_amounts(total: Total, by_decision: Mapping[int, Tensor], count: int) -> Ints:
        """What a total comes to, `(count,)`, in its smallest unit."""
        found = np.full(count, total.base)
        for number, adds in enumerate(total.adds):
            if adds is not None:
                found += adds[by_decision[number].numpy()]
        return found


def _bound(total: Total) -> int:
    """How many different amounts there can be, at most."""
    low = high = 0
    combinations = 1
    for adds in total.adds:
        if adds is not None:
            low, high = low + int(adds.min()), high + int(adds.max())
            combinations *= len(np.unique(adds))
    return min(combinations, high - low + 1)
