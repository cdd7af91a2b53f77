"""Directions that conversations search: means of groups of users, and of users who give the same answers."""

from functools import cache

import torch
from torch import Tensor

from rather.model.belief import Belief
from rather.numerics.randomness import systematic_rows

# Users drawn to represent a population; more describe it no better.
MAX_USERS = 512

# Answers in a simulated conversation, at most.
MAX_ANSWERS = 6

# Noise of simulated answers, relative to the spread of utilities: that of `everyday_response`.
TEMPERATURE = 0.1

# Users in a group that an answer may single out.
GROUP_SIZE = 8


def representative_users(belief: Belief, generator: torch.Generator) -> Tensor:
    """Users `(p, d)` of the population, shuffled: particles and, if there is a prior density, as many new draws."""
    particles = belief.particles
    if len(belief) > MAX_USERS:
        particles = particles[systematic_rows(belief.log_weights, MAX_USERS, generator)]
    if belief.prior is not None and not belief.evidence:  # after answers the prior is no longer the user's density
        particles = torch.cat([particles, belief.prior.sample(len(particles), generator)])
    return particles[torch.randperm(len(particles), generator=generator)]


def unseen_users(belief: Belief, users: Tensor, generator: torch.Generator) -> Tensor:
    """As many users that are none of these, from the prior density; the same ones if there is none."""
    if belief.prior is None or belief.evidence:
        return users
    return belief.prior.sample(len(users), generator)


def group_means(users: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Means `(count, d)` of random groups of users `(p, d)`, which must be shuffled.

    Groups hold 1 to 128 users, their sizes evenly spaced on a logarithmic scale; the mean of a larger one is nearly
    that of all. A group is a slice of consecutive users, so that all means follow from one cumulative sum.
    """
    sizes, room = _group_sizes(count, len(users))
    sums = torch.cat([torch.zeros_like(users[:1]), users.cumsum(dim=0)])
    starts = (torch.rand(count, generator=generator, dtype=torch.float32) * room).long()
    return (sums[starts + sizes] - sums[starts]) / sizes[:, None]


@cache
def _group_sizes(count: int, users: int) -> tuple[Tensor, Tensor]:
    """Sizes of groups `(count,)`, and at how many positions each may start."""
    sizes = torch.logspace(0, 7, count, base=2, dtype=torch.float32).long().clamp_max(users)
    return sizes, users - sizes + 1


def conversation_directions(users: Tensor, items: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Directions `(count, d)` that a conversation with one of these users may search.

    One of the users `(p, d)` gives up to six answers about random pairs of the items `(i, d)`. The direction is the
    mean of all users, weighted by how likely they give the same answers, or of a few users drawn by those weights.
    """
    logits = _agreement(users, items, count, generator)
    # A softmax of logits with Gumbel noise at a low temperature picks a few users by weight; without noise, all count.
    uniform = torch.rand(logits.shape, generator=generator, dtype=users.dtype).clamp_(1e-20, 1 - 1e-7)
    noise = -(-uniform.log()).log()
    sharpness = torch.logspace(0, 4, count, base=2, dtype=users.dtype)[:, None]
    few = torch.arange(count)[:, None] % 3 > 0
    return torch.softmax(torch.where(few, (logits + noise) * sharpness, logits), dim=1) @ users


def belief_directions(users: Tensor, items: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Means `(count, d)` of the beliefs that a conversation with one of these users may reach.

    As in `conversation_directions`, but every other direction is the mean of eight users drawn by weight: no belief
    that questions are asked under rests on fewer.
    """
    weights = torch.softmax(_agreement(users, items, count, generator), dim=1)
    means = weights @ users
    means[1::2] = drawn_groups(users, weights[1::2], generator)
    return means


def drawn_groups(users: Tensor, weights: Tensor, generator: torch.Generator) -> Tensor:
    """Means `(b, d)` of eight users drawn with replacement from `(p, d)`, by weights `(b, p)`."""
    return users[torch.multinomial(weights, GROUP_SIZE, replacement=True, generator=generator)].mean(dim=1)


def _agreement(users: Tensor, items: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Log-probabilities `(count, p)` that each user gives the answers of one of them about random pairs of items."""
    utilities = items @ users.T
    logits = torch.zeros(count, len(users), dtype=users.dtype)
    truth = torch.randint(len(users), (count, 1), generator=generator)
    answers = torch.randint(MAX_ANSWERS + 1, (count, 1), generator=generator)
    scale = TEMPERATURE * float(utilities.std().clamp_min(1e-12))
    for number in range(MAX_ANSWERS):
        left, right = torch.randint(len(items), (2, count), generator=generator)
        lead = (utilities[left] - utilities[right]) / scale
        agreement = torch.nn.functional.logsigmoid(lead * lead.gather(1, truth).sign())
        logits += agreement * (number < answers)
    return logits
