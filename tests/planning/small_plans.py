"""Small worlds to plan conversations in, and what brute force says of them."""

import itertools

import torch

import rather
from rather import Logistic, Policy
from worlds import world


def small_policy(n=12, m=20, d=3, seed=0, smooth=False, **parts) -> Policy:
    here = world(n, m, d, seed, smooth)
    rejuvenation = rather.Rejuvenation() if smooth else None
    catalog = rather.Catalog(here.catalog.items, features=[f"f{index}" for index in range(d)])
    return Policy(catalog, here.belief, **{"response": Logistic(0.2), "rejuvenation": rejuvenation, "seed": 0, **parts})


def leaf_value(policy: Policy, reach: torch.Tensor) -> float:
    return float((policy.catalog.items.double() @ (reach @ policy.prior.particles.double())).max())


def answer_probabilities(policy: Policy, slate) -> torch.Tensor:
    utilities = policy.catalog.vectors(list(slate)).double() @ policy.prior.particles.double().T
    return policy.response.log_probabilities(utilities).exp()


def best_value(policy: Policy, reach: torch.Tensor, depth: int, asked: frozenset = frozenset()) -> float:
    """The value of the best of all trees of a depth, by trying all of them."""
    if not depth:
        return leaf_value(policy, reach)
    values = []
    for slate in itertools.combinations(range(len(policy.catalog)), policy.k):
        if frozenset(slate) not in asked:
            after = asked | {frozenset(slate)}
            probabilities = answer_probabilities(policy, slate)
            values.append(sum(best_value(policy, reach * each, depth - 1, after) for each in probabilities))
    return max(values)


def tree_value(policy: Policy, node, reach: torch.Tensor) -> float:
    """What a planned tree is worth at its leaves, one person and one answer at a time."""
    if not node.is_question:
        return leaf_value(policy, reach)
    if node.items:
        vectors = policy.catalog.vectors([policy.catalog.row(item) for item in node.items])
    else:
        vectors = policy.attribute_question(1, [[index] for index in node.attributes]).vectors
    probabilities = policy.response.log_probabilities(vectors.double() @ policy.prior.particles.double().T).exp()
    return sum(tree_value(policy, c, reach * p) for c, p in zip(node.children, probabilities, strict=True))
