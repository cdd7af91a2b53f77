"""What may change in a conversation: an answer, a hint, one of them taken back or revised, other filters.

Each is one change.
"""

from collections.abc import Sequence
from dataclasses import replace

from rather.conversation.records import question_record
from rather.conversation.session import Session
from rather.errors import InvalidInputError, UnknownNameError
from rather.model.questions import Question
from rather.model.responses import SKIP, Choice, as_choice
from rather.model.statements import statement_of
from rather.server.computing.catalogs import ServedCatalogs, settings_of
from rather.server.computing.states import State, States
from rather.server.computing.summaries import summary_of
from rather.server.conversations.conversation import Conversation, first_key_of, record_of, steps_of
from rather.server.conversations.loading import Loading, no_longer_served
from rather.server.conversations.participating import Participation
from rather.server.problems import ProblemError
from rather.server.requests import NewAnswer, NewFilters, NewHint, NewSession, Revision
from rather.server.sessions.records import RequestKey, StoredEvent, StoredSession
from rather.server.sessions.store import Changes, Store


class Changing:
    """Changes conversations. Every method raises `LostRaceError` when another request for the session was faster.

    Args:
        catalogs: What they are about.
        store: Stores sessions.
        states: Computes their states.
        loading: Loads conversations.
        most_answers: How many answers a session holds.
        participation: In a study, if there is one.
    """

    def __init__(
        self,
        catalogs: ServedCatalogs,
        store: Store,
        states: States,
        loading: Loading,
        most_answers: int,
        participation: Participation | None = None,
    ) -> None:
        self._catalogs = catalogs
        self._store = store
        self._states = states
        self._loading = loading
        self._most_answers = most_answers
        self._participation = participation

    def answer(self, id: str, answer: NewAnswer) -> tuple[Conversation, str, bool]:
        """Store an answer; with its id, and whether it had already been given."""
        conversation = self._loading.load(id)
        stored, choice = conversation.stored, as_choice(answer.choice)
        if answer.question != conversation.question_id:
            return conversation, _repeated(conversation, answer.question, choice), True
        assert conversation.state.question is not None
        _validate_offered(conversation, conversation.state.question, choice)
        self._validate_unfinished(conversation)
        self._validate_room(conversation)
        state = self._states.after(conversation.state, choice)
        record, position = conversation.state.answer(choice), len(stored.events) + 1
        event = StoredEvent(position, record, answer.question, state.regret, stored.next_time())
        stored = self._store.append(stored, event, **_follows(conversation, state))
        return replace(conversation, stored=stored, found=state), str(position), False

    def hint(self, id: str, hint: NewHint, key: RequestKey | None) -> Conversation:
        """Store a hint."""
        conversation = self._loading.load(id)
        self._validate_room(conversation)
        stored = conversation.stored
        self.validate_own_way(stored)
        try:
            state, record = self._states.after_hint(conversation.state, statement_of(hint.said))
        except (InvalidInputError, UnknownNameError) as error:
            action = "Say it of an item and an attribute of the catalogue."
            raise ProblemError(422, "invalid-hint", str(error), action) from None
        event = StoredEvent(len(stored.events) + 1, record, None, state.regret, stored.next_time())
        stored = self._store.append(stored, event, key=key, **_follows(conversation, state))
        return replace(conversation, stored=stored, found=state)

    def revise(self, id: str, answer: str, revision: Revision, key: RequestKey | None) -> Conversation:
        """Answer an earlier question otherwise; what was answered and said after it stays."""
        conversation = self._loading.load(id)
        self.validate_own_way(conversation.stored)
        choice, steps = as_choice(revision.choice), conversation.stored.steps
        given = _held_answer(conversation, answer, choice)
        if given.event["answer"] == choice:
            return conversation  # nothing to change, or a repeated request
        question = conversation.session.turns[given.event["tell"] - 1].question
        _validate_offered(conversation, question, choice)
        before, after = steps[: steps.index(given)], steps[steps.index(given) + 1 :]
        self._validate_room(conversation, 1 + len(after))
        told = [replace(given, event={**given.event, "answer": revision.choice}), *after]
        served, stored = conversation.served, conversation.stored
        assert served is not None
        state = self._loading.state(stored, served, [event.event for event in (*before, *told)], None)
        added = _told_again(conversation, told, state)
        stored = self._store.append(stored, *added, key=key, **_follows(conversation, state))
        return replace(conversation, stored=stored, found=state)

    def undo(self, id: str, answer: str | None, key: RequestKey | None) -> Conversation:
        """Take the last answer or hint back: this one, if one is given."""
        conversation = self._loading.load(id)
        stored, positions = conversation.stored, [str(event.position) for event in conversation.stored.steps]
        if answer is not None and answer not in positions[-1:]:
            if answer not in positions and any(str(event.position) == answer for event in stored.events):
                return conversation  # a repeated request
            text = f"Answer {answer} is not the last one."
            raise ProblemError(409, "not-the-last-answer", text, "Take back the last answer first.")
        if not positions:
            raise ProblemError(409, "nothing-to-undo", "There is no answer to take back.", "Answer the open question.")
        twin = conversation.session.fork()
        twin.withdraw()
        event = StoredEvent(len(stored.events) + 1, twin.events[-1], None, None, stored.next_time())
        state = self._after_undo(conversation, twin)
        stored = self._store.append(stored, event, key=key, **_follows(conversation, state))
        return replace(conversation, stored=stored, found=state)

    def filters(self, id: str, filters: NewFilters, key: RequestKey | None) -> Conversation:
        """Ask and recommend under other filters from now on."""
        stored = self._loading.find(id)
        self.validate_own_way(stored)
        served = self._catalogs.of_session(stored.catalog)
        if served is None:
            raise no_longer_served(stored)
        before = NewSession.model_validate(stored.request)
        request = before.model_copy(update=vars(filters))
        if not served.is_about(stored.settings):
            served.start(served.complete(request))  # raises if the filters leave too little
            carried = self._loading.carry_over(stored, served, request, filtered=True, keep=True, key=key)
            return replace(carried, found=carried.state)
        session = served.refiltered(stored.settings, before, request)
        changed = replace(stored, request=record_of(request), settings=settings_of(session, request))
        state = self._states.resume(first_key_of(changed, served), steps_of(changed), None, lambda: session)
        stored = self._store.change(stored, key, request=changed.request, settings=changed.settings, open=state.open)
        return Conversation(stored, served, state)

    def _validate_unfinished(self, conversation: Conversation) -> None:
        if conversation.state.stop is not None and self.in_study(conversation.stored):
            text = "All questions of this study have been answered."
            raise ProblemError(409, "study-finished", text, "Show the end of the study.")

    def in_study(self, stored: StoredSession) -> bool:
        """Whether the study that is running is about a session."""
        return self._participation is not None and self._participation.covers(stored)

    def validate_own_way(self, stored: StoredSession) -> None:
        """Raise in a study: who steers the questions in a way of their own cannot be compared with the others."""
        if self.in_study(stored):
            text = "A study takes answers alone: no hints, no filters and no corrections."
            raise ProblemError(409, "not-in-a-study", text, "Answer the open question.")

    def _validate_room(self, conversation: Conversation, more: int = 1) -> None:
        if sum("undo" not in event.event for event in conversation.stored.events) + more > self._most_answers:
            text = f"A session holds at most {self._most_answers} answers and hints."
            raise ProblemError(409, "session-full", text, "Open a new session.")

    def _after_undo(self, conversation: Conversation, twin: Session) -> State:
        """The state without the last answer; another question is chosen where its own cannot be asked again."""
        stored, served = conversation.stored, conversation.served
        assert served is not None
        question = twin.open_question
        open = None if question is None else question_record(question, twin.policy.catalog)
        return self._loading.state(stored, served, steps_of(stored)[:-1], open)


