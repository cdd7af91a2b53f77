"""Checks that every strategy, response model, retriever and objective must pass; run them on yours.

```python
from rather.testing import check_attribute_strategy, check_response_model, check_retriever, check_strategy
from rather.testing import check_objective

def test_my_strategy_keeps_the_contract():
    check_strategy(MyStrategy(restarts=3))
```

Each check is a plain function that returns nothing, or raises an `AssertionError` that says which promise was broken
and in which situation. None needs a test framework.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace

import torch
from torch import Tensor

from rather.model.allowed import Allowed, are_allowed
from rather.model.attributes import Attribute
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.personal_noise import PersonalNoise
from rather.model.responses import Answer, Logistic, Noiseless, ResponseModel
from rather.numerics.randomness import derive_generator
from rather.retrieval import ExactRetriever, Retriever
from rather.strategies import Problem, Strategy, choose
from rather.strategies.attributes.options import AttributeOptions
from rather.value import Objective, Pool, best_lists, evoi_of_lists, list_value, perfect_information
from rather.value.objectives import Joins, Linear

ROUNDING = 1e-4
"""Differences of float32 sums, relative to the size of what is summed, that are no one's fault."""


def check_strategy(strategy: Strategy) -> None:
    """A strategy proposes slates that can be asked, whatever the catalogue, and the same ones for the same seed.

    Its proposals are rows `(b, k)`, b >= 1, each slate of k distinct items that the filter allows; they follow from
    the problem alone; and neither the problem's tensors nor torch's global generator change. The situations: k of 2,
    3 and 5, barely k items, a filter, equal items, items that are all zero, one particle, "none" and "same" on offer,
    answers without noise, and slates that have been asked.

    Args:
        strategy: Called with problems of up to 16 items and 30 particles.
    """
    for situation, problem in problems():
        inputs = (problem.catalog.items, problem.belief.particles, problem.belief.log_weights)
        before = [tensor.clone() for tensor in inputs]
        host = torch.get_rng_state()
        proposals = strategy(_restarted(problem))
        _claim(torch.equal(host, torch.get_rng_state()), situation, "torch's global generator is left alone")
        _claim(all(map(torch.equal, before, inputs)), situation, "items and particles are left as they are")
        _check_proposals(proposals, problem, situation)
        again = strategy(_restarted(problem))
        _claim(torch.equal(proposals, again), situation, "the same seed gives the same proposals")
        chosen = choose(lambda _, slates=proposals: slates, _restarted(problem))  # type: ignore[misc]
        _claim(frozenset(chosen.slate) not in problem.asked, situation, "what is asked has not been asked before")


def problems(seed: int = 0) -> Iterator[tuple[str, Problem]]:
    """Small problems of every kind that a strategy may meet, each with the words for it."""
    soft = Logistic(0.2)
    for k in (2, 3, 5):
        yield f"16 items, k={k}", _problem(16, k, soft, seed)
        yield f"{k} items, k={k}", _problem(k, k, soft, seed)
        yield f"{k + 2} of 16 items allowed, k={k}", replace(_problem(16, k, soft, seed), allowed=_last(k + 2, 16))
    pair, triple = _problem(16, 2, soft, seed), _problem(16, 3, soft, seed)
    yield "3 of 16 items allowed, k=3", replace(triple, allowed=_last(3, 16))
    yield "none and same on offer, k=3", replace(triple, response=Logistic(0.2, none_utility=0.5, tie=0.5))
    yield "no noise, k=2", replace(pair, response=Noiseless())
    yield "noise of one's own, k=2", replace(pair, response=PersonalNoise.around(0.2))
    yield "no noise, 6 items, k=5", _problem(6, 5, Noiseless(), seed)
    for name, items in (("equal", pair.catalog.items[:1].repeat(7, 1)), ("zero", torch.zeros_like(pair.catalog.items))):
        catalog = Catalog(items)
        yield f"{name} items, k=3", replace(triple, catalog=catalog, retriever=ExactRetriever(catalog))
    yield "one particle, k=2", replace(pair, belief=Belief.from_users(pair.belief.particles[:1]))
    yield "one dimension, k=2", _problem(16, 2, soft, seed, dimensions=1)
    all_but_one = list(map(frozenset, itertools.combinations(range(5), 3)))[1:]
    yield "all slates of 5 items but one asked, k=3", replace(_problem(5, 3, soft, seed), asked=frozenset(all_but_one))


