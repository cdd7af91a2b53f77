"""One conversation that an assistant holds: every step takes and returns plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rather.assistants.adjustment_views import adjustment_result
from rather.assistants.arguments import SAYS, ItemKey, Language, NewValue
from rather.assistants.conversation_views import (
    known_result,
    question_result,
    recommendations_result,
    state_result,
)
from rather.assistants.decisions import wanted_values
from rather.assistants.offered_catalog import OfferedCatalog, Wanted
from rather.assistants.problems import ProblemError, advising
from rather.assistants.results import (
    AdjustmentResult,
    KnownResult,
    QuestionResult,
    RecommendationsResult,
    StateResult,
)
from rather.caching.storage import user_cache
from rather.conversation.display_text import DisplayText
from rather.conversation.policy_settings import AskKind
from rather.conversation.session import Session
from rather.conversation.stopping import Stopping
from rather.conversation.turns import HintTurn
from rather.errors import NoQuestionLeftError
from rather.model.statements import statement_of

AFTER_RECOMMENDING = (
    "Show the person these items with their reasons. If they react (“cheaper”, “more like the second”), pass that on "
    "with state_wish or set_must_haves and call recommend again; if they want to be asked more, call next_question."
)
AFTER_RECOMMENDING_CONFIGURATIONS = (
    f"{AFTER_RECOMMENDING} If they would change something about one (“that, but with another frame”), call adjust_item."
)


@dataclass(frozen=True)
class Opening:
    """How a conversation was opened.

    Attributes:
        k: Options per question.
        ask: What to ask about.
        p: Attributes per option, in questions about attributes.
        questions: Stop after this many answers at the latest.
        seed: Of all randomness.
        language: Of all texts for the person.
    """

    k: int
    ask: AskKind
    p: int
    questions: int
    seed: int
    language: Language


class Conversation:
    """A conversation. Its methods compute, so they are called in a thread, and one at a time.

    Args:
        id: What assistants call it.
        offered: What it is about.
        opening: How it was opened.
        wanted: What items must have.
    """

    def __init__(self, id: str, offered: OfferedCatalog, opening: Opening, wanted: Wanted) -> None:
        self.id = id
        self._offered = offered
        self._opening = opening
        self._wanted = wanted
        self._session = self._fresh(wanted)

    def _fresh(self, wanted: Wanted) -> Session:
        """A session about the items that are wanted, before its first answer."""
        opening = self._opening
        policy = self._offered.policy(opening.k, opening.seed, opening.ask, opening.p, wanted)
        return Session(policy, Stopping.usual(policy.start_regret, opening.questions), cache=user_cache())

    @property
    def answers(self) -> int:
        """How many answers were given."""
        return self._session.number - 1

    def state(self) -> StateResult:
        """Where it stands: the open question, or why to stop."""
        stop = self._session.stop
        question = None if stop is not None else self._question()
        return state_result(self.id, self._session, self._wanted.texts, question, stop, self._opening.language)

    def next_question(self) -> StateResult:
        """Where it stands, with a question even where it is time to stop, as long as one is left."""
        try:
            question = self._question()
        except NoQuestionLeftError:
            return self.state()
        return state_result(self.id, self._session, self._wanted.texts, question, None, self._opening.language)

    def answer(self, number: int, choice: int | str) -> StateResult:
        """Record an answer."""
        if number != self._session.number:
            raise ProblemError(
                f"Question {number} is not open; the open question is number {self._session.number}.",
                "Call next_question, show the person what it returns, and answer that.",
            )
        self._validate_room()
        with advising("The conversation has no question left to answer. Call recommend."):
            offered = ", ".join(map(str, self._question().answers))
        with advising(f"Call answer_question again with one of: {offered}. If unsure what was meant, ask the person."):
            self._session.tell(number, choice)
        return self.state()

    def wish(
        self, says: SAYS, item: ItemKey | None, column: str | None, toward: str | None, attribute: str | None
    ) -> StateResult:
        """Record what the person says without being asked."""
        self._validate_room()
        given = {"item": item, "column": column, "toward": toward, "attribute": attribute}
        record = {"says": says, **{name: value for name, value in given.items() if value is not None}}
        if item is not None:
            record["item"] = self._offered.known_id(item)
        with advising(f"Nothing has changed. {self._advice(record)}"):
            self._session.hint(statement_of(record))
        return self.state()

    def _advice(self, record: Mapping[str, Any]) -> str:
        """What to do about a wish that was not understood."""
        if record["says"] == "want":
            likely = self._offered.likely_attributes(record.get("attribute", ""))
            meant = f" Perhaps one of these was meant: {', '.join(map(repr, likely))}." if likely else ""
            return f"Pass an `attribute` as describe_catalog lists it, and nothing else.{meant}"
        if record["says"] == "dont-care":
            return "Pass the `column` of an attribute that describe_catalog lists, and nothing else."
        return (
            f"{self._offered.ids_are}; how an item may be wished otherwise is in the `wishes` of recommend. "
            "Correct the call and make it again."
        )

    def take_back(self) -> StateResult:
        """Take the last answer or wish back."""
        with advising("Go on with the open question: call next_question."):
            self._session.withdraw()
        return self.state()

    def want(self, wanted: Wanted) -> StateResult:
        """Ask about and recommend only what is wanted from now on; all that was said stays."""
        told, fresh = self._session, self._fresh(wanted)
        steps = [step.hint if isinstance(step, HintTurn) else (step.question, step.answer) for step in told.steps]
        if steps:
            fresh = Session.resumed(fresh.policy, fresh.stopping, steps, told.events, told.belief, user_cache())
        self._session, self._wanted = fresh, wanted
        return self.state()

    def recommend(self, count: int, offset: int, exclude: list[ItemKey]) -> RecommendationsResult:
        """The items to recommend together, with reasons."""
        unwanted = [self._offered.known_id(item) for item in exclude]
        items = self._session.recommend(count, offset=offset, exclude=unwanted)
        adjusted = self._session.adjusted if offset == 0 else None
        if adjusted is not None and adjusted.id in unwanted:
            adjusted = None
        after = AFTER_RECOMMENDING_CONFIGURATIONS if self._offered.is_configured else AFTER_RECOMMENDING
        next_step = after if items else "There are no further items. Go back with a smaller `offset`."
        return recommendations_result(
            self.id, self._session, items, adjusted=adjusted, offset=offset, display=self._display, next_step=next_step
        )

    def adjust(self, item: ItemKey, changes: list[NewValue], take: bool) -> AdjustmentResult:
        """What becomes of a configuration, which the person takes if they said so and if there is something to take."""
        session, language = self._session, self._opening.language
        wanted = wanted_values(changes, self._offered.catalog, language)
        with advising(f"Nothing has changed. {self._offered.ids_are}."):
            found = session.adjust(self._offered.known_id(item), wanted, language)
        if found.item is None or found.item.id == found.start.id or not take:
            return adjustment_result(self.id, found, taken=False, display=self._display)
        self._validate_room()
        session.hint(found.statement)
        # The match after it was taken; described beside the start, so that the two are told apart.
        now = session.policy.described(session.belief, [found.start.row, found.item.row], language)[-1]
        return adjustment_result(self.id, replace(found, item=now), taken=True, display=self._display)

    def known(self) -> KnownResult:
        """What is known about the person, and from what."""
        return known_result(self.id, self._session, self._wanted.texts, self._display)

    @property
    def _display(self) -> DisplayText:
        return self._offered.display(self._opening.language)

    def _question(self) -> QuestionResult:
        return question_result(self._session, self._display)

    def _validate_room(self) -> None:
        most = self._offered.limits.answers
        if sum("undo" not in event for event in self._session.events) >= most:
            raise ProblemError(
                f"A conversation holds at most {most} answers and wishes.", "Call recommend, or open a new one."
            )
