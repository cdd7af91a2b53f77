"""One value in several spellings: `Lenovo` and `LENOVO`, `in stock` and `In Stock`."""

import re
from collections import Counter
from collections.abc import Mapping

from rather.formats.tables.cells import Cells, split_tags
from rather.formats.tables.column_kinds import ColumnKind

# Merging needs a table of all spellings; columns with more values are no categories that people choose by.
MOST_VALUES = 10_000


def merge_spellings(cells: Cells, kind: ColumnKind, separator: str | None) -> tuple[Cells, dict[str, list[str]]]:
    """The cells of a category or of tags with one spelling for each value, and the spellings that it replaces."""
    if kind not in (ColumnKind.CATEGORY, ColumnKind.TAGS, ColumnKind.STOCK) or len(cells.distinct) > MOST_VALUES:
        return cells, {}
    parts = {text: split_tags(text, separator or "|") if kind is ColumnKind.TAGS else [text] for text in cells.distinct}
    counts = Counter[str]()
    for text, count in zip(cells.distinct, cells.counts.tolist(), strict=True):
        for part in parts[text]:
            counts[part] += count
    usual = usual_spellings(counts)
    if not usual:
        return cells, {}
    joined = {text: (separator or "|").join(usual.get(part, part) for part in parts[text]) for text in cells.distinct}
    merged: dict[str, list[str]] = {}
    for spelling, value in usual.items():
        merged.setdefault(value, []).append(spelling)
    return cells.replaced({text: new for text, new in joined.items() if new != text}), merged


def usual_spellings(counts: Mapping[str, int]) -> dict[str, str]:
    """For each spelling that is not the most common one of its value, the one that is."""
    most_common: dict[str, str] = {}
    for text in sorted(counts, key=lambda text: (-counts[text], text)):
        most_common.setdefault(spelling_key(text), text)
    return {text: usual for text in counts if (usual := most_common[spelling_key(text)]) != text}


def spelling_key(text: str) -> str:
    """What spellings of one value have in common: all but case, and how their words are joined."""
    return re.sub(r"[\s_-]+", " ", text.casefold()).strip(" .") or text
