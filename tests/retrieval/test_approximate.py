"""The approximate index: what it may not do, what it may lose, and whose it is."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Belief, Catalog, ExactRetriever, Session
from rather.errors import InvalidInputError, MissingExtraError
from rather.retrieval import approximate, choose_retriever, selection
from rather.retrieval.approximate import ApproximateRetriever, IndexPlan
from rather.testing import check_retriever
from worlds import normal

pytest.importorskip("faiss", reason="the extra `ann` is not installed")


def belief_of(d: int, m: int = 60) -> Belief:
    return Belief.from_users(normal(m, d, seed=5) + 0.3)


def learnt(n: int = 4000, d: int = 8, seed: int = 0) -> torch.Tensor:
    """Items around forty tastes, some of them much longer than others."""
    centres = normal(40, d, seed=seed)
    lengths = torch.linspace(0.5, 2, n)[torch.randperm(n, generator=torch.Generator().manual_seed(seed))]
    return (centres[torch.arange(n) % 40] + 0.3 * normal(n, d, seed=seed + 1)) * lengths[:, None]


@pytest.fixture(scope="module", autouse=True)
def few_long_items():
    """So few that groups matter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(approximate, "LONGEST", 16)
        yield


@pytest.fixture(scope="module")
def world(few_long_items) -> tuple[Catalog, ApproximateRetriever]:
    catalog = Catalog(learnt())
    return catalog, ApproximateRetriever.build(catalog, belief_of(8))


def searching(index: ApproximateRetriever, groups: int) -> ApproximateRetriever:
    return ApproximateRetriever(index.exact, replace(index.report, searched=groups), index.index)


@pytest.mark.parametrize("groups", [None, 1, 32])
def test_the_approximate_retriever_keeps_the_contract(groups):
    check_retriever(
        lambda catalog: ApproximateRetriever.build(catalog, belief_of(catalog.dimensions), IndexPlan(groups=groups)),
        exact=False,
    )


