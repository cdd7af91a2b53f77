"""The policy: one pure step of a conversation. Which question is next, and what an answer teaches."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import torch
from torch import Tensor

from rather import value
from rather.caching.by_identity import ByIdentity
from rather.conversation.excluded import excluded_ids
from rather.conversation.known import CACHED_BELIEFS, Known, known_to
from rather.conversation.lists import Favourites, Recommended, Recommender, favourites
from rather.conversation.plans import Plan, planned_options, strategy_below
from rather.conversation.policy_settings import (
    AskKind,
    Ranking,
    everyday_response,
    usual_objective,
    validate_objective,
    validate_page,
    validate_settings,
)
from rather.conversation.reading_cost import ReadingCost
from rather.conversation.recommendations import probability_one_unbeaten, recommendations
from rather.conversation.tasks import Task, ordered_tasks, predicted_shares, task_at
from rather.conversation.wording import attribute_option, attribute_sentence, item_options, item_sentence
from rather.errors import NoQuestionLeftError
from rather.languages import ENGLISH
from rather.model.allowed import Allowed, are_allowed, as_allowed, both_allowed, count_allowed
from rather.model.belief import Belief
from rather.model.catalog import Catalog, ItemId
from rather.model.questions import Question, QuestionKind, Recommendation
from rather.model.rejuvenation import Rejuvenation
from rather.model.responses import Choice, ResponseModel
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread
from rather.retrieval import Retriever, choose_retriever
from rather.retrieval.protocol import is_adaptive
from rather.retrieval.selection import RetrieverKind
from rather.strategies import Problem, Strategy, choose, strategy_named
from rather.strategies.attributes.options import AttributeOptions
from rather.strategies.items import ItemOptions
from rather.value import BestItem, Objective


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
        strategy: How questions about items are chosen: a name of `rather.STRATEGIES` or a `Strategy`; "plan" is `auto`
            after the questions of the `plan`, which must be given.
        attribute_strategy: How questions about attributes are chosen: a name of `rather.ATTRIBUTE_STRATEGIES` or a
            `Strategy`.
        response: How people answer, by default `everyday_response(catalog, belief)`.
        allowed: The items that may be asked about and recommended, `(n,)` boolean or what `catalog.where` returns; by
            default all.
        retriever: Finds the best items for a direction: a `Retriever`, or a name for `choose_retriever`. By default
            exact for small catalogues and a shortlist of known loss for large ones.
        rejuvenation: When and how degenerate particles are replaced; None only reweights them (the paper's setting).
        reading_cost: What reading a question costs, by default `ReadingCost.usual` on the scale of this catalogue and
            belief.
        objective: What a recommendation is worth, by default the best of a list of five, or of a tenth of the items if
            that is fewer. It decides what is recommended, the expected regret and when to stop.
        question_objective: What questions are chosen for, by default the best single item, as in the paper: to choose
            them for a list takes several times as long and gained nothing that could be measured on films and cars.
        budget_ms: Time after which strategies that keep a budget (`auto`, and all for attributes but exhaustive search)
            start nothing further and give the best question so far; by default they do all the work. With "auto" for
            `ask`, each of the two kinds gets half of it.
        plan: Questions to ask first, made by `rather.plan` for this catalogue and belief. Below them, after a skipped
            question and after a hint, questions are chosen by the strategy.
        tasks: Questions that everybody is asked at their number; one whose items are gone is not asked.
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
    allowed: Allowed | None
    retriever: Retriever
    rejuvenation: Rejuvenation | None
    budget_ms: float | None
    objective: Objective
    question_objective: Objective
    plan: Plan | None
    tasks: tuple[Task, ...]
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
        objective: Objective | None = None,
        question_objective: Objective = BestItem(),  # noqa: B008 - immutable
        plan: Plan | None = None,
        tasks: Iterable[Task] = (),
    ) -> None:
        validate_settings(catalog, belief, ask, response, rejuvenation)
        validate_objective("question_objective", question_objective)
        mask = None if allowed is None else as_allowed(allowed, "allowed", catalog.storage)
        if objective is None:
            objective = usual_objective(count_allowed(mask, len(catalog)))
        validate_objective("objective", objective)
        if isinstance(retriever, str):
            retriever = choose_retriever(catalog, belief, retriever)
        if response is None:
            response = everyday_response(catalog, belief)
        strategy = strategy_below(strategy, plan)
        if plan is not None:
            plan.validate_for(catalog, belief, k, response, ask, p)
        self.__dict__.update(
            catalog=catalog,
            prior=belief,
            k=k,
            seed=seed,
            ask=ask,
            p=p,
            strategy=strategy,
            attribute_strategy=attribute_strategy,
            response=response,
            allowed=mask,
            retriever=retriever,
            rejuvenation=rejuvenation,
            budget_ms=budget_ms,
            objective=objective,
            question_objective=question_objective,
            plan=plan,
            tasks=ordered_tasks(tasks),
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

    def following(self, plan: Plan | None) -> Policy:
        """The same policy with the first questions of a plan; with None, every question is chosen by its strategy."""
        if plan is not None:
            plan.validate_for(self.catalog, self.prior, self.k, self.response, self.ask, self.p)
        return self._changed(plan=plan)

    def with_tasks(self, tasks: Iterable[Task]) -> Policy:
        """The same policy with these tasks."""
        return self._changed(tasks=ordered_tasks(tasks))

    def restricted(self, allowed: Any) -> Policy:
        """The policy for those of its items that are allowed here too; its scale stays the same."""
        mask = as_allowed(allowed, "allowed", self.catalog.storage)
        both = mask if self.allowed is None else both_allowed(self.allowed, mask)
        objective = self.objective
        if objective == usual_objective(self.available):
            objective = usual_objective(count_allowed(both, len(self.catalog)))
        changed = self._changed(allowed=both, objective=objective, _fitted=ByIdentity(CACHED_BELIEFS), _known=Known())
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
        if (given := self.task_question(belief, asked) or self._planned(belief, asked)) is not None:
            return given
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

    def task_question(self, belief: Belief, asked: Sequence[Question]) -> Question | None:
        """The next question if it is a task."""
        task = task_at(self.tasks, len(asked) + 1)
        rows = None if task is None else task.rows(self.catalog)
        if task is None or rows is None:
            return None
        question = self.item_question(task.number, rows)
        with one_thread():
            if task.holdout:
                predicted = predicted_shares(question.vectors, belief, self.response)
                return replace(question, task="holdout", predicted=predicted)
            evoi = self._problem("items", belief, asked).evoi(torch.tensor([rows]))
        return replace(question, task="fixed", evoi=max(0.0, float(evoi)))

    def _planned(self, belief: Belief, asked: Sequence[Question]) -> Question | None:
        """The next question of the plan, while the conversation is on it."""
        if self.plan is None:
            return None
        planned = planned_options(self.plan, self.catalog, self.prior, belief, asked, self.allowed)
        if planned is None:
            return None
        (kind, options), number = planned, len(asked) + 1
        said = [[index] for index in options]
        with one_thread():
            slates = torch.tensor([options if kind == "items" else said])
            evoi = max(0.0, float(self._problem(kind, belief, asked).evoi(slates)))
        if kind == "attributes":
            return self.attribute_question(number, said, evoi)
        return self.item_question(number, options, evoi)

    def after(self, belief: Belief, question: Question, answer: Choice) -> Belief:
        """The belief after an answer: Bayes, and new particles where few of the old ones carry weight.

        That to a hold-out leaves it as it was.
        """
        if question.task == "holdout":
            return belief
        with one_thread():
            updated = belief.update(question, answer, self.response)
            if self.rejuvenation is None or updated is belief:
                return updated
            # The name of the random stream since the first version: another one would give other particles.
            return self.rejuvenation(updated, derive_generator(self.seed, "renew", question.number), self.prior)

    def retriever_for(self, belief: Belief) -> Retriever:
        """The retriever as it serves a belief."""
        if not is_adaptive(self.retriever):
            return self.retriever
        adapting = self.retriever
        return self._fitted(belief, lambda: adapting.fitted(belief, self.allowed))

    def search(self, belief: Belief) -> value.Search:
        """Finds the best allowed items for directions that matter to a belief."""
        retriever = self.retriever_for(belief)
        return lambda directions, count: retriever.top(directions, count, self.allowed)

    def favourites(self, belief: Belief) -> Favourites:
        """The best allowed item of every particle, or about that after a first look."""
        retriever = self.retriever_for(belief)
        return self._known.favourites(
            belief.particles, lambda: favourites(retriever, belief.particles, self.catalog, self.allowed)
        )

    def best_utilities(self, belief: Belief) -> Tensor:
        """`(m,)`, for every particle the utility of its best allowed item, or about that after a first look."""
        return self.favourites(belief).utilities

    def recommender(self, belief: Belief) -> Recommender:
        """What a belief recommends."""
        known = self._known.recommended(belief, dict).setdefault(self.objective, Recommended())
        search, best = self.search(belief), self.favourites(belief)
        return Recommender(self.catalog, belief, self.objective, best, search, self.available, known)

    @property
    def available(self) -> int:
        """How many items may be recommended."""
        return count_allowed(self.allowed, len(self.catalog))

    def expected_regret(self, belief: Belief) -> float:
        """What recommending now is expected to lose against the person's true best item.

        With `BestOfList`, which is the default, it is the best item of the list that is recommended that loses so much;
        with `BestItem`, as in the paper, the first.
        """
        with one_thread():
            return self.recommender(belief).expected_regret

    def gain(self, belief: Belief, question: Question) -> float:
        """What the answer to a question is expected to add to what is recommended: the EVOI for the objective."""
        if isinstance(self.objective, value.BestItem):
            return question.evoi
        with one_thread():
            utilities = (question.vectors @ belief.particles.T)[None]
            probabilities = value.exponentials(belief.answering(self.response).log_probabilities(utilities))[0]
            return self.recommender(belief).evoi(probabilities)

    def recommend(
        self,
        belief: Belief,
        count: int = 5,
        *,
        offset: int = 0,
        exclude: Iterable[ItemId] = (),
        ranking: Ranking = "list",
    ) -> list[Recommendation]:
        """The allowed items to recommend together, in the order of their expected utility.

        Args:
            belief: What we hold about the person.
            count: How many.
            offset: How many were shown before: after the first list come further ones, each the best of what is left.
            exclude: Ids of items not to recommend, such as those the person has. Ids that the catalogue does not have
                are ignored.
            ranking: "list" recommends what is worth most together, so that there is something for whatever the person
                may turn out to like; "mean" the items of highest expected utility, which are often much alike.
        """
        validate_page(count, offset, ranking)
        excluded = [row for row in map(self.catalog.find, excluded_ids(exclude)) if row is not None]
        if self.allowed is not None and excluded:
            kept = are_allowed(self.allowed, torch.tensor(excluded))
            excluded = [row for row, allowed in zip(excluded, kept.tolist(), strict=True) if allowed]
        with one_thread():
            if ranking == "mean":
                rows = self.recommender(belief).by_mean(count, offset, excluded)
            elif offset or excluded:
                rows = self.recommender(belief).ranked(count, offset, excluded)
            else:
                rows = self.recommender(belief).listed(count)
        return self.described(belief, rows)

    def described(self, belief: Belief, rows: Sequence[int], language: str = ENGLISH) -> list[Recommendation]:
        """The items in these rows as recommendations, whether or not they would be recommended."""
        with one_thread():
            return recommendations(rows, self.catalog, belief, self.best_utilities(belief), self.allowed, language)

    def probability_best(self, belief: Belief, items: Sequence[Recommendation] | None = None) -> float:
        """The probability that one of these items is the person's best; by default of the list that is recommended."""
        with one_thread():
            if items is None:
                rows = self.recommender(belief).listed(self.objective.size)
            else:
                rows = [item.row for item in items]
            return probability_one_unbeaten(self.catalog.vectors(rows), belief, self.best_utilities(belief))

    def item_question(self, number: int, rows: Sequence[int], evoi: float = 0.0) -> Question:
        """The question about these items, as number `number` of a conversation."""
        catalog = self.catalog
        options = item_options(catalog, rows)
        noun = "" if catalog.configurator is None else catalog.name
        words = item_sentence([option.named for option in options], catalog.verb, noun=noun)
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
        again = self.item_question(question.number, question.slate, question.evoi)
        return replace(again, task=question.task, predicted=question.predicted)

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
            self.question_objective,
        )


def _with_budget(strategy: Strategy, budget_ms: float | None) -> Strategy:
    """The strategy with a time budget, if it keeps one."""
    if budget_ms is None or not hasattr(strategy, "budget_ms"):
        return strategy
    return replace(strategy, budget_ms=budget_ms)  # type: ignore[type-var]  # what keeps a budget is a dataclass
