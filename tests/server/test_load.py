"""The load run measures what happened."""

import math

import pytest
from serving import small_source

from rather.research.bench.load import library_times, serve_bench
from rather.research.bench.traffic import Traffic


def test_simulated_users_answer_a_server_of_their_own():
    report = serve_bench(Traffic(3, 4.0, "films", think_seconds=0.3), own_seeds=True)
    assert (report.users, report.catalog) == (3, "films")
    assert report.errors == {}
    assert report.answers > 0
    assert report.questions_per_second == pytest.approx(report.answers / 4.0)
    assert 0 < report.latency["median"] <= report.latency["p90"] <= report.latency["p99"] <= report.latency["max"]
    assert report.ratio == pytest.approx(report.latency["median"] / report.library_turn)
    assert report.ratio_p99_ask == pytest.approx(report.latency["p99"] / report.library_ask)
    assert 0 <= report.cached <= 1
    assert math.isfinite(report.opening["median"])


def test_the_librarys_own_time_is_measured_alone():
    ask, turn = library_times(small_source(), 2, 0, questions=3)
    assert 0 < ask <= turn
