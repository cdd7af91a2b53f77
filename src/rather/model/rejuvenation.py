"""Resample-move rejuvenation (Gilks & Berzuini 2001): new particles when few of the old ones still carry weight.

Resampling alone copies the survivors. Each copy is then moved by Markov steps that leave the posterior (prior density
times the likelihood of all answers so far) invariant, so that the copies spread out over it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from rather.caching.by_identity import ByIdentity
from rather.errors import InvalidInputError
from rather.model.belief import Belief
from rather.model.personal_noise import answers_log_likelihood
from rather.model.priors import Prior
from rather.model.responses import ResponseModel
from rather.numerics.randomness import systematic_rows

# Entries of the numbers that a batch of particles draws for all its moves: 64 MiB of float32, whatever the number of
# particles.
BATCH_ENTRIES = 2**24

# Entries of the odds of components that are computed together: half a megabyte, which stays in the cache.
LOGIT_ENTRIES = 2**17

# Entries of the odds of components that are kept for the particles that conversations start from: 8 MiB of float32, two
# thousand users. Half of all answers that lead to a rejuvenation are the first of a conversation to do so.
KEPT_ENTRIES = 2**21

# Starting beliefs whose odds are kept.
KEPT_STARTS = 8

# Components whose odds lie next to each other in memory, and are looked at together.
BLOCK = 32

# Slice steps from one draw of the components to the next. Drawing them before every step made answers two to three
# times as slow and the mean of the particles some 8 % more precise (as effective sample size, eleven populations).
STEPS_PER_COMPONENT = 5

# Angles of the bracket that are tried together, first for all particles and then for those that need more. One in a
# hundred needs more than these: it stays where it is until the next step, which leaves the posterior invariant too.
TRIES = (4, 8)


@dataclass(frozen=True)
class Rejuvenation:
    """When and how particles are resampled and moved.

    Attributes:
        threshold: Rejuvenate when the effective sample size falls below this share of the particles.
        moves: Steps of elliptical slice sampling for each particle, at most; fewer if many particles are effective.
            Before the first and every fifth, the particle's component of the prior is redrawn (Gibbs). Both leave the
            posterior invariant.
        max_particles: How many particles there are afterwards, at most. A population may have more users than a
            posterior needs particles.
    """

    threshold: float = 0.5
    moves: int = 10
    max_particles: int = 1000

    def __post_init__(self) -> None:
        for name, least in (("moves", 0), ("max_particles", 1)):
            count = getattr(self, name)
            if type(count) is not int or count < least:
                raise InvalidInputError(f"`{name}` must be a whole number from {least}, got {count!r}.")
        if not self.threshold >= 0:
            raise InvalidInputError(f"`threshold` must be 0 or above, got {self.threshold!r}.")

    def __call__(
        self,
        belief: Belief,
        generator: torch.Generator,
        start: Belief | None = None,
        *,
        batch_entries: int = BATCH_ENTRIES,
    ) -> Belief:
        """The belief with new, equally weighted particles; as it is while it is healthy or has no prior density.

        Args:
            belief: To be rejuvenated.
            generator: Draws the copies and their moves.
            start: What all conversations start from. While a belief has its particles, the first steps are faster.
            batch_entries: Largest intermediate, in entries; bounds the memory.
        """
        count = min(len(belief), self.max_particles)
        if belief.prior is None or belief.effective_sample_size >= self.threshold * count:
            return belief
        # One for each copy of an effective particle: the fewer have survived, the farther their copies must spread.
        moves = min(self.moves, math.ceil(count / belief.effective_sample_size))
        return moved(belief, count, moves, generator, start, batch_entries=batch_entries)


def moved(
    belief: Belief,
    count: int,
    moves: int,
    generator: torch.Generator,
    start: Belief | None = None,
    *,
    batch_entries: int = BATCH_ENTRIES,
) -> Belief:
    """The belief with `count` equally weighted particles that have made some steps of elliptical slice sampling.

    Args:
        belief: With a prior density.
        count: Of new particles.
        moves: Steps of each.
        generator: Draws the copies and their moves.
        start: See `Rejuvenation`.
        batch_entries: Largest intermediate, in entries; bounds the memory.
    """
    assert belief.prior is not None, "only a belief with a prior density can be moved"
    rows = systematic_rows(belief.log_weights, count, generator)
    prior, known = belief.prior, None if start is None else _known_odds(belief, start)
    answers = _Answers(belief, prior)
    numbers = moves * (belief.particles.shape[1] + len(answers) + sum(TRIES))
    particles = []
    for copied in torch.split(rows, max(1, batch_entries // numbers)):
        white = prior.whitened(belief.particles[copied]) if known is None else known.white[copied]
        draw = None if known is None else known.at(copied)
        particles.append(_moved(white, prior, answers, moves, generator, draw))
    return belief.with_particles(torch.cat(particles))


Draw = Callable[[Tensor, Tensor], Tensor]
"""Components `(b, t)` of particles, by their positions `(b,)`, for draws `(b, t)` from (0, 1)."""


class _Odds(NamedTuple):
    """Whitened particles `(m, d)`, and the odds of the prior's components at each, cumulative and in blocks."""

    white: Tensor
    blocks: Tensor

    @classmethod
    def of(cls, white: Tensor, prior: Prior) -> "_Odds":
        """At whitened particles `(m, d)`."""
        odds = _cumulative_odds(white, prior)
        # Whatever rounding has left below a draw belongs to the last component.
        padded = torch.nn.functional.pad(odds, (0, -odds.shape[1] % BLOCK), value=torch.inf)
        return cls(white, padded.view(len(white), -1, BLOCK))

    def at(self, rows: Tensor) -> Draw:
        """Draws components of the particles in these rows.

        First a block, then a component in it: whole rows would have to come from memory.
        """

        def draw(points: Tensor, uniform: Tensor) -> Tensor:
            found = rows[points]
            block = torch.searchsorted(self.blocks[:, :, -1][found], uniform, right=True)
            block.clamp_max_(self.blocks.shape[1] - 1)
            inside = self.blocks[found[:, None], block]
            return BLOCK * block + torch.searchsorted(inside, uniform[:, :, None], right=True)[:, :, 0]

        return draw


