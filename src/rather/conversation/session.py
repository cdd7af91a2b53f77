"""One conversation: ask, tell, undo, recommend, stop. An event log that can be stored and replayed."""

from __future__ import annotations

import copy
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

from torch import Tensor

from rather import value
from rather.conversation.cached import Tree
from rather.conversation.policy import Asking, AskKind, about
from rather.conversation.reading_cost import ReadingCost
from rather.conversation.recommendations import recommendations
from rather.conversation.stopping import Stop, Stopping
from rather.errors import InvalidInputError, NoQuestionLeftError, StaleQuestionError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Question, Recommendation
from rather.model.rejuvenation import Rejuvenation
from rather.model.responses import Answer, Choice, Logistic, ResponseModel, answer_row, as_choice
from rather.numerics.arrays import as_mask
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread
from rather.retrieval import Adapting, Found, Retriever, choose_retriever
from rather.retrieval.selection import RetrieverKind
from rather.strategies import PartialStrategy, Strategy, partial_strategy_named, strategy_named
from rather.strategies.problem import validate_dimensions


@dataclass(frozen=True)
class Turn:
    """An answered question and the belief after it."""

    question: Question
    answer: Choice
    belief: Belief


class Session:
    """A conversation with one person about one catalogue.

    Everything follows from the arguments and the answers: asking twice gives the same question, and replaying a
    log gives the same state.

    Args:
        catalog: What is asked about and recommended.
        belief: What we hold about the person before the first question.
        k: Items on a slate.
        seed: Of all randomness.
        strategy: How questions are chosen: a name of `rather.STRATEGIES` or a `Strategy`.
        response: How the person answers, by default `everyday_response(catalog, belief)`.
        stopping: When to stop, by default `Stopping.usual` on the scale of this catalogue and belief.
        allowed: `(n,)` boolean, the items that may be asked about and recommended; by default all.
        rejuvenation: Renews particles that degenerate; None only reweights them (the paper's setting).
        retriever: Finds the best items for a direction: a `Retriever`, or a kind of `choose_retriever`. By default
            exactly in small catalogues, and by a shortlist of known loss in large ones; "exact" always looks at all.
        ask: What to ask about. "items" compares items, "attributes" what can be said of them ("funny or dark?"), and
            "auto" each time asks what has the higher EVOI net of its `reading_cost`; a catalogue without attributes
            then only has items to ask about.
        p: Attributes that each option of a question about attributes makes.
        partial_strategy: How questions about attributes are chosen: a name of `rather.PARTIAL_STRATEGIES` or a
            `PartialStrategy`.
        reading_cost: What reading a question costs, by default `ReadingCost.usual` on the scale of this catalogue
            and belief.
        cache: Remember the first questions, and take those that other sessions with the same settings remembered
            (see `rather.conversation.cached`). They are what would be computed; False always computes.
    """

    def __init__(
        self,
        catalog: Catalog,
        belief: Belief,
        k: int = 2,
        seed: int = 0,
        *,
        strategy: str | Strategy = "auto",
        response: ResponseModel | None = None,
        stopping: Stopping | None = None,
        allowed: Any = None,
        rejuvenation: Rejuvenation | None = Rejuvenation(),  # noqa: B008 - immutable
        retriever: Retriever | RetrieverKind | str | None = None,
        ask: AskKind = "items",
        p: int = 1,
        partial_strategy: str | PartialStrategy = "auto-partial",
        reading_cost: ReadingCost | None = None,
        cache: bool = True,
    ) -> None:
        if ask not in get_args(AskKind):
            raise InvalidInputError(f"`ask` must be one of {', '.join(get_args(AskKind))}, got {ask!r}.")
        self.catalog = catalog
        self.prior = belief
        self.k = k
        self.seed = seed
        self.strategy_name = strategy if isinstance(strategy, str) else None
        self.strategy = strategy_named(strategy) if isinstance(strategy, str) else strategy
        self.ask_kind = ask
        self.p = p
        self.partial_strategy_name = partial_strategy if isinstance(partial_strategy, str) else None
        self.partial_strategy = (
            partial_strategy_named(partial_strategy) if isinstance(partial_strategy, str) else partial_strategy
        )
        self.response = response if response is not None else everyday_response(catalog, belief)
        self.allowed: Tensor | None = None if allowed is None else as_mask(allowed, "allowed", len(catalog))
        self.rejuvenation = rejuvenation
        self._tree = Tree() if cache else None
        self._through: Retriever | None = None
        self._view: tuple[Belief, Tensor | None, Retriever] | None = None
        self.events: list[dict[str, Any]] = []
        self._turns: list[Turn] = []
        self._open: Question | None = None
        self._best_items: tuple[Tensor, Found] | None = None
        validate_dimensions(belief, catalog)
        if retriever is None or isinstance(retriever, str):
            retriever = choose_retriever(catalog, belief, retriever or "auto")
        self.retriever: Retriever = retriever
        self._asking.problems(belief, ())  # refuses a k, a p or a belief that does not fit
        self.start_regret = self.expected_regret
        self.stopping = stopping if stopping is not None else Stopping.usual(self.start_regret)
        self.reading_cost = reading_cost if reading_cost is not None else ReadingCost.usual(self.start_regret)

    @property
    def turns(self) -> Sequence[Turn]:
        """The answered questions, oldest first."""
        return tuple(self._turns)

    @property
    def belief(self) -> Belief:
        """What we hold about the person now."""
        return self._turns[-1].belief if self._turns else self.prior

    @property
    def number(self) -> int:
        """The number of the open question, from 1."""
        return len(self._turns) + 1

    def ask(self) -> Question:
        """The open question. Pure: it stays the same until it is answered."""
        if self._open is None:
            self._open = self._choose() if self._tree is None else self._tree.question(self, self._choose)
        return self._open

    def _choose(self) -> Question:
        with one_thread():
            return self._asking(self.belief, [turn.question for turn in self._turns], self.reading_cost)

    def ask_through(self, retriever: Retriever) -> Question:
        """The open question, with this retriever to search by; it must find what the session's own finds."""
        self._through = retriever
        try:
            return self.ask()
        finally:
            self._through = None

    def state_key(self) -> str | None:
        """A name of settings and answers: sessions of one name have one question. None where it has no name."""
        return None if self._tree is None else self._tree.key(self)

    def share_question(self, other: Session) -> None:
        """Take the open question of a session of the same `state_key`."""
        self._open = other.ask()

    @property
    def _asking(self) -> Asking:
        parts = (self.catalog, self.response, self.k, self.seed, self.strategy, self.fitted_retriever, self.allowed)
        return Asking(*parts, self.ask_kind, self.p, self.partial_strategy)

    def question(self, slate: Sequence[int], evoi: float) -> Question:
        """The open question as it looks with the items of these rows."""
        return self._asking.item_question(self.number, slate, evoi)

    def attribute_question(self, slate: Sequence[Sequence[int]], evoi: float) -> Question:
        """The open question as it looks with partial items of these attributes."""
        return self._asking.attribute_question(self.number, slate, evoi)

    def tell(self, question: Question | int, choice: Choice | str) -> None:
        """Record the answer to the open question.

        Args:
            question: The question, or its number.
            choice: An option `0..k-1`, or `NONE`, `SAME`, `SKIP` (or their names).
        """
        answer = as_choice(choice)
        number = question.number if isinstance(question, Question) else _as_number(question)
        if number != self.number:
            raise StaleQuestionError(
                f"Question {number} is not open; the open question is number {self.number}. "
                "Call ask() and answer what it returns."
            )
        asked = self.ask()
        if isinstance(question, Question) and about(question) != about(asked):
            raise StaleQuestionError(
                f"Question {number} of this session is about {[option.label for option in asked.options]}, "
                f"not {[option.label for option in question.options]}: it comes from another session."
            )
        self._record(asked, answer)

    def _record(self, asked: Question, answer: Choice) -> None:
        if answer is not Answer.SKIP:
            answer_row(answer, len(asked), self.response)  # refuses before anything changes
        with one_thread():
            belief = self.belief.update(asked, answer, self.response)
            if self.rejuvenation is not None and belief is not self.belief:
                renew = partial(self.rejuvenation, belief, derive_generator(self.seed, "renew", asked.number))
                belief = renew() if self._tree is None else self._tree.renewed(self, asked, answer, belief, renew)
        self.events.append(self.event(asked, answer))
        self._turns.append(Turn(asked, answer, belief))
        self._open = None

    def event(self, asked: Question, answer: Choice) -> dict[str, Any]:
        """An answer as the log holds it: enough to replay it, and to open its question again."""
        return {"tell": asked.number, **about(asked), "answer": answer, "evoi": asked.evoi}

    def undo(self) -> Question:
        """Take the last answer back; its question is open again."""
        if not self._turns:
            raise InvalidInputError("There is no answer to undo yet.")
        turn = self._turns.pop()
        self.events.append({"undo": turn.question.number})
        self._open = turn.question
        return turn.question

    def recommend(self, count: int = 5) -> list[Recommendation]:
        """The allowed items of highest expected utility, best first."""
        available = len(self.catalog) if self.allowed is None else int(self.allowed.sum())
        if count < 1:
            raise InvalidInputError(f"`count` must be at least 1, got {count}.")
        with one_thread():
            found = self._search(self.belief.mean[None], min(count, available))
            return recommendations(found, self.catalog, self.belief, self.best_items().scores[:, 0])

    @property
    def expected_regret(self) -> float:
        """What recommending now is expected to lose against the person's true best item."""
        with one_thread():
            perfect = (self.belief.weights * self.best_items().scores[:, 0]).sum()
            now = value.best_expected_utility(self.belief, self._search)
        return max(0.0, float(perfect - now))

    @property
    def probability_best(self) -> float:
        """The probability that the top recommendation is the best item."""
        return self.recommend(1)[0].probability_best

    @property
    def stop_reason(self) -> str | None:
        """Why to stop asking in words, or None while another question pays."""
        stop = self.stop
        return None if stop is None else stop.text

    @property
    def stop(self) -> Stop | None:
        """Why to stop asking, for programs and in words, or None while another question pays."""
        rule = self.stopping
        if rule.questions is not None and len(self._turns) >= rule.questions:
            return Stop("questions", f"{rule.questions} question{'s' * (rule.questions != 1)} answered")
        if rule.probability is not None and (sure := self.probability_best) >= rule.probability:
            return Stop("probability", f"the top recommendation is the best with probability {sure:.2f}")
        if rule.regret is not None and (regret := self.expected_regret) < rule.regret:
            return Stop("regret", f"the expected regret {regret:.3g} is below {rule.regret:.3g}")
        try:
            evoi = self.ask().evoi
        except NoQuestionLeftError:
            return Stop("exhausted", "every question has been asked")
        if rule.cost is not None and evoi < rule.cost:
            return Stop("cost", f"the next answer would add {evoi:.3g}, less than its cost of {rule.cost:.3g}")
        return None

    def best_items(self) -> Found:
        """For every particle its best allowed item; computed once for as long as the particles stay."""
        particles = self.belief.particles
        if self._best_items is None or self._best_items[0] is not particles:
            self._best_items = (particles, value.best_items(self.belief, self._search))
        return self._best_items[1]

    def _search(self, directions: Tensor, count: int) -> Found:
        return self.fitted_retriever.top(directions, count, self.allowed)

    @property
    def fitted_retriever(self) -> Retriever:
        """The retriever as it serves the belief of now."""
        if self._through is not None:
            return self._through
        if not isinstance(self.retriever, Adapting):
            return self.retriever
        belief, allowed = self.belief, self.allowed
        if self._view is None or self._view[0] is not belief or self._view[1] is not allowed:
            self._view = (belief, allowed, self.retriever.fitted(belief, allowed))
        return self._view[2]

    def fork(self) -> Session:
        """A second session in the same state; telling one leaves the other as it was.

        Cheap: beliefs are immutable and shared, so "what would we ask if the answer were…" costs no replay.
        """
        twin = copy.copy(self)
        twin.events = list(self.events)
        twin._turns = list(self._turns)
        return twin

    def reseeded(self, seed: int) -> Session:
        """A fork of a session without answers that asks with another seed.

        Cheap: only the questions depend on the seed, not what was computed about the catalogue and the belief.
        """
        if self.events:
            raise InvalidInputError("Only a session without answers can have another seed.")
        twin = self.fork()
        twin.seed = seed
        twin._open = None
        return twin

    def fork_with(self, tree: Tree | None) -> Session:
        """A fork that remembers in another place, or not at all; its open question is still to be chosen."""
        twin = self.fork()
        twin._tree, twin._open = tree, None
        return twin

    def restricted(self, allowed: Any) -> Session:
        """A fork that asks about and recommends only those of its items that are `(n,)` allowed here too."""
        twin = self.fork()
        mask = as_mask(allowed, "allowed", len(self.catalog))
        twin.allowed = mask if self.allowed is None else self.allowed & mask
        twin._open = twin._best_items = None
        return twin

    def to_json(self) -> str:
        """The session as text: settings, event log, and the open question if it has been asked."""
        from rather.conversation.log import dump

        return dump(self)

    @classmethod
    def from_json(cls, text: str, catalog: Catalog, belief: Belief, **parts: Any) -> Session:
        """The session a log describes, in the same state and with the same next question.

        Args:
            text: What `to_json` returned.
            catalog: The catalogue it was about; another one is refused.
            belief: The belief it started from; another one is refused.
            parts: A `strategy` or `response` of your own making, which a log cannot hold; `retriever`.
        """
        from rather.conversation.log import load

        return load(text, catalog, belief, **parts)


def everyday_response(catalog: Catalog, belief: Belief, temperature: float | None = None) -> Logistic:
    """How people answer, on the scale of this catalogue and belief, with "none" and "same" on offer.

    The temperature is a tenth of the spread of utilities: between two items drawn at random the better one is chosen
    some 95 times of 100, between two close ones hardly more often than by chance. The outside option of "none of
    these" is worth as much as an average item, and a tie between equals has a probability of one in five.
    """
    validate_dimensions(belief, catalog)
    with one_thread():
        spread = value.utility_spread(catalog, belief)
        average = float(catalog.average @ belief.mean)
    return Logistic(temperature if temperature is not None else 0.1 * spread, none_utility=average, tie=0.5)


def _as_number(question: Any) -> int:
    try:
        return operator.index(question)
    except TypeError:
        raise InvalidInputError(f"`question` must be a question or its number, got {question!r}.") from None
