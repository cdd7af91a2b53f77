"""A hint: what a person said without being asked, as evidence.

Each hint is read as a choice that nobody offered: "like this, but cheaper" prefers an item that differs from this one
in its price alone. So a hint is a slate, an answer and a response model, like any other evidence.
"""

from dataclasses import dataclass, field

from torch import Tensor

from rather.model.personal_noise import PersonalNoise
from rather.model.questions import Option
from rather.model.responses import Choice, Logistic
from rather.model.statements import Statement


@dataclass(frozen=True)
class Hint:
    """Something that a person said unasked, as evidence.

    Attributes:
        number: Its number among the hints of a session, from 1.
        statement: What was said.
        text: The same in words.
        vectors: `(k, d)`, the imagined slate.
        answer: The answer to it.
        response: How people give such hints.
        slate: The rows of the first options, where these are items; `GONE` for one that is no longer there.
        options: What these items are.
    """

    number: int
    statement: Statement
    text: str
    vectors: Tensor = field(repr=False, compare=False)
    answer: Choice
    response: Logistic | PersonalNoise
    slate: tuple[int, ...] = ()
    options: tuple[Option, ...] = ()
