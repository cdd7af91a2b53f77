"""A simulated user: a true utility vector, a way of answering, a seed."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from rather.model.allowed import Allowed
from rather.model.catalog import Catalog
from rather.model.personal_noise import PersonalNoise
from rather.model.questions import Question
from rather.model.responses import Choice, ResponseModel
from rather.numerics.arrays import as_floats
from rather.numerics.randomness import derive_generator
from rather.retrieval import exact_retriever


@dataclass(frozen=True, eq=False)
class SimulatedUser:
    """Answers questions by a response model around a utility vector `(d,)`.

    The noise of question i depends on the seed and i alone, so that two strategies face the same noise.

    Example:
        >>> import rather
        >>> catalog = rather.Catalog([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]])
        >>> belief = rather.Belief.from_users([[1.0, 0.2], [0.3, 1.0], [0.7, 0.8]])
        >>> session = rather.Session(rather.Policy(catalog, belief))
        >>> user = rather.SimulatedUser(belief.particles[0], session.policy.response, seed=0)
        >>> session.tell(session.ask(), user.answer(session.ask()))
        >>> len(session.turns)
        1

    Attributes:
        utility: `(d,)`.
        response: How the user answers. Of `PersonalNoise` the seed draws one level, which the user keeps.
        seed: Of the noise in the answers.
    """

    utility: Tensor
    response: ResponseModel
    seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "utility", as_floats(self.utility, "utility", rank=1))

    @cached_property
    def own_response(self) -> ResponseModel:
        """The response model with the user's own temperature."""
        if not isinstance(self.response, PersonalNoise):
            return self.response
        generator = derive_generator(self.seed, "noise level")
        return self.response.levels[int(torch.multinomial(self.response.log_weights.exp(), 1, generator=generator))]

    def answer(self, question: Question) -> Choice:
        """One draw from the response model."""
        utilities = question.vectors @ self.utility
        probabilities = self.own_response.log_probabilities(utilities[:, None])[:, 0].exp()
        generator = derive_generator(self.seed, "answer", question.number)
        draw = torch.rand((), generator=generator, dtype=torch.float32)
        # right=True: a draw of exactly 0 must not fall on an answer of probability 0.
        index = int(torch.searchsorted(probabilities.cumsum(0), draw * probabilities.sum(), right=True))
        index = min(index, len(probabilities) - 1)
        k = len(question.options)
        return index if index < k else self.response.extras[index - k]

    def regret(self, row: int, catalog: Catalog, allowed: Allowed | None = None) -> float:
        """How much better the user's best allowed item is than the one in `row`: never negative."""
        best = float(exact_retriever(catalog).top(self.utility[None], 1, allowed).scores[0, 0])
        return max(0.0, best - float(catalog.vectors(row) @ self.utility))
