"""Ways of asking from outside the paper, under the same contract: what other fields would do.

Each proposes the one slate that is best by its own criterion, not by EVOI.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from rather import value
from rather.model.belief import Belief
from rather.model.responses import Noiseless, ResponseModel
from rather.strategies.discrete import iterate
from rather.strategies.initialisers import mixed, top_items_of_random_particles
from rather.strategies.problem import Problem
from rather.strategies.projection import deep_retrieval_unique, first_not_taken


@dataclass(frozen=True)
class MutualInformation:
    """The slate whose answer says most about the person: I(answer; u) = H(answer) - E[H(answer | u)].

    What Bayesian experimental design and active learning maximise (also called BALD, or the entropy criterion). It
    wants to know the utility vector, not the best item. The search is a sample: random slates, half of random items
    and half of some particle's best, then exchanges of single items for sampled ones while that helps.

    Attributes:
        candidates: Slates to start from, and items to exchange for.
        rounds: At most this many exchanges in each slot.
    """

    candidates: int = 256
    rounds: int = 3

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        half = self.candidates // 2
        slates = torch.cat([problem.random_slates(half), top_items_of_random_particles(problem, half)])
        pool = torch.unique(slates)
        best, best_value = self._best(slates, problem)
        for _ in range(self.rounds):
            before = best_value
            for slot in range(problem.k):
                others = pool[~torch.isin(pool, best)]
                exchanged = best.repeat(len(others), 1)
                exchanged[:, slot] = others
                slate, gained = self._best(exchanged, problem)
                if gained > best_value:
                    best, best_value = slate, gained
            if best_value <= before:
                break
        return best[None]

    def _best(self, slates: Tensor, problem: Problem) -> tuple[Tensor, float]:
        fresh = problem.fresh(slates)
        if not len(fresh):  # all asked, or nothing left to exchange for
            return slates[:1].view(-1), -torch.inf
        values = mutual_information(fresh, problem)
        return fresh[values.argmax()], float(values.max())


def mutual_information(slates: Tensor, problem: Problem) -> Tensor:
    """I(answer; u) in nats, for slates of rows `(b, k)`, shape `(b,)`."""
    parts = []
    answers = problem.k + len(problem.response.extras)
    for part in torch.split(slates, max(1, value.BATCH_ENTRIES // (answers * len(problem.belief)))):
        utilities = value.utilities(problem.vectors(part), problem.belief)
        parts.append(information(utilities, problem.belief, problem.response))
    return torch.cat(parts)


def information(utilities: Tensor, belief: Belief, response: ResponseModel) -> Tensor:
    """I(answer; u) in nats from the options' utilities `(b, k, m)`, shape `(b,)`."""
    logarithms = response.log_probabilities(utilities).clamp_min(-80.0)  # 0 times minus infinity is no number
    shares = logarithms.exp()
    marginal = shares @ belief.weights
    known = logarithms.mul_(shares).sum(dim=1) @ belief.weights
    entropy: Tensor = known - torch.special.xlogy(marginal, marginal).sum(dim=1)
    return entropy


@dataclass(frozen=True)
class Thompson:
    """What we would recommend now, against the best items of particles drawn from the belief.

    The challenger of a duelling bandit by Thompson sampling.
    """

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        drawn = problem.belief.particles[problem.draw_particles(problem.k - 1)]
        directions = torch.cat([problem.belief.mean[None], drawn])
        return first_not_taken(problem.search(directions, problem.k).rows[None])


@dataclass(frozen=True)
class QEUBO:
    """The slate with the highest expected utility of its best option, E[max_i x_i @ u] (Astudillo et al. 2023).

    Under noiseless answers its maximum is that of the posterior expected utility, and query iteration climbs to it;
    answers being noisy is left out of account, as in qEUBO's usual form.

    Attributes:
        restarts: Starts of the iteration.
    """

    restarts: int = 20

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        noiseless = replace(problem, response=Noiseless())
        slates = iterate(deep_retrieval_unique(mixed(noiseless, self.restarts), noiseless), noiseless)
        fresh = problem.fresh(slates)
        slates = fresh if len(fresh) else slates
        values = value.slate_expected_utility(problem.vectors(slates), problem.belief, noiseless.response)
        return slates[values.argmax()][None]
