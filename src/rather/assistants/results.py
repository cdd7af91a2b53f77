"""What the tools return, with the schema that assistants see."""

from typing import Literal

from pydantic import BaseModel, Field

ItemId = str | int


class ShownItem(BaseModel):
    """An item of the catalogue."""

    id: ItemId
    label: str
    facts: dict[str, str]
    link: str | None = Field(description="The address of its own page, if that may be shown.")


class OptionResult(BaseModel):
    """One of the things the person may choose."""

    choice: int = Field(description="What to pass to answer_question.")
    label: str
    item: ItemId | None = Field(description="Its id; null for an option made of attributes.")
    facts: dict[str, str] = Field(description="What else to show, what matters most first.")
    link: str | None = Field(description="The address of the item's own page, if that may be shown.")


class QuestionResult(BaseModel):
    """The open question. Show it to the person, with the facts of the options that differ."""

    number: int = Field(description="Pass it to answer_question.")
    kind: Literal["items", "attributes"]
    text: str
    options: list[OptionResult]
    answers: list[int | str] = Field(description="Every `choice` that may be passed.")


class StopResult(BaseModel):
    """Why another question is hardly worth asking."""

    code: Literal["questions", "probability", "regret", "cost", "exhausted"]
    text: str


class StateResult(BaseModel):
    """Where a conversation stands."""

    conversation: str = Field(description="Its id, which every other tool needs. Whoever knows it can use it.")
    answers: int = Field(description="How many answers were given.")
    wishes: int = Field(description="How many wishes were stated.")
    must_haves: list[str]
    items: int = Field(description="How many items have all must-haves.")
    uncertainty: float = Field(
        description="What recommending now is expected to lose, as a share of what it was before the first answer."
    )
    question: QuestionResult | None = Field(description="What to ask the person next; null when it is time to stop.")
    stop: StopResult | None
    next_step: str = Field(description="What to do now.")


class WishResult(BaseModel):
    """How an item may be wished otherwise: the arguments of state_wish for `like-but`, and their words."""

    column: str
    toward: Literal["less", "more"]
    text: str


class MatchedItem(ShownItem):
    """An item, and how well it matches what the person likes."""

    match: float = Field(description="1 for the person's best item, 0 for an average one.")
    match_text: str = Field(description="The same in words, and how sure that is.")
    probability_best: float = Field(description="The probability that no item is better for the person.")


class RecommendationResult(MatchedItem):
    """A recommended item, and why."""

    rank: int
    reasons: list[str] = Field(description="Why it is recommended, the strongest reason first.")
    stands_for: str = Field(description="For whom it is on the list: “if you want a film that is funny”.")
    wishes: list[WishResult] = Field(description="How the person is most likely to want it otherwise.")


class RecommendationsResult(BaseModel):
    """Items that are worth most together."""

    conversation: str
    adjusted: MatchedItem | None = Field(
        description="The configuration that the person last took from adjust_item, if the must-haves still allow it. "
        "Show it first; it may be among the recommendations too. Null where `offset` is above 0."
    )
    recommendations: list[RecommendationResult]
    items: int = Field(description="How many items have all must-haves.")
    probability_best: float = Field(description="The probability that one of those listed is the person's best.")
    next_step: str = Field(description="What to do now.")


class ChangeResult(BaseModel):
    """A decision whose value changes."""

    column: str
    name: str = Field(description="What people read.")
    before: str
    after: str


class RuleResult(BaseModel):
    """A rule that stands in the way."""

    text: str
    must_have: bool = Field(description="Whether the person set it, and set_must_haves can loosen it.")


class TotalResult(BaseModel):
    """What becomes of a total, such as the price."""

    name: str
    before: str
    after: str
    difference: str = Field(description="With its sign: “+€120”.")


class AdjustmentResult(BaseModel):
    """What becomes of a configuration with other values in some decisions."""

    conversation: str
    item: MatchedItem | None = Field(
        description="What it becomes; its id can be adjusted further. Null if no configuration has what is wanted."
    )
    changes: list[ChangeResult] = Field(description="The requested changes, without values that it already had.")
    changes_with_it: list[ChangeResult] = Field(description="What else has to change, as little as possible.")
    because: list[RuleResult] = Field(
        description="The rules that require this; where nothing has what is wanted, those that clash with it."
    )
    totals: list[TotalResult]
    taken: bool = Field(description="Whether the choice was recorded.")
    next_step: str = Field(description="What to do now.")


class ToldResult(BaseModel):
    """Something that the person said."""

    kind: Literal["answer", "wish"]
    question: str | None
    said: str


class TasteResult(BaseModel):
    """What is known about the person's taste for one attribute."""

    attribute: str
    column: str
    leaning: Literal["likes", "dislikes", "unclear"]
    worth: float = Field(description="What it adds to the utility of an item, on average over what is possible.")
    spread: float = Field(description="The standard deviation of that.")
    worth_before: float = Field(description="The same before the first answer.")


class KnownResult(BaseModel):
    """What is known about the person, and from what."""

    conversation: str
    told: list[ToldResult] = Field(description="What the person said, oldest first.")
    must_haves: list[str]
    items: int = Field(description="How many items have all must-haves.")
    tastes: list[TasteResult] = Field(description="What moves the ranking most comes first.")
    uncertainty: float = Field(
        description="What recommending now is expected to lose, as a share of what it was before the first answer."
    )
    probability_best: float = Field(description="The probability that the person's best item would be recommended.")


class ColumnResult(BaseModel):
    """A column that must-haves may be about."""

    name: str
    kind: Literal["number", "value", "tags"]
    minimum: float | None = Field(description="The lowest number of any item.")
    maximum: float | None = Field(description="The highest number of any item.")
    unit: str | None
    values: dict[str, int] = Field(description="How many items have each value, the most frequent first.")


class AttributeResult(BaseModel):
    """Something that a wish may be about."""

    text: str = Field(description="What `want` takes.")
    column: str = Field(description="What `dont-care` takes.")


class DecisionResult(BaseModel):
    """Something that is chosen about every configuration."""

    column: str
    name: str = Field(description="What people read.")
    values: list[str] = Field(description="What may be chosen: all values, or 60 spread over them.")
    count: int = Field(description="How many values there are.")


class CatalogResult(BaseModel):
    """What the items are, and what can be said about them."""

    name: str = Field(description="What an item is called: “car”.")
    items: int
    columns: list[ColumnResult] = Field(description="What must-haves may be about.")
    attributes: list[AttributeResult] = Field(description="What wishes may be about.")
    decisions: list[DecisionResult] = Field(
        description="What adjust_item can change; none where items are picked as they are."
    )
    takes_where: bool = Field(description="Whether must-haves may be a filter expression, `where`.")


class ItemsResult(BaseModel):
    """Some of the items."""

    items: list[ShownItem]
    total: int = Field(description="How many there are in all.")


class ClosedResult(BaseModel):
    """A conversation that has ended."""

    conversation: str
    answers: int
