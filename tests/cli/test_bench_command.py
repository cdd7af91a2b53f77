import json

import pytest

from rather.formats.vectors.vector_files import Vectors, save_vectors
from rather.research.bench.contest import AUTO, CONT_FREE, GREEDY, ITERATION
from rather.research.bench.soak import Minute, SoakReport
from worlds import normal


@pytest.fixture
def vectors(tmp_path):
    return save_vectors(Vectors(normal(300, 4).numpy(), normal(60, 4, seed=1).numpy()), tmp_path / "vectors.npz")


def test_the_command_prints_what_was_measured(rather, vectors):
    arguments = ("bench", "--vectors", str(vectors), "--size", "200,20,2", "--repeats", "2", "--no-memory")
    report = json.loads(rather(*arguments, "--json").out)
    assert report["sizes"][0]["n"] == 200
    assert {method["name"] for method in report["sizes"][0]["methods"]} >= {AUTO, GREEDY, ITERATION, CONT_FREE}
    text = rather(*arguments).out
    assert "200 items, 20 particles, k = 2" in text
    assert "the vectors of vectors.npz" in text


def test_the_command_draws_a_plot(rather, vectors, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    arguments = ("bench", "--vectors", str(vectors), "--size", "200,20,2", "--repeats", "2", "--no-memory")
    rather(*arguments, "--plot", str(tmp_path / "times.png"))
    assert (tmp_path / "times.png").stat().st_size > 10_000
    assert "must end in" in rather(*arguments, "--plot", "times.txt", expect=2).err


@pytest.mark.parametrize("wrong", ["", "stored are [0], acknowledged were [0, 1]"])
def test_a_soak_ends_with_1_when_something_is_wrong(rather, monkeypatch, wrong):
    pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

    def soak(traffic, **options):
        quiet = Minute(False, 12, 5.0, 9.0, 0, None, None)
        counted = ([quiet], {"answer": 12}, 2, {}, {}, {})
        return SoakReport(traffic.catalog, traffic.users, traffic.seconds, *counted, {"answers": wrong})

    monkeypatch.setattr("rather.research.bench.soak.soak", soak)
    arguments, ends = ("bench", "--serve", "--soak", "2", "--users", "3"), 1 if wrong else 0
    report = json.loads(rather(*arguments, "--json", expect=ends).out)
    assert (report["users"], report["seconds"], report["passed"]) == (3, 120.0, not wrong)
    assert f"answers: {wrong or 'as it must be'}" in rather(*arguments, expect=ends).out
    assert "add --serve" in rather("bench", "--soak", "2", expect=2).err
