"""The default: the best question that a thorough search among the items that matter finds."""

import itertools
import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from rather.model.configured_items import MOST_LISTED, ConfiguredItems
from rather.retrieval.protocol import Retriever, has_candidates, is_screening
from rather.strategies.clock import Clock
from rather.strategies.pool import Pool, Ranked
from rather.strategies.problem import Problem
from rather.strategies.rivals import information

# Slates around the best one that are valued too: for each slot this many other items.
NEIGHBOURS = 4

# Effective particles from which on the highest EVOI alone decides. In 20 synthetic populations of 100 the regret after
# six questions was 1.01 by EVOI alone, 0.96 with foresight; with 943 readers of MovieLens foresight gained nothing.
PLENTY = 250

# Slates that exchange single items.
MOST_FINALISTS = 8

# Slates that are proposed where lists are recommended: what is best for a single item is good for a list, seldom best.
PROPOSED_FOR_LISTS = 16

# Slates of nearly the highest EVOI that are compared by how much their answer would tell.
MOST_NEAR = 12

# Up to this many options, a larger pool costs little besides its searches.
FEW_OPTIONS = 3


@dataclass(frozen=True)
class Auto:
    """Greedy, query iteration and exchanges of single items, among the few items that matter for this belief.

    A pool of items is found by one scan for the mean of the belief, random groups of particles and single ones. In it,
    the greedy slate and the best items of random particles are replaced by their deep retrieval; the best of them go on
    to a fixed point. A second scan adds what the whole catalogue has to offer after each answer to the best so far,
    which then exchange one item at a time. On a shortlist the best items of many particles are found quickly: there
    these are the pool, with those of fewer groups, and the second scan is left out.

    The first question is the same for everybody and can be cached, so it is searched more thoroughly: twice as many
    items, and all starts go on to a fixed point.

    Attributes:
        groups: Random groups of particles for whose means the best items enter the pool; half as many from a shortlist.
        depth: Items that enter for each; half as many from a shortlist, whose items were screened already.
        single: Particles whose own best item enters; from a shortlist, this many for each option after the first.
        drawn: Random particles whose best items make slates to start from; half as many in a pool that was screened,
            and a sixteenth on a shortlist.
        going_on: This many of the best starts are replaced by their deep retrieval until they settle; None: all.
        looked_up: Of the slates so found, for the answers to these the whole catalogue is searched, and `depth // 2`
            items enter for each. None on a shortlist, and one where that takes a scan of all items.
        exchanges: At most this many for each of the finalists.
        numbers: Utilities that one exchange by all finalists may look at, a millisecond's worth; one slate takes part
            in any case, and eight at most.
        foresight: Share of EVOI that is given up, at most, for the question that tells most about the person (by mutual
            information): what is learnt beyond the next recommendation helps after later questions. The fewer particles
            are left, the less is their EVOI to be trusted, and the more is given up: all of it for a belief that rests
            on a single one, nothing from 250 on. For the first question, after which many people leave, a tenth.
        budget_ms: Start nothing further once this much time has passed. The question then depends on the machine's
            speed as well as on the seed; None does all the work.
        small_catalog: A catalogue up to this size is searched as a whole.
    """

    groups: int = 32
    depth: int = 16
    single: int = 128
    drawn: int = 256
    going_on: int | None = 8
    looked_up: int = 8
    exchanges: int = 6
    numbers: int = 2**18
    foresight: float = 0.05
    budget_ms: float | None = None
    small_catalog: int = 512

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        search = self._for_retriever(problem.retriever)
        if problem.k <= FEW_OPTIONS and _is_never_listed(problem):
            search = search._among_configurations()
        return (search if problem.belief.evidence else search._for_the_first_question())._searched(problem)

    def _for_retriever(self, retriever: Retriever) -> "Auto":
        if has_candidates(retriever):
            return self._on_a_shortlist()
        return self._where_searches_are_scans() if is_screening(retriever) else self

    def _on_a_shortlist(self) -> "Auto":
        # With the best items of many particles in the pool, twice as many groups, eight times as many starts and
        # looking up answers found no better question, on books and on films. With those of all particles instead of
        # 128 for each option after the first, questions for k = 2 were worth as much (60 beliefs on each), and took 1.3
        # times as long. Chosen on these beliefs, among about twenty settings.
        return replace(self, groups=self.groups // 2, depth=max(1, self.depth // 2), drawn=self.drawn // 8, looked_up=0)

    def _among_configurations(self) -> "Auto":
        # Among 10^12 configurations hardly any is the best for two people. With the usual pool, EVOI was 97.6 (bicycle)
        # and 96.4 % (laptop) of that of query iteration from 50 starts, before and after the first answer; like this,
        # 99.1 ± 1.0 % and 100.8 ± 1.4 % after up to four (10 beliefs each). A question then takes 2.2 to 2.4 times as
        # long as about a table of 10^5 rows; with four times as many starts looked up, 2.8 to 3.2 times.
        return replace(self, groups=2 * self.groups, single=2 * self.single, looked_up=2 * self.looked_up)

    def _where_searches_are_scans(self) -> "Auto":
        return replace(self, depth=max(1, self.depth // 2), looked_up=min(1, self.looked_up))

    def _for_the_first_question(self) -> "Auto":
        return replace(
            self,
            groups=2 * self.groups,
            single=2 * self.single,
            going_on=None,
            looked_up=2 * self.looked_up,
            numbers=4 * self.numbers,
            foresight=self.foresight / 10,
        )

    def _searched(self, problem: Problem) -> Tensor:
        clock = Clock(self.budget_ms)
        pool = self._screened(problem.fork(), clock)
        greedy = pool.greedy()
        found = pool.settled(torch.cat([greedy, self._starts(pool)]), going_on=self.going_on)
        if self.looked_up and pool.is_screened and not clock.spent(0.7):
            slates = pool.rows[torch.cat([greedy, found.best(self.looked_up)])]
            pool = pool.enlarged(slates, max(1, self.depth // 2))
            found = pool.settled(pool.positions(slates))
        share = self.foresight * max(0.0, 1 - problem.belief.effective_sample_size / PLENTY)
        if self.exchanges and not clock.spent(0.8):
            found = self._exchanged(found, share, pool)
        if not problem.recommends_one:
            return pool.rows[found.without(problem.asked, pool.rows).best(PROPOSED_FOR_LISTS)]
        return pool.rows[_farsighted(found, share, pool)]

    def _screened(self, problem: Problem, clock: Clock) -> Pool:
        out_of_time = None if self.budget_ms is None else lambda: clock.spent(0.5)
        return Pool.screened(problem, self.groups, self.depth, self.single, out_of_time, self.small_catalog)

    def _starts(self, pool: Pool) -> Tensor:
        problem = pool.problem
        if math.comb(len(pool.rows), problem.k) <= self.drawn:
            # `torch.combinations` makes a grid of n^k: for 10 of 10 items it never returns.
            return torch.tensor(list(itertools.combinations(range(len(pool.rows)), problem.k)))
        # A pool that was screened has fewer slates that lead astray.
        drawn = self.drawn // 2 if pool.is_screened else self.drawn
        count = max(1, drawn // problem.k)
        return pool.best_of_particles(problem.draw_particles(count * problem.k).view(count, problem.k))

    def _exchanged(self, found: Ranked, share: float, pool: Pool) -> Ranked:
        """With what exchanges of single items lead to, and what is around it where the best slate may not be asked."""
        before = found.best(max(1, min(MOST_FINALISTS, self.numbers // (pool.utilities.numel() * pool.problem.k))))
        # The next best question is often the best one but for an item.
        depth = NEIGHBOURS if share or pool.was_asked(before[0]) else 0
        after, around = pool.exchanged(before, self.exchanges, depth)
        if len(after := after[(after != before).any(dim=1)]):
            found += pool.settled(after)
        return found + pool.settled(around, most_steps=1) if len(around) else found


def _is_never_listed(problem: Problem) -> bool:
    return isinstance(problem.catalog.storage, ConfiguredItems) and problem.available > MOST_LISTED


def _farsighted(found: Ranked, share: float, pool: Pool) -> Tensor:
    """Of the slates whose EVOI is the highest but for a share, the one whose answer tells most, `(1, k)`."""
    best = found.best(1)
    if not share and not pool.was_asked(best[0]):
        return best
    fresh = found.without(pool.problem.asked, pool.rows)
    if not len(fresh.values):
        return best
    highest, now = float(fresh.values.max()), float(pool.additions.expected.max())
    near = fresh.values >= highest - share * max(0.0, highest - now)
    slates = Ranked(fresh.slates[near], fresh.values[near]).best(MOST_NEAR)
    told = information(pool.utilities[slates], pool.problem.belief, pool.problem.response)
    return slates[told.argmax()][None]
