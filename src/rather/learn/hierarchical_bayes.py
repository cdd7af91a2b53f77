"""A population from people's answers: hierarchical Bayes, by Gibbs sampling.

Every person's utility vector is drawn from the population, `u_i ~ N(mu_g, Sigma)` for segment g, and every person has
their own noise. All of it is drawn in turn from its distribution given the rest: utility vectors by elliptical slice
sampling, all people at once (`respondents`), the population by conjugate draws (`hierarchy`). The catalogue's own prior
is what the population is expected to be before anybody has answered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.learn.choices import batches_of
from rather.learn.conversations import Conversation
from rather.learn.hierarchy import Expected, Floats, Integers, Level, redrawn, redrawn_segments
from rather.learn.interweaving import rescaled, shifted
from rather.learn.respondents import NOISE_FACTORS, Respondents
from rather.model.priors import Prior
from rather.model.responses import Logistic
from rather.numerics.randomness import derive_generator, derive_seed
from rather.numerics.threads import one_thread

OnProgress = Callable[[int, int], None]
"""Called with how many steps are done, and how many there are."""

# Elliptical slice steps of every person between two draws of the population.
MOVES = 4

# Correlations of the catalogue's prior below this are rounding.
INDEPENDENT = 1e-6

# Counts that are added to how many people have the typical noise, half or twice as much, and a quarter or four times as
# much: most have about the typical noise.
NOISE_COUNTS = (6.0, 3.0, 1.0)


@dataclass(frozen=True)
class Sweeps:
    """How long to sample.

    Attributes:
        count: Draws of the population.
        warm_up: How many of the first of them are not counted.
        kept: Draws of each person's utility vector that are kept, evenly spaced over the counted sweeps.
    """

    count: int = 300
    warm_up: int = 100
    kept: int = 40

    def __post_init__(self) -> None:
        if not 0 <= self.warm_up < self.count or not 1 <= self.kept <= self.count - self.warm_up:
            raise InvalidInputError(
                f"`sweeps` must have warm_up < count and kept in 1..count - warm_up, got {self.count}, "
                f"{self.warm_up} and {self.kept}."
            )

    @property
    def half(self) -> Sweeps:
        """Half as long, with one draw of each person: enough to compare priors by."""
        return Sweeps(max(2, self.count // 2), self.warm_up // 2, 1)


@dataclass(frozen=True, eq=False)
class Segments:
    """Groups of people with different tastes; one where the answers ask for no more.

    Attributes:
        weights: `(g,)`, the share of people in each, largest first.
        means: `(g, d)`, their mean utility vectors.
        members: `(r, g)`, the probability that each respondent belongs to each.
    """

    weights: Tensor
    means: Tensor
    members: Tensor = field(repr=False)

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, eq=False)
class Population:
    """What is learnt from r people's answers.

    Attributes:
        prior: Of a new person's utility vector, with the noise that is typical of people's answers.
        draws: `(r, s, d)`, s posterior draws of each respondent's utility vector, in the order of the conversations.
        temperatures: `(r,)`, the noise in each respondent's answers, in units of utility.
        segments: Groups of people with different tastes.
        about: How it was learnt, as plain data.
    """

    prior: Prior
    draws: Tensor = field(repr=False)
    temperatures: Tensor = field(repr=False)
    segments: Segments
    about: dict[str, Any]

    def __repr__(self) -> str:
        r, _, d = self.draws.shape
        return f"Population({r:,} people, {d} dimensions, {len(self.segments)} segments)"


def fit_population(
    conversations: Sequence[Conversation],
    prior: Prior,
    *,
    segments: int = 1,
    seed: int = 0,
    sweeps: Sweeps | None = None,
    on_progress: OnProgress | None = None,
) -> Population:
    """The population with a given number of segments; see `population`, which chooses it.

    Args:
        conversations: One for each person.
        prior: The catalogue's own. Never one that was learnt from the same answers, which would count twice.
        segments: How many, g.
        seed: Of all draws.
        sweeps: How long to sample.
        on_progress: Called after every sweep.
    """
    if segments < 1:
        raise InvalidInputError(f"`segments` must be at least 1, got {segments}.")
    sweeps = Sweeps() if sweeps is None else sweeps
    frame = Frame.of(prior)
    if not conversations:
        return _nobody(prior, frame, sweeps)
    with one_thread():
        sampled = _sampled(conversations, frame, segments, seed, sweeps, on_progress)
    return _learnt(conversations, prior, frame, sampled, {"seed": seed, "sweeps": sweeps.count})


@dataclass(frozen=True, eq=False)
class Frame:
    """Coordinates z in which the catalogue's prior has mean 0 and covariance I: `u = origin + cholesky @ z`.

    `parts` `(d,)` numbers the independent parts of the prior that the dimensions belong to.
    """

    origin: Tensor
    cholesky: Tensor
    parts: Integers

    @classmethod
    def of(cls, prior: Prior) -> Frame:
        """Dimensions that are correlated, through others too, are of the same part."""
        mean, covariance = prior.moments
        scales = covariance.diagonal().sqrt()
        together = (covariance / (scales[:, None] * scales)).abs().numpy() > INDEPENDENT
        return cls(mean, torch.linalg.cholesky(covariance), _components(together))

    def utilities(self, vectors: Tensor) -> Tensor:
        """Utility vectors `(..., d)` of vectors z `(..., d)`."""
        return (vectors.double() @ self.cholesky.T + self.origin).float()


@dataclass(frozen=True, eq=False)
class _Sampled:
    """Averages over the counted sweeps: of the population `(g, …)`, of log noise `(r,)`, draws `(r, s, d)`."""

    means: Floats
    covariance: Floats
    shares: Floats
    members: Floats
    log_noise: Tensor
    draws: Tensor
    level: dict[str, float]


class _Totals:
    """Sums over the counted sweeps."""

    def __init__(self, people: int, segments: int, dimensions: int) -> None:
        self.count = 0
        self.means = np.zeros((segments, dimensions))
        self.squares = np.zeros((segments, dimensions, dimensions))
        self.covariance = np.zeros((dimensions, dimensions))
        self.shares = np.zeros(segments)
        self.members = np.zeros((people, segments))
        self.log_noise = torch.zeros(people)
        self.level = dict.fromkeys(("log_size", "freedom"), 0.0)

    def add(self, level: Level, expected: Expected, segment: Any, people: Respondents) -> None:
        self.count += 1
        means = expected.means
        self.means += means
        self.squares += expected.means_covariance + means[:, :, None] * means[:, None]
        self.covariance += expected.covariance
        self.shares += level.shares
        self.members[np.arange(len(segment)), segment] += 1
        self.log_noise += people.factors.log()
        for name in self.level:
            self.level[name] += getattr(level, name)

    def averages(self, draws: Tensor) -> _Sampled:
        means, shares = self.means / self.count, self.shares / self.count
        # A new person differs from the mean, and the mean from what it was estimated to be.
        unsure = self.squares / self.count - means[:, :, None] * means[:, None]
        covariance = self.covariance / self.count + np.einsum("g,gij->ij", shares, unsure)
        order = np.argsort(-shares, kind="stable")
        members, log_noise = self.members / self.count, self.log_noise / self.count
        level = {name: total / self.count for name, total in self.level.items()}
        return _Sampled(means[order], covariance, shares[order], members[:, order], log_noise, draws, level)


def _sampled(
    conversations: Sequence[Conversation],
    frame: Frame,
    segments: int,
    seed: int,
    sweeps: Sweeps,
    on_progress: OnProgress | None,
) -> _Sampled:
    generator = derive_generator(seed, "population", "people")
    rng = np.random.default_rng(derive_seed(seed, "population", "level"))
    n, d = len(conversations), len(frame.origin)
    people = Respondents(list(batches_of(conversations, frame.origin, frame.cholesky)), n, d, generator)
    totals, draws = _Totals(n, segments, d), torch.zeros(n, sweeps.kept, d)
    level, segment = Level.start(frame.parts), np.zeros(n, dtype=np.int64)
    noise_shares = _noise_shares(np.array(NOISE_COUNTS) / sum(NOISE_COUNTS))
    kept_at = np.linspace(sweeps.warm_up, sweeps.count - 1, sweeps.kept).round().astype(int)
    # Steps by a curvature that follows the chain would not leave the posterior invariant: the last one is kept.
    measured_at = {sweeps.warm_up * quarter // 4 for quarter in range(1, 5)}
    curvature = np.zeros((d, d))
    for sweep in range(sweeps.count):
        centres = torch.from_numpy(level.means[segment]).float()
        people.move(centres, torch.from_numpy(np.linalg.cholesky(level.covariance)).float(), generator, MOVES)
        people.redraw_usage(generator)
        if sweep < sweeps.warm_up // 4:  # people first find their place under the catalogue's prior
            continue
        if sweep in measured_at:
            curvature = people.curvature().numpy()
        people.redraw_noise(noise_shares, generator)
        noise_counts = np.bincount((people.noise - len(NOISE_FACTORS) // 2).abs().numpy(), minlength=len(NOISE_COUNTS))
        noise_shares = _noise_shares(rng.dirichlet(np.array(NOISE_COUNTS) + noise_counts))
        vectors = people.vectors.double().numpy()
        if segments > 1 and sweep == sweeps.warm_up // 4:  # before one segment has grown so wide that it holds all
            segment = _split(vectors, segments, rng)
            level = _divided(level, vectors, segment, segments)
        elif len(level.shares) > 1:
            segment = redrawn_segments(level, vectors, rng)
        level, expected = redrawn(level, vectors, segment, rng)
        level = rescaled(people, level, segment, rng)
        level = shifted(people, level, segment, curvature, rng)
        if sweep >= sweeps.warm_up:
            totals.add(level, expected, segment, people)
            draws[:, torch.from_numpy(kept_at == sweep)] = people.vectors[:, None]
        if on_progress is not None:
            on_progress(sweep + 1, sweeps.count)
    return totals.averages(draws)


def _components(together: npt.NDArray[np.bool_]) -> Integers:
    """The number of the connected component of each node `(d,)` of a graph `(d, d)`."""
    count, found = 0, np.full(len(together), -1, dtype=np.int64)
    for start in range(len(together)):
        new = [start] if found[start] < 0 else []
        while new:
            node = new.pop()
            found[node] = count
            new += [int(each) for each in np.flatnonzero(together[node] & (found < 0))]
        count = int(found.max()) + 1
    return found


def _noise_shares(shares: Floats) -> Tensor:
    """The share of people with each of the noise factors: as many have twice as much as have half as much."""
    typical, *others = shares.tolist()
    half = [share / 2 for share in others]
    return torch.tensor([*reversed(half), typical, *half])


def _divided(level: Level, vectors: Floats, segment: Any, segments: int) -> Level:
    """With a mean for each group of people; around a common one they would seem too far apart to be told apart."""
    means = np.stack(
        [vectors[segment == g].mean(axis=0) if (segment == g).any() else level.means[0] for g in range(segments)]
    )
    return replace(level, means=means, shares=np.full(segments, 1 / segments))


def _split(vectors: Floats, segments: int, rng: np.random.Generator, rounds: int = 20) -> Any:
    """People `(n, d)` in as many groups, by k-means from centres that lie far apart; `(n,)`."""
    centres = vectors[rng.integers(len(vectors))][None]
    while len(centres) < segments:
        nearest = ((vectors[:, None] - centres) ** 2).sum(axis=2).min(axis=1)
        centres = np.concatenate([centres, vectors[nearest.argmax()][None]])
    segment = np.zeros(len(vectors), dtype=np.int64)
    for _ in range(rounds):
        segment = ((vectors[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        centres = np.stack(
            [vectors[segment == g].mean(axis=0) if (segment == g).any() else centres[g] for g in range(segments)]
        )
    return segment


def _learnt(
    conversations: Sequence[Conversation], prior: Prior, frame: Frame, sampled: _Sampled, about: dict[str, Any]
) -> Population:
    usual = torch.tensor([usual_temperature(each) for each in conversations], dtype=torch.float32)
    asked = torch.tensor([len(each) > 0 for each in conversations])
    temperatures = usual * sampled.log_noise.exp()
    typical = float(temperatures[asked].log().mean().exp()) if asked.any() else None
    means = torch.from_numpy(sampled.means)
    learnt = _prior(prior, frame, means, torch.from_numpy(sampled.covariance), sampled.shares, typical)
    segments = Segments(
        torch.from_numpy(sampled.shares).float(), frame.utilities(means), torch.from_numpy(sampled.members).float()
    )
    facts = {
        "people": len(conversations),
        "answers": sum(len(each) for each in conversations),
        "segments": len(segments),
        "temperature": typical,
        "size of utilities": round(math.exp(sampled.level["log_size"]), 4),
        "degrees of freedom": round(sampled.level["freedom"], 1),
        **about,
    }
    return Population(learnt, frame.utilities(sampled.draws), temperatures, segments, facts)


def usual_temperature(conversation: Conversation) -> float:
    """The temperature of the response models of a person's answers: their geometric mean; 1 without answers."""
    found = [each.response.temperature for each in conversation.evidence if isinstance(each.response, Logistic)]
    return float(np.exp(np.log(found).mean())) if found else 1.0


