"""When another question is no longer worth asking."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rather.errors import InvalidInputError
from rather.languages import ENGLISH, localized, message

StopCode = Literal["questions", "probability", "regret", "cost", "exhausted"]


@dataclass(frozen=True)
class Stop:
    """Why to stop asking.

    Attributes:
        code: The bound of `Stopping` that was met, or "exhausted" when every question has been asked.
        text: The same in words.
        values: What the words are made with, to say them in another language.
    """

    code: StopCode
    text: str
    values: Mapping[str, int | str] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def saying(cls, code: StopCode, **values: int | str) -> "Stop":
        """The reason with its words."""
        return cls(code, message(ENGLISH, f"stop.{code}", **values), values)

    def said(self, language: str) -> str:
        """The reason in words of a language."""
        if self.values is None:
            return self.text
        numbers = {
            name: localized(value, language) if isinstance(value, str) else value for name, value in self.values.items()
        }
        return message(language, f"stop.{self.code}", **numbers)


@dataclass(frozen=True)
class Stopping:
    """Stop at the first of these; None leaves one out. Utilities are in the units of the catalogue and belief.

    Attributes:
        cost: The best next question has an EVOI below this: what an answer costs the person.
        regret: Recommending now is expected to lose less than this against the person's true best item.
        probability: The top recommendation is the best item with at least this probability.
        questions: This many questions have been answered.
        minimum: Until this many have been, none of the others counts; there may be no question left before.
    """

    cost: float | None = None
    regret: float | None = None
    probability: float | None = None
    questions: int | None = None
    minimum: int | None = None

    def __post_init__(self) -> None:
        for name in ("cost", "regret"):
            bound = getattr(self, name)
            if bound is not None and not bound >= 0:
                raise InvalidInputError(f"`{name}` must be 0 or above, got {bound}.")
        if self.probability is not None and not 0 < self.probability <= 1:
            raise InvalidInputError(f"`probability` must lie in (0, 1], got {self.probability}.")
        if self.questions is not None and self.questions < 1:
            raise InvalidInputError(f"`questions` must be at least 1, got {self.questions}.")
        if self.minimum is not None and not 0 <= self.minimum <= (self.questions or self.minimum):
            most = "0 or above" if self.questions is None else f"in 0..{self.questions}, which is `questions`"
            raise InvalidInputError(f"`minimum` must be {most}, got {self.minimum}.")

    @classmethod
    def usual(cls, start_regret: float, questions: int | None = 25) -> "Stopping":
        """For people: an answer is worth giving while it is expected to remove 1 % of the regret at the start."""
        return cls(cost=0.01 * start_regret, regret=0.02 * start_regret, probability=0.95, questions=questions)
