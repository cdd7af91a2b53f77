"""What goes over the wire: every request and response body, with the words its documentation uses."""

from datetime import datetime
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


def _example(**fields: Any) -> ConfigDict:
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


class FilterValue(BaseModel):
    """One value that a filter may ask for, and how many items have it."""

    value: str
    items: int


class FilterOption(BaseModel):
    """Something about the items that a must-have can be about."""

    model_config = _example(
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

    model_config = _example(name="funny", low=-0.31, high=0.69, spread=0.29)

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

    model_config = _example(
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


class NewSession(Request):
    """How to talk with somebody. Only the catalogue must be said, and not even that when there is only one."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"catalog": "films"},
                {"catalog": "films", "k": 3, "filters": [{"attribute": "year", "minimum": 1990}], "seed": 7},
            ]
        },
    )

    catalog: Name | None = Field(None, description="Its name; may be left out when the server has only one.")
    k: int = Field(2, ge=2, le=100, description="Options in a question.")
    ask: Ask = Field("items", description="Compare items, single attributes, or whichever is worth more.")
    p: int | None = Field(
        None, ge=1, le=10, description="Statements in one option of a question about attributes; by default one."
    )
    filters: Filters = Field([], description="Must-haves; all of them hold.")
    where: Where | None = Field(None, description="Must-haves as an expression, where the catalogue takes one.")
    seed: int = Field(0, ge=0, lt=2**53, description="Same seed and answers, same questions.")
    strategy: Name = Field("auto", description="How questions are chosen; see the catalogue for names.")
    time_budget_ms: float | None = Field(
        None, ge=1, le=60_000, description="Most time to choose a question; for `auto` only."
    )
    questions: int | None = Field(None, ge=1, le=500, description="Stop after this many answers at the latest.")


class NewAnswer(Request):
    """An answer to the open question."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"question": "3-2", "choice": 0}]})

    question: Name = Field(description="The id of the question that is answered.")
    choice: Choice


class Undo(Request):
    """Which answer to take back."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"answer": "3"}]})

    answer: Name | None = Field(
        None, description="The id of the last answer. With it a repeated request takes back only that one answer."
    )


class NewFilters(Request):
    """Other must-haves from now on, in place of those before."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"filters": [{"attribute": "genres", "any_of": ["comedy"]}]}]}
    )

    filters: Filters = []
    where: Where | None = None


class Log(BaseModel):
    """A session as the library writes it (`Session.to_json`): settings, events and the open question."""

    model_config = ConfigDict(extra="allow")

    rather: int = Field(description="Version of the format.")
    catalog: str = Field(description="Hash of the catalogue that it is about.")
    belief: str = Field(description="Hash of the belief that it started from.")
    events: list[dict[str, Any]] = Field(max_length=10_000)
    open: dict[str, Any] | None = None


class Fact(BaseModel):
    """Something to show of an item."""

    name: str
    value: str


class Option(BaseModel):
    """One of the things a person may choose."""

    id: ItemId | None = Field(None, description="The item's id; null for an option made of attributes.")
    label: str
    facts: list[Fact] = Field(description="Those in which the options differ come first.")
    image: str | None = Field(None, description="A picture's address, where the catalogue has one.")
    statements: list[str] = Field([], description="What an option made of attributes says.")


class Question(BaseModel):
    """A question as it is asked. It stays the same until it is answered."""

    model_config = _example(
        id="3-2",
        number=3,
        kind="items",
        prompt="Which film would you rather choose?",
        options=[
            {"id": "alien-1979", "label": "Alien", "facts": [{"name": "year", "value": "1979"}], "image": None},
            {"id": "amelie-2001", "label": "Amélie", "facts": [{"name": "year", "value": "2001"}], "image": None},
        ],
        answers=[0, 1, "none", "same", "skip"],
        evoi=0.21,
    )

    id: str = Field(description="Names this question in an answer. A question opened again by undo has a new one.")
    number: int = Field(description="Its place in the conversation, from 1.")
    kind: Kind
    prompt: str = Field(description="The question in words.")
    options: list[Option]
    answers: list[Choice] = Field(description="What may be answered.")
    evoi: float = Field(description="What the answer is expected to add to the utility of the recommendation.")


class Why(BaseModel):
    """The answer that speaks most for a recommendation."""

    model_config = _example(
        answer="3",
        number=3,
        chosen="Arrival",
        over=["Armageddon"],
        direction="more",
        feature="thought provoking",
        text="you chose Arrival over Armageddon: more thought provoking",
    )

    answer: str = Field(description="The id of that answer.")
    number: int = Field(description="The number of its question.")
    chosen: str | None = Field(description="The option that was chosen; null for `none` and `same`.")
    over: list[str] = Field(description="The options that were not chosen.")
    direction: Literal["more", "less"] | None
    feature: str | None = Field(description="What the chosen option has more or less of.")
    text: str


class Recommendation(BaseModel):
    """An item and how sure we are of it."""

    rank: int = Field(description="From 1.")
    id: ItemId
    label: str
    facts: list[Fact]
    image: str | None = None
    expected_utility: float
    spread: float = Field(description="Standard deviation of its utility over what we believe.")
    probability_best: float = Field(description="The probability that no item is better for this person.")
    why: Why | None = None


class Recommendations(BaseModel):
    """A page of the ranking."""

    recommendations: list[Recommendation]
    total: int = Field(description="Items that may be recommended.")
    offset: int
    limit: int
    next: str | None = Field(description="The address of the next page.")


class Session(BaseModel):
    """A conversation as it stands."""

    id: str | None = Field(description="Unguessable; who has it may answer. Null when seen through a share link.")
    share: str = Field(description="A token to read this session with, under `/v1/shared/`.")
    catalog: str
    k: int
    ask: Ask
    filters: list[Filter]
    where: str | None
    strategy: str
    seed: int
    version: int = Field(description="Grows with every change.")
    created_at: datetime
    expires_at: datetime | None
    answers: int = Field(description="Answers given and not taken back.")
    last_answer: str | None = Field(description="The id of the last of them; give it to undo.")
    question: Question | None = Field(description="The open question; null when every question has been asked.")
    stop_reason: str | None = Field(description="Why to stop asking; null while another question pays.")
    expected_regret: float = Field(description="What recommending now is expected to lose against the best item.")
    start_regret: float = Field(description="The same before the first answer.")
    recommendations: list[Recommendation] = Field(description="The best few now.")


class Answered(BaseModel):
    """An answer that is safely stored, and where the conversation stands after it."""

    answer: str = Field(description="The id of the answer.")
    repeated: bool = Field(description="True when this answer had been given before; it counts once.")
    session: Session


class Turn(BaseModel):
    """One answer of the past."""

    answer: str
    number: int
    kind: Kind
    prompt: str
    options: list[Option]
    choice: Choice
    answered_at: datetime
    undone: bool = Field(description="Taken back later.")
    expected_regret: float | None = Field(description="Right after this answer; null where it is not known.")


class History(BaseModel):
    """Every answer in the order it was given, those taken back included."""

    start_regret: float
    stops_at: float | None = Field(description="Below this expected regret another question no longer pays.")
    turns: list[Turn]


class Taste(BaseModel):
    """How much one quality matters to this person."""

    feature: str
    mean: float = Field(description="What one unit of it adds to an item's utility.")
    spread: float = Field(description="How unsure we are of that, one standard deviation.")
    prior_mean: float = Field(description="The same before the first answer.")
    weight: float = Field(description="Mean times how much items differ in it: how much it moves the ranking.")


class Profile(BaseModel):
    """What we believe about the person, the qualities that matter most first."""

    tastes: list[Taste] = Field(description="Empty when the catalogue's dimensions have no names.")


class Health(BaseModel):
    """Whether the process runs, or is ready for requests."""

    status: Literal["ok"] = "ok"
    version: str


class AdminSession(BaseModel):
    """A session as an operator sees it: no answers."""

    id: str
    catalog: str
    created_at: datetime
    touched_at: datetime
    events: int


class AdminSessions(BaseModel):
    """A page of all sessions, the latest first."""

    sessions: list[AdminSession]
    total: int


class Expired(BaseModel):
    """How many sessions were deleted because nobody had touched them."""

    deleted: int
