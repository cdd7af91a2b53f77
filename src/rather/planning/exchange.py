"""Exchanges: a node asks what is worth most at the leaves, while the rest of the tree stays as it is."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from rather.model.responses import Logistic
from rather.planning.options import option_vectors
from rather.planning.tree import Node, Valuation

# People who come to a node with a smaller share of the probability of the likeliest do not matter there.
NEGLIGIBLE = 1e-5
# Numbers that the finalists of an exchange may take at once.
MOST_NUMBERS = 40_000_000
# A gain of a smaller share is rounding.
ROUNDING = 1e-6

Slate = frozenset[int]


@dataclass(frozen=True, eq=False)
class Exchanger:
    """Finds better questions for single nodes.

    For a slate s at a node that person j reaches with probability w_j, recommendations held fixed, the tree is worth

        sum_j w_j sum_a P(a | s, u_j) V_a(u_j),

    which is linear in the answer probabilities: it is computed for a whole pool of items in each slot. The best slates
    are then compared with recommendations made anew.

    Attributes:
        valuation: What trees are worth.
        pools: For each kind of question the options to ask about, `(n,)`, as `rather.planning.options` numbers them.
        sample: People who decide which slates are compared; all people decide which one is best.
        drawn: Random slates to start from.
        starts: How many of them are improved.
        rounds: Passes over the slots of a slate.
        kept: Slates that each pass over a slot leaves for the comparison.
        finalists: Slates that the sample leaves for the comparison by all people.
    """

    valuation: Valuation
    pools: tuple[Tensor, ...]
    sample: int = 1024
    drawn: int = 512
    starts: int = 3
    rounds: int = 2
    kept: int = 3
    finalists: int = 6

    def exchange(self, node: Node, reach: Tensor, taken: frozenset[Slate], generator: torch.Generator) -> bool:
        """Ask the best question found at a node; whether it is another one than before.

        Args:
            node: To be changed, with all below; it has been settled.
            reach: `(m,)`, the probability of each of the people to come here.
            taken: Slates that are asked above or below.
            generator: Of the sample and the random slates.
        """
        here = (reach > NEGLIGIBLE * reach.max()).nonzero()[:, 0]
        worth = torch.stack([self.valuation.worth(child)[here] for child in node.children])
        slates = self._promising(node.slate, here, reach[here], worth, generator)
        slates = slates[[frozenset(slate) not in taken for slate in slates.tolist()]]
        if len(here) > self.sample and len(slates) > self.finalists:
            drawn = here[torch.multinomial(reach[here], self.sample, replacement=True, generator=generator)]
            values = self._values(node, slates, drawn, torch.ones(self.sample))
            slates = slates[values.topk(self.finalists).indices]
        compared = torch.cat([torch.tensor([node.slate]), slates])
        values = self._values(node, compared, here, reach[here])
        best = int(values.argmax())
        if values[best] <= values[0] + ROUNDING * abs(float(values[0])):
            return False
        node.ask(compared[best].tolist(), self.valuation.people)
        self.valuation.settle(node, reach)
        return True

    def _promising(
        self, slate: tuple[int, ...], here: Tensor, weights: Tensor, worth: Tensor, generator: torch.Generator
    ) -> Tensor:
        """Slates `(b, k)` of high value with recommendations as they are."""
        people = self.valuation.people
        if len(here) > self.sample:
            drawn = torch.multinomial(weights, self.sample, replacement=True, generator=generator)
            here, worth, weights = here[drawn], worth[:, drawn], weights.sum().expand(self.sample) / self.sample
        gains, vectors = (worth * weights).reshape(-1), people.vectors[here]
        return torch.cat([self._promising_of(pool, slate, vectors, gains, generator) for pool in self.pools])

    def _promising_of(
        self, pool: Tensor, slate: tuple[int, ...], vectors: Tensor, gains: Tensor, generator: torch.Generator
    ) -> Tensor:
        """Slates `(b, k)` of options of one kind, to people with vectors `(s, d)` whose answers gain `(a * s,)`."""
        utilities = option_vectors(self.valuation.people.policy.catalog, pool) @ vectors.T  # (n, s)
        n, k = len(pool), len(slate)
        drawn_slates = _drawn_slates(min(self.drawn, n**k), n, k, generator)
        values = self._linear(utilities[drawn_slates], gains)
        best = drawn_slates[values.topk(min(self.starts, len(values))).indices]
        index = {row: position for position, row in enumerate(pool.tolist())}
        current = torch.tensor([[index[row] for row in slate]]) if set(slate) <= index.keys() else best[:0]
        found: dict[tuple[int, ...], None] = {}
        for start in torch.cat([current, best]).tolist():
            self._climb(start, utilities, gains, found)
        return pool[torch.tensor(list(found), dtype=torch.long).view(-1, k)]

    def _climb(self, slate: list[int], utilities: Tensor, gains: Tensor, found: dict[tuple[int, ...], None]) -> None:
        """Exchange one slot after the other for the best item of the pool; keeps the best slates of each pass."""
        for _ in range(self.rounds):
            before = list(slate)
            for slot in range(len(slate)):
                values = self._exchanged(slate, slot, utilities, gains)
                values[[item for other, item in enumerate(slate) if other != slot]] = -torch.inf
                top = values.topk(min(self.kept, len(values) - len(slate) + 1)).indices.tolist()
                for item in top:
                    found[(*slate[:slot], item, *slate[slot + 1 :])] = None
                slate[slot] = top[0]
            if slate == before:
                return

    def _exchanged(self, slate: list[int], slot: int, utilities: Tensor, gains: Tensor) -> Tensor:
        """`(n,)`: the value of the slate with each item of the pool, of utilities `(n, s)`, in one of its slots."""
        response = self.valuation.people.policy.response
        if len(slate) == 2 and isinstance(response, Logistic) and not response.extras:
            # A quarter of the time of the general case, which most of the time of a plan goes to.
            mine, other = gains.view(2, -1)[[slot, 1 - slot]]
            ahead = utilities - utilities[slate[1 - slot]]
            values: Tensor = ahead.mul_(1 / response.temperature).sigmoid_() @ (mine - other) + other.sum()
            return values
        options = [utilities[item].expand_as(utilities) for item in slate]
        options[slot] = utilities
        return self._linear(torch.stack(options, dim=1), gains)

    def _linear(self, utilities: Tensor, gains: Tensor) -> Tensor:
        """`(b,)`: the value of slates of utilities `(b, k, s)` when the answers gain `(a * s,)`."""
        probabilities = self.valuation.people.policy.response.log_probabilities(utilities).exp_()
        return probabilities.view(len(utilities), -1) @ gains

    def _values(self, node: Node, slates: Tensor, here: Tensor, weights: Tensor) -> Tensor:
        """`(b,)`: what the tree is worth from here on with each of the slates and recommendations made anew."""
        valuation, people = self.valuation, self.valuation.people
        everybody = torch.ones(len(people.vectors))
        stakes, answers, onward = [], [], []
        for answer, child in enumerate(node.children):
            for each, reach in valuation.reached(child, everybody):
                if stake := valuation.stake(each):
                    stakes.append(stake)
                    answers.append(answer)
                    onward.append(reach[here])
        staked, conditional = torch.tensor(stakes, dtype=torch.float64), torch.stack(onward) * weights
        vectors = people.vectors[here]
        values = []
        for batch in torch.split(slates, max(1, MOST_NUMBERS // conditional.numel())):
            probabilities = people.answers(batch, here)[:, answers]  # (b, r, s)
            directions = (probabilities * conditional) @ vectors
            scores = people.top(directions.view(-1, vectors.shape[1])).scores[:, 0].double()
            costs = people.costs(batch).double() * float(weights.sum())
            values.append(scores.view(len(batch), -1) @ staked - costs)
        return torch.cat(values)


def _drawn_slates(count: int, n: int, k: int, generator: torch.Generator) -> Tensor:
    """About `count` slates `(b, k)` of different positions `0..n-1`, at least one."""
    drawn = torch.randint(n, (count, k), generator=generator)
    ordered = drawn.sort(dim=1).values
    different = drawn[(ordered[:, 1:] != ordered[:, :-1]).all(dim=1)]
    return different if len(different) else torch.randperm(n, generator=generator)[None, :k]
