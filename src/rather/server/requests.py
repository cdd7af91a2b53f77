"""What a caller may ask for, validated. What is unknown or out of bounds is rejected here."""

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictInt, model_validator

from rather.conversation.policy_settings import AskKind, Ranking
from rather.server.settings import MOST_BUDGET_MS

JsonChoice = Annotated[
    Annotated[StrictInt, Field(ge=0, le=1_000)] | Literal["none", "same", "skip"],
    Field(description="The index of an option, from 0, or `none`, `same`, `skip`."),
]
Name = Annotated[str, Field(min_length=1, max_length=200)]
LongName = Annotated[str, Field(min_length=1, max_length=1_000)]
FilterExpression = Annotated[str, Field(max_length=1_000)]


def _printable(text: str) -> str:
    if not text.isprintable() or not text.strip():
        raise ValueError("must be visible characters on one line")
    return text


Note = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_printable)]
"""Something that a study notes of a session."""


# What a study may note of a session. Data, never a key: nobody opens a session by any of them.
STUDY_KEYS = ("respondent", "campaign", "arm", "source")

# What the library writes has fewer. Deeper ones exhaust the stack of whoever walks through them.
MOST_LEVELS = 20


def request_config(*examples: dict[str, Any]) -> ConfigDict:
    """The configuration of a request: unknown fields are rejected, so that a misspelt one is not silently ignored."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": list(examples)})


class Filter(BaseModel):
    """What an item must have, in terms of one filter of its catalogue."""

    model_config = request_config({"attribute": "year", "minimum": 1990, "maximum": 1999})

    attribute: Name = Field(description="The name of the filter.")
    any_of: list[Annotated[str, Field(max_length=500)]] | None = Field(
        None, min_length=1, max_length=100, description="For a category or tags: the item has one of these."
    )
    minimum: float | None = Field(None, allow_inf_nan=False, description="For a number: not below this.")
    maximum: float | None = Field(None, allow_inf_nan=False, description="For a number: not above this.")

    @model_validator(mode="after")
    def _has_a_condition(self) -> "Filter":
        if self.any_of is None and self.minimum is None and self.maximum is None:
            raise ValueError("a filter needs `any_of`, `minimum` or `maximum`")
        return self


Filters = Annotated[list[Filter], Field(max_length=50)]


class NewFilters(BaseModel):
    """Filters that replace those of a session from now on."""

    model_config = request_config({"filters": [{"attribute": "genres", "any_of": ["comedy"]}]})

    filters: Filters = Field([], description="Items must match all of these.")
    where: FilterExpression | None = Field(
        None, description="A filter expression that items must match, for catalogues that take one."
    )


class NewSession(BaseModel):
    """How to hold a conversation. Only the catalogue is required, and not even that when the server has only one."""

    model_config = request_config(
        {"catalog": "films"},
        {"catalog": "films", "k": 3, "filters": [{"attribute": "year", "minimum": 1990}], "seed": 7},
    )

    catalog: Name | None = Field(None, description="Its name; may be omitted when the server has only one.")
    k: int = Field(2, ge=2, le=100, description="Options per question.")
    ask: AskKind = Field("items", description="Compare items, attributes, or each time whichever is worth more.")
    p: int | None = Field(
        None, ge=1, le=10, description="Attributes of each option in a question about attributes; by default one."
    )
    filters: Filters = Field([], description="Items must match all of these.")
    where: FilterExpression | None = Field(
        None, description="A filter expression that items must match, for catalogues that take one."
    )
    seed: int = Field(0, ge=0, lt=2**53, description="The same seed and answers give the same questions.")
    strategy: Name = Field("auto", description="How questions are chosen; the catalogue lists the names.")
    time_budget_ms: float | None = Field(
        None, ge=1, le=MOST_BUDGET_MS, description="The most time to spend on choosing a question; for `auto` only."
    )
    questions: int | None = Field(None, ge=1, le=500, description="Stop after this many answers at the latest.")
    language: Literal["en", "de", "fr", "es"] | None = Field(
        None, description="The language of questions and reasons; by default that of whoever reads them."
    )
    respondent: Note | None = Field(
        None,
        description="The person's id in a study. It is noted and exported, and passed on when the person leaves; it "
        "never leads to a session, not even to one that was opened with it.",
    )
    campaign: Note | None = Field(None, description="The campaign or study, noted. A server with a study sets it.")
    arm: Note | None = Field(None, description="The arm of the study, noted. A server with a study sets it.")
    source: Note | None = Field(None, description="Where the person came from, noted.")

    @property
    def study(self) -> dict[str, str]:
        """What a study notes of the session, by `STUDY_KEYS`; without what was not given."""
        return {key: note for key in STUDY_KEYS if (note := getattr(self, key)) is not None}

    @property
    def without_study(self) -> "NewSession":
        """The request without what a study notes, which changes no question."""
        return self.model_copy(update=dict.fromkeys(STUDY_KEYS))


class NewAnswer(BaseModel):
    """An answer to the open question."""

    model_config = request_config({"question": "3-2", "choice": 0})

    question: Name = Field(description="The id of the question that is answered.")
    choice: JsonChoice


class Revision(BaseModel):
    """Another answer to a question that was answered before."""

    model_config = request_config({"choice": 1})

    choice: JsonChoice


# Which fields belong to which statement.
SAID = {
    "more-like": ("item",),
    "like-but": ("item", "column", "toward"),
    "want": ("attribute",),
    "dont-care": ("column",),
    "adjust": ("item", "to"),
}

ItemIdField = StrictInt | Annotated[str, Field(max_length=5_000)]


class NewHint(BaseModel):
    """Something that the person says without being asked."""

    model_config = request_config(
        {"says": "more-like", "item": "alien-1979"},
        {"says": "like-but", "item": "alien-1979", "column": "scary", "toward": "less"},
        {"says": "want", "attribute": "funny"},
        {"says": "dont-care", "column": "romantic"},
        {"says": "adjust", "item": "city/steel", "to": "city/carbon"},
    )

    says: Literal["more-like", "like-but", "want", "dont-care", "adjust"] = Field(
        description="`more-like`: the `item` is better than the others that are recommended; `like-but`: one that "
        "differs from the `item` in this `column` alone is better; `want`: the `attribute` is worth having; "
        "`dont-care`: items that differ in this `column` alone are about the same; `adjust`: the configuration `to` is "
        "better than the `item`, of which it was made."
    )
    item: ItemIdField | None = Field(None, description="The id of an item.")
    to: ItemIdField | None = Field(None, description="The id of the configuration that the item was adjusted to.")
    column: LongName | None = Field(None, description="Of one of the item's `wishes`, or of an attribute.")
    toward: Literal["less", "more"] | None = Field(None, description="Which way the item should differ.")
    attribute: LongName | None = Field(None, description="The text of an attribute of the catalogue.")

    @model_validator(mode="after")
    def _has_its_fields(self) -> "NewHint":
        needed = SAID[self.says]
        given = [name for name in ("item", "to", "column", "toward", "attribute") if getattr(self, name) is not None]
        if sorted(given) != sorted(needed):
            fields = ", ".join(f"`{name}`" for name in needed)
            raise ValueError(f"a hint that says `{self.says}` needs exactly {fields}")
        return self

    @property
    def said(self) -> dict[str, Any]:
        """The statement as the library logs it."""
        return {"says": self.says, **{name: getattr(self, name) for name in SAID[self.says]}}


class Wanted(BaseModel):
    """What a configuration should have."""

    model_config = request_config({"column": "frame", "value": "carbon"})

    column: LongName = Field(description="The name of a decision.")
    value: Annotated[str, Field(max_length=1_000)] = Field(description="One of its values.")


class Undo(BaseModel):
    """Which answer or hint to take back."""

    model_config = request_config({"answer": "3"})

    answer: Name | None = Field(
        None, description="The id of the last answer or hint. With it, a repeated request takes back only that one."
    )


class Log(BaseModel):
    """A session as the library writes it (`Session.to_json`): settings, events and the open question."""

    model_config = ConfigDict(extra="allow")

    rather: int = Field(description="Version of the format.")
    catalog: str = Field(description="Hash of the catalogue that it is about.")
    belief: str = Field(description="Hash of the belief that it started from.")
    events: list[dict[str, Any]] = Field(max_length=10_000)
    open: dict[str, Any] | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_not_deep(cls, content: Any) -> Any:
        if not _is_at_most(content, MOST_LEVELS):
            raise ValueError(f"a log has at most {MOST_LEVELS} levels of nested values")
        return content


def _is_at_most(value: Any, levels: int) -> bool:
    """Whether lists and objects are nested no deeper than this."""
    nested = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else None
    return nested is None or (levels > 0 and all(_is_at_most(each, levels - 1) for each in nested))


class Page(NamedTuple):
    """A part of the ranking.

    Attributes:
        offset: How many items come before it.
        limit: How many it has at most.
        filters: What its items must match, besides the filters of the session;
        where: the same as an expression.
        exclude: Ids that are left out.
        ranking: What comes first.
    """

    offset: int
    limit: int
    filters: tuple[Filter, ...] = ()
    where: str | None = None
    exclude: tuple[str, ...] = ()
    ranking: Ranking = "list"
