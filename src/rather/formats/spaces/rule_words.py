"""Rules in words: "frame: carbon only goes with brakes: not rim and rear carrier: no".

Columns and values are written as on a card, "brakes: rim", which needs no grammar of nouns that somebody else chose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rather.formats.tables.column_kinds import ColumnKind
from rather.formats.tables.filter_conditions import FLIPPED, LiteralValue
from rather.formats.tables.filter_expressions import parsed
from rather.formats.tables.number_texts import NumberTexts
from rather.formats.tables.table_columns import TableColumn
from rather.languages import joined, message, name_in

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
WORDS = {"<": "under", "<=": "at_most", ">": "over", ">=": "at_least", "==": "is", "!=": "not"}
# What is left of a column without a value is listed if it is no more than this: not "motor: not no".
MOST_OTHERS = 3

# Between two columns; the words of a value would be "at most the colour".
BETWEEN = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠"}


@dataclass(frozen=True)
class Said:
    """A condition that can be said in a language, and its opposite.

    Attributes:
        text: In a language.
        opposite: The opposite in a language.
        is_list: Whether it joins conditions, by "and" or "or".
        negated: What it is the negation of, if it was made as one.
    """

    text: Callable[[str], str]
    opposite: Callable[[str], str]
    is_list: bool = False
    negated: Said | None = None

    def __invert__(self) -> Said:
        return Said(self.opposite, self.text, self.is_list, None if self.negated else self)

    def __and__(self, other: Said) -> Said:
        return Said(_list("and", self.text, other.text), _list("or", self.opposite, other.opposite), True)

    def __or__(self, other: Said) -> Said:
        if (condition := self.negated) is not None:  # "not a or b" is "a implies b"
            return Said(
                lambda language: message(
                    language, "rules.implies", condition=condition.text(language), rest=other.text(language)
                ),
                _list("and", condition.text, other.opposite),
            )
        return Said(_list("or", self.text, other.text), _list("and", self.opposite, other.opposite), True)


def _list(kind: str, *parts: Callable[[str], str]) -> Callable[[str], str]:
    return lambda language: joined([part(language) for part in parts], language, kind)


class RuleWords:
    """What conditions say; implements `rather.formats.tables.filter_expressions.Conditions`.

    Args:
        columns: What rules may be about, each with a table of all its values.
    """

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self._columns = columns

    def __call__(self, rule: str, language: str) -> str:
        """A rule in words of a language."""
        return parsed(rule, self._columns, self, "a rule").text(language)

    def missing(self, column: TableColumn) -> Said:
        """See `Conditions.missing`."""
        return _values(column, ["–"])

    def yes(self, column: TableColumn) -> Said:
        """See `Conditions.yes`."""
        return _flag(column, holds=True)

    def one_of(self, column: TableColumn, values: Sequence[LiteralValue]) -> Said:
        """See `Conditions.one_of`."""
        return _values(column, values)

    def contained(self, value: LiteralValue, column: TableColumn) -> Said:
        """See `Conditions.contained`."""
        return _values(column, [value])

    def compared(self, left: TableColumn | LiteralValue, sign: str, right: TableColumn | LiteralValue) -> Said:
        """See `Conditions.compared`."""
        if not isinstance(left, TableColumn):
            assert isinstance(right, TableColumn), "a comparison has a column on one side"
            return self.compared(right, FLIPPED[sign], left)
        if isinstance(right, TableColumn):
            other = right
            return Said(
                lambda language: f"{_name(left, language)} {BETWEEN[sign]} {_name(other, language)}",
                lambda language: f"{_name(left, language)} {BETWEEN[OPPOSITE[sign]]} {_name(other, language)}",
            )
        if sign in ("==", "!="):
            found = _values(left, [right])
            return found if sign == "==" else Said(found.opposite, found.text)
        value = right

        def said(sign: str) -> Callable[[str], str]:
            return lambda language: _named(
                left, message(language, f"rules.{WORDS[sign]}", value=_value(left, value, language)), language
            )

        return Said(said(sign), said(OPPOSITE[sign]))


def _values(column: TableColumn, values: Sequence[LiteralValue]) -> Said:
    if column.kind is ColumnKind.YES_NO and len(values) == 1:
        wanted = values[0]
        return _flag(column, holds=wanted in ("yes", "true") or wanted == 1.0)

    def listed(values: Sequence[LiteralValue], language: str) -> str:
        return joined([_value(column, value, language) for value in values], language, "or")

    others = (
        [] if column.kind is not ColumnKind.CATEGORY else [each for each in column.cells.distinct if each not in values]
    )

    def opposite(language: str) -> str:
        if 0 < len(others) <= MOST_OTHERS:
            return listed(others, language)
        return message(language, "rules.not", value=listed(values, language))

    return Said(
        lambda language: _named(column, listed(values, language), language),
        lambda language: _named(column, opposite(language), language),
    )


def _flag(column: TableColumn, *, holds: bool) -> Said:
    def said(yes: bool) -> Callable[[str], str]:
        return lambda language: _named(column, message(language, "cell.yes" if yes else "cell.no"), language)

    return Said(said(holds), said(not holds))


def _named(column: TableColumn, value: str, language: str) -> str:
    return f"{_name(column, language)}: {value}"


def _name(column: TableColumn, language: str) -> str:
    return name_in(language, column.display_name)


def _value(column: TableColumn, value: LiteralValue, language: str) -> str:
    """A value as the column shows it."""
    if isinstance(value, str):
        return value
    if column.kind is ColumnKind.CATEGORY:
        return f"{value:.12g}"
    known = np.flatnonzero(column.numbers == value)
    return column.text(int(known[0]), language) if len(known) else NumberTexts.of(column).amount(value, language)
