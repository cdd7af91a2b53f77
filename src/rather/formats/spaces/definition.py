"""A product space: what a product can be configured to, by its decisions, totals and rules.

```python
space = rather.ProductSpace(
    "bicycle",
    [
        rather.Option("frame", {"steel": {"price": 0}, "carbon": {"price": 900}}),
        rather.NumberRange("size", 48, 62, step=2, unit="cm"),
        rather.Extra("lights", adds={"price": 60}),
    ],
    totals=[rather.Total("price", base=400, unit="EUR", direction="less")],
    rules=["frame == 'carbon' implies size <= 58"],
)
catalog, belief = rather.open(space)
```
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, NoReturn

from rather.errors import InvalidInputError
from rather.formats.tables.column_kinds import ColumnKind, Role
from rather.formats.tables.naming import CURRENCIES
from rather.formats.tables.settings import COLUMN_KEYS, TableSettings, load_settings, suggestion
from rather.formats.tables.spellings import spelling_key
from rather.nouns import large_number

# A finer range has a worth that nobody can tell from the next one.
MOST_VALUES = 10_000

# Rows of a table of all configurations: some 500 MB of Python objects.
MOST_ROWS = 1_000_000

# Tolerance, as a share of a step, for ends of ranges that were computed, such as 3 * 0.1.
END_ERROR = Decimal("1e-9")

# Whole numbers up to here are exact in floating point too.
LARGEST_AMOUNT = 2**53

# What `settings` of a decision or a total may be: those of a column of a table, but for what a space says by itself.
SETTINGS = tuple(key for key in COLUMN_KEYS if key not in ("kind", "missing", "separator"))


@dataclass(frozen=True)
class Decision:
    """What one chooses; made by `Option`, `NumberRange` or `Extra`.

    Attributes:
        name: What it is called, also in rules.
        kind: Of its column: category, number or yes/no.
        values: What can be chosen: texts, numbers, or False and True.
        adds: For each value what it adds to totals.
        settings: How its column is shown and learned from, as in the settings of a table (`name`, `unit`, `direction`,
            `phrase`, `role`, `buckets`).
        images: For each value the address of a picture, if any has one.
    """

    name: str
    kind: ColumnKind
    values: tuple[str | float | bool, ...]
    adds: tuple[Mapping[str, float], ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    images: tuple[str | None, ...] = ()

    @property
    def cells(self) -> list[str | float | bool]:
        """The values as they stand in a table."""
        return list(self.values)

    def text(self, index: int) -> str:
        """A value as ids say it."""
        value = self.values[index]
        if isinstance(value, bool):
            return "yes" if value else "no"
        return value if isinstance(value, str) else repr(value).removesuffix(".0")


def Option(  # noqa: N802 - a kind of decision
    name: str, values: Sequence[Any] | Mapping[Any, Any], /, *, kind: str | None = None, **settings: Any
) -> Decision:
    """A decision between a few values.

    Args:
        name: What it is called, also in rules: "frame".
        values: Texts or numbers; or for each of them what it adds to totals, {"carbon": {"price": 900}}, where "image"
            may be the address of a picture.
        kind: "number" or "category"; by default numbers if all values are.
        settings: As in the settings of a table: `name`, `unit`, `direction`, `phrase`, `role`, `buckets`.
    """
    if kind not in (None, "number", "category"):
        raise InvalidInputError(f"`kind` of the option {name!r} must be 'number' or 'category', got {kind!r}.")
    for value in values:
        if isinstance(value, bool):
            raise InvalidInputError(f"The option {name!r} must be an extra: its values are yes and no, got {value!r}.")
        if not isinstance(value, str | int | float):
            raise InvalidInputError(f"A value of the option {name!r} must be a text or a number, got {value!r}.")
    given = values if isinstance(values, Mapping) else dict.fromkeys(values)
    if not isinstance(values, Mapping) and len(given) != len(values):
        raise InvalidInputError(f"The option {name!r} must have distinct values, got {list(values)}.")
    details = [dict(each) if isinstance(each, Mapping) else {} for each in given.values()]
    for value, each, detail in zip(given, given.values(), details, strict=True):
        if each is not None and not isinstance(each, Mapping):
            raise InvalidInputError(
                f"The value {value!r} of the option {name!r} must say what it adds as {{ price = 900 }}, got {each!r}."
            )
        image = detail.get("image", "https://")
        if not isinstance(image, str) or not image.lower().startswith(("http://", "https://")):
            raise InvalidInputError(
                f"`image` of the value {value!r} of {name!r} must be an address that begins with https:// or http://, "
                f"got {image!r}."
            )
    images = tuple(detail.pop("image", None) for detail in details)
    numbers = [number for value in given if (number := _number(value)) is not None]
    is_number = len(numbers) == len(given) and kind != "category"
    if kind == "number" and not is_number:
        raise InvalidInputError(f"The option {name!r} must have numbers as values to be one, got {list(given)}.")
    texts = [str(value).strip() for value in given]
    found = ColumnKind.NUMBER if is_number else ColumnKind.CATEGORY
    shown: tuple[str | float | bool, ...] = tuple(numbers) if is_number else tuple(texts)
    return Decision(name, found, shown, tuple(details), settings, images if any(images) else ())


def NumberRange(  # noqa: N802
    name: str, /, low: float, high: float, *, step: float, adds: Mapping[str, float] | None = None, **settings: Any
) -> Decision:
    """A decision on a number from `low` to `high` in steps.

    Args:
        name: What it is called, also in rules: "size".
        low: The lowest.
        high: The highest.
        step: Between two neighbours.
        adds: What each unit of the number adds to totals: with {"price": 4}, 16 of it add 64.
        settings: See `Option`.
    """
    for argument, number in (("low", low), ("high", high), ("step", step)):
        if not _is_amount(number):
            raise InvalidInputError(f"`{argument}` of the range {name!r} must be a number, got {number!r}.")
    if step <= 0 or high <= low:
        raise InvalidInputError(
            f"The range {name!r} must go from a lower to a higher number in steps above 0, got {low} to {high} by "
            f"{step}."
        )
    for total, amount in (adds or {}).items():
        if not _is_amount(amount):
            raise InvalidInputError(f"What {name!r} adds to {total!r} must be a number, got {amount!r}.")
    # In decimals: ten steps of 0.1 from 0 end at 1.
    start, width = Decimal(str(low)), Decimal(str(step))
    steps = (Decimal(str(high)) - start) / width
    count = int(steps + END_ERROR) + 1
    if count > MOST_VALUES:
        raise InvalidInputError(
            f"The range {name!r} must have at most {MOST_VALUES:,} values, got {large_number(count)}: take a larger "
            "step."
        )
    if abs(steps - (count - 1)) > END_ERROR:
        below, above = (_written(start + number * width) for number in (count - 1, count))
        ends = f", which end at {below}: write {below} or {above}" if count > 1 else f": write {above}"
        raise InvalidInputError(
            f"The range {name!r} must end on one of its steps. {_written(high)} is not reached from {_written(low)} in "
            f"steps of {_written(step)}{ends}."
        )
    exact = [start + number * width for number in range(count)]
    values = tuple(float(each) for each in exact)
    each = {total: Decimal(str(amount)) for total, amount in (adds or {}).items()}
    gains = tuple({total: float(amount * value) for total, amount in each.items()} for value in exact)
    return Decision(name, ColumnKind.NUMBER, values, gains, settings)


def Extra(name: str, /, *, adds: Mapping[str, float] | None = None, **settings: Any) -> Decision:  # noqa: N802
    """A decision between no and yes.

    Args:
        name: What it is called, also in rules: "lights".
        adds: What it adds to totals: {"price": 60}.
        settings: See `Option`.
    """
    return Decision(name, ColumnKind.YES_NO, (False, True), ({}, dict(adds or {})), settings)


@dataclass(frozen=True)
class Total:
    """A sum over all decisions, with a worth of its own: a line, unless the settings say `worth="curve"`.

    Choices of a line add to its worth one by one. A curve depends on the sum, which makes searches slower.

    Attributes:
        name: What it is called, also in rules: "price".
        base: What it starts from.
        counts: Extras that add 1 each; for rules such as `accessories <= 2`.
        settings: How its column is shown and learned from; see `Option`.
    """

    name: str
    base: float = 0.0
    counts: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __init__(self, name: str, /, *, base: float = 0.0, counts: Sequence[str] = (), **settings: Any) -> None:
        if not _is_amount(base):
            raise InvalidInputError(f"`base` of the total {name!r} must be a number, got {base!r}.")
        self.__dict__.update(name=name, base=base, counts=tuple(counts), settings=settings)


@dataclass(frozen=True, eq=False)
class ProductSpace:
    """All configurations of a product that its rules allow; `rather.open` makes a catalogue of it.

    Attributes:
        name: What to call one configuration ("bicycle").
        decisions: What is chosen: `Option`, `NumberRange` and `Extra`.
        totals: Sums over the choices.
        rules: Expressions that every configuration satisfies, such as "price <= 3000".
        interactions: Pairs of columns whose worth is joint.
        verb: What one does with it ("ride").
        label: What to show first, with columns in braces: "{frame} bike".
        source: What messages call it.
        lines: The line of each part in its file, for messages.
    """

    name: str
    decisions: Sequence[Decision]
    totals: Sequence[Total] = ()
    rules: Sequence[str] = ()
    interactions: Sequence[tuple[str, str]] = ()
    verb: str | None = None
    label: str | None = None
    source: str = field(default="The product space", repr=False)
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            self.reject(("space", "name"), f"`name` must say what one configuration is called, got {self.name!r}.")
        for argument in ("decisions", "totals", "rules", "interactions"):
            object.__setattr__(self, argument, tuple(getattr(self, argument)))
        if len(self.decisions) < 1:
            self.reject((), "a product space needs at least one option, range or extra.")
        self._validate_names()
        for decision in self.decisions:
            self._validate_decision(decision)
        for total in self.totals:
            self._validate_total(total)
        for names in self.interactions:
            for name in names:
                self._reject_unknown(("space", "interactions"), name, self.names, "column")
        for number, rule in enumerate(self.rules):
            if not isinstance(rule, str) or not rule.strip():
                self.reject(
                    ("space", "rules", str(number)), f'a rule must be a text such as "price <= 3000", got {rule!r}.'
                )
        if self.label is not None and not isinstance(self.label, str):
            self.reject(("space", "label"), f'`label` must be a text such as "{{frame}} bike", got {self.label!r}.')
        for name in re.findall(r"\{([^{}]*)\}", self.label or ""):
            self._reject_unknown(("space", "label"), name, self.names, "column")
        if all(column.role is not Role.USE for column in self.table_settings.columns.values()):
            self.reject((), 'it has no column to learn from: set role = "use" for at least one.')

    @property
    def names(self) -> list[str]:
        """The names of all columns: decisions first, then totals."""
        return [*(each.name for each in self.decisions), *(each.name for each in self.totals)]

    @property
    def combinations(self) -> int:
        """How many combinations of values there are, valid or not."""
        return math.prod(len(decision.values) for decision in self.decisions)

    @cached_property
    def table_settings(self) -> TableSettings:
        """The settings of the table of all configurations."""
        columns: dict[str, dict[str, Any]] = {}
        given = {each.name: each.settings for each in self.decisions} | {
            each.name: each.settings for each in self.totals
        }
        for name, settings in given.items():
            for key in settings:
                if key not in SETTINGS:
                    known = f"{suggestion(key, SETTINGS)} There are: {', '.join(SETTINGS)}."
                    self.reject((name, key), f"unknown setting of {name!r}: {key!r}{known}")
        for decision in self.decisions:
            columns[decision.name] = {"kind": decision.kind.value, "role": "use", **decision.settings}
        for total in self.totals:
            role = "show" if total.counts else "use"
            is_price = total.name.lower() == "price" or str(total.settings.get("unit")) in CURRENCIES
            kind = "price" if is_price else "number"
            columns[total.name] = {"kind": kind, "role": role, "worth": "line", **total.settings}
        # Every value means what it says: "unknown" is no gap here.
        table: dict[str, Any] = {"name": self.name, "missing": []}
        table |= {"verb": self.verb} if self.verb else {}
        table |= {"interactions": [list(pair) for pair in self.interactions]} if self.interactions else {}
        lines = {("table" if path[0] == "space" else "columns", *path): line for path, line in self.lines.items()}
        lines |= {("table", *path[1:]): line for path, line in self.lines.items() if path[0] == "space"}
        return load_settings({"table": table, "columns": columns}, source=self.source, lines=lines)

    def table(self, most_rows: int = MOST_ROWS) -> dict[str, list[str | float | bool]]:
        """All valid configurations as the columns of a table, in the order of the rows of the catalogue.

        `rather.open(space.table(), settings=space.table_settings)` is the same catalogue as a list.

        Args:
            most_rows: Raise `NeedsListError` if there are more.
        """
        from rather.formats.spaces.valid import ValidConfigurations

        return ValidConfigurations(self).listed(most_rows)

    def reject(self, path: tuple[str, ...], message: str) -> NoReturn:
        """Raise an error that says which line of the file is wrong."""
        raise InvalidInputError(f"{located(self.source, self.lines, path)}: {message}")

    def _validate_names(self) -> None:
        seen: dict[str, str] = {}
        for name in self.names:
            if not isinstance(name, str) or not name.strip() or name != name.strip() or set(name) & set("`{}"):
                self.reject((name,), f"a column must have a name without backticks and braces, got {name!r}.")
            if (key := spelling_key(name)) in seen:
                self.reject(
                    (name,), f"two columns are called {name!r}; names of options, ranges, extras and totals differ."
                )
            seen[key] = name

    def _validate_decision(self, decision: Decision) -> None:
        where, values = (decision.name,), decision.values
        if len(values) < 2:
            self.reject(where, f"{decision.name!r} must have at least 2 values to choose from, got {len(values)}.")
        if len(values) > MOST_VALUES:
            self.reject(where, f"{decision.name!r} must have at most {MOST_VALUES:,} values, got {len(values):,}.")
        keys = [spelling_key(value) if isinstance(value, str) else value for value in values]
        if len(set(keys)) < len(keys):
            self.reject(where, f"{decision.name!r} must have distinct values, got {list(values)}.")
        if "" in values:
            self.reject(where, f"a value of {decision.name!r} must be a text, got ''.")
        known = [total.name for total in self.totals if not total.counts]
        for adds in decision.adds:
            for name, amount in adds.items():
                self._reject_unknown(where, name, known, "total")
                if not _is_amount(amount):
                    self.reject(where, f"what {decision.name!r} adds to {name!r} must be a number, got {amount!r}.")

    def _validate_total(self, total: Total) -> None:
        extras = [each.name for each in self.decisions if each.kind is ColumnKind.YES_NO]
        for name in total.counts:
            self._reject_unknown((total.name,), name, extras, "extra")

    def _reject_unknown(self, where: tuple[str, ...], name: str, known: Sequence[str], noun: str) -> None:
        if name not in known:
            there = (
                f"{suggestion(str(name), known)} There are: {', '.join(known)}."
                if known
                else f"; no {noun} is defined."
            )
            self.reject(where, f"there is no {noun} {name!r}{there}")


def located(source: str, lines: Mapping[tuple[str, ...], int], path: tuple[str, ...]) -> str:
    """Where something stands: "bike.toml, line 7"; without a line of its own, that of what is in it or around it."""
    inside = [line for other, line in lines.items() if other[: len(path)] == path and path]
    around = (lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines)
    line = next(around, None) if path in lines or not inside else min(inside)
    return source if line is None else f"{source}, line {line}"


def _is_amount(value: Any) -> bool:
    """Whether it is a number that can be computed with: neither infinite nor too large for a float."""
    return not isinstance(value, bool) and isinstance(value, int | float) and abs(value) <= sys.float_info.max


def _written(number: float | Decimal) -> str:
    """A number as it is written in a file: "62", "0.5"."""
    return repr(float(number)).removesuffix(".0")


def _number(value: Any) -> float | None:
    """A value as a number, if it is one."""
    if isinstance(value, str) and re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", value.strip()):
        value = float(value)
    return float(value) if _is_amount(value) else None


@dataclass(frozen=True)
class Units:
    """A total in whole numbers of its smallest unit.

    Attributes:
        decimals: How many decimals the amounts have.
    """

    decimals: int

    @classmethod
    def of(cls, amounts: Sequence[float]) -> Units:
        """Fine enough for all of the amounts; at most six decimals."""
        exponents = [Decimal(str(amount)).normalize().as_tuple().exponent for amount in amounts]
        found = [-each for each in exponents if isinstance(each, int)]
        return cls(min(6, max([0, *found])))

    def whole(self, amount: float) -> int:
        """An amount in smallest units."""
        return int((Decimal(str(amount)) * 10**self.decimals).to_integral_value())

    def amount(self, whole: int) -> float:
        """Smallest units as an amount."""
        return float(Decimal(whole) / 10**self.decimals)
