"""One conversation: ask, tell, hint, undo, revise, recommend, stop."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from rather.caching.storage import Cache
from rather.conversation.adjusting import Adjustment, Alternatives, Wanted, adjusted, alternatives
from rather.conversation.cached import CachedPolicy
from rather.conversation.carrying import CarriedOver
from rather.conversation.contradictions import Contradiction, contradictions
from rather.conversation.held_events import held_events
from rather.conversation.hint_records import hint_record
from rather.conversation.hints import after_hint, hint_of
from rather.conversation.policy import Policy, Step
from rather.conversation.policy_settings import Ranking
from rather.conversation.reasons import Reason, Speaker, reasons
from rather.conversation.records import answer_record
from rather.conversation.standing import stands_for
from rather.conversation.stopping import Stop, Stopping
from rather.conversation.translations import Translations
from rather.conversation.turns import HintTurn as HintTurn
from rather.conversation.turns import Turn as Turn
from rather.errors import InvalidInputError, NoQuestionLeftError, StaleQuestionError
from rather.languages import ENGLISH
from rather.model.allowed import are_allowed
from rather.model.belief import Belief
from rather.model.catalog import Catalog, ItemId
from rather.model.hints import Hint
from rather.model.notebook import html_table
from rather.model.questions import Question, Recommendation, question_number
from rather.model.responses import Answer, Choice, answer_row, as_choice
from rather.model.statements import Adjust, Statement
from rather.nouns import counted
from rather.numerics.threads import one_thread


class Session:
    """A conversation with one person: a policy, the answered questions and the open one, and hints in between.

    Everything follows from the policy, the answers and the hints: asking twice gives the same question, and replaying a
    log gives the same state.

    >>> import rather
    >>> catalog = rather.Catalog([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]], labels=["fast", "cheap", "balanced"])
    >>> belief = rather.Belief.from_users([[1.0, 0.2], [0.3, 1.0], [0.7, 0.8]])
    >>> session = rather.Session(rather.Policy(catalog, belief, k=2, seed=0))
    >>> question = session.ask()
    >>> [option.label for option in question.options]
    ['fast', 'cheap']
    >>> session.tell(question, choice=0)
    >>> session.recommend(1)[0].label
    'fast'

    Args:
        policy: How the conversation is held. One policy serves any number of sessions.
        stopping: When to stop, by default `Stopping.usual` on the scale of the policy.
        cache: Where to look for the first questions before they are computed, and to keep them; by default nowhere.
        spaces: What the dimensions of earlier answers meant, as a log has it.

    Attributes:
        carried_over: What a log met in a catalogue or belief that has changed since; None where nothing has.
    """

    def __init__(
        self,
        policy: Policy,
        stopping: Stopping | None = None,
        *,
        cache: Cache | None = None,
        spaces: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(policy, Policy):
            raise InvalidInputError(
                f"`policy` must be a rather.Policy, got {type(policy).__name__}. "
                "Write rather.Session(rather.Policy(catalog, belief, k=2, seed=0))."
            )
        self.policy = policy
        self.stopping = stopping if stopping is not None else Stopping.usual(policy.start_regret)
        self._step: Step = policy if cache is None else CachedPolicy(policy, cache)
        self._cache = cache
        self._steps: list[tuple[Question, Choice] | Hint] = []
        # After each step; None where a snapshot did not hold it and nobody has asked for it since.
        self._beliefs: list[Belief | None] = []
        self._events: list[dict[str, Any]] = []
        self._open: Question | None = None
        self.translations = Translations(spaces or {}, policy.catalog)
        self.carried_over: CarriedOver | None = None

    def __repr__(self) -> str:
        hints = f", {counted(len(self.hints), 'hint')}" if self.hints else ""
        return f"Session({self.policy.catalog!r}, {counted(len(self._answers), 'answer')}{hints})"

    def _repr_html_(self) -> str:
        rows = [[question.number, question.text, _shown(question, answer)] for question, answer in self._answers]
        if self._open is not None:
            rows.append([self._open.number, self._open.text, "(open)"])
        return html_table(repr(self), ["", "question", "answer"], rows)

    @property
    def turns(self) -> Sequence[Turn]:
        """The answered questions, oldest first."""
        return tuple(step for step in self.steps if isinstance(step, Turn))

    @property
    def hints(self) -> Sequence[Hint]:
        """What the person said unasked, oldest first."""
        return tuple(step for step in self._steps if isinstance(step, Hint))

    @property
    def steps(self) -> Sequence[Turn | HintTurn]:
        """Answered questions and hints in the order in which they came."""
        return tuple(
            HintTurn(step, self._belief_after(count))
            if isinstance(step, Hint)
            else Turn(*step, self._belief_after(count))
            for count, step in enumerate(self._steps, start=1)
        )

    @property
    def _answers(self) -> list[tuple[Question, Choice]]:
        return [step for step in self._steps if not isinstance(step, Hint)]

    @property
    def events(self) -> Sequence[dict[str, Any]]:
        """All that happened, what was taken back included, as the log has it."""
        return tuple(self._events)

    @property
    def belief(self) -> Belief:
        """What we hold about the person now."""
        return self._belief_after(len(self._steps))

    def _belief_after(self, count: int) -> Belief:
        """The belief after this many answers and hints; replays those whose belief is not known."""
        if not count:
            return self.policy.prior
        belief = self._beliefs[count - 1]
        if belief is None:
            before, step = self._belief_after(count - 1), self._steps[count - 1]
            belief = (
                after_hint(before, step, self.policy) if isinstance(step, Hint) else self._step.after(before, *step)
            )
            self._beliefs[count - 1] = belief
        return belief

    @property
    def number(self) -> int:
        """The number of the open question, from 1."""
        return len(self._answers) + 1

    def ask(self) -> Question:
        """The open question. It stays the same until it is answered."""
        if self._open is None:
            self._open = self._step.question(self.belief, [question for question, _ in self._answers])
        return self._open

    @property
    def open_question(self) -> Question | None:
        """The open question if it has been asked for."""
        return self._open

    def reopen(self, question: Question) -> None:
        """Make this the open question, as it was when a log was written."""
        if question.number != self.number:
            raise InvalidInputError(f"`question` must be number {self.number} of this session, got {question.number}.")
        self._open = question

    def tell(self, question: Question | int, choice: Choice | str) -> None:
        """Record the answer to the open question.

        Args:
            question: The question, or its number.
            choice: An option `0..k-1`, or `NONE`, `SAME`, `SKIP` (or their names).
        """
        answer = as_choice(choice)
        number = question_number(question)
        if number != self.number:
            raise StaleQuestionError(
                f"Question {number} is not open; the open question is number {self.number}. "
                "Call ask() and answer what it returns."
            )
        asked = self.ask()
        if isinstance(question, Question) and question.about != asked.about:
            raise StaleQuestionError(
                f"Question {number} of this session is about {[option.label for option in asked.options]}, "
                f"not {[option.label for option in question.options]}: it comes from another session."
            )
        self.record(asked, answer)

    def record(self, question: Question, answer: Choice, event: dict[str, Any] | None = None) -> None:
        """Record an answer to a question with the number of the open one, which may have been another: a replay.

        Args:
            question: The question.
            answer: Its answer.
            event: The answer as a log already has it.
        """
        if answer is not Answer.SKIP:
            answer_row(answer, len(question), self.policy.response)  # rejects before anything changes
        belief = self._step.after(self.belief, question, answer)
        self._events.append(answer_record(question, answer, self.policy.catalog) if event is None else event)
        self._steps.append((question, answer))
        self._beliefs.append(belief)
        self._open = None

    def hint(self, statement: Statement) -> Hint:
        """Take in what the person says unasked. The open question is chosen again in the light of it.

        >>> import rather
        >>> session = rather.Session(rather.Policy(*rather.open("films")))
        >>> best = session.recommend(1)[0]
        >>> session.hint(rather.LikeBut(best.id, "dark", "less")).text
        'Like Everything Everywhere All at Once, but less dark'
        >>> session.hint(rather.Want("funny")).text
        'I want a film that is funny'

        Args:
            statement: `MoreLike(item)`, `LikeBut(item, column, toward)`, `Want(attribute)`, `DontCare(column)`, or for
                configurations `Adjust(item, to)`.
        """
        hint = hint_of(statement, len(self.hints) + 1, self.policy, self.belief)
        self.record_hint(hint)
        return hint

    def adjust(self, item: ItemId, wanted: Wanted, language: str = ENGLISH) -> Adjustment:
        """What becomes of a configuration when some of its choices are changed; nothing is learned from it.

        As few other choices change as the rules and must-haves allow, and of those configurations the one of highest
        expected utility is the result. To say that the person takes it, pass its statement to `hint`.

        >>> import rather
        >>> session = rather.Session(rather.Policy(*rather.open("bicycle")))
        >>> best = session.recommend(1)[0]
        >>> adjusted = session.adjust(best.id, {"frame": "carbon"})
        >>> [change.after for change in adjusted.wanted]
        ['carbon']
        >>> hint = session.hint(adjusted.statement)

        Args:
            item: The id of the configuration.
            wanted: The values wanted, by the names of the decisions: `{"frame": "carbon"}`.
            language: One of `rather.languages.LANGUAGES`.
        """
        return adjusted(self.policy, self.belief, item, wanted, language)

    def alternatives(
        self, item: ItemId, wanted: Wanted | None = None, language: str = ENGLISH
    ) -> Sequence[Alternatives]:
        """For every choice about a configuration, what each of the other values would take.

        Args:
            item: The id of the configuration.
            wanted: Values that are to stay, whatever else changes.
            language: One of `rather.languages.LANGUAGES`.
        """
        return alternatives(self.policy, self.belief, item, wanted, language)

    @property
    def adjusted(self) -> Recommendation | None:
        """The configuration that the person last adjusted one to, if they did and it can still be had."""
        for hint in reversed(self.hints):
            if isinstance(hint.statement, Adjust) and (row := self.policy.catalog.find(hint.statement.to)) is not None:
                if not bool(are_allowed(self.policy.allowed, torch.tensor([row]))):
                    return None
                return self.policy.described(self.belief, [row])[0]
        return None

    def record_hint(self, hint: Hint, event: dict[str, Any] | None = None) -> None:
        """Record a hint, which may have been given earlier: a replay.

        Args:
            hint: The hint.
            event: The hint as a log already has it.
        """
        belief = after_hint(self.belief, hint, self.policy)
        self._events.append(hint_record(hint, self.policy.catalog) if event is None else event)
        self._steps.append(hint)
        self._beliefs.append(belief)
        self._open = None

    def undo(self) -> Question:
        """Take the last answer or hint back; an answer's question is open again, unless what it shows is gone."""
        self.withdraw()
        return self.ask()

    def withdraw(self) -> None:
        """Take the last answer or hint back without choosing a question where there is none to be asked again."""
        if not self._steps:
            raise InvalidInputError("There is no answer to undo yet.")
        step = self._steps.pop()
        self._beliefs.pop()
        if isinstance(step, Hint):
            self._events.append({"undo": step.number, "of": "hint"})
            self._open = None
            return
        question, _ = step
        self._events.append({"undo": question.number})
        self._open = self.policy.shown_again(question)

    def revise(self, question: Question | int, choice: Choice | str) -> None:
        """Answer an earlier question otherwise; what was answered and said after it stays.

        The log holds it as what it amounts to: everything back to that answer is taken back, and told again.

        Args:
            question: The question, or its number.
            choice: As for `tell`.
        """
        number, answer = question_number(question), as_choice(choice)
        numbers = [None if isinstance(step, Hint) else step[0].number for step in self._steps]
        if number not in numbers:
            raise InvalidInputError(f"`question` must be one of the {len(self._answers)} answered, got {number}.")
        first = numbers.index(number)
        if answer is not Answer.SKIP:
            asked = self._answers[number - 1][0]
            answer_row(answer, len(asked), self.policy.response)  # rejects before anything changes
        steps, events = self._steps[first:], held_events(self._events)[first:]
        for _ in steps:
            self.withdraw()
        for step, event in zip(steps, events, strict=True):
            if isinstance(step, Hint):
                self.record_hint(step, {**event})
            elif step[0].number == number:
                self.record(step[0], answer, {**event, "answer": answer})
            else:
                self.record(*step, {**event})

    def contradictions(self, at_most: float = 0.1, language: str = ENGLISH) -> list[Contradiction]:
        """Pairs of answers that hardly fit together, the most surprising first; `revise` corrects one.

        Args:
            at_most: An answer is surprising if its probability given all the others is no higher.
            language: One of `rather.languages.LANGUAGES`.
        """
        with one_thread():
            return contradictions(self, at_most, language)

    def recommend(
        self,
        count: int = 5,
        *,
        offset: int = 0,
        exclude: Iterable[ItemId] = (),
        ranking: Ranking = "list",
    ) -> list[Recommendation]:
        """The items to recommend together, in the order of their expected utility. See `Policy.recommend`.

        Args:
            count: How many.
            offset: How many were shown before.
            exclude: Ids of items not to recommend, such as those the person has. Ids that the catalogue does not have
                are ignored.
            ranking: "list" or "mean", which ranks by expected utility alone.
        """
        return self.policy.recommend(self.belief, count, offset=offset, exclude=exclude, ranking=ranking)

    def probability_best(self, items: Sequence[Recommendation] | None = None) -> float:
        """The probability that one of these items is the person's best; by default of the list that is recommended."""
        return self.policy.probability_best(self.belief, items)

    def reasons(
        self, items: Sequence[Recommendation], speaker: Speaker = "you", language: str = ENGLISH
    ) -> list[tuple[Reason, ...]]:
        """For each of these items, up to three reasons in words, the strongest first. No sentence occurs twice.

        Args:
            items: What `recommend` returned.
            speaker: "they" where somebody else reads it.
            language: One of `rather.languages.LANGUAGES`.
        """
        with one_thread():
            return reasons(self, items, speaker, language)

    def stands_for(
        self, items: Sequence[Recommendation], speaker: Speaker = "you", language: str = ENGLISH
    ) -> list[str]:
        """For each item of a list what it stands for: "if you want a film that is funny"; "" where that cannot be said.

        Args:
            items: What `recommend` returned.
            speaker: "they" where somebody else reads it.
            language: One of `rather.languages.LANGUAGES`.
        """
        with one_thread():
            return stands_for(items, self.policy.catalog, self.belief, speaker, language)

    @property
    def expected_regret(self) -> float:
        """What recommending now is expected to lose against the person's true best item: see `Policy`'s."""
        return self.policy.expected_regret(self.belief)

    @property
    def stop(self) -> Stop | None:
        """Why to stop asking, for programs and in words; None while another question is worth asking."""
        rule = self.stopping
        if rule.minimum is not None and len(self._answers) < rule.minimum:
            rule = Stopping()
        if rule.questions is not None and len(self._answers) >= rule.questions:
            return Stop.saying("questions", count=rule.questions)
        if rule.probability is not None and (sure := self.probability_best()) >= rule.probability:
            return Stop.saying("probability", probability=f"{sure:.2f}")
        if rule.regret is not None and (regret := self.expected_regret) < rule.regret:
            return Stop.saying("regret", regret=f"{regret:.3g}", bound=f"{rule.regret:.3g}")
        try:
            question = self.ask()
        except NoQuestionLeftError:
            return Stop.saying("exhausted")
        if rule.cost is None or question.task is not None:  # a task is asked whatever it is worth
            return None
        if (evoi := self.policy.gain(self.belief, question)) < rule.cost:
            return Stop.saying("cost", gain=f"{evoi:.3g}" if evoi >= 1e-5 else "0", cost=f"{rule.cost:.3g}")
        return None

    def fork(self) -> Session:
        """A second session in the same state; telling one leaves the other as it was.

        Cheap: beliefs are immutable and shared, so "what would we ask if the answer were…" costs no replay.
        """
        twin = copy.copy(self)
        twin._events = list(self._events)
        twin._steps, twin._beliefs = list(self._steps), list(self._beliefs)
        return twin

    def restricted(self, allowed: Any) -> Session:
        """A fork that asks about and recommends only those of its items that are `(n,)` allowed here too."""
        twin = self.fork()
        twin.policy = self.policy.restricted(allowed)
        twin._step = twin.policy if self._cache is None else CachedPolicy(twin.policy, self._cache)
        twin._open = None
        return twin

    def to_json(self) -> str:
        """The session as text: settings, event log, and the open question if it has been asked."""
        from rather.conversation.log import dump

        return dump(self)

    @classmethod
    def from_json(
        cls, text: str, catalog: Catalog, belief: Belief, *, cache: Cache | None = None, **parts: Any
    ) -> Session:
        """The session a log describes, in the same state and with the same next question.

        The catalogue may have changed since: the log holds all that was shown, so the belief is rebuilt from the given
        one and the conversation goes on; `carried_over` says what could not be carried over. Where the vectors have
        another meaning (other columns, trained again) this raises `CatalogChangedError`; `rather.history` still reads
        such a log.

        Args:
            text: What `to_json` returned.
            catalog: The catalogue it was about, as it is now.
            belief: The belief that conversations about it start from.
            cache: See `Session`.
            parts: A `strategy`, `attribute_strategy` or `response` of your own making or the `plan` that was followed,
                which a log cannot hold; other arguments of `Policy`, such as `retriever`, or `allowed` to replace what
                was allowed.
        """
        from rather.conversation.log import load

        return load(text, catalog, belief, cache=cache, **parts)

    def snapshot(self) -> bytes:
        """The session in a form that is restored without replaying the answers.

        It holds the log and the particles of now: some 200 kB for 1,000 particles of 50 dimensions. A service without
        state can keep it between requests.
        """
        from rather.conversation.snapshot import write

        return write(self)

    @classmethod
    def restore(
        cls, snapshot: bytes, catalog: Catalog, belief: Belief, *, cache: Cache | None = None, **parts: Any
    ) -> Session:
        """The session of a snapshot: the state that a replay of its log would give, in a few milliseconds.

        Args:
            snapshot: What `snapshot` returned.
            catalog: See `from_json`.
            belief: See `from_json`.
            cache: See `Session`.
            parts: See `from_json`.
        """
        from rather.conversation.snapshot import read

        with one_thread():
            return read(snapshot, catalog, belief, cache=cache, **parts)

    @classmethod
    def resumed(
        cls,
        policy: Policy,
        stopping: Stopping,
        steps: Sequence[tuple[Question, Choice] | Hint],
        events: Sequence[dict[str, Any]],
        belief: Belief,
        cache: Cache | None = None,
        spaces: Mapping[str, Any] | None = None,
    ) -> Session:
        """A session after these steps, whose belief is known. Earlier beliefs are replayed where they are needed.

        Args:
            policy: See `Session`.
            stopping: See `Session`.
            steps: Answers and hints that were not taken back, oldest first.
            events: All that happened, as the log has it.
            belief: After the last of them.
            cache: See `Session`.
            spaces: See `Session`.
        """
        session = cls(policy, stopping, cache=cache, spaces=spaces)
        session._steps, session._events = list(steps), list(events)
        session._beliefs = [*([None] * (len(steps) - 1)), belief] if steps else []
        return session


def _shown(question: Question, answer: Choice) -> str:
    return answer.value if isinstance(answer, Answer) else question.options[answer].label
