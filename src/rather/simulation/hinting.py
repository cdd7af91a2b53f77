"""Which hints a simulated user gives: truthful ones, with the noise of their answers."""

import torch
from torch import Tensor

from rather.conversation.hints import LISTED, hint_response, wishes
from rather.conversation.policy import Policy
from rather.model.belief import Belief
from rather.model.responses import Logistic
from rather.model.statements import LikeBut, MoreLike, Statement
from rather.numerics.randomness import derive_generator
from rather.simulation.users import SimulatedUser


def given_hint(user: SimulatedUser, policy: Policy, belief: Belief, number: int) -> Statement:
    """What a user says as hint `number` (from 1) about the list that is recommended now.

    With an odd number, the user looks at the best recommendation and the ways in which a page lets them wish it
    otherwise, and says the one that gains most, all else equal. If none gains anything, and with an even number, they
    say which item of the list they like best. Utilities are compared with the noise of a response model.
    """
    listed = policy.recommend(belief, LISTED)
    noise = _temperature(user, policy) * _gumbel(user.seed, number, 2 * LISTED + 2)
    if number % 2 == 1:
        offered = wishes(listed[0].row, policy, belief, count=LISTED)
        gains = torch.stack([torch.zeros_like(user.utility), *(each.step for each in offered)]) @ user.utility
        best = int((gains + noise[: len(gains)]).argmax())
        if best > 0:
            return LikeBut(listed[0].id, offered[best - 1].column, offered[best - 1].toward)
    utilities = policy.catalog.vectors([item.row for item in listed]) @ user.utility
    return MoreLike(listed[int((utilities + noise[-len(listed) :]).argmax())].id)


def _temperature(user: SimulatedUser, policy: Policy) -> float:
    response = hint_response(MoreLike(0), policy)
    if isinstance(response, Logistic):
        return response.temperature
    return user.own_response.temperature if isinstance(user.own_response, Logistic) else response.typical


def _gumbel(seed: int, number: int, count: int) -> Tensor:
    """Noise with which the best of some utilities is a draw from their softmax."""
    draws = torch.rand(count, generator=derive_generator(seed, "hint", number), dtype=torch.float32)
    return -(-draws.clamp(1e-12, 1 - 1e-7).log()).log()
