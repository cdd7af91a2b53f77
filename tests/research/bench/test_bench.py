from dataclasses import replace

import pytest
import torch

from rather import Logistic
from rather.errors import InvalidInputError
from rather.formats.vectors.vector_files import Vectors, save_vectors
from rather.research.bench import Size, Wanted, bench, machine, origins, run
from rather.research.bench.contest import AUTO, CONT_FREE, GREEDY, ITERATION, Setting, cells, contenders
from rather.research.bench.memory import peak_bytes
from rather.research.bench.origins import Origin, random_origin
from rather.research.bench.report import Times
from rather.research.bench.targets import targets
from rather.retrieval import ExactRetriever
from worlds import normal, world


@pytest.fixture
def vectors(tmp_path):
    return save_vectors(Vectors(normal(300, 4).numpy(), normal(60, 4, seed=1).numpy()), tmp_path / "vectors.npz")


def nothing(*_):
    return None


def test_sizes_are_read_as_people_write_them():
    assert Size.parse("1e6,500,2") == Size(1_000_000, 500, 2)
    for wrong in ("1e6,500", "many,1,2", "100,20,1", "100,20,99", "1e999,2,2"):
        with pytest.raises(InvalidInputError, match="A size must"):
            Size.parse(wrong)


def test_times_are_medians_with_quartiles():
    assert Times.of([4.0, 1.0, 2.0, 3.0, 5.0]) == Times(3.0, 2.0, 4.0, 5)
    assert Times.of([4.0]) == Times(4.0, 4.0, 4.0, 1)


def test_a_larger_catalogue_begins_with_the_smaller_one(monkeypatch):
    monkeypatch.setattr(origins, "BLOCK", 64)
    origin = random_origin(n=100, people=10, dimensions=5)
    assert torch.equal(origin.resampled(200)[:90], origin.resampled(90))


def test_resampled_items_lie_near_real_ones():
    origin = Origin(10 * torch.eye(3), torch.eye(3), "axes")
    made = origin.resampled(500)
    distances = torch.cdist(made, origin.items).amin(dim=1)
    assert 2 < float(distances.square().mean().sqrt()) < 4  # 0.3 times the length of 10
    assert set(torch.cdist(made, origin.items).argmin(dim=1).tolist()) == {0, 1, 2}


def test_people_to_talk_to_are_not_in_the_belief_where_others_are_left():
    origin = Origin(torch.eye(3), torch.arange(30.0).view(10, 3), "few")
    members, others = origin.drawn_people(6, 4)
    assert not {tuple(row) for row in members.tolist()} & {tuple(row) for row in others.tolist()}
    with pytest.raises(InvalidInputError, match="10 people, but 11 particles"):
        origin.drawn_people(11, 1)


def test_every_way_is_valued_against_the_best_for_the_same_belief():
    small = world(n=40, m=30, d=4)
    exact = ExactRetriever(small.catalog)
    setting = Setting(small.catalog, small.belief, Logistic(0.2), 2, exact)
    part = contenders(setting, *setting.situations(small.belief.particles[:2]), exact)
    for number in range(4):
        for contender in part:
            contender.turn(setting, number, 60.0)
    made = {cell.name: cell for cell in cells(setting, part, exact, Times.of([0.5]))}
    assert max(cell.evoi for cell in made.values()) <= 1 + 1e-6
    assert made[GREEDY].evoi_to_greedy == pytest.approx(1.0)
    assert made[GREEDY].speedup == 1.0
    assert made[ITERATION].evoi_to_iteration == pytest.approx(1.0)
    assert made[AUTO].scans == made[AUTO].times.median / 0.5
    assert made[AUTO].times.runs == 3  # the first turn was to warm up


def test_a_slow_way_has_no_further_turn():
    small = world(n=40, m=30, d=4)
    exact = ExactRetriever(small.catalog)
    setting = Setting(small.catalog, small.belief, Logistic(0.2), 2, exact)
    slow = contenders(setting, *setting.situations(small.belief.particles[:1]), exact)[0]
    for number in range(4):
        slow.turn(setting, number, 0.0)
    assert len(slow.seconds) == 1


def test_a_run_measures_every_size_and_says_where_its_items_come_from(vectors):
    steps = []
    wanted = Wanted([Size(500, 20, 2), Size(100, 20, 3)], vectors, repeats=2, memory=False)
    report = bench(wanted, lambda: steps.append(1), nothing)
    assert [(row.n, row.m, row.k) for row in report.rows] == [(100, 20, 3), (500, 20, 2)]
    assert all(row.origin == "the vectors of vectors.npz, items resampled with noise" for row in report.rows)
    assert len(steps) == wanted.steps
    assert report.rows[0].peak_bytes is None


def test_what_does_not_fit_into_memory_is_left_out_and_said(vectors, monkeypatch):
    monkeypatch.setattr(run, "available_bytes", lambda: 20_000)
    report = bench(Wanted([Size(100, 20, 2), Size(2000, 20, 2)], vectors, repeats=2, memory=False), nothing, nothing)
    assert [row.n for row in report.rows] == [100]
    assert "2,000 items, 20 particles, k = 2: needs 0.0 GB of memory" in report.skipped[0]


def test_targets_are_judged_by_what_was_measured(vectors):
    wanted = Wanted([Size(100, 20, 2)], vectors, repeats=2, memory=False)
    row = bench(wanted, nothing, nothing).rows[0]
    assert all("remembered" in target.what for target in targets([row]))

    def judged(scans, share):
        changed = tuple(replace(cell, scans=scans, evoi_to_iteration=share, speedup=scans) for cell in row.cells)
        large = replace(
            row, remembered=None, n=1_000_000, m=500, k=5, d=50, cells=changed, peak_bytes=400, catalog_bytes=200
        )
        return [target.reached for target in targets([large])]

    assert judged(0.5, 1.0) == [True, True, True, False, True]
    assert judged(0.7, 0.99) == [False, False, True, False, True]
    assert judged(55.0, 1.0) == [False, True, False, True, True]
    assert row.cell(CONT_FREE).name == CONT_FREE


def test_peak_memory_holds_the_catalogue_at_least():
    assert peak_bytes(normal(100_000, 20), normal(30, 20, seed=1), 2) > 100_000 * 20 * 4


def test_the_share_of_others_leaves_our_own_work_out():
    before = machine.Load(busy=10.0, ours=1.0, at=0.0)
    share = machine.Load(busy=14.0, ours=4.0, at=1.0).others(before)
    assert share is None or share == pytest.approx(1.0 / (machine.os.cpu_count() or 1))
