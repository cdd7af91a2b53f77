"""Which question next: every method of the paper, and `auto`, by name."""

from collections.abc import Callable

from rather.errors import UnknownNameError
from rather.model.questions import QuestionKind
from rather.strategies.attributes.auto import AutoAttributes
from rather.strategies.attributes.continuous import ContPartial
from rather.strategies.attributes.greedy import GreedyAttributes
from rather.strategies.auto import Auto
from rather.strategies.continuous import Continuous, RecommendedSlate
from rather.strategies.discrete import (
    ExhaustiveSearch,
    Greedy,
    QueryIteration,
    Random,
    RandUserTopItem,
    TopExhaustive,
)
from rather.strategies.named import Named
from rather.strategies.problem import Chosen, Problem, Strategy, choose
from rather.strategies.rivals import QEUBO, MutualInformation, Thompson

__all__ = [
    "ATTRIBUTE_STRATEGIES",
    "STRATEGIES",
    "Chosen",
    "Named",
    "Problem",
    "Strategy",
    "choose",
    "strategy_named",
]


def _continuous(recommendation: RecommendedSlate, **defaults: float) -> Callable[..., Strategy]:
    def make(**settings: object) -> Strategy:
        return Continuous(recommendation, **{**defaults, **settings})  # type: ignore[arg-type]

    return make


STRATEGIES: dict[str, Named] = {
    "auto": Named("", "portfolio of seeds, query iteration, gradient and exchanges; the default", "about 20", Auto),
    "query-iteration": Named(
        "QueryIteration", "replace a slate by its deep retrieval to a fixed point", "2 to 6", QueryIteration
    ),
    "cont-alter": Named(
        "ContAlter",
        "gradient steps with fixed recommendations, alternating with deep retrieval",
        "8",
        _continuous(RecommendedSlate.RETRIEVED, retrieve_every=10),
    ),
    "cont-deep-retr": Named(
        "ContDeepRetr",
        "gradient on the exact posterior expected utility",
        "62 (one per step)",
        _continuous(RecommendedSlate.RETRIEVED, retrieve_every=1),
    ),
    "cont-free": Named(
        "ContFree",
        "gradient with query and recommendation slate the same",
        "2",
        _continuous(RecommendedSlate.EQUAL),
    ),
    "cont-reg": Named(
        "ContReg",
        "ContFree with a pull towards the nearest items",
        "62 (one per step)",
        _continuous(RecommendedSlate.EQUAL, pull=1.0),
    ),
    "cont-reference": Named(
        "reference algorithm (Alg. 2)",
        "gradient with query and recommendation slates both free",
        "2",
        _continuous(RecommendedSlate.FREE),
    ),
    "greedy": Named(
        "Greedy",
        "append the item that most raises the slate's utility",
        "k - 1, each for all particles",
        Greedy,
    ),
    "rand-user-top-item": Named("RandUserTopItem", "the best items of k random particles", "2", RandUserTopItem),
    "top5-exhaustive": Named(
        "Top5Exhaustive", "best slate among the 5 items of highest expected utility", "2", TopExhaustive
    ),
    "random": Named("Random", "k random items", "1", Random),
    "exhaustive-search": Named(
        "ExhaustiveSearch",
        "every slate; rejects what would not end",
        "k per slate, C(n, k) slates",
        ExhaustiveSearch,
    ),
    "mutual-information": Named(
        "", "the slate whose answer says most about the person (experimental design)", "2", MutualInformation
    ),
    "thompson": Named("", "the best item now against those of random particles (duelling bandits)", "2", Thompson),
    "qeubo": Named("", "highest expected utility of the best option (Bayesian optimisation's qEUBO)", "3 to 7", QEUBO),
}


ATTRIBUTE_STRATEGIES: dict[str, Named] = {
    "auto": Named("", "greedy and random slates, improved by swaps; the default", "2", AutoAttributes),
    "cont-partial": Named(
        "ContPartial", "gradient over relaxed partial items, rounded to p attributes", "101 (one per step)", ContPartial
    ),
    "greedy": Named(
        "Greedy (partial)",
        "start with the attribute of highest variance, add the one of highest EVOI",
        "k p",
        GreedyAttributes,
    ),
    "random": Named("Random (partial)", "k random partial items", "1", Random),
    "exhaustive-search": Named(
        "ExhaustiveSearch (partial)",
        "every slate of partial items; rejects what would not end",
        "k per slate",
        ExhaustiveSearch,
    ),
}


def strategy_named(name: str, about: QuestionKind = "items", **settings: object) -> Strategy:
    """The strategy of this name, with settings by keyword: `strategy_named("query-iteration", restarts=100)`.

    Args:
        name: Of `STRATEGIES`, or of `ATTRIBUTE_STRATEGIES` for questions about attributes.
        about: What the questions are about.
        settings: Fields of the strategy.
    """
    known = STRATEGIES if about == "items" else ATTRIBUTE_STRATEGIES
    if name not in known:
        other = ATTRIBUTE_STRATEGIES if about == "items" else STRATEGIES
        hint = f" ({name} asks about {'attributes' if about == 'items' else 'items'} only.)" if name in other else ""
        raise UnknownNameError(f"No strategy for {about} is called {name!r}. There are: {', '.join(known)}.{hint}")
    return known[name].make(**settings)
