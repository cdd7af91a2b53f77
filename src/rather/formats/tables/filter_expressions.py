"""Filter expressions: `price < 30000 and drive == 'AWD'` as a mask over the rows of a table. Parsed, never evaluated.

    expression   conditions joined by `and`, `or`, `not` and parentheses; `a implies b` is `not a or b`
    condition    price < 30000      also <=, >, >=, ==, !=, and chains: 10 <= price < 20
                 drive in ('AWD', '4WD')      drive not in ('FWD')      'comedy' in genres
                 price is missing      price is not missing
                 electric                                      a yes/no column by itself

Names with spaces are written in backticks. A missing value satisfies neither a condition nor its negation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NoReturn, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from rather.errors import InvalidInputError
from rather.formats.tables.filter_conditions import LiteralValue, compared, contained, missing, one_of, yes
from rather.formats.tables.settings import suggestion
from rather.formats.tables.table_columns import TableColumn

LONGEST = 10_000
DEEPEST = 50

_TOKENS = re.compile(
    r"""(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?(?![\w.]))
      | (?P<text>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*")
      | (?P<column>`[^`]+`)
      | (?P<word>[^\W\d]\w*)
      | (?P<sign><=|>=|==|!=|<>|<|>|=|\(|\)|\[|\]|,|-)""",
    re.VERBOSE,
)
COMPARISONS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "==", "=": "==", "!=": "!=", "<>": "!="}
KEYWORDS = {"and", "or", "not", "in", "is", "missing", "implies"}
TRUTHS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
HINTS = {"&": "write `and`", "|": "write `or`", "!": "write `not`", "*": "there is no arithmetic, only comparisons"}


@dataclass(frozen=True)
class Token:
    """A piece of an expression and the index at which it starts."""

    kind: str
    text: str
    start: int


def where_mask(expression: str, columns: Sequence[TableColumn]) -> npt.NDArray[np.bool_]:
    """Which rows satisfy an expression for certain, `(n,)`.

    Args:
        expression: See the docstring of this module.
        columns: What it may refer to, by the name in the table or the display name.
    """
    return parsed(expression, columns, TableConditions()).true


Meaning = TypeVar("Meaning", bound="Combinable")
Produced = TypeVar("Produced", bound="Combinable", covariant=True)


class Combinable(Protocol):
    """What conditions mean, joined by `and`, `or` and `not`."""

    def __and__(self, other: Self, /) -> Self: ...
    def __or__(self, other: Self, /) -> Self: ...
    def __invert__(self) -> Self: ...


class Conditions(Protocol[Produced]):
    """What single conditions mean. A condition that makes no sense raises `InvalidInputError`."""

    def missing(self, column: TableColumn) -> Produced:
        """`column is missing`."""
        ...

    def yes(self, column: TableColumn) -> Produced:
        """A yes/no column by itself."""
        ...

    def one_of(self, column: TableColumn, values: Sequence[LiteralValue]) -> Produced:
        """`column in (a, b)`."""
        ...

    def contained(self, value: LiteralValue, column: TableColumn) -> Produced:
        """`'comedy' in genres`."""
        ...

    def compared(self, left: TableColumn | LiteralValue, sign: str, right: TableColumn | LiteralValue) -> Produced:
        """`left < right` for two columns, or a column and a value in either order."""
        ...


class TableConditions:
    """Conditions as what they say of every row."""

    missing = staticmethod(missing)
    yes = staticmethod(yes)
    one_of = staticmethod(one_of)
    contained = staticmethod(contained)
    compared = staticmethod(compared)


def parsed(
    expression: str, columns: Sequence[TableColumn], conditions: Conditions[Meaning], name: str = "`where`"
) -> Meaning:
    """What an expression means, in terms of what its conditions mean.

    Args:
        expression: See the docstring of this module.
        columns: What it may refer to, by the name in the table or the display name.
        conditions: What conditions mean.
        name: What messages call the expression.
    """
    if not isinstance(expression, str):
        raise InvalidInputError(f'{name} must be a text such as "price < 30000", got {type(expression).__name__}.')
    if len(expression) > LONGEST:
        raise InvalidInputError(f"{name} must have at most {LONGEST:,} characters, got {len(expression):,}.")
    return _Parser(expression, columns, conditions, name).parse()


class _Parser(Generic[Meaning]):
    """Recursive descent over the tokens; each rule returns the meaning of its part."""

    def __init__(
        self, expression: str, columns: Sequence[TableColumn], conditions: Conditions[Meaning], name: str
    ) -> None:
        self.expression = expression
        self.conditions = conditions
        self.name = name
        self.by_name = {column.display_name: column for column in columns} | {column.name: column for column in columns}
        self.tokens = self._split()
        self.position = 0
        self.depth = 0

    def _split(self) -> list[Token]:
        tokens, start = [], 0
        while start < len(self.expression):
            if self.expression[start].isspace():
                start += 1
                continue
            match = _TOKENS.match(self.expression, start)
            if match is None:
                character = self.expression[start]
                quote = " is never closed" if character in "'\"`" else " is not allowed here"
                hint = f"; {HINTS[character]}" if character in HINTS else ""
                self.reject(start, f"{character!r}{quote}{hint}")
            tokens.append(Token(str(match.lastgroup), match[0], start))
            start = match.end()
        return [*tokens, Token("end", "the end", len(self.expression))]

    def reject(self, start: int, problem: str) -> NoReturn:
        """Raise with the expression and a mark under the character."""
        left = max(0, start - 60)
        line = re.sub(r"\s", " ", self.expression[left : start + 60])
        stop = "" if problem.endswith("?") else "."
        picture = f"  {line}\n  {' ' * (start - left)}^"
        raise InvalidInputError(
            f"{self.name} cannot be understood at character {start + 1}: {problem}{stop}\n{picture}"
        )

    @property
    def now(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        token = self.now
        self.position += token.kind != "end"
        return token

    def word(self, *texts: str) -> bool:
        """Take the next token if it is one of these keywords or signs."""
        if self.now.kind in ("word", "sign") and self.now.text.lower() in texts:
            self.take()
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.word(text):
            self.reject(self.now.start, f"expected {text!r}, found {self.now.text!r}")

    def parse(self) -> Meaning:
        if self.now.kind == "end":
            self.reject(0, "it is empty; write a condition such as price < 30000")
        truth = self.implication()
        if self.now.kind != "end":
            self.reject(self.now.start, f"expected `and`, `or` or the end, found {self.now.text!r}")
        return truth

    def implication(self) -> Meaning:
        truth = self.either()
        return ~truth | self.implication() if self.word("implies") else truth

    def either(self) -> Meaning:
        truth = self.both()
        while self.word("or"):
            truth = truth | self.both()
        return truth

    def both(self) -> Meaning:
        truth = self.negation()
        while self.word("and"):
            truth = truth & self.negation()
        return truth

    def negation(self) -> Meaning:
        start = self.now.start
        odd = False
        while self.word("not"):
            odd = not odd
        truth = self.condition(start)
        return ~truth if odd else truth

    def condition(self, start: int) -> Meaning:
        if self.word("("):
            self.depth += 1
            if self.depth > DEEPEST:
                self.reject(start, f"parentheses are nested more than {DEEPEST} deep")
            truth = self.implication()
            self.expect(")")
            self.depth -= 1
            return truth
        first = self.operand()
        if self.word("is"):
            return self.existence(first)
        negated = self.word("not")
        if negated or self.now.text.lower() == "in":
            self.expect("in")
            truth = self.membership(first)
            return ~truth if negated else truth
        return self.comparison(first)

    def existence(self, first: Operand) -> Meaning:
        negated = self.word("not")
        self.expect("missing")
        if first.column is None:
            self.reject(first.start, "only a column can be missing")
        truth = self.conditions.missing(first.the_column)
        return ~truth if negated else truth

    def membership(self, first: Operand) -> Meaning:
        if first.column is None:
            holder = self.operand()
            if holder.column is None:
                self.reject(holder.start, "`in` must be followed by a column or by a list of values in parentheses")
            return self.checked(holder.start, lambda: self.conditions.contained(first.the_literal, holder.the_column))
        if not self.word("(", "["):
            self.reject(self.now.start, f"expected a list of values in parentheses, found {self.now.text!r}")
        values = [self.literal()]
        while self.word(","):
            if self.now.text in (")", "]"):
                break
            values.append(self.literal())
        if not self.word(")", "]"):
            self.reject(self.now.start, f"expected ')', found {self.now.text!r}")
        return self.checked(first.start, lambda: self.conditions.one_of(first.the_column, values))

    def literal(self) -> LiteralValue:
        operand = self.operand()
        if operand.column is not None:
            self.reject(operand.start, "a list must hold values; write texts in quotes")
        return operand.the_literal

    def comparison(self, first: Operand) -> Meaning:
        if self.now.text not in COMPARISONS:
            if first.column is None:
                self.reject(self.now.start, f"expected a comparison such as <, found {self.now.text!r}")
            return self.checked(first.start, lambda: self.conditions.yes(first.the_column))
        truth: Meaning | None = None
        while self.now.text in COMPARISONS:
            sign = self.take()
            second = self.operand()
            link = self.compare(first, COMPARISONS[sign.text], second)
            truth = link if truth is None else truth & link
            first = second
        assert truth is not None
        return truth

    def compare(self, left: Operand, sign: str, right: Operand) -> Meaning:
        if left.column is None and right.column is None:
            self.reject(left.start, "a comparison needs a column on one side")
        return self.checked(left.start, lambda: self.conditions.compared(left.value, sign, right.value))

    def checked(self, start: int, make: Callable[[], Meaning]) -> Meaning:
        """The truth of a condition; an error is located in the expression."""
        try:
            return make()
        except InvalidInputError as error:
            self.reject(start, str(error).rstrip("."))

    def operand(self) -> Operand:
        token = self.take()
        if token.kind == "sign" and token.text == "-" and self.now.kind == "number":
            return Operand(token.start, None, -float(self.take().text))
        if token.kind == "number":
            return Operand(token.start, None, float(token.text))
        if token.kind == "text":
            return Operand(token.start, None, re.sub(r"\\(.)", r"\1", token.text[1:-1]))
        if token.kind == "column":
            return Operand(token.start, self.column(token.text[1:-1], token.start))
        if token.kind != "word" or token.text.lower() in KEYWORDS:
            self.reject(token.start, f"expected a column or a value, found {token.text!r}")
        if token.text not in self.by_name and token.text.lower() in TRUTHS:
            return Operand(token.start, None, TRUTHS[token.text.lower()])
        return Operand(token.start, self.column(token.text, token.start))

    def column(self, name: str, start: int) -> TableColumn:
        if name not in self.by_name:
            hint = suggestion(name, list(self.by_name)).rstrip(".")
            quotes = "" if hint else "; write texts in quotes, and names with spaces in backticks"
            self.reject(start, f"there is no column {name!r}{hint}{quotes}")
        return self.by_name[name]


@dataclass(frozen=True)
class Operand:
    """A column or a literal value, and the index at which it starts."""

    start: int
    column: TableColumn | None
    literal: LiteralValue = 0.0

    @property
    def value(self) -> TableColumn | LiteralValue:
        """The column or the value."""
        return self.literal if self.column is None else self.column

    @property
    def the_column(self) -> TableColumn:
        """The column, if it is one."""
        assert self.column is not None
        return self.column

    @property
    def the_literal(self) -> LiteralValue:
        """The value, if it is one."""
        return self.literal
