"""The steps of a conversation: answered questions and hints, each with the belief after it."""

from dataclasses import dataclass

from rather.model.belief import Belief
from rather.model.hints import Hint
from rather.model.questions import Question
from rather.model.responses import Choice


@dataclass(frozen=True)
class Turn:
    """An answered question and the belief after it."""

    question: Question
    answer: Choice
    belief: Belief


@dataclass(frozen=True)
class HintTurn:
    """A hint and the belief after it."""

    hint: Hint
    belief: Belief
