"""What a person may say without being asked: "more like this", "like this, but cheaper", "I want …".

Plain values that need no torch, so that a client of the service has them too.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

from rather.errors import InvalidInputError

if TYPE_CHECKING:
    from rather.model.attributes import Attribute
    from rather.model.items import ItemId

Toward = Literal["less", "more"]
"""Which way a column or feature changes."""


@dataclass(frozen=True)
class MoreLike:
    """More like this: the item is better than the others that are recommended.

    Attributes:
        item: Its id.
    """

    item: ItemId


@dataclass(frozen=True)
class LikeBut:
    """Like this, but cheaper: an item that differs from this one by a typical step in one column is better.

    Attributes:
        item: The id of the item.
        column: What should differ, one of `Catalog.comparatives_of` this item.
        toward: Which way.
    """

    item: ItemId
    column: str
    toward: Toward


@dataclass(frozen=True)
class Want:
    """I want a red one: an average item that gets this attribute becomes better.

    Attributes:
        attribute: One of the catalogue's attributes, or its text.
    """

    attribute: Attribute | str

    @property
    def text(self) -> str:
        """The text of the attribute."""
        return self.attribute if isinstance(self.attribute, str) else self.attribute.text


@dataclass(frozen=True)
class DontCare:
    """I don't care about the colour: items that differ in this column alone are about the same.

    Attributes:
        column: The column of some attributes of the catalogue.
    """

    column: str


@dataclass(frozen=True)
class Adjust:
    """Rather like this: the configuration that an item was adjusted to is better than the item.

    Attributes:
        item: The id of the configuration before.
        to: The id of what it was adjusted to.
    """

    item: ItemId
    to: ItemId


Statement = MoreLike | LikeBut | Want | DontCare | Adjust
"""What a person may say without being asked."""

# How a record calls each statement.
SAYS: dict[str, type[Statement]] = {
    "more-like": MoreLike,
    "like-but": LikeBut,
    "want": Want,
    "dont-care": DontCare,
    "adjust": Adjust,
}


def statement_record(statement: Statement) -> dict[str, Any]:
    """A statement as plain data: `{"says": "like-but", "item": 7, "column": "price", "toward": "less"}`."""
    says = next(name for name, kind in SAYS.items() if isinstance(statement, kind))
    return {"says": says, **({"attribute": statement.text} if isinstance(statement, Want) else vars(statement))}


def statement_of(record: Any) -> Statement:
    """The statement that a record describes."""
    says = record.get("says") if isinstance(record, dict) else None
    if not isinstance(says, str) or says not in SAYS:
        raise InvalidInputError(f"`says` of a hint must be one of {', '.join(SAYS)}, got {record!r}.")
    said = {name: value for name, value in record.items() if name != "says"}
    needed = [field.name for field in fields(SAYS[says])]
    if sorted(said) != sorted(needed):
        raise InvalidInputError(f"A hint that says {says!r} needs exactly {', '.join(needed)}, got {record!r}.")
    for name, value in said.items():
        if type(value) is not str and not (name in ("item", "to") and type(value) is int):
            raise InvalidInputError(f"`{name}` of a hint must be a text, got {value!r}.")
    if said.get("toward", "less") not in get_args(Toward):
        raise InvalidInputError(f"`toward` must be one of {', '.join(get_args(Toward))}, got {said['toward']!r}.")
    return SAYS[says](**said)
