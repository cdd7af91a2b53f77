"""What questions and recommendations are worth.

`network` has the paper's values of slates, for the best single item. `objectives` says what else a recommendation may
be worth, such as the best of a list, and `lists` finds the best recommendation for any of them.
"""

from rather.value.lists import Lists, Pool, best_lists, evoi_of_lists, perfect_information
from rather.value.network import (
    BATCH_ENTRIES,
    Search,
    answer_directions,
    best_after,
    best_expected_utility,
    best_items,
    deep_retrieval,
    directions_after,
    evoi,
    evoi_after,
    expected_utility,
    exponentials,
    nearly_best_utilities,
    perfect_information_value,
    posterior_expected_utility,
    slate_expected_utility,
    slates_per_batch,
    utilities,
    utility_spread,
)
from rather.value.objectives import (
    BestItem,
    BestOfList,
    DiscountedList,
    Objective,
    RiskAverse,
    Satisfaction,
    SmoothBestOfList,
    list_value,
)

__all__ = [
    "BATCH_ENTRIES",
    "BestItem",
    "BestOfList",
    "DiscountedList",
    "Lists",
    "Objective",
    "Pool",
    "RiskAverse",
    "Satisfaction",
    "Search",
    "SmoothBestOfList",
    "answer_directions",
    "best_after",
    "best_expected_utility",
    "best_items",
    "best_lists",
    "deep_retrieval",
    "directions_after",
    "evoi",
    "evoi_after",
    "evoi_of_lists",
    "expected_utility",
    "exponentials",
    "list_value",
    "nearly_best_utilities",
    "perfect_information",
    "perfect_information_value",
    "posterior_expected_utility",
    "slate_expected_utility",
    "slates_per_batch",
    "utilities",
    "utility_spread",
]
