"""How many people answer how consistently, from the answers of many."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from rather.conversation.session import Session
from rather.errors import InvalidInputError
from rather.model.personal_noise import PersonalNoise
from rather.model.rejuvenation import Rejuvenation
from rather.model.responses import SKIP
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread

# The likelihood of weights is concave, and a step of EM never lowers it.
ITERATIONS = 500


def population_noise(
    sessions: Sequence[Session],
    model: PersonalNoise,
    *,
    people: float = 10.0,
    seed: int = 0,
    on_done: Callable[[], None] | None = None,
) -> PersonalNoise:
    """The model with the share of people at each level that these conversations speak for.

    Whatever the sessions assumed, their answers are taken in again under `model`. What that says about the level of
    person i, divided by the weights it started from, is the likelihood of their answers under each level, `P_il`. The
    weights then maximise `sum_i log sum_l pi_l P_il`, with `people` further ones who are as `model` says, by EM. Hints
    are left out.

    Args:
        sessions: Conversations about one catalogue, of different people.
        model: The levels, and the weights that are kept where there are few conversations.
        people: How many people these weights are worth.
        seed: Of the particles.
        on_done: Called after each conversation, for a progress bar.
    """
    if not people > 0:
        raise InvalidInputError(f"`people` must be above 0, got {people}.")
    start = torch.tensor(model.weights, dtype=torch.float64)
    likelihoods = []
    for index, session in enumerate(sessions):
        likelihoods.append(_levels(session, model, seed, index).double() / start.clamp_min(1e-12))
        if on_done is not None:
            on_done()
    weights = _fitted(torch.stack(likelihoods), start, people) if likelihoods else start
    return replace(model, weights=tuple(weights.tolist()))


def _levels(session: Session, model: PersonalNoise, seed: int, index: int) -> Tensor:
    """How likely each level is after a person's answers, `(l,)`."""
    belief, rejuvenation = session.policy.prior, session.policy.rejuvenation or Rejuvenation()
    with one_thread():
        for turn in session.turns:
            if turn.answer is not SKIP:
                belief = belief.update(turn.question, turn.answer, model)
                belief = rejuvenation(belief, derive_generator(seed, f"noise {index}", turn.question.number))
        return belief.noise_levels(model)


def _fitted(likelihoods: Tensor, start: Tensor, people: float) -> Tensor:
    """Weights `(l,)` from the likelihoods `(i, l)` of everybody's answers under each level."""
    weights = start
    for _ in range(ITERATIONS):
        shares = weights * likelihoods
        shares = shares / shares.sum(dim=1, keepdim=True)
        weights = (shares.sum(dim=0) + people * start) / (len(likelihoods) + people)
    return weights
