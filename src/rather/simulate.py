"""Conversations with simulated people: how fast does the regret of the recommendation fall?"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context

import torch
from torch import Tensor

from rather.belief import Belief
from rather.catalog import Catalog
from rather.errors import InvalidInputError, NoQuestionLeftError
from rather.person import Person
from rather.randomness import derive_generator, derive_seed
from rather.rejuvenation import Rejuvenation
from rather.responses import ResponseModel
from rather.session import Session


@dataclass(frozen=True)
class Plan:
    """What to simulate; the same people with the same noise meet every strategy.

    Attributes:
        catalog: What is asked about.
        belief: Where every conversation starts.
        response: How people answer, and how we think they do.
        people: `(users, d)` true utility vectors.
        strategies: Names of `rather.STRATEGIES`.
        questions: Asked of everybody.
        k: Items on a slate.
        seed: Of all randomness.
        rejuvenation: See `Session`.
        actual_response: How people really answer, when we are wrong about it.
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

    def __post_init__(self) -> None:
        if not self.strategies:
            raise InvalidInputError("`strategies` must name at least one strategy.")
        if self.questions < 1 or len(self.people) < 1:
            raise InvalidInputError(
                f"`questions` and `people` must be at least 1, got {self.questions} and {len(self.people)}."
            )


@dataclass(frozen=True)
class Conversation:
    """What happened with one person under one strategy.

    Attributes:
        strategy: Its name.
        person: The person's place among the people.
        regret: True regret of the top recommendation before the first question and after each, questions + 1 numbers.
        evoi: Of each question asked.
        seconds: To choose each question.
    """

    strategy: str
    person: int
    regret: tuple[float, ...]
    evoi: tuple[float, ...]
    seconds: tuple[float, ...]


def converse(plan: Plan, strategy: str, person: int) -> Conversation:
    """One person's conversation. Depends on the plan and these two alone."""
    truth = Person(
        plan.people[person],
        plan.actual_response if plan.actual_response is not None else plan.response,
        derive_seed(plan.seed, "person", person),
    )
    session = Session(
        plan.catalog,
        plan.belief,
        plan.k,
        derive_seed(plan.seed, "session", person),
        strategy=strategy,
        response=plan.response,
        rejuvenation=plan.rejuvenation,
    )
    regret, evoi, seconds = [truth.regret(session.recommend(1)[0].row, plan.catalog)], [], []
    for _ in range(plan.questions):
        start = time.perf_counter()
        try:
            question = session.ask()
        except NoQuestionLeftError:  # nothing can change any more
            regret.append(regret[-1])
            evoi.append(0.0)
            seconds.append(0.0)
            continue
        seconds.append(time.perf_counter() - start)
        evoi.append(question.evoi)
        session.tell(question, truth.answer(question))
        regret.append(truth.regret(session.recommend(1)[0].row, plan.catalog))
    return Conversation(strategy, person, tuple(regret), tuple(evoi), tuple(seconds))


def simulate(plan: Plan, workers: int = 1, on_done: Callable[[Conversation], None] | None = None) -> list[Conversation]:
    """Every strategy with every person, in that order; the same result however many workers there are.

    Args:
        plan: What to simulate.
        workers: Processes, each on one torch thread.
        on_done: Called after each conversation, for a progress bar.
    """
    pairs = [(strategy, person) for strategy in plan.strategies for person in range(len(plan.people))]
    done = []
    for conversation in _conversations(plan, pairs, workers):
        done.append(conversation)
        if on_done is not None:
            on_done(conversation)
    return done


def _conversations(plan: Plan, pairs: Sequence[tuple[str, int]], workers: int) -> Iterator[Conversation]:
    if workers <= 1:
        for strategy, person in pairs:
            yield converse(plan, strategy, person)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (plan,)) as pool:
        yield from pool.map(_converse_in_worker, pairs)


_worker_plan: Plan | None = None


def _start_worker(plan: Plan) -> None:
    global _worker_plan
    torch.set_num_threads(1)
    _worker_plan = plan


def _converse_in_worker(pair: tuple[str, int]) -> Conversation:
    assert _worker_plan is not None
    return converse(_worker_plan, *pair)


@dataclass(frozen=True)
class Summary:
    """One strategy over all people. Lists hold one number per question; regret starts before the first.

    Attributes:
        strategy: Its name.
        people: How many.
        regret: Mean true regret.
        regret_error: Its standard error.
        evoi: Mean EVOI of the question.
        seconds: Mean time to choose it.
    """

    strategy: str
    people: int
    regret: list[float]
    regret_error: list[float]
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
    return Summary(
        name,
        people,
        mean(regret).tolist(),
        error.tolist(),
        mean(torch.tensor([c.evoi for c in conversations], dtype=torch.float64)).tolist(),
        mean(torch.tensor([c.seconds for c in conversations], dtype=torch.float64)).tolist(),
    )


def draw_people(belief: Belief, count: int, seed: int, *, among_particles: bool = False) -> Tensor:
    """`(count, d)` true utility vectors: fresh from the prior density, or among the particles as in the paper."""
    generator = derive_generator(seed, "people")
    if belief.prior is not None and not among_particles:
        return belief.prior.sample(count, generator)
    rows = torch.multinomial(belief.weights, count, replacement=count > len(belief), generator=generator)
    return belief.particles[rows]
