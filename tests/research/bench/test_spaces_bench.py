from functools import partial
from pathlib import Path

import pytest

import rather
from rather.research.bench.measurements import EvoiShare, Times
from rather.research.bench.spaces import SpacesSettings, bench_spaces, checking, questions, run, users, worlds
from rather.research.bench.spaces.checking import checked_searches
from rather.research.bench.spaces.measurements import (
    CheckedSearch,
    RegretSetting,
    SpaceEvoi,
    SpaceMemory,
    SpaceQuestion,
    SpaceRegret,
)
from rather.research.bench.spaces.memory import space_memory
from rather.research.bench.spaces.questions import must_have, question_times
from rather.retrieval.protocol import Found
from rather.simulation import Adjusting


def small(values=4):
    return rather.ProductSpace(
        "lamp",
        [
            rather.Option("foot", {"wood": {"price": 10}, "brass": {"price": 30}, "glass": {"price": 25}}),
            rather.NumberRange("arms", 1, values, step=1, adds={"price": 8}),
            rather.Extra("dimmer", adds={"price": 15}),
            rather.Option("shade", ["round", "square"]),
        ],
        [rather.Total("price", base=20), rather.Total("parts", counts=["dimmer"])],
        ["price <= 80", "foot == 'glass' implies not dimmer", "parts <= 1"],
    )


def world(name="lamp", values=4):
    return worlds.opened(name, small(values))


def test_searches_are_checked_against_every_combination_of_the_free_decisions():
    found = checked_searches(small(), ["foot", "arms", "dimmer"], directions=6, count=5)
    prices = {"wood": 10, "brass": 30, "glass": 25}
    valid = [
        (foot, arms, dimmer)
        for foot, price in prices.items()
        for arms in range(1, 5)
        for dimmer in (0, 1)
        if 20 + price + 8 * arms + 15 * dimmer <= 80 and not (foot == "glass" and dimmer)
    ]
    assert (found.combinations, found.valid, found.misjudged) == (3 * 4 * 2, len(valid), 0)
    assert found.gap < 1e-5


def test_a_search_that_misses_the_best_shows_as_a_gap(monkeypatch):
    class Worst:
        def __init__(self, catalog):
            self.exact = checking_retriever(catalog)

        def top(self, directions, count, allowed=None):
            found = self.exact.top(-directions, count, allowed)
            return Found(-found.scores, found.rows, found.vectors)

    checking_retriever = checking.PathRetriever
    monkeypatch.setattr(checking, "PathRetriever", Worst)
    assert checked_searches(small(), ["foot", "arms", "dimmer"], directions=6, count=5).gap > 0.1


def test_a_diagram_that_allows_too_much_shows_as_misjudged(monkeypatch):
    space = small()
    lenient = rather.ProductSpace(space.name, space.decisions, space.totals, space.rules[1:])
    encode = checking.encode_space
    monkeypatch.setattr(checking, "encode_space", lambda given: encode(lenient))
    assert checked_searches(space, ["foot", "arms", "dimmer"], directions=2, count=2).misjudged > 0


def test_catalogues_take_turns_and_the_table_has_a_ratio_of_1():
    lamp, table, steps = world(), world("table", 2), []
    found = question_times([lamp, table], table, (2,), 2, lambda: steps.append(1))
    assert [(each.catalog, each.n, each.times.runs) for each in found] == [
        ("lamp", len(lamp.catalog), 2),
        ("table", len(table.catalog), 2),
    ]
    assert found[1].ratio == 1
    assert len(steps) == 3
    assert found[0].ratio == pytest.approx(found[0].times.median / found[1].times.median)


def test_must_haves_say_how_many_configurations_satisfy_them():
    laptop = worlds.opened("laptop", "laptop")
    found = must_have(laptop, "price < 1000 and weight < 2")
    assert 0 < found.n < len(laptop.catalog)
    assert found.edges > 0
    assert found.seconds > 0 < found.question


def test_the_evoi_of_every_belief_of_every_user_is_compared():
    found = users.evoi_shares(world(), users=3, answers=2, on_step=lambda: None, restarts=40)
    assert (found.shares.users, len(found.by_answers), found.restarts) == (9, 3, 40)
    # There are some 30 lamps: `auto` values every question, query iteration stops where no step helps.
    assert found.by_answers[0] >= 0.999


def test_a_question_that_is_not_the_best_shows_as_a_lower_share(monkeypatch):
    monkeypatch.setattr(users, "Policy", partial(rather.Policy, strategy="random"))
    assert users.evoi_shares(world(), users=8, answers=0, on_step=lambda: None, restarts=40).shares.mean < 0.9


