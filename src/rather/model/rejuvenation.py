"""Resample-move rejuvenation (Gilks & Berzuini 2001): new particles when few of the old ones still carry weight.

Resampling alone copies the survivors. Each copy is then moved by Markov steps that leave the posterior (prior density
times the likelihood of all answers so far) invariant, so that the copies spread out over it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from rather.model.belief import Belief
from rather.model.priors import Prior

# Entries of the largest intermediate (particles x components, or particles x options x angles): 64 MiB of float32,
# whatever the number of particles.
BATCH_ENTRIES = 2**24

# Angles of the bracket tried together, round by round. Most particles need three or four; 100 halvings exhaust float32.
TRIES = (3, 5, 12, 25, 55)


@dataclass(frozen=True)
class Rejuvenation:
    """When and how particles are resampled and moved.

    Attributes:
        threshold: Rejuvenate when the effective sample size falls below this share of the particles.
        moves: Markov steps for each particle. A step redraws the particle's component of the prior (Gibbs) and then
            moves it by elliptical slice sampling; both leave the posterior invariant.
    """

    threshold: float = 0.5
    moves: int = 10

    def __call__(self, belief: Belief, generator: torch.Generator, *, batch_entries: int = BATCH_ENTRIES) -> Belief:
        """The belief with new, equally weighted particles; as it is while it is healthy or has no prior density.

        Args:
            belief: To be rejuvenated.
            generator: Draws the copies and their moves.
            batch_entries: Largest intermediate, in entries; bounds the memory.
        """
        if belief.prior is None or belief.effective_sample_size >= self.threshold * len(belief):
            return belief
        copies = belief.resampled(len(belief), generator)
        return replace(copies, particles=_moved(copies, belief.prior, self.moves, generator, batch_entries))


def _moved(belief: Belief, prior: Prior, moves: int, generator: torch.Generator, batch_entries: int) -> Tensor:
    particles, log_likelihood = belief.particles, belief.log_likelihood(belief.particles)
    options = sum(vectors.shape[0] * vectors.shape[1] for _, vectors, _ in belief.stacked_evidence)
    batch = max(1, batch_entries // (TRIES[0] * max(1, options)))
    for _ in range(moves):
        components = _components(particles, prior, generator, batch_entries)
        batches = [torch.split(part, batch) for part in (particles, log_likelihood, components)]
        stepped = [
            _slice_step(belief, points, likelihood, chosen, prior, generator)
            for points, likelihood, chosen in zip(*batches, strict=True)
        ]
        particles, log_likelihood = (torch.cat(columns) for columns in zip(*stepped, strict=True))
    return particles


def _components(particles: Tensor, prior: Prior, generator: torch.Generator, batch_entries: int) -> Tensor:
    """One component of the prior for each of the particles `(m, d)`, drawn by its posterior odds, `(m,)`."""
    batches = torch.split(particles, max(1, batch_entries // len(prior.centres)))
    return torch.cat([_categorical(prior.component_logits(batch), generator) for batch in batches])


def _categorical(logits: Tensor, generator: torch.Generator) -> Tensor:
    """One draw per row of logits `(m, c)` by the Gumbel trick, shape `(m,)`."""
    return (logits - (-_uniform(logits.shape, generator).log()).log()).argmax(dim=1)


def _uniform(shape: Sequence[int], generator: torch.Generator) -> Tensor:
    """Draws from (0, 1), in float32 whatever torch's default dtype is."""
    # 1e-20 keeps logarithms finite when the draw is 0.
    return torch.rand(shape, generator=generator, dtype=torch.float32).clamp_min(1e-20)


def _slice_step(
    belief: Belief,
    particles: Tensor,
    log_likelihood: Tensor,
    components: Tensor,
    prior: Prior,
    generator: torch.Generator,
) -> tuple[Tensor, Tensor]:
    """One elliptical slice step (Murray, Adams & MacKay 2010) of all particles at once.

    A rejected angle shrinks the bracket whatever its likelihood was, so the next few angles of each particle are known
    in advance: they are tried together, and the first one on the slice is taken.
    """
    m = len(particles)
    centres = prior.centres[components]
    offset, noise = particles - centres, prior.noise(components, generator)
    ellipses = _Ellipses(belief, centres, offset, noise)
    level = log_likelihood + _uniform((m,), generator).log()
    angle = _uniform((m,), generator) * 2 * math.pi
    low, high = angle - 2 * math.pi, angle
    # Angle 0, the particle itself, is on the slice, and the bracket shrinks towards it.
    taken, taken_likelihood = torch.zeros_like(angle), log_likelihood.clone()
    pending = torch.arange(m)
    for count in TRIES:
        angles, angle, low, high = _shrinking(angle, low, high, count, generator)
        values = ellipses.log_likelihood(angles, pending)
        on_slice = values >= level[pending]
        first, found = on_slice.to(torch.uint8).argmax(dim=0), on_slice.any(dim=0)
        done = pending[found]
        taken[done] = angles.gather(0, first[None])[0, found]
        taken_likelihood[done] = values.gather(0, first[None])[0, found]
        pending, angle, low, high = pending[~found], angle[~found], low[~found], high[~found]
        if len(pending) == 0:
            break
    turn = taken[:, None]
    # A particle that found no angle stays where it is, to the last bit.
    moved = torch.where(turn == 0, particles, centres + offset * turn.cos() + noise * turn.sin())
    return moved, taken_likelihood


def _shrinking(
    angle: Tensor, low: Tensor, high: Tensor, count: int, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The next `count` angles `(count, p)` of p particles if none is accepted, and the angle and bracket after them."""
    angles, draws = [], _uniform((count, len(angle)), generator)
    for draw in draws:
        angles.append(angle)
        below = angle < 0
        low, high = torch.where(below, angle, low), torch.where(below, high, angle)
        angle = low + draw * (high - low)
    return torch.stack(angles), angle, low, high


class _Ellipses:
    """The likelihood along each particle's ellipse `centre + offset cos + noise sin`.

    Utilities are linear in the particle, so those of the three parts suffice: no angle needs a matrix product.
    """

    def __init__(self, belief: Belief, centres: Tensor, offset: Tensor, noise: Tensor) -> None:
        self._groups = [
            (response, rows, [_utilities(vectors, points) for points in (centres, offset, noise)])
            for response, vectors, rows in belief.stacked_evidence
        ]

    def log_likelihood(self, angles: Tensor, particles: Tensor) -> Tensor:
        """Log-probability of all answers at angles `(t, p)` of these p particles, `(t, p)`."""
        cos, sin = angles.cos()[:, None, None], angles.sin()[:, None, None]
        total = torch.zeros_like(angles)
        for response, rows, parts in self._groups:
            centre, offset, noise = (part[..., particles] for part in parts)
            found = response.log_probabilities(centre + offset * cos + noise * sin)
            total = total + found[:, torch.arange(len(rows)), rows].sum(dim=1)
        return total


def _utilities(vectors: Tensor, points: Tensor) -> Tensor:
    """`(e, k, m)` utilities of slates `(e, k, d)` for points `(m, d)`."""
    e, k, d = vectors.shape
    return (vectors.reshape(e * k, d) @ points.T).view(e, k, len(points))
