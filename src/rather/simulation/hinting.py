"""Which hints a simulated user gives: truthful ones, with the noise of their answers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.conversation.adjusting import single_changes
from rather.conversation.hints import LISTED, hint_response, wishes
from rather.conversation.policy import Policy
from rather.errors import InvalidInputError
from rather.model.belief import Belief
from rather.model.catalog import ItemId
from rather.model.configurators import Choosable
from rather.model.responses import Logistic
from rather.model.statements import Adjust, LikeBut, MoreLike, Statement
from rather.numerics.randomness import derive_generator
from rather.simulation.users import SimulatedUser


@dataclass(frozen=True)
class Adjusting:
    """How simulated users adjust the configuration that is recommended, one after another.

    Attributes:
        times: How often.
        changes: In how many decisions they change it each time, at most.
        looked_at: How many decisions they look at each time, drawn at random; None means all of them.
    """

    times: int
    changes: int = 2
    looked_at: int | None = None

    def __post_init__(self) -> None:
        for name in ("times", "changes", "looked_at"):
            count = getattr(self, name)
            if (count is not None or name != "looked_at") and (type(count) is not int or count < 1):
                raise InvalidInputError(f"`{name}` must be a whole number from 1, got {count!r}.")


def given_hint(user: SimulatedUser, policy: Policy, belief: Belief, number: int) -> Statement:
    """What a user says as hint `number` (from 1) about the list that is recommended now.

    With an odd number, the user looks at the best recommendation and the ways in which a page lets them wish it
    otherwise, and says the one that gains most, all else equal. If none gains anything, and with an even number, they
    say which item of the list they like best. Utilities are compared with the noise of a response model.
    """
    listed = policy.recommend(belief, LISTED)
    generator = derive_generator(user.seed, "hint", number)
    noise = _temperature(user, policy) * _gumbel(generator, 2 * LISTED + 2)
    if number % 2 == 1:
        offered = wishes(listed[0].row, policy, belief, count=LISTED)
        gains = torch.stack([torch.zeros_like(user.utility), *(each.step for each in offered)]) @ user.utility
        best = int((gains + noise[: len(gains)]).argmax())
        if best > 0:
            return LikeBut(listed[0].id, offered[best - 1].column, offered[best - 1].toward)
    utilities = policy.catalog.vectors([item.row for item in listed]) @ user.utility
    return MoreLike(listed[int((utilities + noise[-len(listed) :]).argmax())].id)


def given_adjustment(
    user: SimulatedUser, policy: Policy, belief: Belief, number: int, adjusting: Adjusting, own: ItemId | None = None
) -> Adjust | None:
    """What a user makes of what stands first, as adjustment `number` (from 1); None if they leave it as it is.

    Of all values that they look at, they choose the one that gains most, with whatever else it changes, and then
    another. Utilities are compared with the noise of a response model.

    Args:
        user: Who adjusts.
        policy: Of the conversation.
        belief: What we hold about the user.
        number: Of the adjustment.
        adjusting: How they do it.
        own: What they made before, which stands first; by default that is the first recommendation.
    """
    generator = derive_generator(user.seed, "adjustment", number)
    temperature, catalog = _temperature(user, policy), policy.catalog
    start = row = policy.recommender(belief).listed(LISTED)[0] if own is None else catalog.row(own)
    wanted: dict[str, str] = {}
    columns: Collection[str] | None = None
    for _ in range(adjusting.changes):
        found = single_changes(policy, belief, catalog.ids[start], wanted)
        if columns is None:
            columns = _looked_at(found, adjusting, generator)
        choices = [("", "", row)]
        for decision, position, becomes in found:
            if decision.column in columns and decision.column not in wanted and becomes is not None and becomes != row:
                choices.append((decision.column, decision.values[position], becomes))
        utilities = catalog.vectors([becomes for _, _, becomes in choices]) @ user.utility
        best = int((utilities + temperature * _gumbel(generator, len(choices))).argmax())
        if best == 0:
            break
        column, value, row = choices[best]
        wanted[column] = value
    return Adjust(catalog.ids[start], catalog.ids[row]) if row != start else None


def _looked_at(
    found: Sequence[tuple[Choosable, int, int | None]], adjusting: Adjusting, generator: torch.Generator
) -> Collection[str]:
    """The columns that a user considers; none about which nothing is learned, as there is no taste in them."""
    columns = list(dict.fromkeys(decision.column for decision, _, _ in found if not decision.is_shown_only))
    if adjusting.looked_at is None:
        return columns
    return [columns[index] for index in torch.randperm(len(columns), generator=generator)[: adjusting.looked_at]]


def _temperature(user: SimulatedUser, policy: Policy) -> float:
    response = hint_response(MoreLike(0), policy)
    if isinstance(response, Logistic):
        return response.temperature
    return user.own_response.temperature if isinstance(user.own_response, Logistic) else response.typical


def _gumbel(generator: torch.Generator, count: int) -> Tensor:
    """Noise with which the best of some utilities is a draw from their softmax."""
    draws = torch.rand(count, generator=generator, dtype=torch.float32)
    return -(-draws.clamp(1e-12, 1 - 1e-7).log()).log()
