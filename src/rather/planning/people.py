"""The people that a plan is made for, and others that it is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from rather.conversation.policy import Policy
from rather.numerics.randomness import derive_generator
from rather.planning.options import option_vectors
from rather.retrieval import Found, Retriever, exact_retriever


@dataclass(frozen=True, eq=False)
class People:
    """Sampled people, how they answer, and what can be recommended to them.

    Attributes:
        policy: Whose items and response model these are.
        vectors: `(m, d)` utility vectors.
        weights: `(m,)`, summing to 1.
    """

    policy: Policy
    vectors: Tensor
    weights: Tensor

    @cached_property
    def retriever(self) -> Retriever:
        """Finds exactly, whatever retriever the policy has."""
        return exact_retriever(self.policy.catalog)

    @property
    def are_everybody(self) -> bool:
        """Whether there is nobody else: a belief without a density."""
        return self.policy.prior.prior is None

    @cached_property
    def best(self) -> float:
        """The expected utility of everybody's own best item."""
        found = [self.top(part).scores[:, 0] for part in torch.split(self.vectors, 1024)]
        return float(torch.cat(found).double() @ self.weights.double())

    def top(self, directions: Tensor, count: int = 1) -> Found:
        """The best allowed items for directions `(b, d)`."""
        return self.retriever.top(directions, count, self.policy.allowed)

    def answers(self, slates: Tensor, rows: Tensor | None = None) -> Tensor:
        """The probability `(b, a, m)` of each answer to slates `(b, k)`, perhaps only of the people in `rows`."""
        vectors = self.vectors if rows is None else self.vectors[rows]
        utilities = option_vectors(self.policy.catalog, slates) @ vectors.T
        return self.policy.response.log_probabilities(utilities).exp()

    def costs(self, slates: Tensor) -> Tensor:
        """`(b,)`, what reading slates `(b, k)` costs, where the policy chooses between items and attributes by it."""
        if self.policy.ask != "auto":
            return torch.zeros(len(slates))
        cost = self.policy.reading_cost
        return torch.where(slates >= 0, cost.card, cost.attribute).sum(dim=1)


def sampled_people(policy: Policy, count: int, seed: int, purpose: str) -> People:
    """People from the density of the policy's belief; where it has none, its particles: nobody else exists.

    Args:
        policy: With the belief before the first question.
        count: How many to sample.
        seed: Of the sample.
        purpose: Samples for different purposes are independent.
    """
    belief = policy.prior
    if belief.prior is None:
        return People(policy, belief.particles, belief.weights)
    vectors = belief.prior.sample(count, derive_generator(seed, "people", purpose))
    return People(policy, vectors, torch.softmax(belief.log_likelihood(vectors), dim=0))
