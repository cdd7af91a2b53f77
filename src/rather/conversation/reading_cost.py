"""What a question costs the person who reads it."""

from dataclasses import dataclass

from rather.errors import InvalidInputError
from rather.model.questions import Question


@dataclass(frozen=True)
class Effort:
    """The cost of reading a question, in units of utility: a full card takes longer to read than a word.

    It decides between the kinds of question (`ask="auto"`); when to stop is `Stopping`'s.

    Attributes:
        card: For each item shown.
        statement: For each statement shown.
    """

    card: float
    statement: float

    def __post_init__(self) -> None:
        for name in ("card", "statement"):
            cost = getattr(self, name)
            if not cost >= 0:
                raise InvalidInputError(f"`{name}` must be 0 or above, got {cost}.")

    @classmethod
    def usual(cls, start_regret: float) -> "Effort":
        """A card costs half a percent of the regret at the start, a statement a tenth of that.

        A comparison of two cards then costs the 1 % that makes an answer worth giving at all (`Stopping.usual`).
        """
        return cls(card=0.005 * start_regret, statement=0.0005 * start_regret)

    def of(self, question: Question) -> float:
        """What reading this question costs."""
        statements = sum(len(said) for said in question.attributes)
        return self.statement * statements if question.attributes else self.card * len(question)
