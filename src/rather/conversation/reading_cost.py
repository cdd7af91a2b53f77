"""What a question costs the person who reads it."""

from dataclasses import dataclass

from rather.errors import InvalidInputError
from rather.model.questions import Question


@dataclass(frozen=True)
class ReadingCost:
    """The cost of reading a question, in units of utility: a full card takes longer to read than a word.

    It decides between the kinds of question (`ask="auto"`); when to stop is `Stopping`'s.

    Attributes:
        card: For each item shown.
        attribute: For each attribute shown.
    """

    card: float
    attribute: float

    def __post_init__(self) -> None:
        for name in ("card", "attribute"):
            cost = getattr(self, name)
            if not cost >= 0:
                raise InvalidInputError(f"`{name}` must be 0 or above, got {cost}.")

    @classmethod
    def usual(cls, start_regret: float) -> "ReadingCost":
        """A card costs half a percent of the regret at the start, an attribute a tenth of that.

        A comparison of two cards then costs the 1 % that makes an answer worth giving at all (`Stopping.usual`).
        """
        return cls(card=0.005 * start_regret, attribute=0.0005 * start_regret)

    def of(self, question: Question) -> float:
        """What reading this question costs."""
        attributes = sum(len(said) for said in question.attributes)
        return self.attribute * attributes if question.attributes else self.card * len(question)