def check_attribute_strategy(strategy: Strategy) -> None:
    """A strategy for attributes proposes partial items that can be asked about, and the same ones for the same seed.

    Its proposals are attribute indices `(b, k, p)`, b >= 1; those of an option ascend and are about different
    columns, the items of a slate differ; they follow from the problem alone; and neither the problem's tensors nor
    torch's global generator change. The situations: k of 2, 3 and 5 and p of 1, 2 and 3, columns with several
    attributes, barely k partial items, one particle, "none" and "same" on offer, answers without noise, and slates
    that have been asked.

    Args:
        strategy: Called with problems of up to 12 items, 8 attributes and 30 particles.
    """
    for situation, problem in attribute_problems():
        belief, matrix = problem.belief, problem.attributes.matrix
        inputs = (problem.catalog.items, belief.particles, belief.log_weights, matrix)
        before = [tensor.clone() for tensor in inputs]
        host = torch.get_rng_state()
        proposals = strategy(replace(problem, generator=derive_generator(0, "strategy")))
        _claim(torch.equal(host, torch.get_rng_state()), situation, "torch's global generator is left alone")
        _claim(all(map(torch.equal, before, inputs)), situation, "items, particles, attributes are left as they are")
        _check_attribute_proposals(proposals, problem, situation)
        again = strategy(replace(problem, generator=derive_generator(0, "strategy")))
        _claim(torch.equal(proposals, again), situation, "the same seed gives the same proposals")
        chosen = choose(lambda _, slates=proposals: slates, problem)  # type: ignore[misc]
        _claim(
            AttributeOptions.name(chosen.slate) not in problem.asked,
            situation,
            "what is asked has not been asked before",
        )


def attribute_problems(seed: int = 0) -> Iterator[tuple[str, Problem]]:
    """Small problems of every kind that a strategy for attributes may meet, each with the words for it."""
    soft = Logistic(0.2)
    for k, p in itertools.product((2, 3, 5), (1, 2, 3)):
        yield f"5 columns, k={k}, p={p}", _attribute_problem("abbcdeee", k, p, soft, seed)
    yield "2 attributes, k=2, p=1", _attribute_problem("ab", 2, 1, soft, seed)
    yield "4 partial items, k=4, p=2", _attribute_problem("aabb", 4, 2, soft, seed)
    pair = _attribute_problem("abcd", 2, 1, soft, seed)
    yield "none and same on offer, k=2", replace(pair, response=Logistic(0.2, none_utility=0.5, tie=0.5))
    yield "no noise, k=2", replace(pair, response=Noiseless())
    yield "noise of one's own, k=2", replace(pair, response=PersonalNoise.around(0.2))
    yield "one particle, k=2", replace(pair, belief=Belief.from_users(pair.belief.particles[:1]))
    yield "2 of 12 items allowed, k=3", replace(_attribute_problem("abcd", 3, 1, soft, seed), allowed=_last(2, 12))
    all_but_one = [AttributeOptions.name([[first], [second]]) for first, second in itertools.combinations(range(4), 2)][
        1:
    ]
    yield "all slates of 4 attributes but one asked, k=2", replace(pair, asked=frozenset(all_but_one))


def check_objective(objective: Objective) -> None:
    """An objective values lists as one: more utility is never worth less, and asking never loses.

    What a list is worth is a finite number for every particle that never falls as a utility rises, has a gradient, and
    grows in proportion to the weights; one imagined item is worth as much as the two it stands for (`join`); where it
    is a sum (`discounts`), the items of highest expected utility are the best list. EVOI is at least 0 and at most the
    value of perfect information, and the same for every order of the slate.

    Args:
        objective: Called with lists of up to `size` items and 12 particles.
    """
    whole = isinstance(objective, Objective) and not isinstance(objective, type)
    _claim(whole, "any", f"it is an object with `size`, `depth` and `worth`, not {objective!r}")
    _claim(isinstance(objective, Hashable), "any", "it can be hashed, as a frozen dataclass can")
    for seed in range(3):
        situation, belief = f"seed {seed}", _problem(9, 2, Logistic(0.3), seed).belief.resampled(12, _generator(seed))
        catalog = _problem(9, 2, Logistic(0.3), seed).catalog
        pool = Pool(torch.arange(9), catalog.items @ belief.particles.T, is_whole=True)
        _check_shorter_lists(objective, pool.utilities, belief.weights, situation)
        _check_worth(objective, pool.utilities[torch.arange(min(objective.size, 9))], belief.weights, situation)
        _check_lists(objective, pool, catalog, belief, situation)


