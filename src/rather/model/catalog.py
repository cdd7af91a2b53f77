"""Items as vectors, and what to show of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from rather.errors import InvalidInputError, UnknownNameError
from rather.languages import ENGLISH, name_in
from rather.model.allowed import Allowed
from rather.model.attributes import Attribute, unit_attributes, validated_attributes
from rather.model.columns import Column, feature_columns
from rather.model.comparatives import Comparative, Comparatives, FeatureComparatives
from rather.model.configurators import Configurator
from rather.model.filters import ItemFilters
from rather.model.items import FeatureRanges, ItemStorage, TensorItems
from rather.model.items import ItemId as ItemId
from rather.model.notebook import html_table
from rather.model.spaces import NamedFeatures, Space, UnnamedDimensions, space_hash
from rather.model.utilities import Embedding
from rather.nouns import counted, usual_verb
from rather.numerics.arrays import as_floats

# A number that an id may be. Python reads no text of thousands of digits as one.
WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")


@runtime_checkable
class LargeColumn(Protocol):
    """Ids that find duplicates among themselves without a Python object for each of them."""

    def first_duplicate(self) -> tuple[ItemId, int, int] | None:
        """A value that occurs twice and its first two rows; None when all are distinct."""
        ...


@runtime_checkable
class TranslatedFacts(Protocol):
    """Facts that can be shown in several languages."""

    def in_language(self, row: int, language: str) -> Mapping[str, str]:
        """The facts of the item in this row."""
        ...


class Catalog:
    """Items that can be asked about and recommended. Inside, an item is its row `0..n-1`.

    Args:
        items: `(n, d)` item vectors: NumPy array, torch tensor, nested list or DataFrame; or an `ItemStorage`.
        ids: n distinct names of the items, by default `0..n-1`.
        labels: n texts to show, by default the ids.
        facts: For each item, what else to show ("year": "1942").
        links: For each item the address of its own page, None where it has none.
        images: For each item the addresses of its pictures, the best one first.
        features: Names of the d dimensions, where they mean something to a person; "" for one that does not.
        name: What to call an item, in the singular ("film").
        verb: What one does with it ("watch"), for "would you rather watch …?"; by default the usual one for such a
            name, or "have".
        attributes: What can be said of an item in a few words, for questions about attributes; by default one
            attribute for each of the `features`.
        together: `(a, a)` boolean, which two of the a attributes hold of at least one item, or a function that
            computes it when it is needed. Attributes that never hold together are not combined; by default only
            attributes about the same column are kept apart.
        combinable: Whether some item has three or more attributes, given by their ascending indices; by default where
            each two of them are `together`.
        columns: What items can be compared by, by default the `features`.
        comparatives: How each item may be wished otherwise ("cheaper"); by default more or less of each of the
            `features`.
        filters: What items can be filtered by, if anything.
        configurator: What is chosen about every item of a product space.
        space: What the dimensions mean, by default the `features`; decides whether stored conversations can go on when
            the catalogue has changed.
        notes: Sentences for the owner about how the items were read, such as values that count as missing.
        embedding: How a utility model makes item vectors of inputs, for strategies that move hypothetical items.
    """

    def __init__(
        self,
        items: Any,
        ids: Sequence[ItemId] | None = None,
        labels: Sequence[str] | None = None,
        *,
        facts: Sequence[Mapping[str, str]] | None = None,
        links: Sequence[str | None] | None = None,
        images: Sequence[Sequence[str]] | None = None,
        features: Sequence[str] | None = None,
        name: str = "item",
        verb: str | None = None,
        attributes: Sequence[Attribute] | None = None,
        together: Any | Callable[[], Any] = None,
        combinable: Callable[[tuple[int, ...]], bool] | None = None,
        columns: Sequence[Column] | None = None,
        comparatives: Comparatives | None = None,
        filters: ItemFilters | None = None,
        configurator: Configurator | None = None,
        space: Space | None = None,
        notes: Sequence[str] = (),
        embedding: Embedding | None = None,
    ) -> None:
        self.storage = items if isinstance(items, ItemStorage) else TensorItems(as_floats(items, "items", rank=2))
        n, d = self.storage.shape
        if n == 0 or d == 0:
            raise InvalidInputError(f"`items` must hold at least one item and one dimension, got ({n}, {d}).")
        self.ids: Sequence[ItemId] = range(n) if ids is None else _column(ids, "ids", n)
        self.labels: Sequence[str] = () if labels is None else _column(labels, "labels", n)
        self.facts: Sequence[Mapping[str, str]] = () if facts is None else _column(facts, "facts", n)
        self.links: Sequence[str | None] = () if links is None else _column(links, "links", n)
        self.images: Sequence[Sequence[str]] = () if images is None else _column(images, "images", n)
        self.features: Sequence[str] = () if features is None else _column(features, "features", d)
        self.name = name
        self.verb = usual_verb(name) if verb is None else verb
        self._columns = columns
        self.filters = filters
        self.configurator = configurator
        self._comparatives = FeatureComparatives(self.storage, self.features) if comparatives is None else comparatives
        self._space = space
        self.notes = tuple(notes)
        self.embedding = embedding
        self.attributes: Sequence[Attribute] = (
            unit_attributes(self.features) if attributes is None else validated_attributes(attributes, d)
        )
        self._together = together if together is None or callable(together) else self._pairs(together)
        self.combinable = combinable
        _reject_duplicates(self.ids)

    def __len__(self) -> int:
        return self.storage.shape[0]

    def __repr__(self) -> str:
        parts = [counted(len(self), self.name), counted(self.dimensions, "dimension")]
        if self.attributes:
            parts.append(counted(len(self.attributes), "attribute"))
        return f"Catalog({', '.join(parts)})"

    def _repr_html_(self) -> str:
        shown = [{"": self.label(row), **self.facts_of(row)} for row in range(min(5, len(self)))]
        headings = list(dict.fromkeys(name for item in shown for name in item))
        return html_table(repr(self), headings, [[item.get(name, "") for name in headings] for item in shown])

    @property
    def dimensions(self) -> int:
        """The length d of an item vector."""
        return self.storage.shape[1]

    @property
    def items(self) -> Tensor:
        """All item vectors `(n, d)`. Only retrieval reads them; everything else takes `vectors` by row."""
        return self.storage.tensor

    def vectors(self, rows: Tensor | Sequence[int] | int) -> Tensor:
        """The vectors `(..., d)` of the items in these rows `(...)`."""
        return self.storage.vectors(rows if isinstance(rows, Tensor) else torch.as_tensor(rows, dtype=torch.long))

    def sample(self, count: int) -> Tensor:
        """The vectors `(s, d)` of items that stand for all: all of a small catalogue, else `count` to twice as many."""
        return self.vectors(self.storage.spaced_rows(count))

    @cached_property
    def content_hash(self) -> str:
        """A hash of ids and vectors: equal for equal catalogues, in whichever process or file."""
        return self.storage.content_hash(None if _are_rows(self.ids) else self.ids)

    @property
    def space(self) -> Space:
        """What the dimensions mean."""
        if self._space is not None:
            return self._space
        return NamedFeatures(tuple(self.features)) if self.features else UnnamedDimensions(self.dimensions)

    @cached_property
    def space_description(self) -> dict[str, Any]:
        """The space in plain JSON, described once."""
        return self.space.description

    @cached_property
    def space_hash(self) -> str:
        """A short name of the space, by content."""
        return space_hash(self.space_description)

    @property
    def largest_norm(self) -> float:
        """The largest Euclidean norm of an item: the ball in which hypothetical items may move."""
        return self.storage.largest_norm

    @property
    def average(self) -> Tensor:
        """The average item vector `(d,)`."""
        return self.storage.average

    @property
    def feature_ranges(self) -> FeatureRanges:
        """How each dimension varies over the items."""
        return self.storage.feature_ranges

    @cached_property
    def attribute_vectors(self) -> Tensor:
        """`(a, d)`, what each attribute adds to an item vector."""
        return torch.stack([attribute.vector for attribute in self.attributes])

    @cached_property
    def columns(self) -> Sequence[Column]:
        """What items can be compared by; nothing where neither columns nor dimensions have names."""
        if self._columns is not None:
            return self._columns
        words = self._comparatives.words if isinstance(self._comparatives, FeatureComparatives) else {}
        return feature_columns(self.features, self.attributes, self.storage, words)

    @cached_property
    def together(self) -> Tensor | None:
        """`(a, a)` boolean, which two attributes hold of at least one item; None where that is not known."""
        return self._pairs(self._together()) if callable(self._together) else self._together

    def _pairs(self, values: Any) -> Tensor:
        pairs, count = torch.as_tensor(values), len(self.attributes)
        if pairs.dtype != torch.bool or tuple(pairs.shape) != (count, count):
            raise InvalidInputError(
                f"`together` must be boolean of shape ({count}, {count}), two axes of attributes, "
                f"got {str(pairs.dtype).removeprefix('torch.')} of shape {tuple(pairs.shape)}."
            )
        return pairs

    @cached_property
    def _rows(self) -> dict[ItemId, int]:
        return {id: row for row, id in enumerate(self.ids)}

    def row(self, id: ItemId) -> int:
        """The row of the item with this id."""
        try:
            return self._rows[id] if isinstance(self.ids, list) else self.ids.index(id)
        except (KeyError, ValueError):
            raise UnknownNameError(f"No {self.name} has the id {id!r}.") from None

    def find(self, id: ItemId, hint: int = -1) -> int | None:
        """The row of the item with this id, None without one. Quick where it is still in the row `hint`."""
        if 0 <= hint < len(self) and self.ids[hint] == id:
            return hint
        try:
            return self.row(id)
        except (UnknownNameError, TypeError):
            return None

    def find_written(self, text: str) -> int | None:
        """The row of the item whose id is written like this, None without one: the id 12 is written "12"."""
        row = self.find(text)
        return self.find(int(text)) if row is None and WHOLE_NUMBER.fullmatch(text) else row

    def comparatives_of(self, row: int) -> tuple[Comparative, ...]:
        """How the item in this row may be wished otherwise: "cheaper", "with more memory"."""
        return self._comparatives(row)

    def where(self, expression: str) -> Allowed:
        """Which items satisfy a filter expression: a boolean mask `(n,)`, or rules where there is no list of items.

        `price < 30000 and drive == 'AWD'`; see `rather.formats.tables.filter_expressions` for the syntax. A missing
        value satisfies neither a condition nor its negation.
        """
        if self.filters is None:
            raise InvalidInputError("`where` needs the columns of a table; this catalogue was made of vectors alone.")
        return self.filters.where(expression)

    def label(self, row: int) -> str:
        """What to show for the item in this row."""
        return str(self.labels[row] if self.labels else self.ids[row])

    def facts_of(self, row: int, language: str = ENGLISH) -> Mapping[str, str]:
        """What else to show of the item in this row, possibly nothing; as a language writes it, if that is known."""
        if language != ENGLISH and isinstance(self.facts, TranslatedFacts):
            return self.facts.in_language(row, language)
        facts = self.facts[row] if self.facts else {}
        return facts if language == ENGLISH else {name_in(language, name): value for name, value in facts.items()}

    def link_of(self, row: int) -> str | None:
        """The address of the page of the item in this row, if it has one."""
        return self.links[row] if self.links else None

    def images_of(self, row: int) -> tuple[str, ...]:
        """The addresses of the pictures of the item in this row, possibly none."""
        return tuple(self.images[row]) if self.images else ()


def _are_rows(ids: Sequence[ItemId]) -> bool:
    """Whether the ids are `0..n-1`, however they were given."""
    return ids == range(len(ids)) if isinstance(ids, range) else all(id == row for row, id in enumerate(ids))


def _column(values: Sequence[Any], name: str, length: int) -> Sequence[Any]:
    if isinstance(values, Sequence) and not isinstance(values, list | tuple | str):
        column: Sequence[Any] = values  # kept as it is: its entries may become Python objects only when looked at
    else:
        # NumPy's own scalars would hash and print differently from the same ids given as a list.
        column = values.tolist() if hasattr(values, "tolist") else list(values)
    if len(column) != length:
        raise InvalidInputError(f"`{name}` must have {length} entries to match `items`, got {len(column)}.")
    return column


def _reject_duplicates(ids: Sequence[ItemId]) -> None:
    found = ids.first_duplicate() if isinstance(ids, LargeColumn) else _first_duplicate(ids)
    if found is not None:
        id, first, second = found
        raise InvalidInputError(f"`ids` must be distinct, but {id!r} is in rows {first} and {second}.")


def _first_duplicate(ids: Sequence[ItemId]) -> tuple[ItemId, int, int] | None:
    try:
        if isinstance(ids, range) or len(set(ids)) == len(ids):
            return None
    except TypeError:
        raise InvalidInputError("`ids` must be texts or integers.") from None
    seen: dict[ItemId, int] = {}
    return next((id, seen[id], row) for row, id in enumerate(ids) if seen.setdefault(id, row) != row)
