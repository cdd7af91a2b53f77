"""New particles where the answers point, when few of the old ones still carry weight.

Resampling alone copies the survivors. Each copy is then moved by Markov steps that leave the posterior
(prior density times the likelihood of all answers so far) unchanged, so the renewed particles are spread over it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from rather.belief import Belief
from rather.priors import Prior

# Particles times components compared at a time; 64 MiB of float32, whatever the number of particles.
LOGITS_AT_A_TIME = 2**24


@dataclass(frozen=True)
class Rejuvenation:
    """When and how particles are renewed.

    Attributes:
        threshold: Renew when the effective sample size falls under this share of the particles.
        moves: Markov steps for each particle. A step redraws the particle's component of the prior (Gibbs) and then
            moves it by elliptical slice sampling; both are exact.
    """

    threshold: float = 0.5
    moves: int = 10

    def __call__(self, belief: Belief, generator: torch.Generator) -> Belief:
        """The belief itself while it is healthy or has no prior density, else an equally weighted renewed one."""
        if belief.prior is None or belief.effective_sample_size >= self.threshold * len(belief):
            return belief
        copies = belief.resampled(len(belief), generator)
        return replace(copies, particles=_moved(copies, belief.prior, self.moves, generator))


def _moved(belief: Belief, prior: Prior, moves: int, generator: torch.Generator) -> Tensor:
    particles, log_likelihood = belief.particles, belief.log_likelihood(belief.particles)
    for _ in range(moves):
        components = _components(particles, prior, generator)
        particles, log_likelihood = _slice_step(belief, particles, log_likelihood, components, prior, generator)
    return particles


def _components(particles: Tensor, prior: Prior, generator: torch.Generator) -> Tensor:
    """One component of the prior for each of the particles `(m, d)`, drawn by its posterior odds, `(m,)`."""
    at_a_time = max(1, LOGITS_AT_A_TIME // len(prior.centres))
    parts = torch.split(particles, at_a_time)
    return torch.cat([_categorical(prior.component_logits(part), generator) for part in parts])


def _categorical(logits: Tensor, generator: torch.Generator) -> Tensor:
    """One draw per row of logits `(m, c)` by the Gumbel trick, shape `(m,)`."""
    return (logits - (-_uniform(logits.shape, generator).log()).log()).argmax(dim=1)


def _uniform(shape: Sequence[int], generator: torch.Generator) -> Tensor:
    """Draws from (0, 1), in float32 whatever the host's default is."""
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
    """One elliptical slice step (Murray, Adams & MacKay 2010) of every particle at once."""
    m = len(particles)
    centres = prior.centres[components]
    offset = particles - centres
    noise = prior.noise(components, generator)
    level = log_likelihood + _uniform((m,), generator).log()
    angle = _uniform((m,), generator) * 2 * math.pi
    low, high = angle - 2 * math.pi, angle.clone()
    moved, moved_likelihood = particles.clone(), log_likelihood.clone()
    pending = torch.arange(m)
    # The bracket shrinks towards angle 0, the particle itself, which is on the slice; 100 halvings exhaust float32.
    for _ in range(100):
        turn = angle[pending, None]
        points = centres[pending] + offset[pending] * turn.cos() + noise[pending] * turn.sin()
        values = belief.log_likelihood(points)
        accepted = values >= level[pending]
        done = pending[accepted]
        moved[done], moved_likelihood[done] = points[accepted], values[accepted]
        pending = pending[~accepted]
        if len(pending) == 0:
            break
        low[pending] = torch.where(angle[pending] < 0, angle[pending], low[pending])
        high[pending] = torch.where(angle[pending] >= 0, angle[pending], high[pending])
        width = high[pending] - low[pending]
        angle[pending] = low[pending] + _uniform((len(pending),), generator) * width
    return moved, moved_likelihood
