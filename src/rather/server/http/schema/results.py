"""What comes back: questions, recommendations, how a session stands."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from rather.conversation.stopping import StopCode
from rather.server.http.schema.vocabulary import Ask, Choice, Filter, ItemId, Kind, example


class Fact(BaseModel):
    """Something to show of an item."""

    name: str
    value: str


class Option(BaseModel):
    """One of the things a person may choose."""

    id: ItemId | None = Field(None, description="The item's id; null for an option made of attributes.")
    label: str
    facts: list[Fact] = Field(description="Those in which the options differ come first.")
    image: str | None = Field(None, description="A picture's address, if its host is allowed.")
    statements: list[str] = Field([], description="What an option made of attributes says.")


class Question(BaseModel):
    """A question as it is asked. It stays the same until it is answered."""

    model_config = example(
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

    model_config = example(
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


class Stop(BaseModel):
    """Why to stop asking."""

    model_config = example(code="regret", text="the expected regret 0.0123 is below 0.0157")

    code: StopCode = Field(
        description="`questions`: as many as were wanted have been answered; `probability`: the top recommendation is "
        "almost surely the best; `regret`: a better recommendation would hardly be better; `cost`: no question is "
        "worth its answer; `exhausted`: every question has been asked. More may come."
    )
    text: str


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
    stop: Stop | None = Field(description="Why to stop asking; null while another question pays.")
    stop_reason: str | None = Field(description="The text of `stop`.")
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
