"""Which partial comparison next: attributes in place of whole items ("funny, or dark?")."""

from rather.errors import UnknownNameError
from rather.strategies.named import Named
from rather.strategies.partial.auto import AutoPartial
from rather.strategies.partial.continuous import ContPartial
from rather.strategies.partial.discrete import ExhaustivePartial, GreedyPartial, RandomPartial
from rather.strategies.partial.problem import ChosenPartial, PartialProblem, PartialStrategy, choose_partial

__all__ = [
    "PARTIAL_STRATEGIES",
    "ChosenPartial",
    "PartialProblem",
    "PartialStrategy",
    "choose_partial",
    "partial_strategy_named",
]

PARTIAL_STRATEGIES: dict[str, Named[PartialStrategy]] = {
    "auto-partial": Named(
        "", "greedy, gradient and random seeds, polished by swaps; the default for attributes", "about 200", AutoPartial
    ),
    "cont-partial": Named(
        "ContPartial", "gradient over relaxed partial items, rounded to p attributes", "101 (one per step)", ContPartial
    ),
    "greedy-partial": Named(
        "Greedy (partial)",
        "start with the attribute of highest variance, add the one of highest EVOI",
        "k p",
        GreedyPartial,
    ),
    "random-partial": Named("Random (partial)", "k random partial items", "1", RandomPartial),
    "exhaustive-partial": Named(
        "ExhaustiveSearch (partial)",
        "every slate of partial items; refuses what would not end",
        "k per slate",
        ExhaustivePartial,
    ),
}


def partial_strategy_named(name: str, **settings: object) -> PartialStrategy:
    """The strategy of this name, with settings by keyword: `partial_strategy_named("cont-partial", restarts=100)`."""
    if name not in PARTIAL_STRATEGIES:
        raise UnknownNameError(
            f"No strategy for attributes is called {name!r}. There are: {', '.join(PARTIAL_STRATEGIES)}."
        )
    return PARTIAL_STRATEGIES[name].make(**settings)
