"""Directions in which conversations search: means of groups of people, and of people who gave the same answers."""

import torch
from torch import Tensor

from rather.model.belief import Belief
from rather.numerics.randomness import systematic_rows

# People that stand for a population; more describe it no better.
MOST_PEOPLE = 512

# Answers of an imagined conversation, at most.
MOST_ANSWERS = 6

# Noise of imagined answers, relative to the spread of utilities: that of `everyday_response`.
TEMPERATURE = 0.1


def people_of(belief: Belief, generator: torch.Generator) -> Tensor:
    """People `(p, d)` who may be met, in random order: particles and, from a prior density, as many others."""
    particles = belief.particles
    if len(belief) > MOST_PEOPLE:
        particles = particles[systematic_rows(belief.log_weights, MOST_PEOPLE, generator)]
    if belief.prior is not None and not belief.evidence:  # after answers its density is no longer that of the person
        particles = torch.cat([particles, belief.prior.sample(len(particles), generator)])
    return particles[torch.randperm(len(particles), generator=generator)]


def others_of(belief: Belief, people: Tensor, generator: torch.Generator) -> Tensor:
    """Who may also be met: others from the prior density; without one there is nobody but the same people."""
    if belief.prior is None or belief.evidence:
        return people
    return belief.prior.sample(len(people), generator)


def group_means(people: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Means `(count, d)` of random groups of people `(p, d)`, which come in random order.

    Groups hold from 1 to 128 people, their sizes evenly spread on a logarithmic scale; larger ones have nearly the mean
    of all. They are stretches of the sequence of people, so that all means come from its running sums.
    """
    sizes = torch.logspace(0, 7, count, base=2, dtype=torch.float32).long().clamp_max(len(people))
    sums = torch.cat([torch.zeros_like(people[:1]), people.cumsum(dim=0)])
    starts = (torch.rand(count, generator=generator, dtype=torch.float32) * (len(people) - sizes + 1)).long()
    return (sums[starts + sizes] - sums[starts]) / sizes[:, None]


def conversation_directions(people: Tensor, items: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Directions `(count, d)` that a conversation with one of these people may search.

    Somebody among the people `(p, d)` gives up to six answers about random pairs of the items `(i, d)`; the direction
    is the mean of everybody weighted by how likely they give the same answers, or of a few drawn by those weights.
    """
    utilities = items @ people.T
    logits = torch.zeros(count, len(people), dtype=people.dtype)
    truth = torch.randint(len(people), (count, 1), generator=generator)
    answers = torch.randint(MOST_ANSWERS + 1, (count, 1), generator=generator)
    scale = TEMPERATURE * float(utilities.std().clamp_min(1e-12))
    for number in range(MOST_ANSWERS):
        left, right = torch.randint(len(items), (2, count), generator=generator)
        lead = (utilities[left] - utilities[right]) / scale
        agreement = torch.nn.functional.logsigmoid(lead * lead.gather(1, truth).sign())
        logits += agreement * (number < answers)
    # Gumbel noise at a low temperature picks a few of the people, in proportion to their weights; none keeps all.
    uniform = torch.rand(logits.shape, generator=generator, dtype=people.dtype).clamp_(1e-20, 1 - 1e-7)
    noise = -(-uniform.log()).log()
    sharpness = torch.logspace(0, 4, count, base=2, dtype=people.dtype)[:, None]
    few = torch.arange(count)[:, None] % 3 > 0
    return torch.softmax(torch.where(few, (logits + noise) * sharpness, logits), dim=1) @ people