def test_looking_into_every_group_is_exact(world):
    catalog, index = world
    everything = searching(index, index.report.groups // 2)
    directions = normal(30, 8, seed=9)
    found, exact = everything.top(directions, 3), ExactRetriever(catalog).top(directions, 3)
    assert (found.rows == exact.rows).float().mean() > 0.95
    assert torch.equal(
        searching(index, index.report.groups).top(directions, 3).rows, ExactRetriever(catalog).top(directions, 3).rows
    )


def test_it_looks_into_few_groups_and_loses_what_it_says(world):
    catalog, index = world
    report = index.report
    assert report.loss <= report.bound == 0.01
    assert report.searched < report.groups / 2
    belief, directions = belief_of(8), normal(200, 8, seed=3) + 0.3
    best, base = (directions @ catalog.items.T).amax(dim=1), catalog.items[(catalog.items @ belief.mean).argmax()]
    missed = best - index.top(directions, 1).scores[:, 0]
    measured = index.measured(directions, belief)
    assert measured.loss == pytest.approx(float(missed.sum() / (best - directions @ base).sum()), abs=1e-5)
    assert measured.recall == pytest.approx(float((missed < 1e-5).float().mean()), abs=0.006)
    assert measured.checks == 200


def test_a_tighter_bound_looks_into_more_groups(world):
    index = world[1]
    loose, tight = (index.fitted_to(belief_of(8), IndexPlan(bound=bound)).report for bound in (0.5, 0.0))
    assert loose.searched < tight.searched
    assert tight.loss == 0
    assert tight.recall == 1


def test_the_longest_items_are_found_whatever_group_they_are_in(world):
    items = learnt()
    items[77] *= 50
    index = searching(ApproximateRetriever.build(Catalog(items), belief_of(8)), 1)
    directions = normal(100, 8, seed=2)
    truth = ExactRetriever(Catalog(items)).top(directions, 1).rows
    won = truth[:, 0] == 77
    assert won.sum() > 20
    assert (index.top(directions, 1).rows[won] == 77).all()


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


def test_where_groups_hold_too_few_the_search_is_exact(world):
    catalog, index = world
    allowed = torch.zeros(len(catalog), dtype=torch.bool)
    allowed[::2] = True
    directions, few = normal(9, 8, seed=4), searching(index, 1)
    count = 600  # more than two groups hold
    found, exact = few.top(directions, count, allowed), ExactRetriever(catalog).top(directions, count, allowed)
    assert torch.equal(found.rows, exact.rows)
    with pytest.raises(InvalidInputError, match=r"`count` must be 1\.\.2000"):
        few.top(directions, 2001, allowed)


def test_equal_items_come_in_the_order_of_their_rows():
    catalog = Catalog(normal(40, 4).repeat(30, 1))
    index = searching(ApproximateRetriever.build(catalog, belief_of(4), IndexPlan(groups=64)), 8)
    rows = index.top(normal(20, 4, seed=8), 5).rows
    assert (rows.diff(dim=1) > 0).all()


def test_the_same_catalogue_gives_the_same_index(world):
    catalog, index = world
    directions = normal(50, 8, seed=6)
    again = ApproximateRetriever.build(catalog, belief_of(8))
    assert again.report.groups == index.report.groups
    assert torch.equal(searching(again, 2).top(directions, 4).rows, searching(again, 2).top(directions, 4).rows)
    quantizers = [each.index.quantizer.reconstruct_n(0, index.report.groups) for each in (again, index)]
    assert np.array_equal(*quantizers)


def test_a_saved_index_is_mapped_and_finds_the_same(world, tmp_path):
    catalog, index = world
    index.save(tmp_path / "items.faiss")
    again = ApproximateRetriever.load(tmp_path / "items.faiss", catalog)
    directions = normal(50, 8, seed=6)
    assert again.report == index.report
    one, two = searching(index, 2), searching(again, 2)
    assert torch.equal(one.top(directions, 4).rows, two.top(directions, 4).rows)
    if sys.platform == "linux":
        assert str(tmp_path / "items.faiss") in Path("/proc/self/maps").read_text()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["items.faiss", "items.faiss.json"]


def test_an_index_of_another_catalogue_is_refused(world, tmp_path):
    world[1].save(tmp_path / "items.faiss")
    with pytest.raises(InvalidInputError, match="is the index of another catalogue"):
        ApproximateRetriever.load(tmp_path / "items.faiss", Catalog(learnt(seed=3)))


@pytest.mark.parametrize("part", ["items.faiss", "items.faiss.json"])
def test_a_damaged_index_is_refused(world, tmp_path, part):
    catalog, index = world
    with pytest.raises(InvalidInputError, match="Cannot read the index"):
        ApproximateRetriever.load(tmp_path / "items.faiss", catalog)
    index.save(tmp_path / "items.faiss")
    (tmp_path / part).write_bytes((tmp_path / part).read_bytes()[:100])
    with pytest.raises(InvalidInputError, match="Cannot read the index"):
        ApproximateRetriever.load(tmp_path / "items.faiss", catalog)


def test_an_index_whose_words_and_items_differ_is_refused(world, tmp_path):
    index = world[1]
    other = Catalog(learnt(3000))
    ApproximateRetriever.build(other, belief_of(8)).save(tmp_path / "items.faiss")
    notes = tmp_path / "items.faiss.json"
    notes.write_text(json.dumps({**json.loads(notes.read_text()), "catalog": world[0].content_hash}))
    with pytest.raises(InvalidInputError, match="holds 3000 items of 8 dimensions"):
        ApproximateRetriever.load(tmp_path / "items.faiss", index.exact.catalog)


def test_chosen_by_hand_it_is_built_once_and_measured_for_each_belief(tmp_path, monkeypatch):
    monkeypatch.setenv("RATHER_CACHE", str(tmp_path))
    monkeypatch.setattr(selection, "SHORTLIST_FROM", 1000)
    first = choose_retriever(Catalog(learnt()), belief_of(8), "approximate")
    monkeypatch.setattr(approximate, "grouped", lambda *_: pytest.fail("it was built again"))
    again = choose_retriever(Catalog(learnt()), belief_of(8), "approximate")
    assert again.report == first.report
    other = choose_retriever(Catalog(learnt()), belief_of(8, m=61), "approximate")
    assert other.report.checks == 128
    assert len(list((tmp_path / "indexes").iterdir())) == 2


def test_without_a_place_to_keep_it_an_index_serves_from_memory(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    catalog = Catalog(learnt())
    kept = ApproximateRetriever.kept(catalog, belief_of(8), tmp_path / "file" / "items.faiss")
    assert kept.report.items == len(catalog)


def test_a_conversation_over_an_approximate_index(world):
    catalog = world[0]
    session = Session(catalog, belief_of(8), retriever="approximate")
    exact = Session(catalog, belief_of(8), retriever="exact")
    for _ in range(3):
        session.tell(session.ask(), 0)
    assert session.expected_regret < exact.start_regret
    assert session.recommend(3)[0].row in range(len(catalog))


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
