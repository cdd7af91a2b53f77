"""What we believe about one user: weighted particles, updated by Bayes' rule."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import torch
from torch import Tensor

from rather.errors import ImpossibleAnswerError, InvalidInputError
from rather.model.notebook import html_table
from rather.model.personal_noise import NoiseOfEach, PersonalNoise, answers_log_likelihood
from rather.model.priors import Prior, gaussian_prior, kernel_prior
from rather.model.responses import SKIP, Choice, Logistic, ResponseModel, answer_row, as_choice
from rather.nouns import counted
from rather.numerics.arrays import as_floats
from rather.numerics.randomness import derive_generator, systematic_rows


class HasVectors(Protocol):
    """A question, or anything else with the vectors of its options."""

    @property
    def vectors(self) -> Tensor:
        """`(k, d)`, one row per option."""
        ...


@dataclass(frozen=True, eq=False)
class Evidence:
    """One answer: the options' vectors `(k, d)`, the row of the answer, and the response model."""

    vectors: Tensor
    row: int
    response: ResponseModel


@dataclass(frozen=True, eq=False)
class Belief:
    """Weighted particles over a user's utility vector. Immutable: updates return a new belief.

    Build one with `Belief.from_users`, `Belief.gaussian` or `Belief.from_prior`.

    Example:
        >>> belief = Belief.from_users([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> belief
        Belief(3 particles, 2 dimensions, effective sample size 3.0, 0 answers)
        >>> belief.update([[1.0, 0.0], [0.0, 1.0]], answer=0)
        Belief(3 particles, 2 dimensions, effective sample size 1.8, 1 answer)

    Attributes:
        particles: `(m, d)` utility vectors.
        log_weights: `(m,)`, normalised.
        prior: The density that the user's utility vector comes from. None (the paper's setting) means that it is one
            of the particles, which then can only be reweighted.
        evidence: All answers since the prior; `Rejuvenation` needs them to weigh new particles.
    """

    particles: Tensor
    log_weights: Tensor
    prior: Prior | None = None
    evidence: tuple[Evidence, ...] = field(default=(), repr=False)

    @classmethod
    def from_users(
        cls,
        users: Any,
        weights: Any = None,
        *,
        smooth: bool = True,
        bandwidth: float | None = None,
        seed: int = 0,
    ) -> Belief:
        """One particle per known user: the population is the prior.

        Example:
            >>> belief = Belief.from_users([[1.0, 0.0], [0.0, 1.0]], weights=[3, 1])
            >>> [round(value, 2) for value in belief.mean.tolist()]
            [0.75, 0.25]

        Args:
            users: `(m, d)` utility vectors of known users.
            weights: m non-negative weights, by default equal.
            smooth: Give the prior a density, a kernel mixture around the users, so that the new user need not be one
                of them. False is the paper's setting.
            bandwidth: Of the kernels, in (0, 1]; by default the likeliest for left-out users.
            seed: Decides which users become kernel centres if there are too many.
        """
        particles = as_floats(users, "users", rank=2)
        m = len(particles)
        if m == 0:
            raise InvalidInputError("`users` must hold at least one user, got none.")
        if weights is None:
            log_weights = _equal_log_weights(m)
        else:
            log_weights = _log_normalised(as_floats(weights, "weights", rank=1), m)
        prior = None
        if smooth:
            generator = derive_generator(seed, "kernel centres")
            prior = kernel_prior(particles, generator, bandwidth, log_weights)
        return cls(particles, log_weights, prior)

    @classmethod
    def gaussian(cls, mean: Any, cov: Any, *, particles: int = 1000, seed: int = 0) -> Belief:
        """Particles drawn from a Gaussian with mean `(d,)` and covariance `(d, d)`."""
        return cls.from_prior(gaussian_prior(mean, cov), particles=particles, seed=seed)

    @classmethod
    def from_prior(cls, prior: Prior, *, particles: int = 1000, seed: int = 0) -> Belief:
        """Particles drawn from any prior density."""
        if particles < 1:
            raise InvalidInputError(f"`particles` must be at least 1, got {particles}.")
        points = prior.sample(particles, derive_generator(seed, "particles"))
        return cls(points, _equal_log_weights(particles), prior)

    def __len__(self) -> int:
        return len(self.particles)

    def __repr__(self) -> str:
        m, d = self.particles.shape
        size = f"effective sample size {self.effective_sample_size:,.1f}"
        parts = [counted(m, "particle"), counted(d, "dimension"), size, counted(len(self.evidence), "answer")]
        return f"Belief({', '.join(parts)})"

    def _repr_html_(self) -> str:
        m, d = self.particles.shape
        row = [f"{m:,}", f"{d:,}", f"{self.effective_sample_size:,.1f}", len(self.evidence)]
        return html_table("Belief", ["particles", "dimensions", "effective sample size", "answers"], [row])

    @cached_property
    def weights(self) -> Tensor:
        """`(m,)`, summing to 1."""
        return self.log_weights.exp()

    @cached_property
    def mean(self) -> Tensor:
        """The expected utility vector, `(d,)`."""
        return self.weights @ self.particles

    @cached_property
    def effective_sample_size(self) -> float:
        """`1 / sum_j w_j^2`: how many equally weighted particles these are worth."""
        return float(1 / self.weights.square().sum())

    @cached_property
    def content_hash(self) -> str:
        """A hash of particles, weights and kind of prior: equal for equal beliefs, in any process and from any file."""
        digest = hashlib.blake2b(digest_size=16)
        # Without the prior's numbers: its factorisation may differ in the last digit between machines.
        digest.update(repr(self.prior and tuple(self.prior.centres.shape)).encode())
        for tensor in (self.particles, self.log_weights):
            digest.update(tensor.contiguous().numpy().tobytes())
        return digest.hexdigest()

    def update(
        self,
        question: HasVectors | Any,
        answer: Choice | str,
        response: ResponseModel | None = None,
    ) -> Belief:
        """Bayes' rule: `w_j <- w_j R(answer | question, u_j)`, normalised, in log space.

        Example:
            >>> belief = Belief.from_users([[1.0, 0.0], [0.0, 1.0]])
            >>> posterior = belief.update([[1.0, 0.0], [0.0, 1.0]], answer=0, response=Logistic(temperature=1.0))
            >>> [round(weight, 2) for weight in posterior.weights.tolist()]
            [0.73, 0.27]

        Args:
            question: A question, or its options' vectors `(k, d)`.
            answer: An option `0..k-1`, NONE or SAME (or their names); SKIP leaves the belief as it is.
            response: The response model, by default `Logistic()`.
        """
        choice = as_choice(answer)
        if choice is SKIP:
            return self
        model = response if response is not None else Logistic()
        vectors = as_floats(getattr(question, "vectors", question), "question", rank=2)
        if vectors.shape[1] != self.particles.shape[1]:
            raise InvalidInputError(
                f"`question` must have {self.particles.shape[1]} dimensions like the belief, got {vectors.shape[1]}."
            )
        evidence = Evidence(vectors, answer_row(choice, len(vectors), model), model)
        answers = self.answering(model).log_probabilities(vectors @ self.particles.T)
        logits = self.log_weights + answers[evidence.row]
        total = torch.logsumexp(logits, dim=0)
        if not torch.isfinite(total):
            raise ImpossibleAnswerError(
                f"No particle of the belief could have answered {choice!r} under {model}. "
                "Use a response model with noise, such as Logistic(temperature)."
            )
        return replace(self, log_weights=logits - total, evidence=(*self.evidence, evidence))

    def log_likelihood(self, particles: Tensor) -> Tensor:
        """Log-probability of all answers so far for each of the particles `(m, d)`, shape `(m,)`."""
        answers = ((each, _utilities(vectors, particles), rows) for each, vectors, rows in self.stacked_evidence)
        return answers_log_likelihood(answers, torch.zeros(len(particles), dtype=particles.dtype))

    def answering(self, response: ResponseModel) -> ResponseModel:
        """How each particle answers after all that was answered so far: under `PersonalNoise` that tells something.

        For utilities `(..., k, m)` of the belief's own particles. Any other response model is returned as it is.
        """
        return response.given(self._log_noise_levels(response)) if isinstance(response, PersonalNoise) else response

    def drawn_noise(self, response: PersonalNoise) -> NoiseOfEach:
        """`answering` with one level drawn for each particle, in proportion to what is known about it."""
        return response.drawn(self._log_noise_levels(response))

    def noise_levels(self, response: PersonalNoise) -> Tensor:
        """How likely it is that the person has each of a model's temperatures, `(l,)`."""
        return self._log_noise_levels(response).exp() @ self.weights

    def _log_noise_levels(self, response: PersonalNoise) -> Tensor:
        """Log-probability of each level given each particle and the answers, `(l, m)`."""
        levels = response.without_extras
        if levels not in self._known_levels:
            logits = response.log_weights[:, None].expand(-1, len(self))
            for model, vectors, rows in self.stacked_evidence:
                if isinstance(model, PersonalNoise) and model.without_extras == levels:
                    answers = model.of_levels(_utilities(vectors, self.particles))
                    logits = logits + answers[:, torch.arange(len(rows)), rows].sum(dim=1)
            self._known_levels[levels] = torch.log_softmax(logits, dim=0)
        return self._known_levels[levels]

    @cached_property
    def _known_levels(self) -> dict[PersonalNoise, Tensor]:
        return {}

    @cached_property
    def stacked_evidence(self) -> list[tuple[ResponseModel, Tensor, Tensor]]:
        """The answers grouped by response model and slate size: vectors `(e, k, d)` and rows `(e,)`.

        Rejuvenation evaluates the likelihood a hundred times: one kernel for all answers is faster than one for each.
        """
        groups: dict[tuple[int, int], list[Evidence]] = {}
        for evidence in self.evidence:
            groups.setdefault((id(evidence.response), len(evidence.vectors)), []).append(evidence)
        return [
            (
                group[0].response,
                torch.stack([item.vectors for item in group]),
                torch.tensor([item.row for item in group]),
            )
            for group in groups.values()
        ]

    def resampled(self, count: int, generator: torch.Generator) -> Belief:
        """`count` equally weighted particles drawn in proportion to their weights (systematic resampling)."""
        return self.with_particles(self.particles[systematic_rows(self.log_weights, count, generator)])

    def with_particles(self, particles: Tensor) -> Belief:
        """The same answers with other, equally weighted particles `(m, d)`."""
        return replace(self, particles=particles, log_weights=_equal_log_weights(len(particles)))


def _utilities(vectors: Tensor, particles: Tensor) -> Tensor:
    """Of the options of e slates `(e, k, d)` for each of the particles `(m, d)`: `(e, k, m)`."""
    e, k, d = vectors.shape
    return (vectors.reshape(e * k, d) @ particles.T).view(e, k, len(particles))


def _equal_log_weights(m: int) -> Tensor:
    return torch.full((m,), -math.log(m), dtype=torch.float32)


def _log_normalised(weights: Tensor, m: int) -> Tensor:
    if len(weights) != m:
        raise InvalidInputError(f"`weights` must have {m} entries to match `users`, got {len(weights)}.")
    if (weights < 0).any() or not weights.sum() > 0:
        raise InvalidInputError("`weights` must be non-negative with a positive sum.")
    return torch.log_softmax(weights.log(), dim=0)
