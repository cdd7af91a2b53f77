"""Items as a report names them: by their label, and by their id where two have the same."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rather.model.catalog import Catalog


@dataclass(frozen=True)
class Item:
    """An item of the catalogue.

    Attributes:
        id: As text.
        label: What people call it.
    """

    id: str
    label: str


def item_of(catalog: Catalog, row: int) -> Item:
    """The item in a row."""
    return Item(str(catalog.ids[row]), catalog.label(row))


def names(items: Sequence[Item]) -> list[str]:
    """Labels of items that are shown together, with the id where the label does not tell them apart."""
    often = Counter(item.label for item in items)
    return [item.label if often[item.label] == 1 else f"{item.label} ({item.id})" for item in items]
