"""EVOI of slates of partial items while the recommendation comes from a pool of items.

With a pool of n items, max_y y @ v_r needs no search: the answers' probabilities `(r, m)` times the weighted utilities
w_j y @ u_j `(m, n)` are the scores of all items after all answers. Answers' probabilities add up to 1, and so their
scores to those of the belief as it is: all answers but one are multiplied.

Searches change one attribute of one option at a time. Under softmax answers with temperature tau, let the other options
(and "none") have the total weight exp(L_j) for particle j, each a share s_oj of it, and let the changed option be worth
x_j + c_j, where c_j is the candidate attribute's utility. With z_j = (x_j + c_j) / tau - L_j, and y_j likewise for
"same", whose logit is the mean of the options' plus log(tie),

    P(other o) = s_oj / (1 + exp(z_j) + exp(y_j))        P(same) = exp(y_j) / (1 + exp(z_j) + exp(y_j))

With A_j the sum of the other options' logits,

    exp(z_j) = exp(z_j / k)^k                            exp(y_j) = tie exp(z_j / k) exp((A_j - (k - 1) L_j) / k)

so that a candidate costs one exponential for each particle instead of a softmax over the slate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import NamedTuple

import torch
from torch import Tensor

from rather.model.allowed import allowed_rows
from rather.model.personal_noise import Softmax
from rather.model.responses import ResponseModel
from rather.strategies.attributes.options import AttributeOptions
from rather.strategies.pool import Pool
from rather.strategies.problem import Problem, response_for
from rather.value import BATCH_ENTRIES, exponentials

# The pool: the best items of so many random groups of particles, so many of each, and of so many single particles.
# Half as many of each lost half a percent of EVOI. A catalogue up to this size is its own pool.
GROUPS, DEPTH, SINGLE = 32, 4, 128
SMALL_CATALOG = 128

# Particles of a belief on which slates are judged; the last few are judged on all.
PARTICLES = 1024

# Of all swaps of an attribute this many are judged: those that are best on a few particles and items. Half as many lost
# a percent of EVOI on countries and books.
SIEVED = 16

# An option so far ahead of the others is chosen in any case; exp(89) is no longer a float32.
HIGHEST_LOGIT = 60.0

# The least z / k, where "same" has lost as well: computing with subnormal numbers takes ten times as long.
LOWEST_ROOT = -40.0


@dataclass(frozen=True, eq=False)
class PooledEvoi:
    """EVOI of slates where only the items of a pool are recommended; a little too low if the pool lacks an item.

    A slate may be incomplete: fewer options, and -1 for an attribute that is not stated yet.

    Attributes:
        options: The partial items, and the belief about what they are worth.
        response: How the person answers.
        items: `(n, d)`, the pool.
        batch_entries: Probabilities (slates x answers x particles) computed at once.
    """

    options: AttributeOptions
    response: ResponseModel
    items: Tensor
    batch_entries: int = BATCH_ENTRIES

    @classmethod
    def of(cls, problem: Problem, rows: Tensor) -> PooledEvoi:
        """For the belief of a problem, or a sample of it, and a pool of rows `(n,)` of its catalogue."""
        options = problem.attributes
        if len(options.belief) > PARTICLES:
            options = replace(options, belief=options.belief.resampled(PARTICLES, problem.fork().generator))
        return cls(options, response_for(options.belief, problem.response), problem.catalog.vectors(rows))

    def thinned(self, particles: int, items: int, generator: torch.Generator) -> PooledEvoi:
        """A cheaper one that ranks slates almost alike: fewer particles, and the items that are best for most."""
        belief, pool = self.options.belief, self.items
        if len(pool) > items:
            best = self._scores.argmax(dim=1)
            often = torch.zeros(len(pool), dtype=torch.float32).index_add_(0, best, belief.weights)
            often[self._worth.sum(dim=0).argmax()] += 1.0
            pool = pool[often.topk(items).indices]
        if len(belief) > particles:
            belief = belief.resampled(particles, generator)
        response = response_for(belief, self.response)
        return replace(self, options=replace(self.options, belief=belief), response=response, items=pool)

    def __call__(self, slates: Tensor) -> Tensor:
        """EVOI `(b,)` of slates `(b, k, p)`."""
        size = max(1, self.batch_entries // (self._answers(slates) * len(self.options.belief)))
        values = [self._evoi(self._all_but_one(self._utilities(batch))) for batch in torch.split(slates, size)]
        return torch.cat(values)

    def swapped(self, slates: Tensor, option: int, position: int, candidates: Tensor | None = None) -> Tensor:
        """EVOI `(b, c)` of slates `(b, k, p)` in which an attribute is replaced by each candidate.

        Args:
            slates: What to change.
            option: Which option of each slate.
            position: Which of its attributes.
            candidates: `(b, c)` attributes, by default all.
        """
        utilities = self._utilities(slates)
        kept = utilities[:, option] - self._each[slates[:, option, position]]
        others = torch.cat([utilities[:, :option], utilities[:, option + 1 :]], dim=1)
        each = (len(self._each) - 1) if candidates is None else candidates.shape[1]
        size = max(1, self.batch_entries // (each * self._answers(slates) * len(self.options.belief)))
        values = []
        for start in range(0, len(slates), size):
            rows = slice(start, start + size)
            attributes = slice(0, each) if candidates is None else candidates[rows]
            values.append(self._evoi(self._answered(others[rows], kept[rows], attributes)))
        return torch.cat(values)

    def _answered(self, others: Tensor, kept: Tensor, attributes: Tensor | slice) -> Tensor:
        """Probabilities `(b, c, r - 1, m)` of all answers but one to options `(b, k - 1, m)` and one that says more."""
        if isinstance(self.response, Softmax):
            return self._softmax(others, kept, self._each_logit[attributes], self.response)
        changed = (kept[:, None] + self._each[attributes])[:, :, None]
        spread = others[:, None].expand(-1, changed.shape[1], -1, -1)
        return self._all_but_one(torch.cat([changed, spread], dim=2))

    def _softmax(self, others: Tensor, kept: Tensor, added: Tensor, response: Softmax) -> Tensor:
        """The same without that for the changed option, from what candidates add to logits, `(b, c, m)` or `(c, m)`."""
        k, temperature = others.shape[1] + 1, response.temperature
        logits = others / temperature
        mean = logits.sum(dim=1) / k
        if response.none_utility is not None:
            outside = torch.zeros_like(logits[:, :1]) + response.none_utility / temperature
            logits = torch.cat([logits, outside], dim=1)
        level = logits.logsumexp(dim=1)
        lead = (kept / temperature - level) / k
        root = torch.add(lead[:, None], added, alpha=1 / k).clamp_(LOWEST_ROOT, HIGHEST_LOGIT / k).exp_()
        left = exponentials(logits - level[:, None])
        b, n, m = left.shape
        probabilities = torch.empty(b, root.shape[1], n + (response.tie is not None), m, dtype=left.dtype)
        odds = reduce(torch.mul, [root] * k)
        if response.tie is not None:
            same = root.mul_(exponentials(mean - (1 - 1 / k) * level + math.log(response.tie))[:, None])
            odds.add_(same)
        share = odds.add_(1.0).reciprocal_()
        torch.mul(left[:, None], share[:, :, None], out=probabilities[:, :, :n])
        if response.tie is not None:
            torch.mul(share, same, out=probabilities[:, :, n])
        return probabilities

    @cached_property
    def _each_logit(self) -> Tensor:
        """`(a, m)`, what each attribute adds to a logit."""
        assert isinstance(self.response, Softmax)
        return self.options.of_each / self.response.temperature

    @cached_property
    def _each(self) -> Tensor:
        """`(a + 1, m)`, with a last row for an attribute that is not stated."""
        return torch.nn.functional.pad(self.options.of_each, (0, 0, 0, 1))

    @cached_property
    def _scores(self) -> Tensor:
        """Utilities y @ u_j of the pool, `(m, n)`."""
        return self.options.belief.particles @ self.items.T

    @cached_property
    def _worth(self) -> Tensor:
        """Weighted utilities w_j y @ u_j, `(m, n)`."""
        return self._scores * self.options.belief.weights[:, None]

    @cached_property
    def _expected(self) -> Tensor:
        """Expected utilities of the pool, `(n,)`."""
        return self._worth.sum(dim=0)

    def _answers(self, slates: Tensor) -> int:
        return slates.shape[1] + len(self.response.extras)

    def _utilities(self, slates: Tensor) -> Tensor:
        """`(b, k, m)`."""
        total = self._each[slates[:, :, 0]]
        for index in range(1, slates.shape[2]):
            total += self._each[slates[:, :, index]]
        return total + self.options.of_average

    def _all_but_one(self, utilities: Tensor) -> Tensor:
        """Probabilities `(..., r - 1, m)` of all answers but the first to options of these utilities `(..., k, m)`."""
        return exponentials(self.response.log_probabilities(utilities)[..., 1:, :])

    def _evoi(self, probabilities: Tensor) -> Tensor:
        """EVOI `(...)` from the probabilities `(..., r - 1, m)` of all answers but one."""
        scores = (probabilities.flatten(0, -2) @ self._worth).view(*probabilities.shape[:-1], -1)
        best = scores.amax(dim=-1).sum(dim=-1)
        rest = scores[..., 0, :] if scores.shape[-2] == 1 else scores.sum(dim=-2)
        return torch.sub(self._expected, rest).amax(dim=-1).add_(best).sub_(self._expected.max())


class Swaps(NamedTuple):
    """Attributes `(b, c)` that may replace another, and the EVOI `(b, c)` of the slates then."""

    attributes: Tensor
    values: Tensor


def best_swaps(
    slates: Tensor, option: int, position: int, valid: Tensor, evoi: PooledEvoi, sieve: PooledEvoi | None = None
) -> Swaps:
    """What one attribute of slates `(b, k, p)` may be replaced by, and the EVOI then.

    Args:
        slates: See `PooledEvoi`.
        option: Which option of each slate.
        position: Which of its attributes.
        valid: `(b, a)`, the attributes that may replace it; the others have minus infinity for a value.
        evoi: Judges swaps.
        sieve: A cheaper one. If given, only the `SIEVED` best by it are judged, where that spares much.
    """
    if sieve is None or valid.shape[1] <= 2 * SIEVED:
        values = evoi.swapped(slates, option, position).masked_fill_(~valid, -torch.inf)
        return Swaps(torch.arange(valid.shape[1]).expand_as(valid), values)
    rough = sieve.swapped(slates, option, position).masked_fill_(~valid, -torch.inf)
    attributes = rough.topk(SIEVED, dim=1).indices
    values = evoi.swapped(slates, option, position, attributes)
    return Swaps(attributes, values.masked_fill_(~valid.gather(1, attributes), -torch.inf))


def recommendable(
    problem: Problem, out_of_time: Callable[[], bool] | None = None, small_catalog: int = SMALL_CATALOG
) -> Tensor:
    """Rows of items that are worth recommending after some answer, found by one scan; all of a small catalogue."""
    if problem.available <= small_catalog:
        return allowed_rows(problem.allowed, problem.catalog.storage)
    return Pool.screened(problem.fork(), GROUPS, DEPTH, SINGLE, out_of_time, small_catalog=0).rows
