from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Catalog, ExactRetriever
from rather.errors import InvalidInputError
from rather.retrieval import ExactSettings, nearest_items, scan
from rather.retrieval.exact import EarlyStops, Head
from rather.retrieval.scan import ScanSettings
from rather.testing import check_retriever
from worlds import brute_force, normal, worlds

# Small blocks, so that small catalogues are searched as large ones are.
SMALL_BLOCKS = ScanSettings(block_groups=1, direct_rows=0, direct_scores=0)

# Small catalogues are searched from their longest items, of which few are needed.
HEAD_FIRST = ExactSettings(small_catalog=0, max_count=3, first_ring=16, head_share=1 / 2)


def whole_numbers(*shape: int, seed: int, largest: int = 2) -> torch.Tensor:
    """Whole coordinates: inner products are exact, and often equal."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-largest, largest + 1, shape, generator=generator).float()


def exact_with(settings: ExactSettings):
    return lambda catalog: ExactRetriever(catalog, settings=settings)


def test_the_exact_retriever_meets_the_contract():
    check_retriever(ExactRetriever)


@pytest.mark.parametrize("groups", [1, 2, 7])
@pytest.mark.parametrize("rows_in_a_group", [1, 3, 32])
def test_the_exact_retriever_meets_the_contract_in_blocks_of_any_size(groups, rows_in_a_group):
    blocks = replace(SMALL_BLOCKS, block_groups=groups, group_rows=rows_in_a_group)
    check_retriever(exact_with(ExactSettings(scan=blocks)))


def test_the_exact_retriever_meets_the_contract_in_batches_of_directions():
    check_retriever(exact_with(ExactSettings(scan=replace(SMALL_BLOCKS, block_groups=256, batch_directions=4))))


def test_the_exact_retriever_meets_the_contract_on_all_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        check_retriever(exact_with(ExactSettings(scan=replace(SMALL_BLOCKS, parallel_from=0))))
    finally:
        torch.set_num_threads(before)


def test_only_large_scans_run_on_all_threads(monkeypatch):
    pieces = []
    monkeypatch.setattr(scan, "on_all_threads", lambda work, parts: pieces.append(len(parts)) or list(map(work, parts)))
    catalog, directions = Catalog(normal(40, 2)), normal(3, 2)
    blocks = replace(SMALL_BLOCKS, group_rows=8)
    exact_with(ExactSettings(scan=replace(blocks, parallel_from=40 * 2 * 3 + 1)))(catalog).top(directions, 1)
    assert pieces == []
    exact_with(ExactSettings(scan=replace(blocks, parallel_from=40 * 2 * 3)))(catalog).top(directions, 1)
    assert pieces == [5]


def test_the_exact_retriever_meets_the_contract_when_it_starts_with_the_longest_items():
    check_retriever(exact_with(HEAD_FIRST))


def norms_that_vary(n: int, d: int, seed: int = 0) -> torch.Tensor:
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    return normal(n, d, seed=seed) * torch.logspace(0, -3, n)[order][:, None]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("filtered", [False, True])
def test_what_the_longest_items_answer_is_the_best_of_all_items(count, filtered):
    catalog, directions = Catalog(norms_that_vary(900, 4)), normal(40, 4, seed=1)
    allowed = None
    if filtered:
        allowed = torch.ones(900, dtype=torch.bool)
        allowed[catalog.items.norm(dim=1).topk(20).indices] = False
    best, answered = Head.of(catalog, HEAD_FIRST).best(directions, count, allowed)
    wanted = brute_force(directions, catalog.items, count, allowed)
    assert answered.sum() > 10
    assert torch.equal(best.rows[answered], wanted[answered])
    assert torch.equal(exact_with(HEAD_FIRST)(catalog).top(directions, count, allowed).rows, wanted)


def test_a_direction_is_left_unanswered_where_a_shorter_item_could_win():
    items = torch.cat([normal(50, 2) + torch.tensor([-9.0, 0.0]), torch.tensor([[5.0, 0.0]]).expand(50, 2)])
    directions = torch.tensor([[-1.0, 0.0], [1.0, 0.0]])
    _, answered = Head.of(Catalog(items), HEAD_FIRST).best(directions, 1, None)
    assert answered.tolist() == [True, False]


def test_equals_at_the_cut_come_in_the_order_of_their_rows_when_norms_say_otherwise():
    longer_and_longer = torch.stack([torch.full((30,), 3.0), torch.arange(30) / 10], dim=1)
    items = torch.cat([longer_and_longer, normal(70, 2) / 10])
    found = exact_with(HEAD_FIRST)(Catalog(items)).top(torch.tensor([[1.0, 0.0]]), 2)
    assert found.rows.tolist() == [[0, 1]]


def test_exact_searches_are_cheap_where_norms_vary():
    directions = normal(40, 4, seed=1)
    assert exact_with(HEAD_FIRST)(Catalog(norms_that_vary(900, 4))).is_cheap_for(directions)
    equal_norms = torch.nn.functional.normalize(normal(900, 4), dim=1)
    assert not exact_with(HEAD_FIRST)(Catalog(equal_norms)).is_cheap_for(directions)


def test_where_the_longest_items_are_never_enough_they_are_no_longer_searched_first():
    items = torch.nn.functional.normalize(normal(300, 4), dim=1)
    retriever = exact_with(replace(HEAD_FIRST, trial_directions=10))(Catalog(items))
    for seed in range(4):
        retriever.top(normal(5, 4, seed=seed), 1)
    assert retriever.early_stops == EarlyStops(directions=10, answered=0)


def test_where_the_longest_items_are_often_enough_they_are_searched_first_for_good():
    retriever = exact_with(replace(HEAD_FIRST, trial_directions=10))(Catalog(norms_that_vary(900, 4)))
    for seed in range(4):
        retriever.top(normal(5, 4, seed=seed), 1)
    assert retriever.early_stops.directions == 20


def test_a_long_ranking_does_not_start_with_the_longest_items():
    retriever = exact_with(HEAD_FIRST)(Catalog(norms_that_vary(900, 4)))
    for count, directions in ((3, 5), (4, 5)):
        retriever.top(normal(5, 4), count)
        assert retriever.early_stops.directions == directions


def test_a_search_that_may_not_stop_by_norm_never_starts_with_the_longest_items():
    retriever = ExactRetriever(Catalog(norms_that_vary(900, 4)), stop_by_norm=False, settings=HEAD_FIRST)
    directions = normal(5, 4)
    assert torch.equal(retriever.top(directions, 2).rows, brute_force(directions, retriever.catalog.items, 2))
    assert retriever.early_stops.directions == 0
    assert not retriever.is_cheap_for(directions)


@st.composite
def searches(draw):
    """Directions, items with many equal scores, a count, and a filter that leaves enough items."""
    n, d, b, seed = (draw(st.integers(*bounds)) for bounds in ((1, 25), (1, 3), (1, 4), (0, 9999)))
    count = draw(st.integers(1, n))
    allowed = None
    if draw(st.booleans()):
        excluded = draw(st.sets(st.integers(0, n - 1), max_size=n - count))
        allowed = torch.tensor([row not in excluded for row in range(n)])
    return whole_numbers(b, d, seed=seed + 1), whole_numbers(n, d, seed=seed, largest=1), count, allowed


@given(searches(), st.sampled_from([1, 2, 3, 5]), st.sampled_from([1, 2, 3, 30]), st.sampled_from([0, 100]))
def test_equal_scores_come_in_the_order_of_their_rows_in_blocks_of_any_size(search, groups, rows_in_a_group, direct):
    directions, items, count, allowed = search
    blocks = ScanSettings(block_groups=groups, group_rows=rows_in_a_group, direct_rows=direct, direct_scores=0)
    found = exact_with(ExactSettings(scan=blocks))(Catalog(items)).top(directions, count, allowed)
    assert torch.equal(found.rows, brute_force(directions, items, count, allowed))


def test_the_last_group_of_rows_need_not_be_full():
    items, direction = torch.arange(1.0, 10.0)[:, None], torch.tensor([[-1.0]])
    blocks = replace(SMALL_BLOCKS, group_rows=2)
    assert exact_with(ExactSettings(scan=blocks))(Catalog(items)).top(direction, 1).rows.tolist() == [[0]]


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
def test_a_count_below_1_or_above_the_number_of_items_is_rejected(count):
    with pytest.raises(InvalidInputError, match=rf"`count` must be 1..4 \(the items allowed\), got {count}"):
        ExactRetriever(Catalog(normal(4, 2))).top(normal(1, 2), count)


def test_a_count_above_the_number_of_allowed_items_is_rejected():
    allowed = torch.tensor([True, False, True, False])
    with pytest.raises(InvalidInputError, match=r"`count` must be 1..2 \(the items allowed\), got 3"):
        ExactRetriever(Catalog(normal(4, 2))).top(normal(1, 2), 3, allowed)


@given(worlds(), st.sampled_from([1, 3, 100]), st.integers(0, 999))
def test_the_nearest_item_is_brute_forces_in_blocks_of_any_size(world, block_rows, seed):
    points = normal(2, 3, world.catalog.dimensions, seed=seed)
    found = nearest_items(points, world.catalog, world.allowed, block_rows)
    distances = (points[..., None, :] - world.catalog.items[world.rows]).norm(dim=-1)
    assert torch.allclose((points - found).norm(dim=-1), distances.amin(dim=-1), atol=1e-4)


@given(worlds(filtered=True))
def test_the_nearest_item_is_an_allowed_one(world):
    found = nearest_items(world.catalog.items, world.catalog, world.allowed)
    allowed = world.catalog.items[world.rows]
    assert all((allowed == vector).all(dim=1).any() for vector in found)
