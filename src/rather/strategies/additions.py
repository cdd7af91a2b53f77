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

from rather.model.personal_noise import Softmax
from rather.model.responses import ResponseModel
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
        temperature: Of the softmax, or `(m,)` for each particle's.
    """

    utilities: Tensor
    weights: Tensor
    temperature: float | Tensor

    @cached_property
    def expected(self) -> Tensor:
        """Expected utility of each candidate, `(c,)`."""
        return self.utilities @ self.weights

    @cached_property
    def _logits(self) -> Tensor:
        return self.utilities / self.temperature

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
        now = slates.expected * self.weights
        won = torch.stack([self._won(*slate) for slate in zip(slates.level, now, strict=True)])
        values: Tensor = won.add_(now.sum(dim=1, keepdim=True))
        return values

    def _won(self, level: Tensor, now: Tensor) -> Tensor:
        """What each candidate adds, `(c,)`, to a slate of this L and weighted expected utility, both `(m,)`."""
        # One slate at a time: its numbers stay in the processor's own cache on their five passes through it. Torch
        # computes a sigmoid in a fifth of the time of a tanh, and does not slow down where one underflows.
        chosen = (self._logits - level).sigmoid_()
        lost = chosen @ now
        return (chosen.mul_(self.utilities) @ self.weights).sub_(lost)


def is_plain_softmax(response: ResponseModel) -> bool:
    """Whether the options are all that can be answered, and are chosen by a softmax."""
    return isinstance(response, Softmax) and not response.extras
