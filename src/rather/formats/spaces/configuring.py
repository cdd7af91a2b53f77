"""What can be chosen about the configurations of a product space; implements `rather.model.configurators`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rather.errors import InvalidInputError
from rather.formats.spaces.compiling import TooWideError
from rather.formats.spaces.rule_words import RuleWords
from rather.formats.spaces.rules import TRUE, Formula, TotalWithin, every, one_of
from rather.formats.spaces.texts import Choices
from rather.formats.spaces.valid import ValidConfigurations
from rather.formats.tables.column_kinds import ColumnKind, Role
from rather.formats.tables.number_texts import NumberTexts
from rather.formats.tables.phrases import phrase, saying
from rather.formats.tables.settings import suggestion
from rather.formats.tables.spellings import spelling_key
from rather.formats.tables.table_columns import TableColumn
from rather.languages import ENGLISH, message, name_in
from rather.model.attributes import STRESS, Wording
from rather.model.configurators import Amount, Choosable

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, eq=False)
class SpaceConfigurator:
    """The decisions and rules of a product space; implements `rather.model.configurators.Configurator`.

    Attributes:
        valid: The configurations.
        choices: What single ones choose.
    """

    valid: ValidConfigurations
    choices: Choices = field(repr=False)

    @cached_property
    def decisions(self) -> Sequence[Choosable]:
        """See `Configurator.decisions`."""
        layer_of = {decision: layer for layer, decision in enumerate(self.valid.compiled.order)}
        return tuple(
            Choosable(
                decision.name,
                self._columns[decision.name].display_name,
                layer_of[number],
                tuple(decision.text(index) for index in range(len(decision.values))),
                self._columns[decision.name].role is not Role.USE,
            )
            for number, decision in enumerate(self.valid.space.decisions)
        )

    @cached_property
    def _columns(self) -> Mapping[str, TableColumn]:
        return {column.name: column for column in self.valid.values}

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {decision.name: number for number, decision in enumerate(self.valid.space.decisions)}

    def position(self, decision: Choosable, value: Any) -> int:
        """See `Configurator.position`."""
        values = self.valid.space.decisions[self._numbers[decision.column]].values
        for index, each in enumerate(values):
            if type(value) is not str and isinstance(each, bool) == isinstance(value, bool) and value == each:
                return index
        if isinstance(value, str):
            texts = [spelling_key(text) for text in decision.values]
            if (key := spelling_key(value.strip())) in texts:
                return texts.index(key)
        known = ", ".join(decision.values[:12])
        hint = suggestion(str(value), decision.values)
        raise InvalidInputError(
            f"{decision.name!r} is never {value!r}{f'; it is one of {known}.' if hint == '.' else hint}"
        )

    def text(self, decision: Choosable, position: int, language: str = ENGLISH) -> str:
        """See `Configurator.text`."""
        return self._columns[decision.column].text(position, language)

    def wording(self, decision: Choosable, position: int, language: str = ENGLISH) -> Wording:
        """See `Configurator.wording`."""
        column, text = self._columns[decision.column], self.text(decision, position, language)
        if column.kind is ColumnKind.YES_NO:
            return self._flag(column, language, yes=position == 1)
        number = float(column.numbers[position]) if column.kind is not ColumnKind.CATEGORY else None
        if language == ENGLISH:
            return Wording(text, phrase(column, text))
        return saying(column, text, None if number is None else (number, number))(language)

    def _flag(self, column: TableColumn, language: str, *, yes: bool) -> Wording:
        name = name_in(language, column.display_name)
        said = phrase(column, column.display_name)
        if language == ENGLISH and (yes or said.startswith("with ")):
            return Wording(name, said if yes else said.replace("with ", "without ", 1))
        if yes:
            return saying(column, column.display_name, None)(language)
        text = f"{name}: {message(language, 'cell.no')}"
        return Wording(text, f"{STRESS}{text}{STRESS}")

    def amounts(self, row: int, language: str = ENGLISH) -> Sequence[Amount]:
        """See `Configurator.amounts`."""
        chosen = self.choices.of(row)
        shown = [total.name for total in self.valid.space.totals if self._columns[total.name].role is not Role.IGNORE]
        return [
            Amount(
                name,
                name_in(language, self._columns[name].display_name),
                float(self._columns[name].numbers[chosen[name]]),
                self._columns[name].text(chosen[name], language),
            )
            for name in shown
        ]

    def difference(self, column: str, amount: float, language: str = ENGLISH) -> str:
        """See `Configurator.difference`."""
        own = self._columns[column]
        text = NumberTexts.of(own).amount(abs(amount), language)
        return f"{'+' if amount > 0 else MINUS if amount < 0 else '±'}{text}"

    def broken(self, positions: Mapping[str, int], expressions: Sequence[str]) -> Sequence[str]:
        """See `Configurator.broken`."""
        return [text for text, formula in self._formulas(expressions) if self._left(formula, positions) != TRUE]

    def clashing(self, positions: Mapping[str, int], expressions: Sequence[str]) -> Sequence[str]:
        """See `Configurator.clashing`; first each rule alone is tried, then they are left out one by one."""
        sizes = self.valid.problem.sizes
        wanted = [
            one_of(number, [position], sizes[number])
            for name, position in positions.items()
            for number in [self._numbers[name]]
        ]
        given = self._formulas(expressions)
        for text, formula in given:
            if self._clash([formula, *wanted]):
                return [text]
        kept = list(given)
        for each in given:
            fewer = [other for other in kept if other is not each]
            if self._clash([*(formula for _, formula in fewer), *wanted]):
                kept = fewer
        return [text for text, _ in kept]

    def said(self, rule: str, language: str = ENGLISH) -> str:
        """See `Configurator.said`."""
        return self._words(rule, language)

    @cached_property
    def _words(self) -> RuleWords:
        return RuleWords(self.valid.values)

    def _formulas(self, expressions: Sequence[str]) -> list[tuple[str, Formula]]:
        rules = zip(self.valid.space.rules, self.valid.rules, strict=True)
        return [*rules, *((each, self.valid.conditions.formula(each)) for each in expressions)]

    def _clash(self, formulas: Sequence[Formula]) -> bool:
        try:
            return self.valid.problem.compiled(every(formulas)) is None
        except TooWideError:
            return False  # too much to tell; more is then said to be needed than is

    def _left(self, formula: Formula, positions: Mapping[str, int]) -> Formula:
        """What is left of a formula once everything is chosen: true or false."""
        for name, position in positions.items():
            formula = formula.chosen(self._numbers[name], position)
        return formula.settled({each: self._holds(each, positions) for each in formula.totals})

    def _holds(self, condition: TotalWithin, positions: Mapping[str, int]) -> bool:
        total = self.valid.totals[condition.total]
        added = (
            int(adds[positions[decision.name]])
            for decision, adds in zip(self.valid.space.decisions, total.adds, strict=True)
            if adds is not None
        )
        return condition.holds[condition.amounts.index(total.base + sum(added))]
