"""What the page shows of a catalogue, in every language it may be read in."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rather.conversation.display_text import IMAGE_FACTS, DisplayText
from rather.conversation.tastes import named_taste
from rather.conversation.wording import attribute_option, described, option_label
from rather.languages import ENGLISH, name_in
from rather.languages.messages import messages
from rather.model.attributes import STRESS, Attribute
from rather.model.catalog import Catalog
from rather.model.catalog_filters import CatalogFilters, FilterColumn
from rather.model.columns import Column
from rather.model.comparatives import Comparative
from rather.model.filters import NumberColumn, ValueColumn
from rather.model.questions import item_option
from rather.publishing.coding import Arrays, ByLanguage, by_language

# What the engine says of its own; the rest of the page's texts are in its script.
SECTIONS = (
    "list.",
    "stop.",
    "standing.",
    "match.",
    "reasons.",
    "hints.",
    "contradiction.",
    "problems.",
    "cell.unknown",
)

Progress = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class CatalogTexts:
    """Texts of a catalogue as data for the engine.

    Attributes:
        catalog: The catalogue.
        display: Which texts, links and pictures are shown.
        languages: Those that the page may be read in.
        arrays: Where numbers go.
    """

    catalog: Catalog
    display: DisplayText
    languages: tuple[str, ...]
    arrays: Arrays

    def said(self, say: Callable[[str], str]) -> ByLanguage:
        """A text in each language, as it is shown."""
        return by_language(self.languages, lambda language: self.display.text(say(language)))

    def messages(self) -> dict[str, Any]:
        """The templates of what the engine says, by language."""
        return {
            language: {key: text for key, text in messages(language).items() if key.startswith(SECTIONS)}
            for language in self.languages
        }

    def items(self, on_row: Progress) -> dict[str, Any]:
        """Ids, labels, links, pictures and facts of the items."""
        catalog, display = self.catalog, self.display
        rows = range(len(catalog))
        options = [item_option(catalog, row) for row in rows]
        pictures, pictured = self.arrays.coded("images", [tuple(display.images(each)) for each in options])
        ids = None if isinstance(catalog.ids, range) else [catalog.ids[row] for row in rows]
        return {
            "ids": ids,
            "labels": [display.text(each.label) for each in options],
            "links": [display.link(each) for each in options] if catalog.links else None,
            "images": {"values": pictures, "rows": pictured},
            "facts": self._facts(on_row),
        }

    def _facts(self, on_row: Progress) -> list[dict[str, Any]]:
        """Each fact with its names and values by language; 0 stands for an item without it."""
        shown: dict[str, tuple[tuple[str, ...], list[tuple[str, ...] | None]]] = {}
        count = len(self.catalog)
        for row in range(count):
            for name, (names, values) in self._facts_of(row).items():
                shown.setdefault(name, (names, [None] * count))[1][row] = values
            on_row(row)
        return [self._coded(f"fact {number}", names, values) for number, (names, values) in enumerate(shown.values())]

    def _facts_of(self, row: int) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """By its English name each fact's names and values in all languages."""
        english = self.catalog.facts_of(row)
        told = [self.catalog.facts_of(row, language) for language in self.languages]
        # Two names that a language has one word for would be one fact there: then all are told in English.
        spoken = [list(facts.items() if len(facts) == len(english) else english.items()) for facts in told]
        return {
            name: (tuple(each[index][0] for each in spoken), tuple(str(each[index][1]) for each in spoken))
            for index, name in enumerate(english)
            if name not in IMAGE_FACTS
        }

    def _coded(self, array: str, names: Sequence[str], values: Sequence[tuple[str, ...] | None]) -> dict[str, Any]:
        distinct, rows = self.arrays.coded(array, [None, *values])
        self.arrays.named[rows] = self.arrays.named[rows][1:]
        return {"names": self._told(names), "values": [self._told(each) for each in distinct[1:] if each], "rows": rows}

    def _told(self, texts: Sequence[str]) -> ByLanguage | str:
        """Texts in all languages; one alone where they are the same."""
        shown = [self.display.text(text) for text in texts]
        told = dict(zip(self.languages, shown, strict=True))
        others = {language: text for language, text in told.items() if text != told[ENGLISH]}
        return {ENGLISH: told[ENGLISH], **others} if others else told[ENGLISH]

    def attributes(self) -> tuple[list[Attribute], dict[str, Any]]:
        """All attributes, those that can be asked about first, and what is said of them."""
        rows = range(len(self.catalog))
        own = [each for column in self.catalog.columns for row in rows for each in column.attributes(row)]
        found = list({(each.column, each.text): each for each in (*self.catalog.attributes, *own)}.values())
        return found, {
            "asked": len(self.catalog.attributes),
            "each": [self._attribute(attribute) for attribute in found],
        }

    def _attribute(self, attribute: Attribute) -> dict[str, Any]:
        name = self.catalog.name
        text, phrase = attribute.said(ENGLISH)
        return {
            "text": text,
            "column": attribute.column,
            "hasPhrase": bool(phrase),
            "label": self.said(lambda language: option_label([attribute], language)),
            "said": self.said(lambda language: attribute.said(language).text),
            "phrase": self.said(lambda language: _plain_phrase(attribute, language)),
            "described": self.said(lambda language: described(name, attribute, language)),
            "another": self.said(lambda language: _another(name, attribute, language)),
            "named": self.said(lambda language: attribute_option([attribute], language).named),
            "topic": self.said(lambda language: name_in(language, attribute.about)),
            "taste": self.said(lambda language: named_taste(attribute, language)),
        }

    def columns(self, attributes: Sequence[Attribute], facts: Collection[str]) -> list[dict[str, Any]]:
        """What items can be compared by. Those that no fact is about have texts of their own."""
        known = {(each.column, each.text): number for number, each in enumerate(attributes)}
        return [
            self._column(number, column, known, has_texts=column.name not in facts)
            for number, column in enumerate(self.catalog.columns)
        ]

    def _column(
        self, number: int, column: Column, known: Mapping[tuple[str, str], int], *, has_texts: bool
    ) -> dict[str, Any]:
        rows = range(len(self.catalog))
        have = [tuple(known[each.column, each.text] for each in column.attributes(row)) for row in rows]
        sets, held = self.arrays.coded(f"column {number} attributes", have)
        shares, below = self.arrays.coded(f"column {number} below", [column.share_below(row) for row in rows])
        return {
            "name": column.name,
            "names": self.said(lambda language: name_in(language, column.name)),
            "dimensions": [column.dimensions.start, column.dimensions.stop],
            "less": self.said(lambda language: column.compared(language)[0]),
            "more": self.said(lambda language: column.compared(language)[1]),
            "attributes": {"values": sets, "rows": held},
            "below": {"values": shares, "rows": below},
            "texts": self._column_texts(number) if has_texts else None,
        }

    def _column_texts(self, number: int) -> dict[str, Any] | None:
        column, rows = self.catalog.columns[number], range(len(self.catalog))
        if all(column.text(row) is None for row in rows):
            return None
        told = [tuple(column.text(row, language) or "" for language in self.languages) for row in rows]
        values, held = self.arrays.coded(f"column {number} texts", told)
        return {"values": [self._told(each) for each in values], "rows": held}

    def comparatives(self, on_row: Progress) -> dict[str, Any]:
        """How each item may be wished otherwise: kinds with their words, and for each item its kinds and steps."""
        kinds: dict[tuple[str, str], tuple[int, Comparative]] = {}
        steps: dict[bytes, int] = {}
        counts, of_kind, of_step = list[int](), list[int](), list[int]()
        dims, amounts, ends = list[int](), list[float](), list[int]()
        for row in range(len(self.catalog)):
            wishes = self.catalog.comparatives_of(row)
            counts.append(len(wishes))
            for wish in wishes:
                step = wish.step.numpy()
                if (key := step.tobytes()) not in steps:
                    steps[key] = len(steps)
                    filled = np.flatnonzero(step)
                    dims += filled.tolist()
                    amounts += step[filled].tolist()
                    ends.append(len(dims))
                of_kind.append(kinds.setdefault((wish.column, wish.toward), (len(kinds), wish))[0])
                of_step.append(steps[key])
            on_row(row)
        add = self.arrays.add
        whole = {"counts": counts, "kinds": of_kind, "steps": of_step, "dims": dims, "ends": ends}
        for name, numbers in whole.items():
            add(f"wish {name}", np.array(numbers, dtype=np.uint32))
        add("wish amounts", np.array(amounts, dtype=np.float32))
        return {"kinds": [self._wish_kind(wish) for _, wish in kinds.values()]}

    def _wish_kind(self, wish: Comparative) -> dict[str, Any]:
        about = {"column": wish.column, "toward": wish.toward, "usual": wish.usual}
        return {**about, "said": self.said(wish.said)}

    def filters(self) -> list[dict[str, Any]]:
        """What must-haves can be about."""
        columns = CatalogFilters(self.catalog).columns.values()
        return [self._filter(f"filter {number}", column) for number, column in enumerate(columns)]

    def _filter(self, array: str, column: FilterColumn) -> dict[str, Any]:
        about = {"attribute": column.name, "label": self.said(lambda language: name_in(language, column.name))}
        if isinstance(column, NumberColumn):
            low, high = column.bounds
            rows = self.arrays.add(array, column.values.numpy().astype(np.float64))
            bounds = {"minimum": low, "maximum": high, "unit": column.unit or None}
            return {**about, "kind": "number", **bounds, "rows": rows}
        assert isinstance(column, ValueColumn), "product spaces are not published"
        have: list[list[int]] = [[] for _ in range(len(self.catalog))]
        for index, (value, _) in enumerate(column.counts):
            for row in column.rows[value]:
                have[row].append(index)
        sets, held = self.arrays.coded(array, [tuple(each) for each in have])
        kind = "tags" if column.several else "category"
        return {**about, "kind": kind, "values": [list(pair) for pair in column.counts], "sets": sets, "rows": held}


def _plain_phrase(attribute: Attribute, language: str) -> str:
    text, phrase = attribute.said(language)
    return (phrase or text).replace(STRESS, "")


def _another(name: str, attribute: Attribute, language: str) -> str:
    """As the second option of a question: "one that is dark"."""
    if language == ENGLISH and attribute.phrase:
        return attribute_option([attribute]).phrase
    return described(name, attribute, language)