def _check_shorter_lists(objective: Objective, utilities: Tensor, weights: Tensor, situation: str) -> None:
    """Lists are made item by item, and few items may be left."""
    for length in range(1, min(objective.size, len(utilities)) + 1):
        try:
            worth = objective.worth(utilities[:length], weights)
        except (IndexError, RuntimeError) as error:
            raise AssertionError(
                f"Broken promise ({situation}): a list of {length} is worth something: {error}"
            ) from error
        _claim(
            worth.shape == weights.shape,
            situation,
            f"a list of {length} is worth something to each particle, {tuple(weights.shape)}, not {tuple(worth.shape)}",
        )


def _check_worth(objective: Objective, utilities: Tensor, weights: Tensor, situation: str) -> None:
    worth = objective.worth(utilities, weights)
    _claim(bool(worth.isfinite().all()), situation, "what lists are worth is finite")
    value = float(list_value(objective, utilities, weights))
    for slot, particle in itertools.product(range(len(utilities)), range(0, len(weights), 4)):
        raised = utilities.clone()
        raised[slot, particle] += 0.5
        more = float(list_value(objective, raised, weights))
        _claim(more >= value - ROUNDING * (1 + abs(value)), situation, "more utility is never worth less")
    half = float(list_value(objective, utilities, weights / 2))
    _claim(abs(half - value / 2) <= ROUNDING * (1 + abs(value)), situation, "half the weights are worth half as much")
    variable = utilities.clone().requires_grad_()
    with torch.enable_grad():
        total = list_value(objective, variable, weights)
        _claim(total.requires_grad, situation, "it has a gradient")
        (slope,) = torch.autograd.grad(total, variable)
    _claim(bool(slope.isfinite().all()) and bool((slope != 0).any()), situation, "it has a gradient")
    if isinstance(objective, Joins) and len(utilities) > 1:
        joined = objective.join(utilities[0], utilities[1])
        alike = list_value(objective, torch.cat([joined[None], utilities[2:]]), weights)
        _claim(abs(float(alike) - value) <= ROUNDING * (1 + abs(value)), situation, "a joined item stands for two")


def _check_lists(objective: Objective, pool: Pool, catalog: Catalog, belief: Belief, situation: str) -> None:
    retriever, weights = ExactRetriever(catalog), belief.weights
    found = best_lists(objective, weights[None], belief, pool, retriever.top, catalog.vectors)
    if objective.size <= 3:
        every = torch.tensor(list(itertools.permutations(range(9), objective.size)))
        best = float(list_value(objective, pool.utilities[every], weights).max())
        _claim(
            float(found.values) <= best + ROUNDING * (1 + abs(best)), situation, "no list is worth more than the best"
        )
        if isinstance(objective, Linear):
            _claim(float(found.values) >= best - ROUNDING * (1 + abs(best)), situation, "a sum is best by the mean")
    slates = torch.tensor(list(itertools.combinations(range(9), 2)))
    answers = Logistic(0.3).log_probabilities(pool.utilities[slates]).exp()
    evoi = evoi_of_lists(objective, answers, belief, pool)
    own = pool.utilities.topk(min(objective.depth, 9), dim=0).values
    most = float(perfect_information(objective, weights, own) - found.values)
    _claim(bool((evoi >= -ROUNDING).all()), situation, "asking never loses")
    _claim(bool((evoi <= most + ROUNDING * (1 + abs(most))).all()), situation, "no question is worth more than knowing")
    other_way = evoi_of_lists(objective, answers.flip(1), belief, pool)
    _claim(bool(((evoi - other_way).abs() <= 10 * ROUNDING).all()), situation, "the order of a slate does not matter")


def _generator(seed: int) -> torch.Generator:
    return derive_generator(seed, "objective")


