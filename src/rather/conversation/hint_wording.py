"""Hints in words: "Like Alien, but less scary"."""

from rather.conversation.telling_apart import positions_of
from rather.conversation.wording import described
from rather.errors import InvalidInputError, UnknownNameError
from rather.languages import ENGLISH, joined, message
from rather.languages.names import name_in
from rather.model.attributes import Attribute
from rather.model.catalog import Catalog, ItemId
from rather.model.comparatives import Comparative
from rather.model.statements import Adjust, DontCare, LikeBut, MoreLike, Statement, Want


def hint_text(statement: Statement, catalog: Catalog, language: str = ENGLISH) -> str:
    """A statement in words of a language. What the catalogue does not have is an error that says so."""
    if isinstance(statement, MoreLike):
        return message(language, "hints.more_like", item=catalog.label(row_of(statement.item, catalog)))
    if isinstance(statement, LikeBut):
        label = catalog.label(row_of(statement.item, catalog))
        return message(language, "hints.like_but", item=label, comparative=wish_of(statement, catalog).said(language))
    if isinstance(statement, Want):
        thing = described(catalog.name, attribute_of(statement, catalog), language)
        return message(language, "hints.want", thing=thing)
    if isinstance(statement, Adjust):
        rows = adjusted_rows(statement, catalog)
        changes = joined(_changes(rows, catalog, language), language)
        return message(language, "hints.adjust", item=catalog.label(rows[0]), changes=changes)
    topic = name_in(language, levels_of(statement, catalog)[0].about)
    return message(language, "hints.dont_care", topic=topic)


def adjusted_rows(statement: Adjust, catalog: Catalog) -> tuple[int, int]:
    """The rows of the configuration that was adjusted, and of what it became."""
    if catalog.configurator is None:
        raise InvalidInputError(f"Only configurations can be adjusted; a {catalog.name} here is one of a list.")
    rows = row_of(statement.item, catalog), row_of(statement.to, catalog)
    if rows[0] == rows[1]:
        raise InvalidInputError(f"`to` must be another {catalog.name} than `item`, got {statement.to!r} twice.")
    return rows


def _changes(rows: tuple[int, int], catalog: Catalog, language: str) -> list[str]:
    """What differs: "frame: carbon"."""
    assert catalog.configurator is not None
    before, after = (positions_of(catalog, row) for row in rows)
    return [
        f"{name_in(language, each.name)}: {catalog.configurator.text(each, after[each.column], language)}"
        for each in catalog.configurator.decisions
        if before[each.column] != after[each.column]
    ]


def row_of(id: ItemId, catalog: Catalog) -> int:
    """The row of the item that something is said of."""
    try:
        return catalog.row(id)
    except TypeError:
        raise InvalidInputError(f"`item` must be the id of a {catalog.name}, got {id!r}.") from None


def wish_of(statement: LikeBut, catalog: Catalog) -> Comparative:
    """How the item should differ."""
    row = row_of(statement.item, catalog)
    found = catalog.comparatives_of(row)
    for each in found:
        if (each.column, each.toward) == (statement.column, statement.toward):
            return each
    offered = ", ".join(f"{each.column!r} {each.toward!r}" for each in found[:8]) or "nothing"
    raise InvalidInputError(
        f"`column` and `toward` must be one of the comparatives of {catalog.label(row)!r}: {offered}; "
        f"got {statement.column!r} {statement.toward!r}."
    )


def attribute_of(statement: Want, catalog: Catalog) -> Attribute:
    """What is wanted."""
    for attribute in catalog.attributes:
        if attribute.text == statement.text:
            return attribute
    raise UnknownNameError(f"`attribute` must be the text of an attribute of the catalogue, got {statement.text!r}.")


def levels_of(statement: DontCare, catalog: Catalog) -> list[Attribute]:
    """The attributes about the column that the person does not care about."""
    levels = [each for each in catalog.attributes if each.column == statement.column]
    if not levels:
        raise UnknownNameError(f"No attribute of a {catalog.name} is about {statement.column!r}.")
    return levels
