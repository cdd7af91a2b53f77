"""Conversations as responses describe them: sessions, questions, recommendations, history, profile."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from rather.conversation.policy_settings import AskKind
from rather.conversation.reasons import ReasonKind
from rather.conversation.stopping import StopCode
from rather.model.catalog import ItemId
from rather.model.questions import QuestionKind
from rather.model.statements import Toward
from rather.server.http.schema.examples import example
from rather.server.requests import Filter, JsonChoice


class Fact(BaseModel):
    """A fact to show about an item."""

    name: str
    value: str


class OptionFact(Fact):
    """A fact to show about an option."""

    differs: bool = Field(description="Whether the options differ in it.")


class OptionView(BaseModel):
    """One of the options of a question."""

    id: ItemId | None = Field(None, description="The item's id; null for an option made of attributes.")
    label: str
    facts: list[OptionFact] = Field(
        description="Those in which the options differ come first, what matters most to this person at the head; long "
        "ones come last."
    )
    link: str | None = Field(None, description="The address of the item's own page: http or https.")
    image: str | None = Field(None, description="The first of the pictures.")
    images: list[str] = Field([], description="Addresses of pictures whose hosts are allowed.")
    attributes: list[str] = Field([], description="The attributes of an option made of attributes.")
    phrase: str = Field("", description='How a sentence names it: "one made by Lenovo", or the label of an item.')


class QuestionView(BaseModel):
    """A question as it is asked. It stays the same until it is answered."""

    model_config = example(
        id="3-2",
        number=3,
        kind="items",
        prompt="Which film would you rather watch?",
        options=[
            {
                "id": "alien-1979",
                "label": "Alien",
                "facts": [{"name": "year", "value": "1979", "differs": True}],
                "image": None,
            },
            {
                "id": "amelie-2001",
                "label": "Amélie",
                "facts": [{"name": "year", "value": "2001", "differs": True}],
                "image": None,
            },
        ],
        answers=[0, 1, "none", "same", "skip"],
        evoi=0.21,
    )

    id: str = Field(description="Identifies this question in an answer. A question that undo opens again has a new id.")
    number: int = Field(description="Its number in the conversation, from 1.")
    kind: QuestionKind
    prompt: str = Field(description="The question in words.")
    options: list[OptionView]
    answers: list[JsonChoice] = Field(description="The possible answers.")
    evoi: float = Field(description="What the answer is expected to add to the utility of the recommendation.")


class ReasonView(BaseModel):
    """Why an item is recommended."""

    model_config = example(kind="compared", text="cheaper than what you passed on", column="price", answers=["3"])

    kind: ReasonKind = Field(
        description="`chosen`: the person chose this very item; `wanted`: it has what they asked for, or chose in a "
        "question about attributes; `shared`: it has something in common with what they chose; `compared`: it is "
        "better in a column than what they passed on, than the first item or than most; `like`: it resembles an item "
        "that they chose."
    )
    text: str = Field(description="In words, inside a sentence.")
    column: str | None = Field(description="The column that it is about, if it is about one.")
    answers: list[str] = Field(description="The ids of the answers that it refers to.")


class Wish(BaseModel):
    """How an item may be wished otherwise."""

    model_config = example(column="price", toward="less", text="cheaper")

    column: str
    toward: Toward
    text: str = Field(description="As one says it: like this, but …")


class RecommendationView(BaseModel):
    """An item and how sure we are of it."""

    rank: int = Field(description="From 1.")
    id: ItemId
    label: str
    facts: list[Fact]
    link: str | None = Field(None, description="The address of the item's own page: http or https.")
    image: str | None = Field(None, description="The first of the pictures.")
    images: list[str] = Field([], description="Addresses of pictures whose hosts are allowed.")
    expected_utility: float
    spread: float = Field(description="Standard deviation of its utility under the belief.")
    probability_best: float = Field(description="The probability that no item is better for this person.")
    match: float = Field(
        ge=0,
        le=1,
        description="How well it matches: 1 for the person's best item, 0 for an average one. Ordered as the ranking.",
    )
    probability_good: float = Field(
        ge=0, le=1, description="The probability that it is nearer to the person's best item than to an average one."
    )
    match_text: str = Field(description="How well it matches and how sure that is, in words.")
    reasons: list[ReasonView] = Field(
        [], description="Up to three, the strongest first. No sentence occurs twice in a list of items."
    )
    stands_for: str = Field(
        "", description="For whom it is on the list, in words: `if you want a film that is funny`; empty if for nobody."
    )
    wishes: list[Wish] = Field([], description="How it is most likely to be wished otherwise; for hints.")


class ChangeView(BaseModel):
    """A decision that is taken otherwise."""

    model_config = example(column="brakes", name="brakes", before="rim", after="hydraulic disc")

    column: str
    name: str = Field(description="What to call it, in the language of the reader.")
    before: str
    after: str


class TotalChangeView(BaseModel):
    """What becomes of a total."""

    model_config = example(column="price", name="price", before="€770", after="€890", difference="+€120", amount=120.0)

    column: str
    name: str = Field(description="What to call it, in the language of the reader.")
    before: str
    after: str
    difference: str = Field(description="With its sign and unit.")
    amount: float = Field(description="The difference as a number.")


class ObstacleView(BaseModel):
    """A rule that stands in the way."""

    model_config = example(text="frame: carbon only goes with brakes: cable disc or hydraulic disc", must_have=False)

    text: str
    must_have: bool = Field(description="Whether the person set it, as a must-have.")


class AlternativeView(BaseModel):
    """A value that a decision could have, and what it would take."""

    value: str = Field(description="Names it in a request.")
    text: str = Field(description="As it is shown.")
    chosen: bool = Field(description="Whether the item has it.")
    possible: bool = Field(description="Whether any configuration that the rules and must-haves allow has it.")
    forced: list[ChangeView] = Field(description="What else would change.")
    totals: list[TotalChangeView]


class AlternativesView(BaseModel):
    """The values that a decision could have."""

    column: str = Field(description="Names it in a request.")
    name: str = Field(description="What to call it, in the language of the reader.")
    values: list[AlternativeView] = Field(
        description="All of them; of a decision with very many, some that are spread evenly."
    )


class AdjustmentView(BaseModel):
    """What becomes of a configuration, and what else could be changed about it. Nothing is learned from looking."""

    start: RecommendationView = Field(description="The configuration that is adjusted.")
    item: RecommendationView | None = Field(
        description="What it becomes; null if nothing that the rules and must-haves allow has what is wanted."
    )
    wanted: list[ChangeView]
    forced: list[ChangeView] = Field(description="What else has to change: as little as possible.")
    because: list[ObstacleView] = Field(
        description="The rules that require it; without an item, rules that together leave nothing."
    )
    totals: list[TotalChangeView]
    decisions: list[AlternativesView] = Field(
        description="What each value of each decision would take, with what is wanted kept: compared with `item`, or "
        "with `start` without one."
    )


class RecommendationsView(BaseModel):
    """A page of the ranking, which goes on in lists of five."""

    recommendations: list[RecommendationView]
    total: int = Field(description="Items in the whole ranking.")
    offset: int
    limit: int
    next: str | None = Field(description="The query of the next page; null on the last one.")


class StopView(BaseModel):
    """Why to stop asking."""

    model_config = example(code="regret", text="the expected regret 0.0123 is below 0.0157")

    code: StopCode | Literal["catalog-changed", "catalog-gone"] = Field(
        description="`questions`: the requested number has been answered; `probability`: one of the recommendations "
        "is almost certainly the best; `regret`: hardly anything is left to gain; `cost`: no question is worth the "
        "effort of answering it; `exhausted`: every question has been asked; `catalog-changed`, `catalog-gone`: the "
        "items have another meaning now or are no longer served, and the session can only be read. Expect further "
        "codes."
    )
    text: str


class StudyView(BaseModel):
    """The study that a session is part of."""

    model_config = example(
        minimum=5, maximum=12, finished=False, results=False, automatic=False, text=None, redirect=None
    )

    minimum: int = Field(description="Questions that everybody is asked.")
    maximum: int = Field(description="Questions after which it ends at the latest.")
    finished: bool = Field(description="Whether all questions have been answered; further answers are rejected.")
    results: bool = Field(description="Whether the page shows recommendations at the end.")
    automatic: bool = Field(description="Whether the page goes to `redirect` by itself.")
    text: str | None = Field(description="What to say at the end; null before, and where the owner says nothing.")
    redirect: str | None = Field(description="Where the person goes next, once finished; null if nowhere.")


class SessionView(BaseModel):
    """A conversation: its settings, the open question and the best items so far."""

    id: str | None = Field(description="Unguessable; whoever has it may answer. Null when read through a share link.")
    share: str = Field(description="A token that lets others read this session, under `/v1/shared/`.")
    catalog: str
    k: int
    ask: AskKind
    filters: list[Filter]
    where: str | None
    strategy: str
    seed: int
    language: str = Field(description="The language of the texts in this response.")
    version: int = Field(description="Grows with every change.")
    created_at: datetime
    expires_at: datetime | None
    answers: int = Field(description="Answers given and not taken back.")
    hints: int = Field(description="Hints given and not taken back.")
    last_answer: str | None = Field(description="The id of the last answer or hint; pass it to undo.")
    question: QuestionView | None = Field(description="The open question; null when every question has been asked.")
    stop: StopView | None = Field(description="Why to stop asking; null while another question is worth asking.")
    stop_reason: str | None = Field(description="The text of `stop`.")
    expected_regret: float = Field(
        description="What the best of the recommendations is expected to lose against the person's best item."
    )
    start_regret: float = Field(description="The same before the first answer.")
    probability_best: float | None = Field(
        None, description="The probability that one of the recommendations is the person's best item; null if unknown."
    )
    recommendations: list[RecommendationView] = Field(
        description="The five items that are worth most together: whatever the person likes, one of them should fit."
    )
    adjusted: RecommendationView | None = Field(
        None, description="The configuration that the person last adjusted one to, if they did and it can be had."
    )
    catalog_changes: list[str] = Field(
        description="What has changed in the catalogue since the last answer, in sentences; empty when nothing has."
    )
    study: StudyView | None = Field(None, description="The study that it is part of, if it is part of one.")


class Answered(BaseModel):
    """An answer that has been stored, and the conversation after it."""

    answer: str = Field(description="The id of the answer.")
    repeated: bool = Field(description="True when this answer had already been given; it counts once.")
    session: SessionView


class TurnView(BaseModel):
    """A past question and its answer."""

    answer: str
    number: int
    kind: QuestionKind
    prompt: str
    options: list[OptionView]
    choice: JsonChoice
    answered_at: datetime
    undone: bool = Field(description="Whether it was taken back later.")
    expected_regret: float | None = Field(description="Right after this answer; null if it is not known.")


class ContradictionView(BaseModel):
    """Two answers that hardly fit together. Both may be right; if one was a slip, it can be revised."""

    model_config = example(
        answer="5",
        number=5,
        earlier_answer="2",
        earlier_number=2,
        probability=0.04,
        text="In question 5 you chose Alien over Casablanca, but earlier, in question 2, you chose Casablanca over "
        "Aliens.",
    )

    answer: str = Field(description="The id of the later answer.")
    number: int = Field(description="The number of its question.")
    earlier_answer: str = Field(description="The id of the earlier answer.")
    earlier_number: int = Field(description="The number of its question.")
    probability: float = Field(
        description="That somebody who gave all the other answers gives the more surprising of the two."
    )
    text: str = Field(description="Both in words.")


class Contradictions(BaseModel):
    """Pairs of answers that hardly fit together, the most surprising first."""

    contradictions: list[ContradictionView]


class HintView(BaseModel):
    """Something that the person said unasked."""

    model_config = example(
        hint="4",
        text="Like Alien, but less scary",
        answers=2,
        given_at="2026-11-16T21:00:00Z",
        undone=False,
        expected_regret=0.12,
    )

    hint: str = Field(description="Its id.")
    text: str
    answers: int = Field(description="How many answers had been given and not taken back by then.")
    given_at: datetime
    undone: bool = Field(description="Whether it was taken back later.")
    expected_regret: float | None = Field(description="Right after it; null if it is not known.")


class History(BaseModel):
    """Every answer and hint in the order it was given, including those taken back."""

    start_regret: float
    stops_at: float | None = Field(description="Below this expected regret, another question is not worth asking.")
    turns: list[TurnView]
    hints: list[HintView] = []


class Taste(BaseModel):
    """How much an attribute matters to this person."""

    feature: str = Field(description="The attribute in words.")
    mean: float = Field(description="What it adds to an item's utility.")
    spread: float = Field(description="Standard deviation of that under the belief.")
    prior_mean: float = Field(description="The same before the first answer.")
    weight: float = Field(description="The mean times how much items differ in it: how much it moves the ranking.")
    column: str = Field("", description="What the attribute is about; those of one column exclude each other.")


class Profile(BaseModel):
    """What is believed about the person's taste, the attributes that matter most first."""

    tastes: list[Taste] = Field(description="Empty when the catalogue has no attributes.")
