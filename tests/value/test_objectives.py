"""What recommendations are worth, against sums written out and against brute force on tiny cases."""

import itertools
import math

import pytest
import torch

import rather
from rather import value
from rather.errors import InvalidInputError
from rather.model.responses import Logistic
from rather.retrieval import ExactRetriever
from rather.value.lists import Pool, best_lists, better_directions, evoi_of_lists, perfect_information
from rather.value.objectives import (
    BestItem,
    BestOfList,
    DiscountedList,
    RiskAverse,
    Satisfaction,
    SmoothBestOfList,
    list_value,
)

OBJECTIVES = [
    BestItem(),
    BestOfList(2),
    BestOfList(3),
    SmoothBestOfList(0.3, 2),
    DiscountedList(3),
    Satisfaction(0.5, 0.1, 2),
    RiskAverse(0.3),
    RiskAverse(0.25, 2),
]


def names(objective):
    return repr(objective)


class World:
    """Nine items, twelve unequal particles, in three dimensions."""

    def __init__(self, seed, items=9):
        generator = torch.Generator().manual_seed(seed)
        self.catalog = rather.Catalog(torch.randn(items, 3, generator=generator))
        users, weights = torch.randn(12, 3, generator=generator), torch.rand(12, generator=generator) + 0.1
        self.belief = rather.Belief.from_users(users, weights)
        self.utilities = self.catalog.items @ self.belief.particles.T
        self.pool = Pool(torch.arange(items), self.utilities, is_whole=True)
        self.slates = torch.tensor(list(itertools.combinations(range(items), 2)))

    def search(self, directions, count):
        return ExactRetriever(self.catalog).top(directions, count)

    def best(self, objective, weights, **settings):
        return best_lists(objective, weights, self.belief, self.pool, self.search, self.catalog.vectors, **settings)

    def exhaustive(self, objective, weights, count=None):
        """The value of the best list for weights `(m,)`, of all lists in every order."""
        lists = torch.tensor(list(itertools.permutations(range(len(self.catalog)), count or objective.size)))
        return float(list_value(objective, self.utilities[lists], weights).max())

    def probabilities(self, slates, response):
        return response.log_probabilities(self.utilities[slates]).exp()


def test_worth_written_out():
    utilities = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, -1.0]])
    weights = torch.tensor([0.5, 0.3, 0.2])
    best = [1.0, 3.0, 2.0]
    assert list_value(BestItem(), utilities[:1], weights).item() == pytest.approx(0.5 * 1 + 0.2 * 2)
    assert list_value(BestOfList(2), utilities, weights).item() == pytest.approx(0.5 * 1 + 0.3 * 3 + 0.2 * 2)
    surplus = 0.5 * (
        0.5 * math.log(math.exp(2) + 1) + 0.3 * math.log(1 + math.exp(6)) + 0.2 * math.log(math.exp(4) + math.exp(-2))
    )
    assert list_value(SmoothBestOfList(0.5, 2), utilities, weights).item() == pytest.approx(surplus)
    first, second = 1 / math.log2(2), 1 / math.log2(3)
    ranked = (first * 0.9 + second * (0.3 * 3 - 0.2)) / (first + second)
    assert list_value(DiscountedList(2), utilities, weights).item() == pytest.approx(ranked)
    satisfied = sum(w / (1 + math.exp(-(u - 1.5) / 0.1)) for w, u in zip(weights.tolist(), best, strict=True))
    assert list_value(Satisfaction(1.5, 0.1, 2), utilities, weights).item() == pytest.approx(satisfied)
    # Of the worst 60 %, 0.5 have utility 1 and 0.1 have utility 2.
    assert list_value(RiskAverse(0.6, 2), utilities, weights).item() == pytest.approx((0.5 * 1 + 0.1 * 2) / 0.6)


def test_all_of_the_probability_is_the_average():
    world = World(0)
    lists = world.utilities[world.slates]
    weights = world.belief.weights
    torch.testing.assert_close(
        list_value(RiskAverse(1.0, 2), lists, weights), list_value(BestOfList(2), lists, weights)
    )


@pytest.mark.parametrize("objective", OBJECTIVES, ids=names)
@pytest.mark.parametrize("seed", range(5))
def test_the_best_list_is_found(objective, seed):
    world = World(seed)
    found = world.best(objective, world.belief.weights[None])
    assert found.rows.shape == (1, objective.size)
    assert len(set(found.rows[0].tolist())) == objective.size
    assert found.values.item() == pytest.approx(
        list_value(objective, world.utilities[found.rows[0]], world.belief.weights).item(), abs=1e-6
    )
    # Where two items may be worth more than the sum of both, exchanges of single ones may end in a local optimum.
    best = world.exhaustive(objective, world.belief.weights)
    missed = 0.05 * abs(best) if isinstance(objective, Satisfaction | RiskAverse) and objective.size > 1 else 0.0
    assert best - missed - 1e-5 <= found.values.item() <= best + 1e-5


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("seed", range(8))
def test_the_greedy_list_keeps_its_bound(count, seed):
    """`E[max]` is submodular and monotone once the worst item is worth 0: greedy is within 1 - 1/e of the best list."""
    world = World(seed)
    weights = world.belief.weights
    floor = float((world.utilities.amin(dim=0) * weights).sum())
    greedy = float(world.pool.best_lists(BestOfList(count), weights[None], count, exchange=False).values)
    exchanged = float(world.pool.best_lists(BestOfList(count), weights[None], count).values)
    best = world.exhaustive(BestOfList(count), weights)
    assert greedy - floor >= (1 - 1 / math.e) * (best - floor) - 1e-5
    assert greedy <= exchanged + 1e-6 <= best + 2e-6