def _follows(before: Conversation, state: State) -> Changes:
    """What follows from an event that leads to this state."""
    changes = before.stored.changes if before.carried else None
    return {"open": state.open, "changes": changes, "summary": summary_of(state.session, state.regret, state.stop)}


def _validate_offered(conversation: Conversation, question: Question, choice: Choice) -> None:
    offered = [*range(len(question)), *conversation.session.policy.response.extras, SKIP]
    if choice not in offered:
        text = f"`choice` must be one of {', '.join(str(item) for item in offered)}."
        raise ProblemError(422, "invalid-choice", text, "Choose one of the answers.")


def _held_answer(conversation: Conversation, answer: str, choice: Choice) -> StoredEvent:
    """The answer of this id; if it has been revised to this choice already, what it is now."""
    stored = conversation.stored
    given = next((event for event in stored.events if str(event.position) == answer and "tell" in event.event), None)
    if given is None:
        text = f"This session has no answer {answer}."
        raise ProblemError(404, "unknown-answer", text, "Take its id from the history.")
    if given in stored.answers:
        return given
    now = [event for event in stored.answers if event.event["tell"] == given.event["tell"]]
    if not now or now[0].event["answer"] != choice:
        raise _conflict("answer-undone", f"Answer {answer} has been taken back.", conversation.question_id)
    return now[0]


def _told_again(conversation: Conversation, told: Sequence[StoredEvent], state: State) -> list[StoredEvent]:
    """The events that take the last steps of a session back and tell these instead, which lead to a state."""
    stored, twin = conversation.stored, conversation.session.fork()
    at, position, before = stored.next_time(), len(stored.events) + 1, len(twin.events)
    for _ in told:
        twin.withdraw()
    undone = [StoredEvent(position + index, event, None, None, at) for index, event in enumerate(twin.events[before:])]
    position += len(undone)
    regrets = [state.session.policy.expected_regret(step.belief) for step in state.session.steps[-len(told) :]]
    again = [
        replace(event, position=position + index, regret=regret, at=at)
        for index, (event, regret) in enumerate(zip(told, regrets, strict=True))
    ]
    return [*undone, *again]


def _repeated(conversation: Conversation, question: str, choice: Choice) -> str:
    """The id of this answer if it was given to this question before; else a conflict that names the open question."""
    stored, open_question = conversation.stored, conversation.question_id
    # A revised answer has the question of the one that it replaces.
    given = next((event for event in reversed(stored.events) if event.question == question), None)
    if given is not None and given in stored.answers and given.event["answer"] == choice:
        return str(given.position)
    if given is None:
        raise _conflict("stale-question", f"Question {question} is not open and was not answered.", open_question)
    if given not in stored.answers:
        raise _conflict("answer-undone", f"The answer to question {question} has been taken back.", open_question)
    raise _conflict("answer-conflict", f"Question {question} has been answered differently.", open_question)


def _conflict(code: str, text: str, open_question: str | None) -> ProblemError:
    now_open = f"The open question is {open_question}." if open_question else "Every question has been asked."
    action = "Show the open question and answer that one."
    return ProblemError(409, code, f"{text} {now_open}", action, open_question=open_question)
