"""What requests and responses have in common."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, model_validator

ItemId = str | int
Kind = Literal["items", "attributes"]
Ask = Literal["items", "attributes", "auto"]
ExtraAnswer = Literal["none", "same", "skip"]
Choice = Annotated[
    Annotated[StrictInt, Field(ge=0, le=1_000)] | ExtraAnswer,
    Field(description="The place of an option, from 0, or `none`, `same`, `skip`."),
]
Name = Annotated[str, Field(min_length=1, max_length=200)]


def example(**fields: Any) -> ConfigDict:
    """The configuration of a model with an example for its documentation."""
    return ConfigDict(json_schema_extra={"examples": [fields]})


class Request(BaseModel):
    """A body that refuses what it does not know, so that a misspelt field is not silently ignored."""

    model_config = ConfigDict(extra="forbid")


class Filter(Request):
    """A must-have: what an item has to be, in terms of one filter of its catalogue."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"attribute": "year", "minimum": 1990, "maximum": 1999}]}
    )

    attribute: Name
    any_of: list[Annotated[str, Field(max_length=500)]] | None = Field(
        None, min_length=1, max_length=100, description="For a category or tags: the item has one of these."
    )
    minimum: float | None = Field(None, allow_inf_nan=False, description="For a number: not below this.")
    maximum: float | None = Field(None, allow_inf_nan=False, description="For a number: not above this.")

    @model_validator(mode="after")
    def _says_something(self) -> "Filter":
        if self.any_of is None and self.minimum is None and self.maximum is None:
            raise ValueError("a filter needs `any_of`, `minimum` or `maximum`")
        return self


Filters = Annotated[list[Filter], Field(max_length=50)]


Where = Annotated[str, Field(max_length=1_000)]
