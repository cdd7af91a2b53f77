"""Conversations with recorded ratings, and the tables they become."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from rather import Belief, Catalog, Logistic, Policy
from rather.errors import InvalidInputError
from rather.research.experiments import load_spec
from rather.research.experiments.real_people.conversations import converse, converse_with_tastes, jobs
from rather.research.experiments.real_people.rated_user import RatedUser
from rather.research.experiments.real_people.tables import interval, is_papers, people_tables, verdict
from rather.research.experiments.run import reproduce
from rather.research.experiments.summary import PAIRED, MethodSummary, read_summary


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A quick run on generated ratings, twice: the second is read from the results of the first."""
    out = tmp_path_factory.mktemp("results")
    spec = load_spec("real-people", quick=True)
    summary = reproduce(spec, out, quick=True, folder=out / "no data", on_progress=lambda text: None)
    return spec, summary, out


def test_people_are_asked_about_what_they_rated_and_nothing_else():
    rng = np.random.default_rng(0)
    catalog = Catalog(rng.normal(size=(30, 3)).astype(np.float32))
    belief = Belief.from_users(rng.normal(size=(20, 3)).astype(np.float32))
    user = RatedUser(np.array([2, 5, 11, 17, 23]), np.array([1, 2, 3, 4, 5], dtype=np.float32), seed=1)
    allowed = np.isin(np.arange(30), user.rows)
    policy = Policy(catalog, belief, response=Logistic(0.5, tie=1.0)).restricted(allowed)
    turns, told = converse(policy, user, 4)
    assert all(set(question.slate) <= set(user.rows.tolist()) for question, _ in turns)
    assert all(user.by_row[q.slate[answer]] == max(user.by_row[row] for row in q.slate) for q, answer in turns)
    assert len(told.scores) == 5
    # Two options and "about the same" for each question; they sum to 1 and one of them was given.
    assert sum(probability for probability, _ in told.stated) == pytest.approx(4, abs=1e-4)
    assert sum(given for _, given in told.stated) == 4


def test_with_tastes_for_single_items_people_are_asked_and_recommended_the_same_items():
    rng = np.random.default_rng(0)
    catalog = Catalog(rng.normal(size=(30, 3)).astype(np.float32))
    belief = Belief.from_users(rng.normal(size=(20, 3)).astype(np.float32))
    user = RatedUser(np.array([2, 5, 11, 17, 23]), np.array([1, 2, 3, 4, 5], dtype=np.float32), seed=1)
    allowed = torch.from_numpy(np.isin(np.arange(30), user.rows))
    policy = Policy(catalog, belief, response=Logistic(0.2, tie=1.0))
    turns, told = converse_with_tastes(policy, user, allowed, 0.5, questions=4, length=2)
    rated = set(user.rows.tolist())
    assert all(
        set(slate) <= rated and user.by_row[slate[answer]] == max(map(user.by_row.get, slate))
        for slate, answer in turns
    )
    assert all(set(listed) <= rated and len(listed) == 2 for listed in told.lists)
    # Before the first answer tastes are 0 on average, and items that are never asked about have none.
    assert told.scores[0].tolist() == pytest.approx(
        (catalog.vectors(torch.arange(30)) @ belief.mean).tolist(), abs=1e-5
    )


def test_all_methods_meet_the_same_people(quick):
    _, summary, _ = quick
    for variant in ("MovieLens-1M", "goodbooks-10k"):
        starts = {row.mean["regret"][0] for row in summary.of(variant) if "stated" in row.mean}
        assert len(starts) == 1
        assert (
            summary.row(variant, "popularity").mean["regret"]
            == [summary.row(variant, "popularity").mean["regret"][0]] * 3
        )


def test_differences_are_paired_and_survive_the_file(quick):
    _, summary, out = quick
    kept = read_summary(out / "real-people-quick" / "summary.jsonl")
    for row in kept.rows:
        reference = kept.row(row.variant, "auto")
        for measure, difference in row.differences.items():
            expected = np.subtract(row.mean[measure], reference.mean[measure])
            assert difference == pytest.approx(expected.tolist(), abs=1e-5)
    assert kept.row("MovieLens-1M", "random").ahead == pytest.approx(summary.row("MovieLens-1M", "random").ahead)


def test_more_people_than_are_held_out_are_rejected():
    spec = load_spec("real-people", quick=True).changed(trials=13)
    with pytest.raises(InvalidInputError, match="`trials` must be at most 12"):
        jobs(spec, {variant.label: "" for variant in spec.variants})


def test_an_interval_is_two_standard_errors_to_either_side():
    assert interval(0.1, 0.05) == "+0.100 (+0.002 to +0.198)"


def test_the_papers_strategies_are_those_that_it_names():
    assert is_papers("query-iteration")
    assert not any(map(is_papers, ("auto", "random", "thompson", "popularity", "auto, everyday noise")))


def test_the_verdict_says_who_is_significantly_ahead(quick):
    spec, summary, _ = quick
    flat = {name: [1.0, 0.5, 0.4] for name in ("regret", *PAIRED)}
    error = {name: [0.1] * 3 for name in flat}
    paired = {name: [0.0, 0.1, 0.1] for name in flat}

    def row(method, ahead, uncertain):
        return MethodSummary("MovieLens-1M", method, 9, flat, error, ahead, uncertain, {}, paired, error)

    rows = [row("auto", [0.0] * 3, [0.0] * 3), row("greedy", [0.0, 0.3, -0.3], [0.1, 0.1, 0.1])]
    tables = people_tables(replace(spec, variants=spec.variants[:1]), replace(summary, rows=rows))
    verdicts = next(table for table in tables if table.title.startswith("`auto` against the best"))
    assert [line[-2:] for line in verdicts.rows] == [["ahead"] * 2, ["behind"] * 2]


def test_the_best_of_several_must_be_further_ahead():
    """Of one: 1.96 standard errors. Of six, each at a sixth of 5 %: 2.64."""
    assert verdict(-0.024, 0.01, 1.96) == "behind"
    assert verdict(-0.024, 0.01, 2.64) == "no"
    assert verdict(0.027, 0.01, 2.64) == "ahead"
