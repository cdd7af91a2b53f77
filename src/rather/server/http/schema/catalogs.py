"""Catalogues as responses describe them."""

from typing import Literal

from pydantic import BaseModel, Field

from rather.model.questions import QuestionKind
from rather.server.http.schema.examples import example


class FilterValue(BaseModel):
    """A value that a filter can ask for."""

    value: str
    items: int = Field(description="How many items have it.")


class FilterOption(BaseModel):
    """What a filter can be about."""

    model_config = example(
        attribute="genres",
        label="genres",
        kind="tags",
        values=[{"value": "drama", "items": 190}],
        minimum=None,
        maximum=None,
        unit=None,
    )

    attribute: str
    label: str = Field(description="What to call it, in the language of the reader.")
    kind: Literal["number", "category", "tags"]
    values: list[FilterValue] = Field(description="For a category or tags, the most frequent first.")
    minimum: float | None = None
    maximum: float | None = None
    unit: str | None = Field(None, description="For a number, such as `min` or `km`.")


class AttributeView(BaseModel):
    """A named dimension of the item vectors."""

    model_config = example(name="funny", low=-0.31, high=0.69, spread=0.29)

    name: str
    low: float = Field(description="The smallest value of an item.")
    high: float = Field(description="The largest value of an item.")
    spread: float = Field(description="Standard deviation over the items.")


class HintOption(BaseModel):
    """An attribute that a person may want, and what it is about."""

    model_config = example(attribute="funny", text="funny", column="funny", topic="funny")

    attribute: str = Field(description="Names it in a hint.")
    text: str = Field(description="As one says it: I want …")
    column: str = Field(description="What it is about, for a hint.")
    topic: str = Field(description="The same as one says it: I don't care about …")


class AttributesView(BaseModel):
    """What the items of a catalogue differ in."""

    attributes: list[AttributeView] = Field(description="Empty when the dimensions have no names.")
    filters: list[FilterOption]
    hints: list[HintOption] = Field([], description="What people may want or not care about.")


class CatalogView(BaseModel):
    """A catalogue that conversations can be about."""

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
    item: str = Field(description="What an item is called, in the singular.")
    items: int
    dimensions: int
    hash: str = Field(description="Of its content; a log belongs to one catalogue.")
    kinds: list[QuestionKind] = Field(description="The kinds of questions that can be asked.")
    strategies: list[str]
    largest_slate: int
    takes_where: bool = Field(description="Whether it takes a filter expression (`where`).")
    adjustable: bool = Field(False, description="Whether its items are configurations, which can be adjusted.")


class CatalogsView(BaseModel):
    """All catalogues of this server."""

    catalogs: list[CatalogView]
