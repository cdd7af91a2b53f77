"""Plan the first questions of a conversation together, for what is recommended in the end.

A myopic strategy asks what is worth most if it were the last question. Here whole trees of questions are compared by
the expected utility of what is recommended at their leaves: start from the myopic tree, and exchange the question of
one node after the other for the best one while the rest of the tree stays as it is, until nothing changes. The value
never falls, so a plan is never worse than the myopic tree for the people it was made for. Of the trees after each sweep
that one is taken which is best for other people, so that a plan is not made for the sampled people alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.conversation.plans import Plan, PlanNode, PlanRegret
from rather.conversation.policy import Policy
from rather.errors import InvalidInputError
from rather.model.allowed import allowed_rows, numbered_rows
from rather.model.attributes import attributes_hash
from rather.model.configured_items import MOST_LISTED, ConfiguredItems
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread
from rather.planning.exchange import Exchanger
from rather.planning.growth import Growth
from rather.planning.options import attributes_in
from rather.planning.people import People, sampled_people
from rather.planning.search import OnProgress, Progress, Search
from rather.planning.tree import Node, Valuation

# Items that may be asked about: those that are best for some people, and others, who often separate people better.
MOST_FAVOURITES = 512


def plan(
    policy: Policy,
    questions: int = 5,
    people: int = 10_000,
    *,
    leaving: Mapping[int, float] | None = None,
    least_share: float = 0.002,
    least_gain: float = 0.0,
    pool: int = 1024,
    sweeps: int = 12,
    tries: int = 1,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> Plan:
    """The tree of first questions whose recommendations at the leaves have the highest expected utility.

    >>> import rather
    >>> catalog = rather.Catalog([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]], labels=["fast", "cheap", "balanced"])
    >>> belief = rather.Belief.from_users([[1.0, 0.2], [0.3, 1.0], [0.7, 0.8]])
    >>> plan = rather.plan(rather.Policy(catalog, belief), questions=2, people=100)
    >>> session = rather.Session(rather.Policy(catalog, belief, plan=plan))
    >>> session.ask().slate == plan.root.items
    True

    Args:
        policy: Its questions are where the plan starts from, about items, attributes or both (`ask`; where that is
            "auto", what the plan is worth is net of its reading cost), and its response model says how people answer.
        questions: In a row, at most.
        people: How many are sampled from the belief to plan for, and as many others to judge the plan by. A belief
            without a density has nobody but its particles.
        leaving: The relative number of people who leave after so many questions, such as `{3: 1, 5: 1, 8: 1}`; by
            default all leave after the last one.
        least_share: Of all people who must come to a node for a question to be planned there.
        least_gain: The utility that a planned question must add in the end for those who come to it; where it adds
            less, the plan ends. By default it ends where questions add nothing.
        pool: Items, and attributes, that may be asked about besides those that the policy asks about and the items that
            are best for some.
        sweeps: Passes over all nodes, at most.
        tries: Searches with other random numbers, of which the best tree is taken.
        seed: Of the people and the search.
        on_progress: Called with the number of nodes done, of those to be done at most, and a note.
    """
    policy = policy.following(None)
    shares = leaving_shares(questions, leaving)
    _validate(policy, {"people": people, "pool": pool, "sweeps": sweeps, "tries": tries}, least_share, least_gain)
    planner = _Planner(policy, questions, shares, least_share, least_gain, pool, sweeps, tries, seed)
    with one_thread():
        return planner.run(people, on_progress)


def leaving_shares(questions: int, leaving: Mapping[int, float] | None) -> tuple[float, ...]:
    """The probability to leave after 0, 1, …, `questions` questions."""
    if questions < 1:
        raise InvalidInputError(f"`questions` must be at least 1, got {questions}.")
    if leaving is None:
        leaving = {questions: 1.0}
    if not all(type(count) is int and 0 <= count <= questions for count in leaving):
        raise InvalidInputError(f"`leaving` must be after 0 to {questions} questions, got {sorted(leaving)}.")
    if not all(0 <= share < math.inf for share in leaving.values()) or not sum(leaving.values()) > 0:
        raise InvalidInputError(f"`leaving` must have non-negative shares with a positive sum, got {dict(leaving)}.")
    if not leaving.get(questions):
        raise InvalidInputError(f"`leaving` must have a share of people who stay for all {questions} questions.")
    total = sum(leaving.values())
    return tuple(leaving.get(count, 0.0) / total for count in range(questions + 1))


def _validate(policy: Policy, counts: Mapping[str, int], least_share: float, least_gain: float) -> None:
    if policy.ask != "items" and policy.p != 1:
        raise InvalidInputError(f"A plan asks about single attributes, but `p` of the policy is {policy.p}.")
    for name, count in counts.items():
        if count < 1:
            raise InvalidInputError(f"`{name}` must be at least 1, got {count}.")
    if not 0 <= least_share <= 1:
        raise InvalidInputError(f"`least_share` must lie in [0, 1], got {least_share}.")
    if not 0 <= least_gain < math.inf:
        raise InvalidInputError(f"`least_gain` must be 0 or above, got {least_gain}.")


@dataclass(frozen=True, eq=False)
class _Planner:
    """The arguments of `plan` that decide the result."""

    policy: Policy
    questions: int
    leaving: tuple[float, ...]
    least_share: float
    least_gain: float
    pool: int
    sweeps: int
    tries: int
    seed: int

    def run(self, people: int, on_progress: OnProgress | None) -> Plan:
        valuation = Valuation(sampled_people(self.policy, people, self.seed, "planned for"), self.leaving)
        others = Valuation(sampled_people(self.policy, people, self.seed, "judged by"), self.leaving)
        selection = Valuation(sampled_people(self.policy, people, self.seed, "selected by"), self.leaving)
        growth = Growth(self.policy, valuation, self.questions, self.least_share)
        weights = valuation.people.weights
        myopic = Node(0)
        growth.grow(myopic)
        valuation.settle(myopic, weights)
        exchanger = Exchanger(valuation, tuple(self._pools(myopic, valuation.people)))
        # Each tree has at most as many nodes as the myopic one, those of all depths together hardly more than twice.
        progress = Progress(3 * len(myopic.questions) * self.sweeps * self.tries, on_progress)
        found = [myopic.copied()]
        for number in range(self.tries if myopic.slate else 0):
            search = Search(growth, exchanger, selection, self.sweeps, self.seed, number, progress)
            found += search.trees(myopic)
        root = self._best(found, valuation, selection)
        self._prune(root, valuation, weights)
        valuation.settle(root, weights)
        progress.advance(progress.total)
        return self._plan(root, myopic, valuation, others)

    def _best(self, found: Sequence[Node], valuation: Valuation, selection: Valuation) -> Node:
        """The best tree for other people, of those that are not worse than the first for the people planned for."""
        least = valuation.value(found[0])
        return max((tree for tree in found if valuation.value(tree) >= least), key=selection.value)

    def _pools(self, root: Node, people: People) -> Iterator[Tensor]:
        """For each kind of question the options that may be asked about, ascending."""
        kinds, asked = self.policy.ask, [option for node in root.questions for option in node.slate]
        if kinds != "attributes":
            yield self._items(torch.tensor([row for row in asked if row >= 0], dtype=torch.long), people)
        if kinds != "items" and (count := len(self.policy.catalog.attributes)):
            order = torch.randperm(count, generator=derive_generator(self.seed, "pool of attributes"))
            said = torch.tensor(attributes_in(asked), dtype=torch.long)
            yield -1 - torch.unique(torch.cat([order[: self.pool], said])).flip(0)

    def _items(self, asked: Tensor, people: People) -> Tensor:
        """Rows of the items that may be asked about, ascending."""
        policy, generator = self.policy, derive_generator(self.seed, "pool")
        if isinstance(policy.catalog.storage, ConfiguredItems) and policy.available > MOST_LISTED:
            # Hardly ever the same twice among so many.
            numbers = torch.randint(policy.available, (self.pool,), generator=generator)
            drawn = numbered_rows(policy.allowed, numbers)
        else:
            rows = allowed_rows(policy.allowed, policy.catalog.storage)
            drawn = rows[torch.randperm(len(rows), generator=generator)[: self.pool]]
        favourites = people.top(people.vectors[:MOST_FAVOURITES]).rows[:, 0]
        pool: Tensor = torch.unique(torch.cat([drawn, asked, favourites]))
        return pool

    def _prune(self, node: Node, valuation: Valuation, reach: Tensor) -> float:
        """End the plan where questions are not worth asking; what the tree is worth from here on."""
        if not node.slate:
            return valuation.settle(node, reach)
        kept = valuation.stake(node) * float(valuation.people.top((reach @ valuation.people.vectors)[None]).scores)
        for child, probability in zip(node.children, node.answers, strict=True):
            kept += self._prune(child, valuation, reach * probability)
        kept -= node.cost * float(reach.sum())
        leaf = Node(node.depth)
        ended = valuation.settle(leaf, reach)
        if kept - ended > self.least_gain * float(reach.sum()) + 1e-7 * abs(ended):
            return kept
        node.slate, node.cost, node.children, node.answers = (), 0.0, (), torch.zeros(0, 0)
        return ended

    def _plan(self, root: Node, myopic: Node, valuation: Valuation, others: Valuation) -> Plan:
        policy, count = self.policy, self.questions
        there, there_myopic = others.moved(root), others.moved(myopic)
        weights = others.people.weights.double()
        gained = (others.worth(there) - others.worth(there_myopic)).double()
        gain = float(weights @ gained)
        error = math.sqrt(float(weights.square() @ (gained - gain).square()))
        planned, usual = valuation.regret(root, count), valuation.regret(myopic, count)
        fresh, usual_fresh = others.regret(there, count), others.regret(there_myopic, count)
        regret = PlanRegret(tuple(planned), tuple(usual), tuple(fresh), tuple(usual_fresh), gain, error)
        return Plan(
            self._frozen(root, valuation.people.weights),
            policy.catalog.content_hash,
            policy.prior.content_hash,
            policy.k,
            tuple(policy.response.extras),
            count,
            {after: share for after, share in enumerate(self.leaving) if share},
            len(valuation.people.vectors),
            self.seed,
            regret,
            policy.ask,
            "" if policy.ask == "items" else attributes_hash(policy.catalog.attributes),
        )

    def _frozen(self, node: Node, reach: Tensor) -> PlanNode:
        ids = self.policy.catalog.ids
        children = tuple(
            self._frozen(child, reach * probability)
            for child, probability in zip(node.children, node.answers, strict=True)
        )
        items = tuple(ids[row] for row in node.slate if row >= 0)
        return PlanNode(float(reach.sum()), ids[node.row], items, children, attributes_in(node.slate))
