"""The policy: one pure step of a conversation. Which question is next, and what an answer teaches."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol, get_args

import torch
from torch import Tensor

from rather import value
from rather.caching.by_identity import ByIdentity
from rather.conversation.known import CACHED_BELIEFS, Known, known_to
from rather.conversation.reading_cost import ReadingCost
from rather.conversation.recommendations import recommendations
from rather.conversation.wording import attribute_option, attribute_sentence, item_sentence
from rather.errors import InvalidInputError, NoQuestionLeftError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Question, QuestionKind, Recommendation, item_option
from rather.model.rejuvenation import Rejuvenation
from rather.model.responses import Choice, Logistic, ResponseModel
from rather.numerics.arrays import as_mask
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread
from rather.retrieval import AdaptiveRetriever, Found, HasFavourites, Retriever, Screening, choose_retriever
from rather.retrieval.selection import RetrieverKind
from rather.strategies import Problem, Strategy, choose, strategy_named
from rather.strategies.attributes.options import AttributeOptions
from rather.strategies.items import ItemOptions
from rather.strategies.problem import validate_dimensions

AskKind = Literal["items", "attributes", "auto"]
"""What to ask about: items, attributes, or each time whichever is worth more net of its reading cost."""


class Step(Protocol):
    """One step of a conversation: a policy, or a policy behind a cache."""

    def question(self, belief: Belief, asked: Sequence[Question]) -> Question:
        """See `Policy.question`."""
        ...

    def after(self, belief: Belief, question: Question, answer: Choice) -> Belief:
        """See `Policy.after`."""
        ...


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Policy:
    """How conversations about a catalogue are held. Frozen: its questions follow from its fields and arguments alone.

    >>> import rather
    >>> catalog = rather.Catalog([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]], labels=["fast", "cheap", "balanced"])
    >>> belief = rather.Belief.from_users([[1.0, 0.2], [0.3, 1.0], [0.7, 0.8]])
    >>> policy = rather.Policy(catalog, belief, k=2, seed=0)
    >>> question = policy.question(belief, asked=[])
    >>> question.slate
    (0, 1)
    >>> belief = policy.after(belief, question, answer=0)
    >>> len(belief.evidence)
    1

    Args:
        catalog: What is asked about and recommended.
        belief: What we hold about a person before the first question.
        k: Options of a question.
        seed: Of all randomness.
        ask: "items" compares items, "attributes" what can be said of them ("funny or dark?"), and "auto" asks whichever
            of the two has the higher EVOI net of its reading cost; a catalogue without attributes then only has items
            to ask about.
        p: Attributes of each option in a question about attributes.
        strategy: How questions about items are chosen: a name of `rather.STRATEGIES` or a `Strategy`.
        attribute_strategy: How questions about attributes are chosen: a name of `rather.ATTRIBUTE_STRATEGIES` or a
            `Strategy`.
        response: How people answer, by default `everyday_response(catalog, belief)`.
        allowed: `(n,)` boolean, the items that may be asked about and recommended; by default all.
        retriever: Finds the best items for a direction: a `Retriever`, or a name for `choose_retriever`. By default
            exact for small catalogues and a shortlist of known loss for large ones.
        rejuvenation: When and how degenerate particles are replaced; None only reweights them (the paper's setting).
        reading_cost: What reading a question costs, by default `ReadingCost.usual` on the scale of this catalogue and
            belief.
        budget_ms: Time after which strategies that keep a budget (`auto`, and all for attributes but exhaustive search)
            start nothing further and give the best question so far; by default they do all the work. With "auto" for
            `ask`, each of the two kinds gets half of it.
    """

    catalog: Catalog
    prior: Belief
    k: int
    seed: int
    ask: AskKind
    p: int
    strategy: str | Strategy
    attribute_strategy: str | Strategy
    response: ResponseModel
    allowed: Tensor | None
    retriever: Retriever
    rejuvenation: Rejuvenation | None
    budget_ms: float | None
    _fitted: ByIdentity[Retriever] = field(repr=False)
    _known: Known = field(repr=False)

    def __init__(
        self,
        catalog: Catalog,
        belief: Belief,
        k: int = 2,
        seed: int = 0,
        *,
        ask: AskKind = "items",
        p: int = 1,
        strategy: str | Strategy = "auto",
        attribute_strategy: str | Strategy = "auto",
        response: ResponseModel | None = None,
        allowed: Any = None,
        retriever: Retriever | RetrieverKind | str = "auto",
        rejuvenation: Rejuvenation | None = Rejuvenation(),  # noqa: B008 - immutable
        reading_cost: ReadingCost | None = None,
        budget_ms: float | None = None,
    ) -> None:
        _validate(catalog, belief, ask, response, rejuvenation)
        if isinstance(retriever, str):
            retriever = choose_retriever(catalog, belief, retriever)
        self.__dict__.update(
            catalog=catalog,
            prior=belief,
            k=k,
            seed=seed,
            ask=ask,
            p=p,
            strategy=strategy,
            attribute_strategy=attribute_strategy,
            response=everyday_response(catalog, belief) if response is None else response,
            allowed=None if allowed is None else as_mask(allowed, "allowed", len(catalog)),
            retriever=retriever,
            rejuvenation=rejuvenation,
            budget_ms=budget_ms,
            _fitted=ByIdentity(CACHED_BELIEFS),
            _known=known_to(retriever) if allowed is None else Known(),
        )
        if reading_cost is not None:
            self.__dict__["reading_cost"] = reading_cost
        _ = self.strategies  # names that do not exist are rejected here
        self._problems(belief, ())  # and so is a k or a p that does not fit

    def __repr__(self) -> str:
        strategies = f"strategy={self.strategy!r}" if self.ask != "attributes" else ""
        if self.ask != "items":
            strategies += f"{', ' * bool(strategies)}attribute_strategy={self.attribute_strategy!r}, p={self.p}"
        return f"Policy({self.catalog!r}, k={self.k}, seed={self.seed}, ask={self.ask!r}, {strategies})"

    @cached_property
    def reading_cost(self) -> ReadingCost:
        """What reading a question costs."""
        return ReadingCost.usual(self.start_regret)

    @cached_property
    def start_regret(self) -> float:
        """What recommending before the first question is expected to lose."""
        return self.expected_regret(self.prior)

    def with_seed(self, seed: int) -> Policy:
        """The same policy with other random numbers; shares all that does not depend on them."""
        return self._changed(seed=seed)

    def restricted(self, allowed: Any) -> Policy:
        """The policy for those of its items that are `(n,)` allowed here too; its scale stays the same."""
        mask = as_mask(allowed, "allowed", len(self.catalog))
        both = mask if self.allowed is None else self.allowed & mask
        changed = self._changed(allowed=both, _fitted=ByIdentity(CACHED_BELIEFS), _known=Known())
        changed._problems(self.prior, ())
        return changed

    def _changed(self, **fields: Any) -> Policy:
        _ = self.start_regret  # both have the scale of this policy, and compute it once
        twin = copy.copy(self)
        twin.__dict__.update(fields)
        return twin

    def question(self, belief: Belief, asked: Sequence[Question]) -> Question:
        """The next question: of each kind the best by EVOI, and of these the best net of its reading cost.

        Args:
            belief: What we hold about the person now.
            asked: All questions so far, oldest first; none is asked again.
        """
        questions = []
        exhausted: NoQuestionLeftError | None = None
        with one_thread():
            for problem in self._problems(belief, asked):
                try:
                    questions.append(self._chosen(problem, len(asked) + 1))
                except NoQuestionLeftError as error:
                    exhausted = error
        if exhausted is not None and not questions:
            raise exhausted
        if len(questions) == 1:
            return questions[0]
        return max(questions, key=lambda question: question.evoi - self.reading_cost.of(question))

    def after(self, belief: Belief, question: Question, answer: Choice) -> Belief:
        """The belief after an answer: Bayes, and new particles where few of the old ones carry weight."""
        with one_thread():
            updated = belief.update(question, answer, self.response)
            if self.rejuvenation is None or updated is belief:
                return updated
            # The name of the random stream since the first version: another one would give other particles.
            return self.rejuvenation(updated, derive_generator(self.seed, "renew", question.number))

    def retriever_for(self, belief: Belief) -> Retriever:
        """The retriever as it serves a belief."""
        if not isinstance(self.retriever, AdaptiveRetriever):
            return self.retriever
        adapting = self.retriever
        return self._fitted(belief, lambda: adapting.fitted(belief, self.allowed))

    def search(self, belief: Belief) -> value.Search:
        """Finds the best allowed items for directions that matter to a belief."""
        retriever = self.retriever_for(belief)
        return lambda directions, count: retriever.top(directions, count, self.allowed)

    def best_utilities(self, belief: Belief) -> Tensor:
        """`(m,)`, for every particle the utility of its best allowed item, or about that after a first look."""

        def compute() -> Tensor:
            retriever, particles = self.retriever_for(belief), belief.particles
            with one_thread():
                if isinstance(retriever, HasFavourites):
                    return retriever.favourites(particles, self.allowed).scores[:, 0]
                if not isinstance(retriever, Screening):
                    return value.best_items(belief, self.search(belief)).scores[:, 0]
                good = self.catalog.vectors(retriever.screen(particles, 1, self.allowed)[:, 0])
                return value.nearly_best_utilities(particles, good, self.search(belief))

        return self._known.best_utilities(belief.particles, compute)

    def expected_regret(self, belief: Belief) -> float:
        """What recommending now is expected to lose against the person's true best item."""

        def compute() -> float:
            with one_thread():
                perfect = (belief.weights * self.best_utilities(belief)).sum()
                now = value.best_expected_utility(belief, lambda mean, count: self._ranking(belief, count))
            return max(0.0, float(perfect - now))

        return self._known.regrets(belief, compute)

    def recommend(self, belief: Belief, count: int) -> list[Recommendation]:
        """The allowed items of highest expected utility, best first."""
        available = len(self.catalog) if self.allowed is None else int(self.allowed.count_nonzero())
        if count < 1:
            raise InvalidInputError(f"`count` must be at least 1, got {count}.")
        with one_thread():
            found = self._ranking(belief, min(count, available))
            return recommendations(found, self.catalog, belief, self.best_utilities(belief), self.allowed)

    def _ranking(self, belief: Belief, count: int) -> Found:
        """The best allowed items for the mean of a belief: one search for the list, the regret and the stop."""
        found = self._known.rankings(belief, lambda: self.search(belief)(belief.mean[None], count))
        if found.rows.shape[1] < count:
            return self.search(belief)(belief.mean[None], count)
        return Found(found.scores[:, :count], found.rows[:, :count], found.vectors[:, :count])

    def item_question(self, number: int, rows: Sequence[int], evoi: float = 0.0) -> Question:
        """The question about these items, as number `number` of a conversation."""
        catalog = self.catalog
        options = tuple(item_option(catalog, row) for row in rows)
        words = item_sentence([option.label for option in options], catalog.verb)
        return Question(number, tuple(rows), options, evoi, catalog.vectors(rows), words=words)

    def attribute_question(self, number: int, options: Sequence[Sequence[int]], evoi: float = 0.0) -> Question:
        """The question about options of these attributes, as number `number` of a conversation."""
        catalog = self.catalog
        said = [[catalog.attributes[index] for index in option] for option in options]
        shown = tuple(attribute_option(item) for item in said)
        added = torch.stack([torch.stack([each.vector for each in item]).sum(dim=0) for item in said])
        words = attribute_sentence(catalog.name, said, catalog.verb)
        return Question(number, (), shown, evoi, catalog.average + added, tuple(map(tuple, options)), words)

    def shown_again(self, question: Question) -> Question | None:
        """A question as the catalogue shows it now; None when part of it is gone."""
        if not question.is_current:
            return None
        if question.kind == "attributes":
            return self.attribute_question(question.number, question.attributes, question.evoi)
        return self.item_question(question.number, question.slate, question.evoi)

    @cached_property
    def strategies(self) -> tuple[Strategy, Strategy]:
        """How questions about items and about attributes are chosen, as callables."""
        items = strategy_named(self.strategy) if isinstance(self.strategy, str) else self.strategy
        attributes = self.attribute_strategy
        if isinstance(attributes, str):
            attributes = strategy_named(attributes, about="attributes")
        budget = self.budget_ms
        if budget is not None and self.ask == "auto" and self.catalog.attributes:
            budget /= 2  # each kind of question is searched
        return _with_budget(items, budget), _with_budget(attributes, budget)

    def _chosen(self, problem: Problem, number: int) -> Question:
        items, attributes = self.strategies
        if problem.p is None:
            chosen = choose(items, problem)
            return self.item_question(number, chosen.slate, chosen.evoi)
        chosen = choose(attributes, problem)
        return self.attribute_question(number, chosen.slate, chosen.evoi)

    def _problems(self, belief: Belief, asked: Sequence[Question]) -> list[Problem]:
        """What there is to choose between; the kind that is easier to read first, so that it wins a tie."""
        kinds: list[QuestionKind] = []
        if self.ask == "attributes" or (self.ask == "auto" and self.catalog.attributes):
            kinds.append("attributes")
        if self.ask != "attributes":
            kinds.append("items")
        return [self._problem(kind, belief, asked) for kind in kinds]

    def _problem(self, kind: QuestionKind, belief: Belief, asked: Sequence[Question]) -> Problem:
        about_items = kind == "items"
        name = ItemOptions.name if about_items else AttributeOptions.name
        return Problem(
            self.catalog,
            belief,
            self.response,
            self.k,
            derive_generator(self.seed, "ask" if about_items else "ask attributes", len(asked) + 1),
            self.retriever_for(belief),
            self.allowed,
            frozenset(name(question.compared) for question in asked if question.kind == kind and question.is_current),
            None if about_items else self.p,
        )


def everyday_response(catalog: Catalog, belief: Belief, temperature: float | None = None) -> Logistic:
    """How people answer, on the scale of this catalogue and belief, with "none" and "same" on offer.

    The temperature is a tenth of the spread of utilities: of two items drawn at random the better one is chosen some
    95 times of 100, of two close ones hardly more often than by chance. The outside option of "none of these" is worth
    as much as an average item, and a tie between equals has a probability of one in five.
    """
    validate_dimensions(belief, catalog)
    with one_thread():
        spread = value.utility_spread(catalog, belief)
        average = float(catalog.average @ belief.mean)
    return Logistic(temperature if temperature is not None else 0.1 * spread, none_utility=average, tie=0.5)


def _with_budget(strategy: Strategy, budget_ms: float | None) -> Strategy:
    """The strategy with a time budget, if it keeps one."""
    if budget_ms is None or not hasattr(strategy, "budget_ms"):
        return strategy
    return replace(strategy, budget_ms=budget_ms)  # type: ignore[type-var]  # what keeps a budget is a dataclass


def _validate(catalog: Any, belief: Any, ask: Any, response: Any, rejuvenation: Any) -> None:
    if not isinstance(catalog, Catalog) or not isinstance(belief, Belief):
        raise InvalidInputError(
            "A policy needs a catalogue and the belief conversations start from, "
            f"as `rather.open` returns them; got {type(catalog).__name__} and {type(belief).__name__}."
        )
    validate_dimensions(belief, catalog)
    if ask not in get_args(AskKind):
        raise InvalidInputError(f"`ask` must be one of {', '.join(get_args(AskKind))}, got {ask!r}.")
    if response is not None and not (hasattr(response, "log_probabilities") and hasattr(response, "extras")):
        raise InvalidInputError(
            f"`response` must be a response model such as rather.Logistic(temperature=0.1), got {response!r}."
        )
    if rejuvenation is not None and not callable(rejuvenation):
        raise InvalidInputError(f"`rejuvenation` must be a rather.Rejuvenation or None, got {rejuvenation!r}.")
