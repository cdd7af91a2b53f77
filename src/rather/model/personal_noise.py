"""Noise of one's own: people differ in how consistently they answer, and nobody says beforehand how.

A person has one temperature, one of a few levels, and keeps it. Under level l the answers of somebody with utility u
have the probability prod_t R_l(answer_t | u), so that with prior weights pi_l

    P(answers | u) = sum_l pi_l prod_t R_l(answer_t | u),

which is exact and needs no particles besides those of u: what is known about the level of each particle follows from
the answers, `w_jl` proportional to `pi_l prod_t R_l(answer_t | u_j)`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.model.responses import Answer, Logistic, ResponseModel

# Levels as multiples of the temperature that one would assume of everybody, and how many people have each. A person
# at either end needs some five answers to be told apart from one in the middle, so closer levels would not be noticed.
USUAL_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
USUAL_WEIGHTS = (0.1, 0.2, 0.4, 0.2, 0.1)

# An answer takes as many times as long. Levels that are closer than those of twenty could not be told apart.
MOST_LEVELS = 20

# The fractional parts of its multiples are spread evenly over 0..1, in every run of consecutive ones too.
GOLDEN_RATIO = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class PersonalNoise:
    """Softmax choice as in `Logistic`, with a temperature of the person's own that the answers reveal.

    Example:
        >>> import rather
        >>> belief = rather.Belief.from_users([[1.0], [0.9]], smooth=False)
        >>> noise = PersonalNoise.around(0.1)
        >>> [round(share, 2) for share in belief.noise_levels(noise).tolist()]
        [0.1, 0.2, 0.4, 0.2, 0.1]
        >>> belief = belief.update([[0.2], [0.0]], answer=1, response=noise)  # what nobody here would like better
        >>> [round(share, 2) for share in belief.noise_levels(noise).tolist()]
        [0.0, 0.03, 0.35, 0.37, 0.25]

    Attributes:
        temperatures: The levels, in units of utility.
        weights: The share of people at each level, with a sum of 1. `rather.learn.population_noise` learns them.
        none_utility: See `Logistic`.
        tie: See `Logistic`.
    """

    temperatures: tuple[float, ...]
    weights: tuple[float, ...]
    none_utility: float | None = None
    tie: float | None = None

    def __post_init__(self) -> None:
        for name in ("temperatures", "weights"):
            object.__setattr__(self, name, _numbers(getattr(self, name), name))
        if len(self.temperatures) > MOST_LEVELS:
            raise InvalidInputError(
                f"`temperatures` must be at most {MOST_LEVELS} levels, got {len(self.temperatures)}."
            )
        if len(self.temperatures) < 1 or len(self.weights) != len(self.temperatures):
            raise InvalidInputError(
                f"`weights` must have one entry for each of the {len(self.temperatures)} temperatures, at least one, "
                f"got {len(self.weights)}."
            )
        if not all(0 <= weight < math.inf for weight in self.weights) or not math.isclose(
            sum(self.weights), 1, abs_tol=1e-4
        ):
            raise InvalidInputError(f"`weights` must be 0 or above with a sum of 1, got {self.weights}.")
        _ = self.levels  # rejects a temperature, utility or tie that makes no sense

    @classmethod
    def around(cls, temperature: float, none_utility: float | None = None, tie: float | None = None) -> "PersonalNoise":
        """The usual levels around a temperature: a quarter, half, once, twice and four times as much.

        Args:
            temperature: What one would assume of everybody.
            none_utility: See `Logistic`.
            tie: See `Logistic`.
        """
        return cls(tuple(temperature * factor for factor in USUAL_FACTORS), USUAL_WEIGHTS, none_utility, tie)

    @property
    def extras(self) -> tuple[Answer, ...]:
        """The extra answers offered."""
        return self.levels[0].extras

    @cached_property
    def levels(self) -> tuple[Logistic, ...]:
        """How people of each level answer."""
        return tuple(Logistic(temperature, self.none_utility, self.tie) for temperature in self.temperatures)

    @cached_property
    def without_extras(self) -> "PersonalNoise":
        """The levels alone. Models of the same ones speak of the same temperature of a person."""
        return replace(self, none_utility=None, tie=None)

    @cached_property
    def log_weights(self) -> Tensor:
        """`(l,)`."""
        return torch.tensor(self.weights, dtype=torch.float32).log()

    @property
    def typical(self) -> float:
        """The geometric mean of people's temperatures."""
        total = sum(self.weights)
        logs = (weight * math.log(level) for weight, level in zip(self.weights, self.temperatures, strict=True))
        return math.exp(sum(logs) / total)

    def log_probabilities(self, utilities: Tensor) -> Tensor:
        """Of somebody of whom nothing is known: `(..., k, m)` utilities to `(..., k + extras, m)`."""
        prior = self.log_weights.to(utilities.dtype)[:, None].expand(-1, utilities.shape[-1])
        return self.given(prior).log_probabilities(utilities)

    def of_levels(self, utilities: Tensor) -> Tensor:
        """Log-probabilities `(l, ..., k + extras, m)` of people of each level, from utilities `(..., k, m)`."""
        return torch.stack([level.log_probabilities(utilities) for level in self.levels])

    def given(self, log_levels: Tensor) -> "MixedNoise":
        """How particles answer of which it is known how likely each level is, `(l, m)`."""
        return MixedNoise(self, log_levels)

    def drawn(self, log_levels: Tensor) -> "NoiseOfEach":
        """The same with one level drawn for each particle, which costs no more than one temperature for all.

        Without randomness: particle j takes the level in which the fraction of j times the golden ratio falls.
        """
        shares = log_levels.exp().cumsum(dim=0)
        steps = torch.arange(log_levels.shape[1], dtype=torch.float64) + 0.5
        fractions = (steps * GOLDEN_RATIO).frac().to(shares.dtype)
        # Rounding may leave the sum of all below a fraction.
        chosen = (shares < fractions * shares[-1]).sum(dim=0).clamp_max(len(shares) - 1)
        temperatures = torch.tensor(self.temperatures, dtype=torch.float32)
        return NoiseOfEach(self, temperatures[chosen])


