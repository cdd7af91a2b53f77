"""What every candidate would add to a slate, in closed form.

Under softmax answers with temperature tau, a slate gives particle j the expected utility e_j, and its options share
the weight exp(L_j) = sum_i exp(x_i @ u_j / tau). One more option c is chosen with probability
sigmoid(c @ u_j / tau - L_j), and what is left goes to the slate as before. So, for all candidates at once,

    EUS(slate + c) = sum_j w_j (e_j + sigmoid(c @ u_j / tau - L_j) (c @ u_j - e_j))            (Eq. 5 of the paper)

instead of a softmax over the slate for every candidate.
"""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import softplus

from rather.model.responses import Logistic, ResponseModel
from rather.value import exponentials


@dataclass(frozen=True, eq=False)
class Slates:
    """What slates are to each particle: their L and the expected utility of what is chosen, both `(b, m)`."""

    level: Tensor
    expected: Tensor


@dataclass(frozen=True, eq=False)
class Additions:
    """Candidates that may be appended to slates.

    Attributes:
        utilities: `(c, m)`, of each candidate for each particle.
        weights: `(m,)` of the particles.
        temperature: Of the softmax.
    """

    utilities: Tensor
    weights: Tensor
    temperature: float

    @cached_property
    def expected(self) -> Tensor:
        """Expected utility of each candidate, `(c,)`."""
        return self.utilities @ self.weights

    @cached_property
    def _half_logits(self) -> Tensor:
        return self.utilities / (2 * self.temperature)

    def slates(self, options: Tensor) -> Slates:
        """Slates of options with these utilities, `(b, k, m)`."""
        logits = options / self.temperature
        if options.shape[1] == 1:
            return Slates(logits[:, 0], options[:, 0])
        highest = logits.amax(dim=1, keepdim=True)
        weights = exponentials(logits.sub_(highest))
        total = weights.sum(dim=1)
        return Slates(highest[:, 0] + total.log(), weights.mul_(options).sum(dim=1).div_(total))

    def joined(self, slates: Slates, candidates: Tensor) -> Slates:
        """Each slate with one of the candidates `(b,)` appended."""
        options = self.utilities[candidates]
        lead = options / self.temperature - slates.level
        expected = torch.lerp(slates.expected, options, lead.sigmoid())
        return Slates(slates.level + softplus(lead), expected)

    def appended(self, slates: Slates) -> Tensor:
        """EUS `(b, c)` of each slate with each candidate appended."""
        gained, half = slates.expected * self.weights, slates.level / 2
        won = torch.stack([self._won(*slate) for slate in zip(half, gained, strict=True)])
        values: Tensor = won.add_(self.expected).add_(gained.sum(dim=1, keepdim=True)).div_(2)
        return values

    def _won(self, half: Tensor, gained: Tensor) -> Tensor:
        """What leaning to the candidates wins, `(c,)`, from half a slate's L and what it gains, both `(m,)`."""
        # One slate at a time: its numbers stay in the processor's own cache on their five passes through it.
        # sigmoid(z) = (1 + tanh(z / 2)) / 2, and tanh does not underflow.
        lean = (self._half_logits - half).tanh_()
        lost = lean @ gained
        return (lean.mul_(self.utilities) @ self.weights).sub_(lost)


def is_plain_softmax(response: ResponseModel) -> bool:
    """Whether the options are all that can be answered, and are chosen by a softmax."""
    return isinstance(response, Logistic) and not response.extras
