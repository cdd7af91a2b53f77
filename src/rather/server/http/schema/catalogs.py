"""What can be asked about."""

from typing import Literal

from pydantic import BaseModel, Field

from rather.server.http.schema.vocabulary import Kind, example


class FilterValue(BaseModel):
    """One value that a filter may ask for, and how many items have it."""

    value: str
    items: int


class FilterOption(BaseModel):
    """Something about the items that a must-have can be about."""

    model_config = example(
        attribute="genres",
        kind="tags",
        values=[{"value": "drama", "items": 190}],
        minimum=None,
        maximum=None,
        unit=None,
    )

    attribute: str
    kind: Literal["number", "category", "tags"]
    values: list[FilterValue] = Field(description="For a category or tags, the most frequent first.")
    minimum: float | None = None
    maximum: float | None = None
    unit: str | None = Field(None, description="For a number, such as `min` or `km`.")


class Attribute(BaseModel):
    """One dimension of the item vectors: what a taste is about."""

    model_config = example(name="funny", low=-0.31, high=0.69, spread=0.29)

    name: str
    low: float = Field(description="The smallest value of an item.")
    high: float = Field(description="The largest value of an item.")
    spread: float = Field(description="Standard deviation over the items.")


class Attributes(BaseModel):
    """What the items of a catalogue differ in."""

    attributes: list[Attribute] = Field(description="Empty when the dimensions have no names.")
    filters: list[FilterOption]


class Catalog(BaseModel):
    """A catalogue that can be asked about."""

    model_config = example(
        name="films",
        item="film",
        items=340,
        dimensions=25,
        hash="6f1d0c9c6dfd5a53b0f5d4e23e2c8f10",
        kinds=["items", "attributes"],
        strategies=["auto", "query-iteration"],
        largest_slate=10,
        takes_where=False,
    )

    name: str
    item: str = Field(description="What one calls an item, in the singular.")
    items: int
    dimensions: int
    hash: str = Field(description="Of its content; a log belongs to one catalogue.")
    kinds: list[Kind] = Field(description="The kinds of questions that can be asked.")
    strategies: list[str]
    largest_slate: int
    takes_where: bool = Field(description="Whether must-haves can be written as an expression (`where`).")


class Catalogs(BaseModel):
    """All catalogues of this server."""

    catalogs: list[Catalog]