def _prior(
    prior: Prior, frame: Frame, means: Tensor, covariance: Tensor, shares: Floats, temperature: float | None
) -> Prior:
    """The prior of a new person.

    With one segment, the catalogue's prior moved and stretched so that it has this mean and covariance: a mixture keeps
    its shape. With several, a Gaussian for each.
    """
    stretch = torch.linalg.cholesky(covariance)
    cholesky = frame.cholesky @ stretch
    if len(means) > 1:
        log_weights = torch.from_numpy(np.log(shares)).float()
        return Prior(frame.utilities(means), log_weights, cholesky.float(), temperature=temperature)
    white = torch.linalg.solve_triangular(frame.cholesky, (prior.centres.double() - frame.origin).T, upper=False).T
    inner = torch.linalg.solve_triangular(frame.cholesky, prior.cholesky.double(), upper=False)
    centres = frame.utilities(means[0] + white @ stretch.T)
    return Prior(centres, prior.log_weights, (cholesky @ inner).float(), prior.scales, temperature)


def _nobody(prior: Prior, frame: Frame, sweeps: Sweeps) -> Population:
    """Nobody has answered: the population is the prior."""
    d = len(frame.origin)
    one = Segments(torch.ones(1), frame.origin.float()[None], torch.zeros(0, 1))
    about = {"people": 0, "answers": 0, "segments": 1, "temperature": None}
    return Population(prior, torch.zeros(0, sweeps.kept, d), torch.zeros(0), one, about)
