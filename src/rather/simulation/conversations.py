"""Conversations with simulated people: how fast does the regret of the recommendation fall?"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import torch
from torch import Tensor

from rather.conversation.policy import AskKind, Policy
from rather.conversation.reading_cost import ReadingCost
from rather.errors import InvalidInputError, NoQuestionLeftError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Question
from rather.model.rejuvenation import Rejuvenation
from rather.model.responses import Choice, ResponseModel
from rather.numerics.randomness import derive_generator, derive_seed
from rather.numerics.threads import one_thread
from rather.retrieval import ExactRetriever
from rather.simulation.parallel import spread
from rather.simulation.users import SimulatedUser
from rather.strategies import Strategy

# Length of the recommended list that the ranking metrics look at.
LIST_LENGTH = 10


@dataclass(frozen=True)
class SimulationPlan:
    """What to simulate; the same people with the same noise meet every strategy.

    Attributes:
        catalog: What is asked about.
        belief: Where every conversation starts.
        response: How people answer, and how we think they do.
        people: `(users, d)` true utility vectors.
        strategies: Names of `rather.STRATEGIES`, or of `rather.ATTRIBUTE_STRATEGIES` when asking about attributes.
        questions: Asked of everybody.
        k: Items on a slate.
        seed: Of all randomness.
        rejuvenation: See `Session`.
        actual_response: How people really answer, when we are wrong about it.
        share: How many people in a row share a session's seed. People who share it and have answered alike so far
            are asked the same question, which is then computed once.
        ask: What to ask about, see `Session`.
        p: Attributes that each option of a question about attributes makes.
        reading_cost: What reading a question costs, see `Session`.
        retriever: How questions find items: a kind of `choose_retriever`. What is measured is measured exactly.
    """

    catalog: Catalog
    belief: Belief
    response: ResponseModel
    people: Tensor
    strategies: tuple[str, ...]
    questions: int = 10
    k: int = 2
    seed: int = 0
    rejuvenation: Rejuvenation | None = field(default_factory=Rejuvenation)
    actual_response: ResponseModel | None = None
    share: int = 1
    ask: AskKind = "items"
    p: int = 1
    reading_cost: ReadingCost | None = None
    retriever: str = "auto"

    def __post_init__(self) -> None:
        if not self.strategies:
            raise InvalidInputError("`strategies` must name at least one strategy.")
        if self.questions < 1 or len(self.people) < 1 or self.share < 1:
            raise InvalidInputError(
                "`questions`, `people` and `share` must be at least 1, "
                f"got {self.questions}, {len(self.people)} and {self.share}."
            )

    @property
    def groups(self) -> int:
        """How many groups of people share a session's seed."""
        return -(-len(self.people) // self.share)


@dataclass(frozen=True)
class Conversation:
    """What happened with one person under one strategy.

    Attributes:
        strategy: Its name.
        person: The person's place among the people.
        regret: True regret of the top recommendation before the first question and after each, questions + 1 numbers.
        ndcg: Likewise NDCG of the ten recommended items, where a person's true ten best are the relevant ones.
        hit: Likewise 1 where the person's true best item is among the ten recommended, else 0.
        evoi: Of each question asked.
        seconds: To choose each question. Whoever shares a question shares its measurement.
    """

    strategy: str
    person: int
    regret: tuple[float, ...]
    ndcg: tuple[float, ...]
    hit: tuple[float, ...]
    evoi: tuple[float, ...]
    seconds: tuple[float, ...]


def converse(plan: SimulationPlan, strategy: str | Strategy, group: int) -> list[Conversation]:
    """The conversations of the people of one group. Depends on the plan and these two alone."""
    with one_thread():
        talk = _Talk(plan, strategy, group)
        talk.go_on(plan.belief, (), range(len(talk.people)))
    return talk.conversations()


class _Talk:
    """The tree of conversations with people who share a session's seed."""

    def __init__(self, plan: SimulationPlan, strategy: str | Strategy, group: int) -> None:
        self.plan = plan
        self.strategy = strategy
        self.name = strategy if isinstance(strategy, str) else type(strategy).__name__
        self.exact = ExactRetriever(plan.catalog)
        self.first = group * plan.share
        truth = plan.actual_response if plan.actual_response is not None else plan.response
        vectors = plan.people[self.first : self.first + plan.share]
        self.people = [
            SimulatedUser(vector, truth, derive_seed(plan.seed, "person", self.first + place))
            for place, vector in enumerate(vectors)
        ]
        self.policy = self._policy(derive_seed(plan.seed, "session", group))
        self.best = self.exact.top(vectors, min(LIST_LENGTH, len(plan.catalog)))
        self.measured: list[list[tuple[float, float, float]]] = [[] for _ in self.people]
        self.asked: list[list[tuple[float, float]]] = [[] for _ in self.people]

    def _policy(self, seed: int) -> Policy:
        plan, strategies = self.plan, {}
        if plan.ask == "attributes":
            strategies["attribute_strategy"] = self.strategy
        else:
            strategies["strategy"] = self.strategy
        return Policy(
            plan.catalog,
            plan.belief,
            plan.k,
            seed,
            ask=plan.ask,
            p=plan.p,
            response=plan.response,
            rejuvenation=plan.rejuvenation,
            reading_cost=plan.reading_cost,
            retriever=plan.retriever,
            **strategies,  # type: ignore[arg-type]  # one of the two
        )

    def go_on(self, belief: Belief, asked: tuple[Question, ...], places: Sequence[int]) -> None:
        """From here on with the people in these places, who have all answered alike."""
        self._measure(belief, places)
        if len(asked) == self.plan.questions:
            return
        start = time.perf_counter()
        try:
            question = self.policy.question(belief, asked)
        except NoQuestionLeftError:  # nothing can change any more
            for place in places:
                left = self.plan.questions - len(asked)
                self.asked[place] += [(0.0, 0.0)] * left
                self.measured[place] += [self.measured[place][-1]] * left
            return
        seconds = time.perf_counter() - start
        groups: dict[Choice, list[int]] = {}
        for place in places:
            self.asked[place].append((question.evoi, seconds))
            groups.setdefault(self.people[place].answer(question), []).append(place)
        for answer, members in sorted(groups.items(), key=lambda pair: str(pair[0])):
            self.go_on(self.policy.after(belief, question, answer), (*asked, question), members)

    def _measure(self, belief: Belief, places: Sequence[int]) -> None:
        found = self.exact.top(belief.mean[None], self.best.rows.shape[1])
        rows = found.rows[0]
        for place in places:
            true_rows = self.best.rows[place]
            loss = self.best.scores[place, 0] - found.vectors[0, 0] @ self.people[place].utility
            hit = bool((rows == true_rows[0]).any())
            self.measured[place].append((max(0.0, float(loss)), ndcg(rows, true_rows), float(hit)))

    def conversations(self) -> list[Conversation]:
        """What was measured, person by person."""
        return [
            Conversation(self.name, self.first + place, *zip(*measured, strict=True), *zip(*asked, strict=True))
            for place, (measured, asked) in enumerate(zip(self.measured, self.asked, strict=True))
        ]


def ndcg(rows: Tensor, relevant: Tensor) -> float:
    """Normalised discounted cumulative gain of a ranked list of rows when the rows of `relevant` gain 1 each."""
    discount = 1 / torch.log2(torch.arange(len(rows), dtype=torch.float64) + 2)
    gained = discount[torch.isin(rows, relevant)].sum()
    return float(gained / discount[: len(relevant)].sum())


def simulate(
    plan: SimulationPlan,
    workers: int = 1,
    on_done: Callable[[Conversation], None] | None = None,
    *,
    ray: str | None = None,
) -> list[Conversation]:
    """Every strategy with every person, in that order; the same result wherever they are simulated.

    Args:
        plan: What to simulate.
        workers: Processes, each on one torch thread.
        on_done: Called after each conversation, for a progress bar.
        ray: Address of a Ray cluster to spread over instead, see `rather.cluster.connected`.
    """
    pairs = [(strategy, group) for strategy in plan.strategies for group in range(plan.groups)]
    done: dict[int, list[Conversation]] = {}
    for place, conversations in spread(_converse, plan, pairs, workers=workers, ray=ray):
        done[place] = conversations
        for conversation in conversations:
            if on_done is not None:
                on_done(conversation)
    return [conversation for place in range(len(pairs)) for conversation in done[place]]


def _converse(plan: SimulationPlan, pair: tuple[str, int]) -> list[Conversation]:
    return converse(plan, *pair)


@dataclass(frozen=True)
class Summary:
    """One strategy over all people. Lists hold one number per question; regret starts before the first.

    Attributes:
        strategy: Its name.
        people: How many.
        regret: Mean true regret.
        regret_error: Its standard error.
        ndcg: Mean NDCG of ten recommended items.
        hit: Share of people whose best item is among the ten.
        evoi: Mean EVOI of the question.
        seconds: Mean time to choose it.
    """

    strategy: str
    people: int
    regret: list[float]
    regret_error: list[float]
    ndcg: list[float]
    hit: list[float]
    evoi: list[float]
    seconds: list[float]


def summarise(conversations: Sequence[Conversation]) -> list[Summary]:
    """A summary for each strategy, in order of appearance."""
    names = list(dict.fromkeys(conversation.strategy for conversation in conversations))
    return [_summary(name, [c for c in conversations if c.strategy == name]) for name in names]


def _summary(name: str, conversations: Sequence[Conversation]) -> Summary:
    regret = torch.tensor([c.regret for c in conversations], dtype=torch.float64)
    people = len(conversations)
    error = regret.std(dim=0) / math.sqrt(people) if people > 1 else torch.full_like(regret[0], math.nan)
    mean = partial(torch.mean, dim=0)
    others = (
        mean(torch.tensor([getattr(c, measure) for c in conversations], dtype=torch.float64)).tolist()
        for measure in ("ndcg", "hit", "evoi", "seconds")
    )
    return Summary(name, people, mean(regret).tolist(), error.tolist(), *others)


def draw_people(belief: Belief, count: int, seed: int, *, among_particles: bool = False) -> Tensor:
    """`(count, d)` true utility vectors: fresh from the prior density, or among the particles as in the paper."""
    generator = derive_generator(seed, "people")
    if belief.prior is not None and not among_particles:
        return belief.prior.sample(count, generator)
    rows = torch.multinomial(belief.weights, count, replacement=count > len(belief), generator=generator)
    return belief.particles[rows]