@dataclass(frozen=True, eq=False)
class MixedNoise:
    """`PersonalNoise` where something is known about each particle's level.

    Attributes:
        model: The levels.
        log_levels: `(l, m)`, log-probability of each level for each particle.
    """

    model: PersonalNoise
    log_levels: Tensor

    @property
    def extras(self) -> tuple[Answer, ...]:
        """The extra answers offered."""
        return self.model.extras

    def log_probabilities(self, utilities: Tensor) -> Tensor:
        """`sum_l w_jl R_l(answer | u_j)`, as a logarithm: `(..., k, m)` to `(..., k + extras, m)`."""
        answers = self.model.of_levels(utilities)
        known = self.log_levels.to(utilities.dtype)
        return torch.logsumexp(answers + known.view(len(known), *[1] * (utilities.dim() - 1), -1), dim=0)


@dataclass(frozen=True, eq=False)
class NoiseOfEach:
    """Softmax choice with a temperature for each particle.

    Attributes:
        model: The levels that the temperatures are of.
        temperature: `(m,)`.
    """

    model: PersonalNoise
    temperature: Tensor

    @property
    def extras(self) -> tuple[Answer, ...]:
        """The extra answers offered."""
        return self.model.extras

    @property
    def none_utility(self) -> float | None:
        """See `Logistic`."""
        return self.model.none_utility

    @property
    def tie(self) -> float | None:
        """See `Logistic`."""
        return self.model.tie

    def log_probabilities(self, utilities: Tensor) -> Tensor:
        """`(..., k, m)` utilities to `(..., k + extras, m)` log-probabilities."""
        temperature = self.temperature.to(utilities.dtype)
        logits = utilities / temperature
        columns = [logits]
        if self.none_utility is not None:
            columns.append((self.none_utility / temperature).expand_as(logits[..., :1, :]))
        if self.tie is not None:
            columns.append(logits.mean(dim=-2, keepdim=True) + math.log(self.tie))
        return torch.log_softmax(torch.cat(columns, dim=-2), dim=-2)


Softmax = Logistic | NoiseOfEach
"""Models of a softmax with a temperature, the same for all particles or one for each."""


def answers_log_likelihood(answers: Iterable[tuple[ResponseModel, Tensor, Tensor]], total: Tensor) -> Tensor:
    """Log-probability of all answers of one person, `(..., m)`.

    Answers under one response model are independent given the utilities. Those under `PersonalNoise` are so given the
    person's level too, which all of them share.

    Args:
        answers: Groups of e slates of k options: their response model, the options' utilities `(..., e, k, m)`, and
            the rows of the answers `(e,)`.
        total: `(..., m)`, what to add to.
    """
    of_levels: dict[PersonalNoise, Tensor] = {}
    for response, utilities, rows in answers:
        slates = torch.arange(len(rows))
        if isinstance(response, PersonalNoise):
            each = response.of_levels(utilities)[..., slates, rows, :].sum(dim=-2)
            others = of_levels.get(response.without_extras)
            of_levels[response.without_extras] = each if others is None else others + each
        else:
            total = total + response.log_probabilities(utilities)[..., slates, rows, :].sum(dim=-2)
    for levels, each in of_levels.items():
        prior = levels.log_weights.to(each.dtype).view(-1, *[1] * (each.dim() - 1))
        total = total + torch.logsumexp(each + prior, dim=0)
    return total


def _numbers(values: object, name: str) -> tuple[float, ...]:
    try:
        return tuple(float(value) for value in values)  # type: ignore[attr-defined]  # what has no numbers is rejected
    except (TypeError, ValueError):
        raise InvalidInputError(f"`{name}` must be numbers, got {values!r}.") from None
