"""What to show of configurations: put together from the texts of their values when one is looked at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Generic, TypeVar, overload

import numpy as np
import torch

from rather.formats.spaces.valid import ValidConfigurations
from rather.formats.tables.column_kinds import ColumnKind
from rather.formats.tables.facts import Facts
from rather.formats.tables.table_columns import TableColumn

# Configurations whose choices are kept: more than are looked at in a few hundred conversations.
CACHED_ROWS = 10_000

# A label is made of this many options, unless the space has one of its own.
LABELLED = 3

Text = TypeVar("Text")


class Choices:
    """The choices of single configurations, by row.

    Args:
        valid: The configurations.
    """

    def __init__(self, valid: ValidConfigurations) -> None:
        self.valid = valid
        self.of = lru_cache(CACHED_ROWS)(self._of)

    def __reduce__(self) -> tuple[type[Choices], tuple[ValidConfigurations]]:
        # Another process starts with an empty cache.
        return Choices, (self.valid,)

    def __len__(self) -> int:
        return self.valid.compiled.diagram.count

    def _of(self, row: int) -> Mapping[str, int]:
        """For each column, at which position of its table of values the value of a configuration stands."""
        number = range(len(self))[row]
        compiled = self.valid.compiled
        chosen = torch.tensor([compiled.diagram.path(number)[0]])
        by_decision = {decision: chosen[:, layer] for layer, decision in enumerate(compiled.order)}
        space = self.valid.space
        found = {decision.name: int(by_decision[index]) for index, decision in enumerate(space.decisions)}
        for each, total, amounts in zip(space.totals, self.valid.totals, self.valid.amounts, strict=True):
            whole = self.valid.whole_amounts(total, by_decision, 1)
            found[each.name] = int(np.searchsorted(amounts, whole)[0])
        return found

    def row(self, values: Mapping[str, int]) -> int | None:
        """The row of the configuration with these values of its decisions; None if it is not valid."""
        compiled, decisions = self.valid.compiled, self.valid.space.decisions
        chosen = [values[decisions[decision].name] for decision in compiled.order]
        number = int(compiled.diagram.numbers(torch.tensor([chosen])))
        return number if number >= 0 else None


class ByRow(Sequence[Text], Generic[Text]):
    """Something about every configuration, computed when it is looked at.

    Args:
        count: How many configurations there are.
        of: What it is for a row.
    """

    def __init__(self, count: int, of: Callable[[int], Text]) -> None:
        self._count, self._of = count, of

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, row: int) -> Text: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[Text]: ...
    def __getitem__(self, row: int | slice) -> Text | Sequence[Text]:
        if isinstance(row, slice):
            return [self._of(index) for index in range(*row.indices(self._count))]
        return self._of(range(self._count)[row])

    def __iter__(self) -> Iterator[Text]:
        return (self._of(row) for row in range(self._count))


class Ids(ByRow[str]):
    """The ids of configurations: the texts of their values, in the order of the space, joined by "/".

    They stay the same whatever rules, prices or further values come.
    """

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._decisions = choices.valid.space.decisions
        self._texts = [[_escaped(each.text(index)) for index in range(len(each.values))] for each in self._decisions]
        super().__init__(len(choices), self._id)

    def _id(self, row: int) -> str:
        chosen = self._choices.of(row)
        return "/".join(
            texts[chosen[decision.name]] for decision, texts in zip(self._decisions, self._texts, strict=True)
        )

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """The row of an id; raises ValueError for what is none."""
        parts = value.split("/") if isinstance(value, str) else []
        if len(parts) != len(self._decisions):
            raise ValueError(f"{value!r} is no id of a configuration")
        chosen = {
            decision.name: texts.index(part)
            for decision, texts, part in zip(self._decisions, self._texts, parts, strict=True)
        }
        row = self._choices.row(chosen)
        if row is None:
            raise ValueError(f"{value!r} is no valid configuration")
        return row

    def first_duplicate(self) -> None:
        """None: no two configurations make the same choices."""
        return


class ConfiguredFacts(Facts):
    """The facts of configurations.

    Args:
        choices: What they choose.
        in_label: Names of the columns that are part of the label.
    """

    def __init__(self, choices: Choices, in_label: Sequence[str]) -> None:
        decisions = len(choices.valid.space.decisions)
        columns = choices.valid.values
        super().__init__((*columns[decisions:], *columns[:decisions]), in_label, len(choices))  # what it comes to first
        self._choices = choices

    def cell(self, column: TableColumn, row: int) -> int:
        """See `Facts.cell`."""
        return self._choices.of(row)[column.name]


def label_of(choices: Choices) -> tuple[str, list[str]]:
    """The template of labels, and the columns it is made of."""
    space = choices.valid.space
    if space.label is None:
        options = [each for each in space.decisions if each.kind is ColumnKind.CATEGORY] or list(space.decisions)
        return ", ".join(f"{{{each.name}}}" for each in options[:LABELLED]), []
    return space.label, re.findall(r"\{([^{}]*)\}", space.label)


class Labels(ByRow[str]):
    """What to show first of each configuration.

    Args:
        choices: What they choose.
    """

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        parts = re.split(r"\{([^{}]*)\}", label_of(choices)[0])
        columns = {column.name: column for column in choices.valid.values}
        self._first, self._columns = parts[0], [columns[name] for name in parts[1::2]]
        self._after = parts[2::2]
        super().__init__(len(choices), self._label)

    def _label(self, row: int) -> str:
        chosen = self._choices.of(row)
        texts = [column.text(chosen[column.name]) for column in self._columns]
        text = self._first + "".join(map("".join, zip(texts, self._after, strict=True)))
        return text[:1].upper() + text[1:]


class Images(ByRow[tuple[str, ...]]):
    """The pictures of what each configuration chooses.

    Args:
        choices: What they choose.
    """

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._pictured = [each for each in choices.valid.space.decisions if each.images]
        super().__init__(len(choices), self._found)

    def _found(self, row: int) -> tuple[str, ...]:
        chosen = self._choices.of(row)
        return tuple(image for each in self._pictured if (image := each.images[chosen[each.name]]) is not None)


def images(choices: Choices) -> Images | None:
    """The pictures of what each configuration chooses; None if no value has one."""
    return Images(choices) if any(each.images for each in choices.valid.space.decisions) else None


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("/", "%2F")
