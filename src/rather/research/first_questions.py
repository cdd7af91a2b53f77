"""What the first question is worth by each strategy for attributes, slate size and number of attributes."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rather.errors import TooManySlatesError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.responses import ResponseModel
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread
from rather.strategies.discrete import ExhaustiveSearch
from rather.strategies.problem import Problem, Strategy, choose


@dataclass(frozen=True)
class FirstQuestion:
    """The first question of a strategy, at one size.

    Attributes:
        strategy: Its name.
        k: Options of the question.
        p: Attributes of each option.
        slates: How many slates there are.
        evoi: Of the question, the mean over trials; None if there are too many slates for an exhaustive search.
        seconds: To choose it, likewise.
        reason: Why there is no question; None if there is one.
    """

    strategy: str
    k: int
    p: int
    slates: int
    evoi: float | None
    seconds: float | None
    reason: str | None = None


def first_questions(
    catalog: Catalog,
    belief: Belief,
    response: ResponseModel,
    strategies: dict[str, Strategy],
    sizes: Sequence[tuple[int, int]],
    *,
    seed: int = 0,
    trials: int = 1,
    on_done: Callable[[], None] = lambda: None,
) -> list[FirstQuestion]:
    """The first question for each pair (k, p) of `sizes` and each strategy, in that order.

    Args:
        catalog: What is asked about; it needs attributes.
        belief: Before the first question.
        response: How users answer.
        strategies: By name.
        sizes: Pairs (k, p).
        seed: Of all randomness; trial t of every strategy starts from the same generator.
        trials: Seeds over which EVOI and time are averaged; exhaustive search needs no more than one.
        on_done: Called after each question, for a progress bar.
    """
    questions = []
    for k, p in sizes:
        for name, strategy in strategies.items():
            problems = [
                Problem(catalog, belief, response, k, derive_generator(seed, "first", trial), p=p)
                for trial in range(1 if isinstance(strategy, ExhaustiveSearch) else trials)
            ]
            questions.append(_first_question(name, strategy, problems))
            on_done()
    return questions


def _first_question(name: str, strategy: Strategy, problems: Sequence[Problem]) -> FirstQuestion:
    start = time.perf_counter()
    size = (problems[0].k, problems[0].attributes.p, problems[0].options.slates)
    try:
        with one_thread():
            values = [choose(strategy, problem).evoi for problem in problems]
    except TooManySlatesError as error:
        return FirstQuestion(name, *size, None, None, str(error))
    count = len(problems)
    return FirstQuestion(name, *size, sum(values) / count, (time.perf_counter() - start) / count)
