"""How much one server lets assistants use."""

from dataclasses import dataclass

from rather.errors import InvalidInputError


@dataclass(frozen=True)
class Limits:
    """How much assistants may use.

    Attributes:
        conversations: Most conversations that are open at the same time.
        idle_minutes: A conversation ends when it has not been used for this long.
        answers: Most answers and wishes of a conversation, including those taken back.
        attributes: Most attributes that a question about attributes states, over all its options (k times p).
        text_length: Longest text of a catalogue that is shown; a longer one is cut and ends in "…".
        body_bytes: Largest request over HTTP.
        wait_seconds: Longest wait for a free core.
        budget_ms: Most time for choosing a question.
    """

    conversations: int = 100
    idle_minutes: float = 60.0
    answers: int = 200
    attributes: int = 24
    text_length: int = 2_000
    body_bytes: int = 1_000_000
    wait_seconds: float = 20.0
    budget_ms: float = 2_000.0

    def __post_init__(self) -> None:
        for name, bound in vars(self).items():
            if not bound > 0:
                raise InvalidInputError(f"`{name}` must be above 0, got {bound}.")
