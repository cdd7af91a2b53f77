import json

import pytest

from rather.formats.vectors.vector_files import Vectors, save_vectors
from rather.research.bench.contest import AUTO, CONT_FREE, GREEDY, ITERATION
from rather.research.bench.measurements import EvoiShare, Goal, Times
from rather.research.bench.soak import Minute, SoakReport
from rather.research.bench.spaces import SpacesReport, SpacesSettings
from rather.research.bench.spaces.measurements import (
    CheckedSearch,
    MustHave,
    RegretSetting,
    SpaceEvoi,
    SpaceFloor,
    SpaceMemory,
    SpaceQuestion,
    SpaceRegret,
)
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


@pytest.fixture
def measured_spaces(monkeypatch):
    """Replaces the benchmark of product spaces by made-up numbers; holds the settings it was called with."""
    report = SpacesReport(
        (SpaceQuestion("laptop", 10**12, 113, 2, Times(0.25, 0.2, 0.3, 5, 0.4), 1.75),),
        (MustHave("price < 2000", 12_345, 678, 0.18, 0.3),),
        CheckedSearch(43_200, 10_872, 0, 50, 1e-6, 10),
        (SpaceEvoi("bicycle", 10**9, 50, EvoiShare(12, 0.997, 0.002), (1.0, 0.994)),),
        (SpaceRegret("laptop", RegretSetting("attributes", 4, 2), 12, 8, 0.371, 0.02, 0.25),),
        (SpaceFloor(16.0, 0.123),),
        (SpaceMemory(10**6, 54, 123_000_000),),
        (Goal("laptop", "regret left", 0.371, 0.15, False),),
        2,
        0.5,
        60.0,
        "1.0",
    )
    called = []

    def bench_spaces(settings, on_step, on_progress):
        called.append(settings)
        return report

    monkeypatch.setattr("rather.research.bench.spaces.bench_spaces", bench_spaces)
    return called


def test_spaces_are_measured_as_the_options_say_and_printed(rather, measured_spaces):
    text = " ".join(rather("bench", "--spaces", "--quick", "--repeats", "3", "--no-memory").out.split())
    assert (measured_spaces[0].repeats, measured_spaces[0].memory) == (3, False)
    assert measured_spaces[0].users == SpacesSettings.quick().users
    for shown in ("1,000,000,000,000", "1.75", "12,345", "99.4", "37.1", "123 MB", "missed", "gap 1.0e-06", "12 %"):
        assert shown in text
    assert "trust ratios more than times" in text


def test_the_benchmark_of_spaces_as_json_and_as_a_plot(rather, measured_spaces, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    report = json.loads(rather("bench", "--spaces", "--json", "--plot", str(tmp_path / "spaces.png")).out)
    assert measured_spaces == [SpacesSettings()]
    assert report["regret"][0]["share"] == 0.371
    assert not report["goals"][0]["reached"]
    assert (tmp_path / "spaces.png").stat().st_size > 10_000
