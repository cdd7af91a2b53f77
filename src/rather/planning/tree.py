"""The tree of a conversation while it is planned: what is asked at each node, who comes there, what it is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from rather.planning.people import People

Shape = tuple[Any, ...]


@dataclass(eq=False)
class Node:
    """After some answers: the next question, if any, and what is recommended to those who leave here.

    Attributes:
        depth: Questions answered so far.
        slate: The options asked about, as `rather.planning.options` numbers them; empty at a leaf.
        cost: Of reading the question, in units of utility; 0 where all questions are of one kind.
        answers: `(a, m)`, the probability of each answer for each of the people.
        children: One for each answer.
        row: Of the recommended item.
        vector: `(d,)`, of the recommended item.
    """

    depth: int
    slate: tuple[int, ...] = ()
    cost: float = 0.0
    answers: Tensor = field(default_factory=lambda: torch.zeros(0, 0))
    children: Sequence[Node] = ()
    row: int = -1
    vector: Tensor = field(default_factory=lambda: torch.zeros(0))

    def ask(self, slate: Sequence[int], people: People) -> None:
        """Ask about these options; the children stay where there are any."""
        self.slate = tuple(slate)
        slates = torch.tensor([self.slate])
        self.cost, self.answers = float(people.costs(slates)), people.answers(slates)[0]
        if not self.children:
            self.children = [Node(self.depth + 1) for _ in self.answers]

    def copied(self) -> Node:
        """The same tree, to be changed without changing this one."""
        children = [child.copied() for child in self.children]
        return Node(self.depth, self.slate, self.cost, self.answers, children, self.row, self.vector)

    def walk(self) -> Iterator[Node]:
        """This node and all below, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def shape(self) -> Shape:
        """All that is asked from here on: equal for trees that ask the same."""
        return (self.slate, tuple(child.shape for child in self.children)) if self.slate else ()

    @property
    def questions(self) -> list[Node]:
        """The nodes with a question, from here on."""
        return [node for node in self.walk() if node.slate]


@dataclass(frozen=True, eq=False)
class Valuation:
    """What trees are worth: the expected utility of what is recommended to people when they leave.

    Where questions are of two kinds, that is net of what it costs to read them.

    Attributes:
        people: Who answers.
        leaving: The probability that a conversation ends after 0, 1, 2, … questions. At a leaf all who have not left
            yet leave.
    """

    people: People
    leaving: tuple[float, ...]

    def stake(self, node: Node) -> float:
        """The share of those who come to a node who leave there, times that of those who have not left before."""
        return self.leaving[node.depth] if node.slate else sum(self.leaving[node.depth :])

    def settle(self, node: Node, reach: Tensor) -> float:
        """Recommend the best item at every node from here on; what the tree is worth to those who come here.

        Args:
            node: The root of the tree.
            reach: `(m,)`, the probability of each of the people to be themselves and to come here.
        """
        nodes, reaches = zip(*self.reached(node, reach), strict=True)
        directions = torch.stack(reaches) @ self.people.vectors
        found = self.people.top(directions)
        for each, row, vector in zip(nodes, found.rows[:, 0].tolist(), found.vectors[:, 0], strict=True):
            each.row, each.vector = row, vector
        stakes = torch.tensor([self.stake(each) for each in nodes], dtype=torch.float64)
        return float(stakes @ found.scores[:, 0].double())

    def reached(self, node: Node, reach: Tensor) -> Iterator[tuple[Node, Tensor]]:
        """Every node from here on with the probability `(m,)` of each of the people to come there."""
        yield node, reach
        for child, probability in zip(node.children, node.answers, strict=True):
            yield from self.reached(child, reach * probability)

    def worth(self, node: Node) -> Tensor:
        """`(m,)`, what a node is worth to each of the people once they are there, recommendations as they are."""
        stake = self.stake(node)
        worth = stake * (self.people.vectors @ node.vector) if stake else torch.zeros(len(self.people.vectors))
        if node.cost:
            worth = worth - node.cost
        for child, probability in zip(node.children, node.answers, strict=True):
            worth = worth + probability * self.worth(child)
        return worth

    def regret(self, root: Node, questions: int) -> list[float]:
        """The expected regret of those who leave after 0, 1, … questions, recommendations as they are."""
        lost = torch.full((questions + 1,), self.people.best, dtype=torch.float64)
        for node, reach in self.reached(root, self.people.weights):
            gained = float(reach.double() @ (self.people.vectors @ node.vector).double())
            lost[node.depth : None if not node.slate else node.depth + 1] -= gained
        return lost.clamp_min(0).tolist()

    def expected_regret(self, root: Node) -> float:
        """The expected regret of people when they leave, recommendations as they are."""
        return self.people.best - float(self.people.weights.double() @ self.worth(root).double())

    def value(self, root: Node) -> float:
        """What a tree planned for other people is worth to these, recommendations as they are."""
        return float(self.people.weights.double() @ self.worth(self.moved(root)).double())

    def moved(self, root: Node) -> Node:
        """A copy of a tree planned for other people, with these people's answers and the same recommendations."""
        copy = root.copied()
        for node in copy.questions:
            node.ask(node.slate, self.people)
        return copy