def check_response_model(model: ResponseModel) -> None:
    """A response model gives every answer a probability, for any number of options and users at once.

    Probabilities are normalised over the k options and the extra answers; they depend on the options and not on their
    order (strategies sort slates), for each user alone; they keep the dtype and are defined, if infinitely small,
    for equal, far apart and very large utilities.

    Args:
        model: Anything with `extras` and `log_probabilities`.
    """
    extras = model.extras
    _claim(len(set(extras)) == len(extras), "extras", "each extra answer is offered once")
    _claim(set(extras) <= {Answer.NONE, Answer.SAME}, "extras", "only NONE and SAME can be extra answers")
    for k, (name, utilities) in itertools.product((2, 3, 5), _utilities()):
        case = f"{k} options, {name}"
        given = utilities[..., :k, :].clone()
        logs = model.log_probabilities(given)
        _claim(torch.equal(given, utilities[..., :k, :]), case, "utilities are left as they are")
        wanted = (*given.shape[:-2], k + len(extras), given.shape[-1])
        _claim(tuple(logs.shape) == wanted, case, f"the shape is {wanted}, not {tuple(logs.shape)}")
        _claim(logs.dtype == given.dtype, case, f"the dtype stays {given.dtype}, not {logs.dtype}")
        _claim(not logs.isnan().any(), case, "every answer has a probability")
        _claim(_close(logs.exp().sum(dim=-2), torch.ones_like(given[..., 0, :])), case, "probabilities sum to 1")
        order = torch.arange(k).roll(1)
        turned = model.log_probabilities(given[..., order, :]).exp()
        expected = torch.cat([logs[..., :k, :][..., order, :], logs[..., k:, :]], dim=-2).exp()
        _claim(_close(turned, expected), case, "permuting the options permutes their probabilities")
        alone = model.log_probabilities(given[..., :1]).exp()
        _claim(_close(alone, logs[..., :1].exp()), case, "a user's answer does not depend on other users")


def check_retriever(
    make_retriever: Callable[[Catalog], Retriever],
    *,
    exact: bool = True,
    filtered: Iterable[tuple[str, Catalog, Allowed]] | None = None,
) -> None:
    """A retriever finds allowed items, best first, with their true scores.

    Rows of a direction are distinct and allowed, scores fall and are the inner products, vectors are the items; with
    filters, with equal items, for one direction and for many, for one item and for all of them.

    Args:
        make_retriever: Builds the retriever for a catalogue of up to 300 items.
        exact: Also demand the scores of a scan of all items. Leave it out for an approximate retriever.
        filtered: Catalogues to search with and without a filter, each with the words for it and what the filter
            allows, at least 7 items; by default lists of items with masks. For a retriever of product spaces: small
            ones, with what `catalog.where` returns.
    """
    for name, catalog, some in filtered if filtered is not None else _filtered_lists():
        retriever = make_retriever(catalog)
        directions = _normal((9, catalog.dimensions), "directions", name)
        mask = are_allowed(some, torch.arange(len(catalog)))
        for has_filter, b, count in itertools.product((False, True), (1, 9), (1, 2, 7)):
            allowed = some if has_filter else None
            case = f"{name}, {'filter, ' * has_filter}{b} directions, {count} items each"
            found = retriever.top(directions[:b], count, allowed)
            _claim(tuple(found.rows.shape) == (b, count), case, f"rows are {(b, count)}, not {found.rows.shape}")
            _claim(all(len(set(rows)) == count for rows in found.rows.tolist()), case, "rows are distinct")
            _claim(allowed is None or bool(mask[found.rows].all()), case, "only allowed items are found")
            _claim(torch.equal(found.vectors, catalog.items[found.rows]), case, "vectors are the items of the rows")
            scores = (found.vectors * directions[:b, None]).sum(dim=2)
            _claim(_close(found.scores, scores), case, "scores are inner products")
            _claim(bool((found.scores.diff(dim=1) <= ROUNDING).all()), case, "the best come first")
            if exact:
                every = directions[:b] @ catalog.items.T
                every = every if allowed is None else every[:, mask]
                best = every.sort(dim=1, descending=True).values[:, :count]
                _claim(_close(found.scores, best), case, "no allowed item scores higher than those found")


