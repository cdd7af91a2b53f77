"""The default for questions about attributes: seeds of several kinds, polished by gradient and by swaps."""

import itertools
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from rather.strategies.attributes.continuous import ContPartial
from rather.strategies.attributes.greedy import RANKING_HEAD, RANKING_ITEMS, GreedyAttributes, ranking_problem
from rather.strategies.discrete import SLATE_BATCH, ExhaustiveSearch
from rather.strategies.problem import Problem

# Slates polished by swaps however much work that is.
FEWEST_STARTS = 8

# Of all swaps of an attribute this many are judged: those that are best on a few particles and items.
SIEVED = 12
SIEVE_PARTICLES = 128
SIEVE_ITEMS = 128

# A swap must raise EVOI by more than this share: less is rounding, and could go on for ever.
LEAST_GAIN = 1e-6


@dataclass(frozen=True)
class AutoAttributes:
    """Greedy, gradient and random seeds; the most promising polished by swapping single attributes.

    Where there are few slates it evaluates all of them. Else it keeps the proposals of `GreedyAttributes()` and of
    `gradient`, each as it would be alone, so that the question is never worse in exact EVOI than theirs.

    Work is counted in slates x answers x (particles + items); 100 million take about a second.

    Attributes:
        gradient: Proposes from random points, and polishes greedy's slate and some of the random ones.
        seeds: Slates of random attributes, drawn in proportion to the variance of their utility; the best of all slates
            where these can be ranked. All are polished by swaps: the best end is often not reached from the best start.
        polished: How many of the best slates that the gradient found are polished by swaps, and how many random ones
            by the gradient.
        finished: How many of the best of these go on until no swap raises them.
        sweeps: At most this many rounds through all attributes of a slate.
        few: Look at all slates where that is no more work than this.
        work: Polish fewer slates than said where a round through their attributes would be more work than this.
    """

    gradient: ContPartial = field(default_factory=ContPartial)
    seeds: int = 48
    polished: int = 8
    finished: int = 3
    sweeps: int = 10
    few: int = 50_000_000
    work: int = 150_000_000

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        slates = problem.attributes.space.slates
        if slates * work_of_a_slate(problem, problem.available) <= self.few:
            return ExhaustiveSearch()(problem)
        greedy = GreedyAttributes()(problem.fork())
        alone = torch.cat([greedy, self.gradient(problem.fork())])
        sieve, ranking = problem.thinned(SIEVE_PARTICLES, SIEVE_ITEMS), ranking_problem(problem)
        work = work_of_a_slate(ranking, min(problem.available, RANKING_ITEMS))
        swaps = problem.k * problem.attributes.p * len(problem.catalog.attributes)
        most = max(FEWEST_STARTS, self.work // (swaps * work))
        draw = best_slates if slates * work <= self.few else varied_slates
        seeds = draw(replace(ranking, generator=problem.generator), min(self.seeds, most))
        relaxed = torch.cat([greedy, seeds[: self.polished]])
        pool = distinct(torch.cat([alone, self.gradient.polish(relaxed, problem)]))
        best = pool[ranking.evoi(pool).topk(min(self.polished, len(pool))).indices]
        sieved = swap(torch.cat([greedy, best, seeds])[:most], ranking, self.sweeps, sieve, self.finished)
        swapped = swap(head(sieved, ranking, self.finished), ranking, self.sweeps)
        return torch.cat([alone, seeds, sieved, swapped, finish(swapped, problem, ranking, self.sweeps)])


def work_of_a_slate(problem: Problem, items: int) -> int:
    """Answers x (particles + items): what the value of one slate costs."""
    return (problem.k + len(problem.response.extras)) * (len(problem.belief) + items)


def best_slates(problem: Problem, count: int) -> Tensor:
    """The `count` best of all slates."""
    best = torch.empty(0, problem.k, problem.attributes.p, dtype=torch.long)
    best_values = torch.empty(0, dtype=torch.float32)
    for part in problem.options.batches(SLATE_BATCH):
        slates, values = torch.cat([best, part]), torch.cat([best_values, fresh_evoi(part, problem)])
        best_values, indices = values.topk(min(count, len(values)))
        best = slates[indices]
    return best


def varied_slates(problem: Problem, count: int) -> Tensor:
    """`count` slates of attributes drawn without replacement in proportion to the variance of their utility."""
    shape = (count, problem.k, len(problem.catalog.attributes))
    # The largest of log-weight plus Gumbel noise are such a draw.
    noise = -torch.empty(shape, dtype=torch.float32).exponential_(generator=problem.generator).log()
    return problem.attributes.space.projected(problem.attributes.variance.clamp_min(1e-30).log() + noise)


def swap(
    slates: Tensor,
    problem: Problem,
    sweeps: int,
    sieve: Problem | None = None,
    fewest: int | None = None,
) -> Tensor:
    """Coordinate ascent: each attribute of each slate `(b, k, p)` in turn becomes the one of highest EVOI.

    Slates that meet go on as one. A slate that has been asked may be where it starts, but not where it ends.

    Args:
        slates: Where to start.
        problem: Judges swaps.
        sweeps: At most this many rounds through all attributes of a slate.
        sieve: A cheaper problem. If given, only the `SIEVED` swaps of an attribute that are best there are judged.
        fewest: If given, the worse half of the slates stops after each round, until this many are left.

    Returns:
        Where they end, `(b', k, p)`.
    """
    done = []
    for _ in range(sweeps):
        slates = distinct(slates)
        before = values = fresh_evoi(slates, problem)
        for option, position in itertools.product(range(problem.k), range(problem.attributes.p)):
            candidates, valid = problem.attributes.space.swaps(slates, option, position)
            if sieve is not None and sieve is not problem:
                valid = _sieved(candidates, valid, sieve)
            worth = _worth(candidates, valid, problem)
            best, at = worth.max(dim=1)
            better = best > values * (1 + LEAST_GAIN)
            slates = torch.where(better[:, None, None], candidates[torch.arange(len(at)), at], slates)
            values = torch.where(better, best, values)
        moved = values > before
        if fewest is not None:
            ahead = torch.zeros_like(moved)
            ahead[values.topk(min(len(values), max(fewest, len(values) // 2))).indices] = True
            moved &= ahead
        done.append(slates[~moved])
        slates = slates[moved]
        if not len(slates):
            break
    return torch.cat([*done, slates])


def _sieved(candidates: Tensor, valid: Tensor, sieve: Problem) -> Tensor:
    """`(b, a)`, which of the valid candidates `(b, a, k, p)` are among the best of their slate."""
    best = _worth(candidates, valid, sieve).topk(min(SIEVED, valid.shape[1]), dim=1).indices
    return valid & torch.zeros_like(valid).scatter_(1, best, True)


def _worth(candidates: Tensor, valid: Tensor, problem: Problem) -> Tensor:
    """EVOI `(b, a)` of candidates `(b, a, k, p)`, minus infinity where they are not valid or have been asked."""
    worth = torch.full(valid.shape, -torch.inf, dtype=torch.float32)
    worth[valid] = fresh_evoi(candidates[valid], problem)
    return worth


def head(slates: Tensor, problem: Problem, count: int) -> Tensor:
    """The `count` best of the slates."""
    slates = distinct(slates)
    return slates[fresh_evoi(slates, problem).topk(min(count, len(slates))).indices]


def distinct(slates: Tensor) -> Tensor:
    """The slates without those that differ from another in the order of their items only."""
    names = [tuple(sorted(map(tuple, slate))) for slate in slates.tolist()]
    return torch.tensor([*dict.fromkeys(names)])


def fresh_evoi(slates: Tensor, problem: Problem) -> Tensor:
    """EVOI `(b,)`, minus infinity for slates that have been asked; b may be 0."""
    if not len(slates):
        return torch.empty(0, dtype=torch.float32)
    return problem.evoi(slates).masked_fill_(problem.was_asked(slates), -torch.inf)


def finish(slates: Tensor, problem: Problem, ranking: Problem, rounds: int) -> Tensor:
    """The best of the slates on all particles and items, `(1, k, p)`, after the best single swaps that raise it there.

    Where the swaps were judged on all of them already there is nothing left to do.
    """
    values = fresh_evoi(slates, problem)
    best, best_value = slates[values.argmax()], values.max()
    if ranking is problem:
        return best[None]
    for _ in range(rounds):
        candidates = problem.attributes.space.neighbours(best[None])
        if not len(candidates):
            break
        head = fresh_evoi(candidates, ranking).topk(min(RANKING_HEAD, len(candidates))).indices
        values = fresh_evoi(candidates[head], problem)
        if values.max() <= best_value * (1 + LEAST_GAIN):
            break
        best, best_value = candidates[head[values.argmax()]], values.max()
    return best[None]