_KNOWN: ByIdentity[_Odds] = ByIdentity(KEPT_STARTS)


def _known_odds(belief: Belief, start: Belief) -> _Odds | None:
    """Those of all particles, if they are the ones that all conversations start from."""
    prior, particles = start.prior, start.particles
    if prior is None or belief.prior is not prior or len(particles) * len(prior.centres) > KEPT_ENTRIES:
        return None
    # By content: what a snapshot or a cache restores goes on as what has been in memory all the time.
    if not torch.equal(belief.particles, particles):
        return None
    return _KNOWN(particles, lambda: _Odds.of(prior.whitened(particles), prior))


class _Answers:
    """All answers so far, as functions of whitened particles: utilities are linear in them."""

    def __init__(self, belief: Belief, prior: Prior) -> None:
        self._groups = [(response, vectors.shape[:2], rows) for response, vectors, rows in belief.stacked_evidence]
        slates = [vectors.flatten(0, 1) for _, vectors, _ in belief.stacked_evidence]
        options = torch.cat([belief.particles[:0], *slates])  # none if there were no answers
        self.slopes, self.constants = options @ prior.cholesky, (options @ prior.origin)[:, None]

    def __len__(self) -> int:
        """How many options there were, o."""
        return len(self.slopes)

    def utilities(self, white: Tensor) -> Tensor:
        """Of all options for whitened particles `(m, d)`: `(o, m)`."""
        return self.slopes @ white.T + self.constants

    def log_likelihood(self, utilities: Tensor) -> Tensor:
        """Log-probability of all answers at utilities `(t, o, m)`: `(t, m)`."""
        return answers_log_likelihood(
            self._of_slates(utilities), utilities.new_zeros(len(utilities), utilities.shape[2])
        )

    def _of_slates(self, utilities: Tensor) -> Iterator[tuple[ResponseModel, Tensor, Tensor]]:
        """Each group of answers with the utilities `(t, e, k, m)` of its options."""
        first = 0
        for response, (e, k), rows in self._groups:
            yield response, utilities[:, first : first + e * k].reshape(len(utilities), e, k, -1), rows
            first += e * k


def _moved(
    white: Tensor, prior: Prior, answers: _Answers, moves: int, generator: torch.Generator, draw: Draw | None = None
) -> Tensor:
    """Particles `(m, d)` after some elliptical slice steps (Murray, Adams & MacKay 2010), all at once and whitened.

    What does not depend on where a particle is (angles and noise) is drawn for all steps together: kernels this small
    cost as much as there are of them.

    Args:
        white: Where they start; copies lie next to each other.
        prior: What their components are drawn by.
        answers: All answers so far.
        moves: Steps of each.
        generator: Draws them.
        draw: Draws the first components, if their odds are known.
    """
    m, d = white.shape
    noise = torch.randn(moves, m, d, generator=generator, dtype=white.dtype)
    of_noise = (answers.slopes @ noise.view(-1, d).T).view(-1, moves, m)
    levels = _uniform((moves, m), generator).log()
    angles = _shrinking((moves, m), sum(TRIES), generator)
    of_centres, utilities = answers.utilities(prior.white_centres), answers.utilities(white)
    log_likelihood = answers.log_likelihood(utilities[None])[0]
    for move in range(moves):
        if move % STEPS_PER_COMPONENT == 0:
            components = _components(white, prior, generator, None if move else draw)
            scales, centres = prior.scales[components], prior.white_centres[components]
            of_centre = of_centres[:, components]
        # Utilities along the ellipse `centre + (particle - centre) cos + noise sin`, from those of its three parts.
        ellipses = torch.stack([of_centre, utilities - of_centre, scales * of_noise[:, move]])
        level = log_likelihood + levels[move]
        angle, log_likelihood = _first_on_slice(answers, ellipses, angles[:, move], level, log_likelihood)
        utilities = _along(ellipses, angle[None])[0]
        turn = angle[:, None]
        white = centres + (white - centres) * turn.cos() + noise[move] * (scales[:, None] * turn.sin())
    return prior.unwhitened(white)