def test_the_regret_that_is_left_falls_with_the_questions():
    lamp = world()
    few, many = (users.regret_share(lamp, RegretSetting(), users=6, answers=count) for count in (1, 6))
    assert 0 <= many.share < few.share < 1.5
    assert many.error < few.share
    assert (few.catalog, few.users, many.answers) == ("lamp", 6, 6)


def test_adjustments_count_as_answers():
    lamp = world()
    asked, adjusted = (users.regret_share(lamp, RegretSetting(adjusting=each), 12, 3) for each in (None, Adjusting(2)))
    first = users.regret_share(lamp, RegretSetting(), 12, 1)
    assert adjusted.share < asked.share < first.share


def test_a_setting_says_what_was_asked_and_how_it_was_adjusted():
    assert RegretSetting("auto", 4, 2, 4000).description == "auto, k = 4, p = 2, 4,000 particles"
    assert RegretSetting().description == "items, k = 2"
    adjusted = RegretSetting(adjusting=Adjusting(2))
    assert adjusted.description == "items, k = 2, 2 adjustments of up to 2 choices"
    hasty = RegretSetting(adjusting=Adjusting(1, 1, 5))
    assert hasty.description == "items, k = 2, 1 adjustment of 1 choice among 5 looked at"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's own account")
def test_memory_is_measured_in_a_process_of_its_own():
    found = space_memory(2, 3)
    assert (found.n, found.peak_bytes > 0) == (9, True)


def test_a_whole_benchmark_measures_everything_and_counts_its_steps(monkeypatch):
    opened = []

    def open_small(name, source):
        opened.append(source if isinstance(source, str) else source.combinations)
        return world(name)

    monkeypatch.setattr(run, "opened", open_small)
    monkeypatch.setattr(run, "bundled_space", lambda name: small())
    monkeypatch.setattr(run, "CHECKED", ("foot", "arms", "dimmer"))
    monkeypatch.setattr(run, "MUST_HAVES", ("price < 60",))
    monkeypatch.setattr(run, "cut_down", lambda: world("table", 2))
    monkeypatch.setattr(run, "written_down", lambda free: world("written down"))
    monkeypatch.setattr(questions, "EVERYTHING", "price > 0")
    settings = SpacesSettings(
        sizes=(2,),
        repeats=2,
        evoi_users=2,
        answers=0,
        users=2,
        settings=(RegretSetting(particles=200),),
        elsewhere=(RegretSetting(particles=100, adjusting=Adjusting(1)),),
        memory=False,
    )
    steps = []
    report = bench_spaces(settings, lambda: steps.append(1))
    assert len(steps) == settings.steps
    assert opened[:3] == [10**12, "laptop", "bicycle"]
    assert [each.catalog for each in report.questions] == [run.FREE, "laptop", "table", "written down"]
    assert [each.catalog for each in report.evoi] == ["bicycle", "laptop", "generated space"]
    assert report.searches.combinations == 24
    assert report.must_haves[0].n < len(world().catalog)
    assert [(each.catalog, each.setting.particles) for each in report.regret] == [
        ("laptop", 200),
        ("bicycle", 100),
        ("generated space", 100),
    ]
    assert [each.bits for each in report.floors] == [8.0, 16.0, pytest.approx(18.58, abs=0.01)]
    assert not report.memory


def test_goals_are_missed_where_a_number_is_beyond_them():
    times = Times(2.0, 1.0, 3.0, 5, 4.0)
    bad = list(
        run._goals(
            [SpaceQuestion(run.FREE, 10, 2, 2, times, 3.5), SpaceQuestion("laptop", 10, 2, 2, times, 9.0)],
            [],
            CheckedSearch(10, 5, 1, 3, 0.1, 2),
            [SpaceEvoi("laptop", 10, 50, EvoiShare(4, 0.98, 0.01), (0.98,))],
            [
                SpaceRegret("laptop", RegretSetting(), 5, 8, 0.4, 0.1, 0.3),
                SpaceRegret("laptop", RegretSetting("auto", 4), 5, 8, 0.2, 0.1, 0.1),
                SpaceRegret("bicycle", RegretSetting(), 5, 8, 0.3, 0.1, 0.1),
            ],
            [SpaceMemory(10**6, 54, 100), SpaceMemory(10**12, 108, 200)],
        )
    )
    assert [goal.value for goal in bad] == [3.5, 2.0, 1, 0.1, 0.98, 0.2, 0.3, 2.0]
    assert not any(goal.reached for goal in bad)


def test_the_generated_space_has_rules_that_bind_and_is_the_same_every_time():
    first, second = worlds.generated(), worlds.generated()
    assert first.rules == second.rules
    assert first.combinations == second.combinations
    assert 10**8 < len(rather.open(first)[0]) < first.combinations
