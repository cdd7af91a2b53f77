"""What a policy may be told: its kinds of questions and rankings, checks of its arguments, and how people answer."""

from collections.abc import Hashable
from numbers import Integral
from typing import Any, Literal, get_args

from rather import value
from rather.errors import InvalidInputError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.personal_noise import PersonalNoise
from rather.model.responses import Logistic
from rather.numerics.threads import one_thread
from rather.strategies.problem import validate_dimensions
from rather.value import BestItem, BestOfList, Objective

AskKind = Literal["items", "attributes", "auto"]
"""What to ask about: items, attributes, or each time whichever is worth more net of its reading cost."""

Ranking = Literal["list", "mean"]
"""What is recommended: the items that are worth most together, or those of highest expected utility."""


# Items on a list, at most; of a small catalogue a tenth, because half of it would be no recommendation.
LIST_SIZE = 5
ITEMS_PER_LISTED = 10


def usual_objective(items: int) -> Objective:
    """What a recommendation is worth where nobody says otherwise: the best of a list of five, or of a tenth of all."""
    size = min(LIST_SIZE, items // ITEMS_PER_LISTED)
    return BestOfList(size) if size > 1 else BestItem()


def everyday_response(catalog: Catalog, belief: Belief, temperature: float | None = None) -> Logistic:
    """How people answer, on the scale of this catalogue and belief, with "none" and "same" on offer.

    The temperature is a tenth of the spread of utilities: of two items drawn at random the better one is chosen some
    95 times of 100, of two close ones hardly more often than by chance. A belief that was learnt from answers brings a
    temperature of its own. The outside option of "none of these" is worth
    as much as an average item, and a tie between equals has a probability of one in five.
    """
    validate_dimensions(belief, catalog)
    with one_thread():
        spread = value.utility_spread(catalog, belief)
        average = float(catalog.average @ belief.mean)
    if temperature is None and belief.prior is not None:
        temperature = belief.prior.temperature
    return Logistic(temperature if temperature is not None else 0.1 * spread, none_utility=average, tie=0.5)


NoiseKind = Literal["fixed", "personal"]
"""Whether the same noise is assumed of everybody, or each person's own is learnt from the answers."""


def response_of_kind(
    noise: NoiseKind, catalog: Catalog, belief: Belief, temperature: float | None = None
) -> Logistic | PersonalNoise:
    """`everyday_response` for "fixed", `personal_response` for "personal"."""
    model = personal_response if noise == "personal" else everyday_response
    return model(catalog, belief, temperature)


def personal_response(catalog: Catalog, belief: Belief, temperature: float | None = None) -> PersonalNoise:
    """`everyday_response` for people of whom some answer more consistently than others.

    The levels are a quarter, half, once, twice and four times the temperature there. See `PersonalNoise`.
    """
    everyday = everyday_response(catalog, belief, temperature)
    return PersonalNoise.around(everyday.temperature, everyday.none_utility, everyday.tie)


def validate_page(count: Any, offset: Any, ranking: Any) -> None:
    """Reject a part of a ranking that does not exist."""
    for name, number in (("count", count), ("offset", offset)):
        if not isinstance(number, Integral):
            raise InvalidInputError(f"`{name}` must be a whole number, got {number!r}.")
    if count < 1:
        raise InvalidInputError(f"`count` must be at least 1, got {count}.")
    if offset < 0:
        raise InvalidInputError(f"`offset` must be 0 or above, got {offset}.")
    if ranking not in get_args(Ranking):
        raise InvalidInputError(f"`ranking` must be one of {', '.join(get_args(Ranking))}, got {ranking!r}.")


def validate_objective(name: str, objective: Any) -> None:
    """Reject what is no objective."""
    is_class = isinstance(objective, type)
    if is_class or not isinstance(objective, Objective) or not isinstance(objective, Hashable):
        raise InvalidInputError(
            f"`{name}` must be an objective such as rather.BestOfList(5), with `size`, `depth`, `worth` and a hash "
            f"(a frozen dataclass has one), got {objective!r}."
        )


def validate_settings(catalog: Any, belief: Any, ask: Any, response: Any, rejuvenation: Any) -> None:
    """Reject arguments of a policy that are of another kind than they should be."""
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