def _components(
    white: Tensor,
    prior: Prior,
    generator: torch.Generator,
    draw: Draw | None = None,
    entries: int = LOGIT_ENTRIES,
) -> Tensor:
    """One component of the prior for each of the whitened particles `(m, d)`, drawn by its posterior odds, `(m,)`."""
    # Copies lie next to each other and have the same odds, which are computed once.
    first = torch.cat([torch.tensor([True]), (white[1:] != white[:-1]).any(dim=1)]).nonzero()[:, 0]
    copies = first.diff(append=torch.tensor([len(white)]))
    c, most = len(prior.centres), int(copies.max())
    drawn = []
    for points in torch.split(first, max(1, entries // max(c, most))):
        uniform = torch.rand(len(points), most, generator=generator, dtype=white.dtype)
        if draw is None:
            # right=True passes over components without weight even when the draw is 0.
            drawn.append(torch.searchsorted(_cumulative_odds(white[points], prior), uniform, right=True))
        else:
            drawn.append(draw(points, uniform))
    # Rounding may leave the sum of all below a draw.
    return torch.cat(drawn)[torch.arange(most) < copies[:, None]].clamp_max(c - 1)


def _cumulative_odds(white: Tensor, prior: Prior) -> Tensor:
    """Of the components at whitened points `(m, d)`: `(m, c)`, up to 1."""
    return torch.softmax(prior.white_logits(white), dim=1).cumsum(dim=1)


def _first_on_slice(
    answers: _Answers, ellipses: Tensor, angles: Tensor, level: Tensor, log_likelihood: Tensor
) -> tuple[Tensor, Tensor]:
    """Of each particle's angles `(t, m)` the first where the log-likelihood reaches its level `(m,)`, and what it is.

    If none does, the particle stays at angle 0 with the log-likelihood it has.
    """
    early, late = torch.split(angles, [*TRIES])
    found, angle, value = _tried(answers, ellipses, early, level)
    rest = (~found).nonzero()[:, 0]
    found, late_angle, late_value = _tried(answers, ellipses[..., rest], late[:, rest], level[rest])
    angle[rest] = torch.where(found, late_angle, 0.0)
    value[rest] = torch.where(found, late_value, log_likelihood[rest])
    return angle, value


def _tried(answers: _Answers, ellipses: Tensor, angles: Tensor, level: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Whether an angle is on the slice, the first that is, and the log-likelihood there, `(m,)` each."""
    values = answers.log_likelihood(_along(ellipses, angles))
    found, first = (values >= level).max(dim=0)
    return found, angles.gather(0, first[None])[0], values.gather(0, first[None])[0]


def _along(ellipses: Tensor, angles: Tensor) -> Tensor:
    """Utilities `(t, o, m)` at angles `(t, m)` of ellipses `(3, o, m)`."""
    centre, offset, noise = ellipses
    return torch.addcmul(torch.addcmul(centre, offset, angles.cos()[:, None]), noise, angles.sin()[:, None])


def _shrinking(shape: Sequence[int], count: int, generator: torch.Generator) -> Tensor:
    """The first `count` angles `(count, *shape)` of shrinking brackets if none is accepted.

    A rejected angle shrinks the bracket towards 0, the particle itself, whatever its likelihood was: so all angles are
    known in advance.
    """
    draws = _uniform((count, *shape), generator)
    angles = [draws[0] * 2 * math.pi]
    low, high = angles[0] - 2 * math.pi, angles[0]
    for draw in draws[1:]:
        below = angles[-1] < 0
        low, high = torch.where(below, angles[-1], low), torch.where(below, high, angles[-1])
        angles.append(torch.lerp(low, high, draw))
    return torch.stack(angles)


def _uniform(shape: Sequence[int], generator: torch.Generator) -> Tensor:
    """Draws from (0, 1), in float32 whatever torch's default dtype is."""
    # 1e-20 keeps logarithms finite when the draw is 0.
    return torch.rand(shape, generator=generator, dtype=torch.float32).clamp_min(1e-20)
