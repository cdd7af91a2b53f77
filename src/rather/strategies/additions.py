"""What every candidate would add to a slate, in closed form.

Under softmax answers with temperature tau, a slate gives particle j the expected utility e_j, and its options share
the weight exp(L_j) = sum_i exp(x_i @ u_j / tau). One more option c is chosen with probability
sigmoid(c @ u_j / tau - L_j), and what is left goes to the slate as before. So, for all candidates at once,

    EUS(slate + c) = sum_j w_j (e_j + sigmoid(c @ u_j / tau - L_j) (c @ u_j - e_j))            (Eq. 5 of the paper)

instead of a softmax over the slate for every candidate.
"""

from dataclasses import dataclass
from functools import cached_property

from torch import Tensor

from rather.responses import Logistic, ResponseModel
from rather.value import exponentials


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

    def appended(self, options: Tensor) -> Tensor:
        """EUS `(b, c)` of each slate with each candidate appended.

        Args:
            options: `(b, k, m)` utilities of the slates' options.
        """
        logits = options / self.temperature
        highest = logits.amax(dim=1, keepdim=True)
        weights = exponentials(logits - highest)
        total = weights.sum(dim=1, keepdim=True)
        gained = ((weights * options).sum(dim=1) / total[:, 0]).mul_(self.weights)
        # sigmoid(z) = (1 + tanh(z / 2)) / 2, and tanh does not underflow. The total's logarithm is the slate's L.
        lean = (self._half_logits - (highest + total.log_()) / 2).tanh_()
        lost = (lean @ gained[:, :, None])[:, :, 0]
        won = lean.mul_(self.utilities) @ self.weights
        values: Tensor = (self.expected + gained.sum(dim=1, keepdim=True) + won - lost) / 2
        return values


def is_plain_softmax(response: ResponseModel) -> bool:
    """Whether the options are all that can be answered, and are chosen by a softmax."""
    return isinstance(response, Logistic) and not response.extras
