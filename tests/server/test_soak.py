"""A soak notices what it looks for, and a server passes a short one."""

import random

import pytest

from rather.cli.bench_table import print_soak
from rather.research.bench.soak import Minute, SoakReport, soak
from rather.research.bench.soak.disturbing import disturbances, write_table
from rather.research.bench.soak.people import standing
from rather.research.bench.soak.report import Sample, descriptor_problem, memory_problem, p99_problem
from rather.research.bench.traffic import Traffic


def minute(p99, disturbed=False):
    return Minute(disturbed, 10, 5.0, p99, 0, None, None)


def samples(values, process=1):
    return [Sample(float(at), process, value, int(value)) for at, value in enumerate(values)]


def test_a_short_soak_passes(tmp_path):
    write_table(tmp_path / "goods.csv", 0)
    report = soak(Traffic(4, 12.0, str(tmp_path / "goods.csv"), think_seconds=0.2), measured=False)
    assert report.checks == {"answers": "", "memory": None, "descriptors": None, "p99": None}
    assert report.passed
    assert report.disturbances == {"kill": 1, "reload": 2, "lock": 2, "slow": 2}
    assert min(report.p99["first"], report.p99["quiet"]) <= report.p99["all"]
    assert report.requests["answer"] > 0
    assert report.sessions > 0
    assert [entry.disturbed for entry in report.minutes] == [False, True, False, True]
    assert sum(report.retries.values()) > 0  # nobody was served while it restarted


def test_every_second_minute_is_disturbed_and_the_first_half_killed():
    moments = disturbances(600.0, 60.0, random.Random(0))
    assert [kind for at, kind in moments if int(at / 60) == 1 or int(at / 60) == 9].count("reload") == 2
    assert {int(at / 60) for at, _ in moments} == {1, 3, 5, 7, 9}
    assert [int(at / 60) for at, kind in moments if kind == "kill"] == [1, 3]
    assert all(at % 60 < 30 for at, _ in moments)
    assert moments == sorted(moments)


def test_memory_and_descriptors_of_the_last_process_must_be_flat():
    assert memory_problem([]) is None
    assert memory_problem(samples([1, 2, 3])) is None
    flat = samples([500] * 8) + samples([*range(100), *[100] * 300], process=2)
    assert (memory_problem(flat), descriptor_problem(flat)) == ("", "")
    growing = samples(range(100, 500))
    assert memory_problem(growing) == "it grew from 350 MB to 450 MB"
    assert descriptor_problem(growing) == "they grew from 350 to 450"


def test_only_quiet_minutes_are_compared_with_the_first():
    assert p99_problem([minute(10), minute(90, disturbed=True), minute(20)]) == ""
    slow = p99_problem([minute(10), minute(90, disturbed=True), minute(21), minute(float("nan"))])
    assert slow == "minute 3: 21 ms instead of 10 ms"


def test_answers_stand_until_they_are_taken_back():
    assert standing([0, 1, "undo", "skip", "undo", "undo"]) == []
    assert standing([0, "undo", 1, 2]) == [1, 2]


@pytest.mark.parametrize("wrong", ["", "stored are [0], acknowledged were [0, 1]"])
def test_the_table_says_what_was_checked(capsys, wrong):
    checks = {"answers": wrong, "memory": None}
    minutes = [minute(12.3), minute(45.6, disturbed=True)]
    report = SoakReport("films", 3, 120.0, minutes, {"answer": 20}, 4, {"kill": 1}, {"first": 12.3}, {}, checks)
    print_soak(report)
    shown = capsys.readouterr().out
    assert report.passed == (not wrong)
    assert f"answers: {wrong or 'as it must be'}" in shown
    assert "memory: not checked" in shown
    assert "disturbed" in shown
    assert "kill 1" in shown
    assert "p99, ms: first 12" in shown