def test_a_list_of_one_is_the_best_item():
    for seed in range(5):
        world = World(seed)
        weights = world.belief.weights[None]
        assert torch.equal(world.best(BestOfList(1), weights).rows, world.best(BestItem(), weights).rows)


def test_gradient_and_projection_find_what_a_pool_lacks():
    """From a pool of the two worst items, searches lead to lists as good as those from all items."""
    reached = []
    for seed in range(10):
        world = World(seed, items=40)
        weights = world.belief.weights[None]
        worst = (world.utilities @ world.belief.weights).topk(2, largest=False).indices
        poor = Pool.of(worst, world.catalog.vectors, world.belief)
        found = best_lists(
            BestOfList(2), weights, world.belief, poor, world.search, world.catalog.vectors, rounds=6
        ).values.item()
        reached.append(found / world.exhaustive(BestOfList(2), world.belief.weights))
    assert min(reached) > 0.85
    assert sum(reached) / len(reached) > 0.95


@pytest.mark.parametrize("objective", OBJECTIVES, ids=names)
def test_the_gradient_is_that_of_the_value(objective):
    world = World(3)
    weights = world.belief.weights[None]
    found = world.best(objective, weights)
    directions = better_directions(objective, found, weights, world.belief)[0]
    items, step = world.catalog.vectors(found.rows[0]).double(), 1e-4
    particles, exact = world.belief.particles.double(), weights[0].double()
    for slot, axis in itertools.product(range(objective.size), range(3)):
        values = []
        for sign in (1, -1):
            moved = items.clone()
            moved[slot, axis] += sign * step
            values.append(float(list_value(objective, moved @ particles.T, exact)))
        assert directions[slot, axis].item() == pytest.approx((values[0] - values[1]) / (2 * step), abs=2e-3)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=names)
@pytest.mark.parametrize("response", [Logistic(0.3), Logistic(0.3, none_utility=0.0, tie=0.5)], ids=["choice", "ties"])
def test_evoi_is_that_of_brute_force_and_within_its_bounds(objective, response):
    world = World(1, items=6)
    weights, slates = world.belief.weights, world.slates[:12]
    probabilities = world.probabilities(slates, response)
    found = evoi_of_lists(objective, probabilities, world.belief, world.pool)
    now = world.exhaustive(objective, weights)
    for slate in range(len(slates)):
        after = sum(world.exhaustive(objective, weights * answer) for answer in probabilities[slate])
        assert found[slate].item() == pytest.approx(after - now, abs=1e-5)
    own = world.utilities.topk(objective.depth, dim=0).values
    most = float(perfect_information(objective, weights, own)) - now
    assert (found >= -1e-6).all()
    assert (found <= most + 1e-5).all()


@pytest.mark.parametrize("objective", OBJECTIVES, ids=names)
def test_the_order_of_a_slate_does_not_matter(objective):
    world = World(2)
    response = Logistic(0.3)
    forward = evoi_of_lists(objective, world.probabilities(world.slates, response), world.belief, world.pool)
    backward = evoi_of_lists(objective, world.probabilities(world.slates.flip(1), response), world.belief, world.pool)
    torch.testing.assert_close(forward, backward, atol=1e-5, rtol=1e-4)


def test_evoi_of_the_best_item_is_the_papers():
    world = World(4)
    response = Logistic(0.3)
    ours = evoi_of_lists(BestItem(), world.probabilities(world.slates, response), world.belief, world.pool)
    paper = value.evoi(world.catalog.vectors(world.slates), world.belief, response, world.search)
    torch.testing.assert_close(ours, paper, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BestOfList(0), "`size` must be at least 1, got 0"),
        (lambda: BestOfList(2.5), "`size` must be a whole number, got 2.5"),
        (lambda: DiscountedList("5"), "`size` must be a whole number, got '5'"),
        (lambda: SmoothBestOfList("warm"), "`temperature` must be a finite number, got 'warm'"),
        (lambda: SmoothBestOfList(float("inf")), "`temperature` must be a finite number, got inf"),
        (lambda: Satisfaction(float("nan"), 1.0), "`threshold` must be a finite number, got nan"),
        (lambda: RiskAverse("few"), "`share` must be a finite number, got 'few'"),
        (lambda: SmoothBestOfList(0.0), "`temperature` must be above 0, got 0.0"),
        (lambda: Satisfaction(1.0, -1.0), "`width` must be above 0, got -1.0"),
        (lambda: RiskAverse(0.0), r"`share` must lie in \(0, 1\], got 0.0"),
    ],
)
def test_settings_that_make_no_sense_are_rejected(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()
