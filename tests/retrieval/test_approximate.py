"""The approximate index: what it must never do, what it may lose, and which catalogue it belongs to."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Belief, Catalog, Policy, Session
from rather.caching import Cache
from rather.errors import InvalidInputError, MissingExtraError
from rather.retrieval import choose_retriever
from rather.retrieval.approximate import ApproximateRetriever
from rather.retrieval.faiss_index import IndexSettings
from rather.testing import check_retriever
from worlds import brute_force, normal

pytest.importorskip("faiss", reason="the extra `ann` is not installed")


def belief_of(d: int, m: int = 60) -> Belief:
    return Belief.from_users(normal(m, d, seed=5) + 0.3)


def learnt(n: int = 4000, d: int = 8, seed: int = 0) -> torch.Tensor:
    """Items around forty tastes, some of them much longer than others."""
    centres = normal(40, d, seed=seed)
    lengths = torch.linspace(0.5, 2, n)[torch.randperm(n, generator=torch.Generator().manual_seed(seed))]
    return (centres[torch.arange(n) % 40] + 0.3 * normal(n, d, seed=seed + 1)) * lengths[:, None]


# So few of the longest items that groups matter.
FEW_LONG = IndexSettings(longest=16)


def build(catalog: Catalog, **settings) -> ApproximateRetriever:
    return ApproximateRetriever.build(catalog, belief_of(catalog.dimensions), replace(FEW_LONG, **settings))


@pytest.fixture(scope="module")
def world() -> tuple[Catalog, ApproximateRetriever]:
    catalog = Catalog(learnt())
    return catalog, build(catalog)


def searching(index: ApproximateRetriever, groups: int, longest: int = 16) -> ApproximateRetriever:
    """The same index, looking into so many groups and at so many of the longest items."""
    return replace(index, report=replace(index.report, searched=groups, longest=longest))


@pytest.mark.parametrize("groups", [None, 1, 32])
def test_the_approximate_retriever_meets_the_contract(groups):
    check_retriever(lambda catalog: build(catalog, groups=groups), exact=False)


def test_half_of_the_groups_are_nearly_exact_and_all_of_them_entirely(world):
    catalog, index = world
    directions = normal(30, 8, seed=9)
    wanted = brute_force(directions, catalog.items, 3)
    few, half, all_groups = (searching(index, groups) for groups in (1, index.report.groups // 2, index.report.groups))
    assert (few.top(directions, 3).rows == wanted).float().mean() < 0.9
    assert (half.top(directions, 3).rows == wanted).float().mean() > 0.95
    assert torch.equal(all_groups.top(directions, 3).rows, wanted)


def test_it_looks_into_few_groups_and_loses_what_it_says(world):
    catalog, index = world
    report = index.report
    assert report.loss <= report.bound == 0.01
    assert report.searched < report.groups / 2
    belief, directions = belief_of(8), normal(200, 8, seed=3) + 0.3
    best, base = (directions @ catalog.items.T).amax(dim=1), catalog.items[(catalog.items @ belief.mean).argmax()]
    missed = best - index.top(directions, 1).scores[:, 0]
    measured = index.measure(directions, belief)
    assert measured.loss == pytest.approx(float(missed.sum() / (best - directions @ base).sum()), abs=1e-5)
    assert measured.recall == pytest.approx(float((missed < 1e-5).float().mean()), abs=0.006)
    assert measured.checks == 200


def test_a_tighter_bound_looks_into_more_groups(world):
    index = world[1]
    loose, tight = (index.calibrated(belief_of(8), replace(FEW_LONG, bound=bound)).report for bound in (0.5, 0.0))
    assert loose.searched < tight.searched
    assert tight.loss == 0
    assert tight.recall == 1


def test_the_longest_items_are_found_whatever_group_they_are_in(world):
    items = learnt()
    items[77] *= 50
    index = build(Catalog(items))
    directions = normal(100, 8, seed=2)
    won = brute_force(directions, items, 1)[:, 0] == 77
    assert won.sum() > 20
    assert (searching(index, 1).top(directions, 1).rows[won] == 77).all()


def test_the_longest_items_make_up_for_groups_that_are_not_searched(world):
    catalog, index = world
    directions = normal(200, 8, seed=3)
    best = (directions @ catalog.items.T).amax(dim=1)
    found = [searching(index, 1, longest).top(directions, 1).scores[:, 0] for longest in (1, 400, 4000)]
    missed = [float((best - scores).mean()) for scores in found]
    assert missed[0] > 2 * missed[1] > missed[2]
    assert missed[2] == pytest.approx(0, abs=1e-5)


@given(st.integers(0, 10_000), st.integers(1, 3999), st.integers(1, 6), st.sampled_from([1, 4]))
def test_what_is_not_allowed_is_never_found(world, seed, left, count, groups):
    catalog, index = world
    left = max(left, count)
    allowed = torch.zeros(len(catalog), dtype=torch.bool)
    allowed[torch.randperm(len(catalog), generator=torch.Generator().manual_seed(seed))[:left]] = True
    directions = normal(5, 8, seed=seed)
    found = searching(index, groups).top(directions, count, allowed)
    assert allowed[found.rows].all()
    assert all(len(set(rows)) == count for rows in found.rows.tolist())
    assert torch.equal(found.vectors, catalog.items[found.rows])
    assert torch.allclose(found.scores, (found.vectors @ directions[:, :, None])[:, :, 0], atol=1e-4)


def test_a_filter_does_not_make_searches_lose_more(world):
    catalog, index = world
    few, directions = searching(index, 2, longest=1), normal(200, 8, seed=3)
    allowed = torch.rand(len(catalog), generator=torch.Generator().manual_seed(1)) < 1 / 8

    def recall(allowed):
        best = brute_force(directions, catalog.items, 1, allowed)
        return float((few.top(directions, 1, allowed).rows == best).float().mean())

    assert 0.3 < recall(None) < recall(allowed)


def test_where_groups_hold_too_few_the_search_is_exact(world):
    catalog, index = world
    allowed = torch.zeros(len(catalog), dtype=torch.bool)
    allowed[::2] = True
    directions, few = normal(9, 8, seed=4), searching(index, 1)
    count = 600  # more than two groups hold
    found = few.top(directions, count, allowed)
    assert torch.equal(found.rows, brute_force(directions, catalog.items, count, allowed))
    with pytest.raises(InvalidInputError, match=r"`count` must be 1\.\.2,000"):
        few.top(directions, 2001, allowed)


def test_equal_items_come_in_the_order_of_their_rows():
    catalog = Catalog(normal(40, 4).repeat(30, 1))
    rows = searching(build(catalog, groups=64), 8).top(normal(20, 4, seed=8), 5).rows
    assert (rows % 40 == rows[:, :1] % 40).all()  # five copies of one item
    assert (rows.diff(dim=1) > 0).all()


def test_the_same_catalogue_gives_the_same_index(world):
    catalog, index = world
    directions = normal(50, 8, seed=6)
    again = build(catalog)
    assert again.report == index.report
    assert torch.equal(searching(again, 2).top(directions, 4).rows, searching(index, 2).top(directions, 4).rows)
    indexes = index, again, build(catalog, seed=1)
    centres, same, others = (one.index.quantizer.reconstruct_n(0, index.report.groups) for one in indexes)
    assert np.array_equal(centres, same)
    assert not np.array_equal(centres, others)


def test_a_saved_index_is_memory_mapped_and_finds_the_same(world, tmp_path):
    catalog, index = world
    index.save(tmp_path / "items.faiss")
    again = ApproximateRetriever.load(tmp_path / "items.faiss", catalog)
    directions = normal(50, 8, seed=6)
    assert again.report == index.report
    assert again.report.longest == 16
    one, two = searching(index, 2), searching(again, 2)
    assert torch.equal(one.top(directions, 4).rows, two.top(directions, 4).rows)
    if sys.platform == "linux":
        assert str(tmp_path / "items.faiss") in Path("/proc/self/maps").read_text()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["items.faiss", "items.faiss.json"]


def test_an_index_of_another_catalogue_is_rejected(world, tmp_path):
    world[1].save(tmp_path / "items.faiss")
    with pytest.raises(InvalidInputError, match="is the index of another catalogue"):
        ApproximateRetriever.load(tmp_path / "items.faiss", Catalog(learnt(seed=3)))


@pytest.mark.parametrize("part", ["items.faiss", "items.faiss.json"])
def test_a_damaged_index_is_rejected(world, tmp_path, part):
    catalog, index = world
    with pytest.raises(InvalidInputError, match="Cannot read the index"):
        ApproximateRetriever.load(tmp_path / "items.faiss", catalog)
    index.save(tmp_path / "items.faiss")
    (tmp_path / part).write_bytes((tmp_path / part).read_bytes()[:100])
    with pytest.raises(InvalidInputError, match="Cannot read the index"):
        ApproximateRetriever.load(tmp_path / "items.faiss", catalog)


def edit(path: Path, **entries) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **entries}))


def test_an_index_that_differs_from_its_description_is_rejected(world, tmp_path):
    catalog = world[0]
    build(Catalog(learnt(3000))).save(tmp_path / "items.faiss")
    edit(tmp_path / "items.faiss.json", catalog=catalog.content_hash)
    with pytest.raises(InvalidInputError, match="holds 3000 items of 8 dimensions"):
        ApproximateRetriever.load(tmp_path / "items.faiss", catalog)


def test_an_index_of_another_format_is_rejected(world, tmp_path):
    catalog, index = world
    index.save(tmp_path / "items.faiss")
    edit(tmp_path / "items.faiss.json", format="rather index 0")
    with pytest.raises(InvalidInputError, match="must have the format 'rather index 1', got 'rather index 0'"):
        ApproximateRetriever.load(tmp_path / "items.faiss", catalog)


def test_chosen_by_name_it_is_built_once_and_measured_for_each_belief(tmp_path):

    def choose(belief):
        return choose_retriever(Catalog(learnt()), belief, "approximate", cache=Cache(tmp_path), shortlist_from=1000)

    first = choose(belief_of(8))
    [index] = (tmp_path / "indexes").glob("*.faiss")
    written = index.stat().st_mtime_ns, index.stat().st_ino
    assert choose(belief_of(8)).report == first.report
    other_belief = Belief.from_users(normal(61, 8, seed=6) - 0.3)
    other = choose(other_belief)
    assert (index.stat().st_mtime_ns, index.stat().st_ino) == written
    assert len(list((tmp_path / "indexes").iterdir())) == 2
    assert other.report == ApproximateRetriever.build(Catalog(learnt()), other_belief).report
    description = json.loads(index.with_name(f"{index.name}.json").read_text())
    assert description["belief"] == other_belief.content_hash


def test_an_index_that_cannot_be_saved_stays_in_memory(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    catalog, directions = Catalog(learnt()), normal(20, 8)
    index = ApproximateRetriever.load_or_build(catalog, belief_of(8), tmp_path / "file" / "items.faiss")
    wanted = ApproximateRetriever.build(catalog, belief_of(8))
    assert torch.equal(index.top(directions, 2).rows, wanted.top(directions, 2).rows)


def test_a_conversation_over_an_approximate_index(world):
    catalog = world[0]
    session = Session(Policy(catalog, belief_of(8), retriever="approximate"))
    before = session.expected_regret
    for _ in range(3):
        session.tell(session.ask(), 0)
    assert session.expected_regret < before
    expected = catalog.items @ session.belief.mean
    assert float(expected[session.recommend(1)[0].row]) > float(expected.max()) - 0.05 * float(expected.std())


def test_faiss_keeps_the_hosts_number_of_threads(world):
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(2)
    try:
        world[1].top(normal(20, 8), 2)
        assert faiss.omp_get_max_threads() == 2
    finally:
        faiss.omp_set_num_threads(before)


def test_without_faiss_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rather\[ann\]'"):
        choose_retriever(Catalog(learnt(200)), belief_of(8), "approximate")
