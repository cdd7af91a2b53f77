import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import rather.retrieval
from rather import Catalog, ExactRetriever
from rather.errors import InvalidInputError
from rather.retrieval import nearest_items
from rather.testing import check_retriever
from worlds import normal, worlds


def brute_force(directions, items, count, allowed=None) -> torch.Tensor:
    """Rows of the best items by Python's own sort, which keeps the order of equals."""
    rows = range(len(items)) if allowed is None else allowed.nonzero()[:, 0].tolist()
    scores = (directions.double() @ items.double().T).tolist()
    return torch.tensor([sorted(rows, key=lambda row: -line[row])[:count] for line in scores])


def whole_numbers(*shape: int, seed: int, largest: int = 2) -> torch.Tensor:
    """Whole coordinates: inner products are exact, and often equal."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-largest, largest + 1, shape, generator=generator).float()


def test_the_exact_retriever_keeps_the_contract():
    check_retriever(ExactRetriever)


@pytest.mark.parametrize("rows", [1, 2, 7, 64])
def test_the_exact_retriever_keeps_the_contract_in_blocks_of_any_size(monkeypatch, rows):
    monkeypatch.setattr(rather.retrieval, "BLOCK_ROWS", rows)
    check_retriever(ExactRetriever)


def test_the_exact_retriever_keeps_the_contract_with_few_directions_at_a_time(monkeypatch):
    monkeypatch.setattr(rather.retrieval, "SCORES_AT_A_TIME", 600)
    check_retriever(ExactRetriever)


def test_the_exact_retriever_keeps_the_contract_on_all_threads(monkeypatch):
    monkeypatch.setattr(rather.retrieval, "SMALL_SCAN", 0)
    check_retriever(ExactRetriever)


@st.composite
def searches(draw):
    """Directions, items with many equal scores, how many, and a filter that leaves enough of them."""
    n, d, b, seed = (draw(st.integers(*bounds)) for bounds in ((1, 25), (1, 3), (1, 4), (0, 9999)))
    count = draw(st.integers(1, n))
    allowed = None
    if draw(st.booleans()):
        excluded = draw(st.sets(st.integers(0, n - 1), max_size=n - count))
        allowed = torch.tensor([row not in excluded for row in range(n)])
    return whole_numbers(b, d, seed=seed + 1), whole_numbers(n, d, seed=seed, largest=1), count, allowed


@given(searches(), st.sampled_from([1, 2, 3, 5, 100]))
def test_equal_scores_come_in_the_order_of_their_rows_in_blocks_of_any_size(search, block_rows):
    directions, items, count, allowed = search
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rather.retrieval, "BLOCK_ROWS", block_rows)
        found = ExactRetriever(Catalog(items)).top(directions, count, allowed)
    assert torch.equal(found.rows, brute_force(directions, items, count, allowed))


def test_of_many_equal_items_the_first_are_found():
    found = ExactRetriever(Catalog(torch.ones(1000, 2))).top(torch.ones(3, 2), 4)
    assert found.rows.tolist() == [[0, 1, 2, 3]] * 3


@given(worlds(whole=False))
def test_the_best_item_of_every_particle_is_brute_forces(world):
    found = world.search(world.belief.particles, 1)
    assert torch.equal(found.rows, brute_force(world.belief.particles, world.catalog.items, 1, world.allowed))


def test_a_direction_found_among_many_is_found_alone():
    catalog, directions = Catalog(normal(200, 5)), normal(30, 5, seed=1)
    together = ExactRetriever(catalog).top(directions, 3).rows
    alone = torch.cat([ExactRetriever(catalog).top(direction[None], 3).rows for direction in directions])
    assert torch.equal(together, alone)


@pytest.mark.parametrize("count", [0, 5, -1])
def test_more_items_than_there_are_is_refused(count):
    with pytest.raises(InvalidInputError, match=rf"`count` must be 1..4 \(the items allowed\), got {count}"):
        ExactRetriever(Catalog(normal(4, 2))).top(normal(1, 2), count)


def test_more_items_than_the_filter_allows_is_refused():
    allowed = torch.tensor([True, False, True, False])
    with pytest.raises(InvalidInputError, match=r"`count` must be 1..2 \(the items allowed\), got 3"):
        ExactRetriever(Catalog(normal(4, 2))).top(normal(1, 2), 3, allowed)


@given(worlds(), st.sampled_from([1, 3, 100]), st.integers(0, 999))
def test_the_nearest_item_is_brute_forces_in_blocks_of_any_size(world, block_rows, seed):
    points = normal(2, 3, world.catalog.dimensions, seed=seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rather.retrieval, "BLOCK_ROWS", block_rows)
        found = nearest_items(points, world.catalog, world.allowed)
    distances = (points[..., None, :] - world.catalog.items[world.rows]).norm(dim=-1)
    assert torch.allclose((points - found).norm(dim=-1), distances.amin(dim=-1), atol=1e-4)


@given(worlds(filtered=True))
def test_the_nearest_item_is_an_allowed_one(world):
    points = world.catalog.items
    found = nearest_items(points, world.catalog, world.allowed)
    rows = [(world.catalog.items[world.rows] == vector).all(dim=1).any() for vector in found]
    assert all(rows)
