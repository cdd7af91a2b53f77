import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Catalog, ExactRetriever
from rather.errors import InvalidInputError
from rather.retrieval import exact, nearest, nearest_items, scan
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


@pytest.fixture
def small_blocks(monkeypatch):
    """Few rows at a time, so that small catalogues take the ways of large ones."""

    def patch(groups: int, few_rows: int = 0, directions: int = 64) -> None:
        monkeypatch.setattr(scan, "BLOCK_GROUPS", groups)
        monkeypatch.setattr(scan, "FEW_ROWS", few_rows)
        monkeypatch.setattr(scan, "FEW_SCORES", 0)
        monkeypatch.setattr(scan, "MOST_DIRECTIONS", directions)

    return patch


@pytest.mark.parametrize("groups", [1, 2, 7])
@pytest.mark.parametrize("rows_in_a_group", [1, 3, 32])
def test_the_exact_retriever_keeps_the_contract_in_blocks_of_any_size(
    small_blocks, monkeypatch, groups, rows_in_a_group
):
    small_blocks(groups)
    monkeypatch.setattr(scan, "group_rows", lambda count: rows_in_a_group)
    check_retriever(ExactRetriever)


def test_the_exact_retriever_keeps_the_contract_with_few_directions_at_a_time(small_blocks):
    small_blocks(256, directions=4)
    check_retriever(ExactRetriever)


def test_the_exact_retriever_keeps_the_contract_on_all_threads(small_blocks, monkeypatch):
    small_blocks(1)
    monkeypatch.setattr(scan, "SMALL_SCAN", 0)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        check_retriever(ExactRetriever)
    finally:
        torch.set_num_threads(before)


@pytest.fixture
def stops_by_norm(monkeypatch):
    """Small catalogues are searched from their longest items, of which a few are enough."""
    monkeypatch.setattr(exact, "SMALL_CATALOG", 0)
    monkeypatch.setattr(exact, "MOST_COUNT", 3)
    monkeypatch.setattr(exact, "FIRST_RING", 16)
    monkeypatch.setattr(exact, "HEAD_SHARE", 1 / 2)


@pytest.mark.usefixtures("stops_by_norm")
def test_the_exact_retriever_keeps_the_contract_when_it_stops_by_norm():
    check_retriever(ExactRetriever)


def spread_norms(n: int, d: int, seed: int = 0) -> torch.Tensor:
    return normal(n, d, seed=seed) * torch.logspace(0, -3, n)[torch.randperm(n)][:, None]


@pytest.mark.usefixtures("stops_by_norm")
@pytest.mark.parametrize("count", [1, 2])
def test_a_search_that_stops_by_norm_finds_what_a_look_at_every_item_finds(count):
    catalog, directions = Catalog(spread_norms(900, 4)), normal(40, 4, seed=1)
    retriever = ExactRetriever(catalog)
    found = retriever.top(directions, count)
    every = ExactRetriever(catalog, stop_by_norm=False).top(directions, count)
    assert torch.equal(found.rows, every.rows)
    assert retriever._stops.answered > 20  # else this tests nothing


@pytest.mark.usefixtures("stops_by_norm")
def test_a_search_that_stops_by_norm_leaves_out_what_is_not_allowed():
    catalog, directions = Catalog(spread_norms(900, 4)), normal(40, 4, seed=1)
    allowed = torch.ones(900, dtype=torch.bool)
    allowed[catalog.norms.topk(20).indices] = False
    retriever = ExactRetriever(catalog)
    found = retriever.top(directions, 2, allowed)
    assert torch.equal(found.rows, ExactRetriever(catalog, stop_by_norm=False).top(directions, 2, allowed).rows)
    assert retriever._stops.answered > 0


@pytest.mark.usefixtures("stops_by_norm")
def test_equals_at_the_cut_come_in_the_order_of_their_rows_when_norms_say_otherwise():
    items = torch.tensor([[1.0, 0.0], [1.0, 5.0], [1.0, 2.0], [0.1, 0.0]]).repeat(40, 1)
    found = ExactRetriever(Catalog(items)).top(torch.tensor([[1.0, 0.0]]), 2)
    assert found.rows.tolist() == [[0, 1]]


@pytest.mark.usefixtures("stops_by_norm")
def test_where_norms_never_stop_a_search_they_are_no_longer_asked(monkeypatch):
    monkeypatch.setattr(exact, "TRIAL_DIRECTIONS", 10)
    items = torch.nn.functional.normalize(normal(300, 4), dim=1)
    retriever = ExactRetriever(Catalog(items))
    for seed in range(4):
        retriever.top(normal(5, 4, seed=seed), 1)
    assert retriever._stops.directions == 10
    assert not retriever._stops.worthwhile


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


@given(searches(), st.sampled_from([1, 2, 3, 5]), st.sampled_from([1, 2, 3, 30]), st.sampled_from([0, 100]))
def test_equal_scores_come_in_the_order_of_their_rows_in_blocks_of_any_size(search, groups, rows_in_a_group, few_rows):
    directions, items, count, allowed = search
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "FEW_ROWS", few_rows)
        patch.setattr(scan, "FEW_SCORES", 0)
        patch.setattr(scan, "BLOCK_GROUPS", groups)
        patch.setattr(scan, "group_rows", lambda count: rows_in_a_group)
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
        patch.setattr(nearest, "BLOCK_ROWS", block_rows)
        found = nearest_items(points, world.catalog, world.allowed)
    distances = (points[..., None, :] - world.catalog.items[world.rows]).norm(dim=-1)
    assert torch.allclose((points - found).norm(dim=-1), distances.amin(dim=-1), atol=1e-4)


@given(worlds(filtered=True))
def test_the_nearest_item_is_an_allowed_one(world):
    points = world.catalog.items
    found = nearest_items(points, world.catalog, world.allowed)
    rows = [(world.catalog.items[world.rows] == vector).all(dim=1).any() for vector in found]
    assert all(rows)