def _check_proposals(proposals: Tensor, problem: Problem, situation: str) -> None:
    shape = tuple(proposals.shape)
    _claim(len(shape) == 2 and shape[0] >= 1, situation, f"proposals are (b >= 1, k), not {shape}")
    _claim(shape[1] == problem.k, situation, f"slates hold k = {problem.k} items, not {shape[1]}")
    _claim(proposals.dtype == torch.long, situation, f"rows are int64, not {proposals.dtype}")
    rows = proposals.tolist()
    _claim(all(len(set(slate)) == problem.k for slate in rows), situation, f"items of a slate are distinct: {rows}")
    known = set(problem.rows.tolist())
    _claim(all(known.issuperset(slate) for slate in rows), situation, f"only allowed items are proposed: {rows}")


def _check_attribute_proposals(proposals: Tensor, problem: Problem, situation: str) -> None:
    shape = tuple(proposals.shape)
    wanted = (problem.k, problem.attributes.p)
    _claim(len(shape) == 3 and shape[0] >= 1, situation, f"proposals are (b >= 1, k, p), not {shape}")
    _claim(shape[1:] == wanted, situation, f"slates are (k, p) = {wanted}, not {shape[1:]}")
    _claim(proposals.dtype == torch.long, situation, f"indices are int64, not {proposals.dtype}")
    known = set(problem.attributes.space.every_item())
    for slate in proposals.tolist():
        items = set(map(tuple, slate))
        _claim(len(items) == problem.k, situation, f"partial items of a slate differ: {slate}")
        _claim(known.issuperset(items), situation, f"attributes ascend and do not contradict each other: {slate}")


def _attribute_problem(columns: str, k: int, p: int, response: ResponseModel, seed: int) -> Problem:
    vectors = _normal((len(columns), 4), "attributes", seed)
    said = [Attribute(f"{column}{index}", column, vectors[index]) for index, column in enumerate(columns)]
    catalog = Catalog(_normal((12, 4), "items", seed), attributes=said)
    belief = Belief.from_users(_normal((30, 4), "users", seed) + 0.3)
    return Problem(catalog, belief, response, k, derive_generator(seed, "strategy"), p=p)


def _problem(n: int, k: int, response: ResponseModel, seed: int, dimensions: int = 4) -> Problem:
    catalog = Catalog(_normal((n, dimensions), "items", seed))
    belief = Belief.from_users(_normal((30, dimensions), "users", seed) + 0.3)
    return Problem(catalog, belief, response, k, derive_generator(seed, "strategy"))


def _restarted(problem: Problem) -> Problem:
    return replace(problem, generator=derive_generator(0, "strategy"))


def _utilities() -> Iterator[tuple[str, Tensor]]:
    """Utilities of 5 options, `(..., 5, m)`."""
    drawn = _normal((3, 5, 11), "utilities")
    yield "a batch of slates", drawn
    yield "one slate", drawn[0]
    yield "one user", drawn[0, :, :1]
    yield "double precision", drawn.double()
    yield "equal utilities", torch.zeros_like(drawn)
    yield "utilities far apart", 1e4 * drawn
    yield "utilities that share an offset", drawn + 30


def _filtered_lists() -> Iterator[tuple[str, Catalog, Allowed]]:
    for name, catalog in _catalogs():
        yield name, catalog, _last(7, len(catalog))


def _catalogs() -> Iterator[tuple[str, Catalog]]:
    drawn = _normal((300, 6), "catalogue")
    yield "300 items", Catalog(drawn)
    yield "7 items", Catalog(drawn[:7])
    yield "equal items", Catalog(drawn[:1].repeat(20, 1))
    yield "items in pairs", Catalog(drawn[:30].repeat_interleave(2, dim=0))
    yield "norms of all sizes", Catalog(drawn * torch.logspace(-3, 2, 300, dtype=torch.float32)[:, None])


def _normal(shape: tuple[int, ...], *path: str | int) -> Tensor:
    return torch.randn(shape, generator=derive_generator(0, *path), dtype=torch.float32)


def _last(count: int, length: int) -> Tensor:
    """A mask of the last items: a search that forgets the filter would rather find the first."""
    return torch.arange(length) >= length - count


def _close(left: Tensor, right: Tensor) -> bool:
    return torch.allclose(left, right, rtol=ROUNDING, atol=ROUNDING)


def _claim(holds: bool, situation: str, promise: str) -> None:
    if not holds:
        raise AssertionError(f"Broken promise ({situation}): {promise}.")
