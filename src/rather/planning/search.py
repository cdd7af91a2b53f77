"""The search for a good tree: exchanges of single questions, from the myopic tree and depth by depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from rather.numerics.randomness import derive_generator
from rather.planning.exchange import Exchanger
from rather.planning.growth import Growth
from rather.planning.tree import Node, Shape, Valuation
from rather.strategies.clock import check_interrupt

# Sampled people who must come to a node for its question to be exchanged: with fewer it would be chosen for them, not
# for others like them. On cars (145 dimensions) plans were worse for fresh people than no plan without this.
LEAST_PEOPLE = 200
# Sweeps before the tree is grown at leaves that more people come to than before.
BEFORE_GROWING = 2

Path = tuple[tuple[tuple[int, ...], int], ...]
OnProgress = Callable[[int, int, str], None]


class Progress:
    """Counts the nodes that are done.

    Attributes:
        done: So far.
        total: At most.
        note: How good the tree is.
    """

    def __init__(self, total: int, on_progress: OnProgress | None) -> None:
        self.done, self.total, self.note = 0, total, ""
        self._on_progress = on_progress

    def advance(self, count: int = 1) -> None:
        """Some nodes are done, or need not be."""
        check_interrupt()
        self.done = min(self.done + count, self.total)
        if self._on_progress is not None:
            self._on_progress(self.done, self.total, self.note)


@dataclass(frozen=True, eq=False)
class Search:
    """Finds trees by sweeps: at every node the question that is worth most while the rest of the tree stays as it is.

    Sweeps end in a local optimum, and which one depends on where they start. On MovieLens-100k they hardly leave the
    myopic tree of all depths, because the questions below were chosen for those above. Grown depth by depth, and
    exchanged at each depth before the next one is added, the first questions change while little hangs on them: regret
    after five questions was 18 to 24 % below that of the myopic tree instead of 5 to 7 %.

    Attributes:
        growth: Adds the policy's own questions at leaves.
        exchanger: Finds better questions for single nodes.
        selection: Other people, who choose among the trees after each sweep.
        sweeps: Passes over all nodes, at most, of each tree.
        seed: Of the exchanges.
        number: Another one draws other random numbers.
        progress: Counts the nodes.
        exhausted: Nodes where no better question was found, by the questions above and below.
    """

    growth: Growth
    exchanger: Exchanger
    selection: Valuation
    sweeps: int
    seed: int
    number: int
    progress: Progress
    exhausted: set[tuple[Path, Shape]] = field(default_factory=set)

    def trees(self, myopic: Node) -> Iterator[Node]:
        """Trees of the full depth, the better ones later; not all of them are better than the myopic one."""
        yield from self._from_myopic(myopic)
        yield from self._by_depth()

    def _from_myopic(self, myopic: Node) -> Iterator[Node]:
        """The trees after each sweep over the whole myopic tree."""
        root = myopic.copied()
        for sweep, tree in enumerate(self._swept(root, ("whole",)), start=1):
            yield tree
            if sweep == BEFORE_GROWING:
                self._grow(self.growth, root)

    def _by_depth(self) -> Iterator[Node]:
        """The trees after each sweep over all depths, grown depth by depth."""
        root = Node(0)
        for depth in range(1, self.growth.questions + 1):
            self._grow(replace(self.growth, questions=depth), root)
            trees = [root.copied(), *self._swept(root, ("depth", depth))]
            if depth == self.growth.questions:
                yield from trees
            else:
                root = max(trees, key=self.selection.value)

    def _grow(self, growth: Growth, root: Node) -> None:
        growth.grow(root)
        self.exchanger.valuation.settle(root, self.exchanger.valuation.people.weights)

    def _swept(self, root: Node, key: tuple[str | int, ...]) -> Iterator[Node]:
        """Copies of a tree after each sweep over it, until nothing changes."""
        valuation = self.exchanger.valuation
        weights = valuation.people.weights
        for sweep in range(self.sweeps):
            self.progress.note = f"expected regret {valuation.expected_regret(root):.4g}"
            generator = derive_generator(self.seed, "sweep", self.number, *key, sweep)
            changed = self._sweep(root, weights, (), generator)
            yield root.copied()
            if not changed:
                self.progress.advance((self.sweeps - sweep - 1) * len(root.questions))
                return

    def _sweep(self, node: Node, reach: Tensor, path: Path, generator: torch.Generator) -> int:
        """Exchange the question of a node and of all below, parents first; how many have changed.

        Args:
            node: Where to start.
            reach: `(m,)`, the probability of each of the people to come here.
            path: What was asked above, each with the row of the answer.
            generator: Of the exchanges.
        """
        if not node.slate:
            return 0
        changed = int(self._exchange(node, reach, path, generator))
        self.progress.advance()
        for row, (child, probability) in enumerate(zip(node.children, node.answers, strict=True)):
            changed += self._sweep(child, reach * probability, (*path, (node.slate, row)), generator)
        return changed

    def _exchange(self, node: Node, reach: Tensor, path: Path, generator: torch.Generator) -> bool:
        """Exchange the question of a node, unless that found nothing before with the same questions above and below."""
        people = self.exchanger.valuation.people
        if not people.are_everybody and float(reach.sum()) * len(people.vectors) < LEAST_PEOPLE:
            return False
        where = (path, node.shape)
        if where in self.exhausted:
            return False
        below = (each.slate for child in node.children for each in child.questions)
        taken = frozenset(map(frozenset, (*below, *(slate for slate, _ in path))))
        changed = self.exchanger.exchange(node, reach, taken, generator)
        if not changed:
            self.exhausted.add(where)
        return changed
