"""Contradictions at a terminal: told once and kindly, and open to correction."""

from rich.console import Console
from rich.text import Text

from rather.conversation.contradictions import Contradiction
from rather.conversation.session import Session
from rather.languages import ENGLISH, message

REVISE = "r"


class Contradictions:
    """Those of a conversation that the person was told about.

    Args:
        session: The conversation.
        language: In which they are told.

    Attributes:
        told: The one that can be corrected now; None if there is none.
    """

    def __init__(self, session: Session, language: str = ENGLISH) -> None:
        self.told: Contradiction | None = None
        self._session, self._language = session, language
        self._known: set[tuple[int, int]] = set()

    def new(self) -> list[Contradiction]:
        """Those that have not been returned before, the most surprising first."""
        found = self._session.contradictions(language=self._language)
        new = [each for each in found if (each.number, each.earlier) not in self._known]
        self._known |= {(each.number, each.earlier) for each in new}
        return new

    def tell(self, console: Console) -> None:
        """Tell the most surprising one that is new, and how to correct it."""
        self.told = next(iter(self.new()), None)
        if self.told is not None:
            again = message(self._language, "contradiction.again", press=REVISE, before=self.told.earlier)
            console.print(Text.assemble((self.told.text, "bold"), "\n", again))
