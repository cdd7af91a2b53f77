import itertools
import math
from dataclasses import replace

import pytest
import torch

from rather.errors import InvalidInputError
from rather.numerics.randomness import derive_generator
from rather.research.experiments.engine import Job
from rather.research.experiments.product_spaces.computer import (
    computer_belief,
    computer_catalog,
    computer_space,
    sparse_users,
)
from rather.research.experiments.product_spaces.kind import prepare_space, work
from rather.research.experiments.product_spaces.tables import published_table
from rather.research.experiments.result_tables import result_tables
from rather.research.experiments.spec import load_spec
from rather.research.experiments.summary import ExperimentSummary, MethodSummary
from rather.retrieval import exact_retriever

SIZES = (37, 10, 8, 10, 8, 3)


def job(population, parameters, strategy="auto"):
    given = {"population": population, "vectors": "", **parameters, "strategy": strategy, "settings": {}}
    return Job("spaces", "", strategy, 0, 5, given, {"vectors": population["source"]})


def test_the_published_computers_are_those_that_its_rules_allow():
    # Laptops, desktops and towers: processors of the manufacturers that make them, times memory, disks and monitors.
    laptops = (10 + 26 + 22 + 23 + 22 + 26 + 22) * 9 * 6 * 6
    desktops = (10 + 26 + 22 + 22 + 12 + 22) * 4 * 6 * 3
    towers = (10 + 22 + 22 + 26 + 22) * 4 * 6 * 3
    assert len(computer_catalog()) == laptops + desktops + towers
    assert math.prod(SIZES) == computer_space().combinations == 710_400


def test_a_computer_has_one_value_of_every_decision():
    vectors = computer_catalog().vectors(torch.arange(0, len(computer_catalog()), 97))
    assert torch.equal(torch.stack([block.sum(dim=1) for block in vectors.split(SIZES, dim=1)]).unique(), torch.ones(1))


def test_the_best_computer_is_the_best_of_all():
    users = sparse_users(20, derive_generator(3, "users"))
    every = (computer_catalog().storage.tensor @ users.T).amax(dim=0)
    torch.testing.assert_close(exact_retriever(computer_catalog()).top(users, 1).scores[:, 0], every)


def test_sparse_users_weigh_a_fifth_of_the_values_of_each_decision():
    users = sparse_users(500, derive_generator(0, "users"))
    for block, weighted in zip(users.split(SIZES, dim=1), (7, 2, 1, 2, 1, 1), strict=True):
        assert set((block > 0).sum(dim=1).tolist()) == {weighted}
    weights = users[users > 0]
    assert 1 <= weights.min() < 1.5
    assert 99.5 < weights.max() <= 100
    assert weights.mean() == pytest.approx(50.5, abs=4 * 28.6 / len(weights) ** 0.5)


def test_the_belief_by_moments_has_the_moments_of_the_users():
    users, prior = sparse_users(20_000, derive_generator(0, "users")).double(), computer_belief("moments").prior
    mean, cov = prior.moments
    torch.testing.assert_close(mean, users.mean(dim=0), atol=1.0, rtol=0)
    torch.testing.assert_close(cov.diagonal().sqrt(), users.std(dim=0), atol=1.0, rtol=0)


def test_regret_on_the_computer_is_in_percent_of_the_best():
    outcome = work(
        job({"source": "computer", "belief": "moments"}, {"k": 2, "questions": 2, "users": 3, "temperature": 1.0})
    )
    assert len(outcome["regret"]) == 3
    assert 40 < outcome["regret"][0] <= 100
    assert outcome["evoi"][0] > 0


def test_attributes_are_asked_about_by_their_own_strategies():
    outcome = work(
        job({"source": "bicycle"}, {"k": 2, "questions": 1, "users": 2, "ask": "attributes"}, "cont-partial")
    )
    assert 0 < outcome["regret"][0] < 20


@pytest.mark.parametrize(
    ("population", "message"),
    [
        ({"source": "films"}, "`source` must be bicycle, laptop or computer"),
        ({"source": "laptop", "items": 3}, "items"),
    ],
)
def test_what_is_no_space_is_rejected(population, message, tmp_path):
    with pytest.raises(InvalidInputError, match=message):
        prepare_space(population, tmp_path)


def test_an_unknown_parameter_is_rejected():
    with pytest.raises(InvalidInputError, match="unknown parameters: slate"):
        work(job({"source": "bicycle"}, {"k": 2, "questions": 1, "users": 2, "slate": 3}))


def test_the_published_number_stands_beside_the_questions_that_ours_take():
    spec = load_spec("spaces")
    variant = spec.variants[-1]
    rows = [
        MethodSummary(variant.label, name, 2, {"regret": regret}, {"regret": [1.0] * 4})
        for name, regret in (("auto", [60.0, 30.0, 9.0, 4.0]), ("random", [60.0, 50.0, 40.0, 30.0]))
    ]
    summary = ExperimentSummary("spaces", "rather reproduce spaces", 2, False, [], rows)
    [table] = published_table(spec, summary)
    assert [line[2] for line in table.rows] == ["50 to 70", "2", "more than 3"]
    assert table.rows[1][3] == "4.0 ±1.0 after 3"
    others = replace(spec, variants=tuple(each for each in spec.variants if each.population["source"] != "computer"))
    assert published_table(others, summary) == []


def test_every_variant_of_the_spec_can_be_run():
    spec = load_spec("spaces", quick=True)
    assert {variant.population["source"] for variant in spec.variants} == {"bicycle", "laptop", "computer"}
    asked = [variant.parameters.get("ask", "items") for variant in spec.variants]
    assert list(itertools.compress(asked, [each == "attributes" for each in asked])) == ["attributes"] * 2


def test_users_adjust_after_their_questions():
    outcome = work(job({"source": "bicycle"}, {"k": 2, "questions": 1, "adjustments": 2, "users": 3}))
    assert [len(outcome[measure]) for measure in ("regret", "evoi")] == [4, 1]
    assert outcome["regret"][3] < outcome["regret"][1]


def shown(label, questions, adjustments):
    """The tables of regret and of EVOI of a variant; their numbers are those of the answers."""
    spec = load_spec("spaces")
    mean = {"regret": [float(each) for each in range(questions + adjustments + 1)]}
    mean["evoi"] = [float(each) for each in range(1, questions + 1)]
    errors = {name: [0.5] * len(values) for name, values in mean.items()}
    row = MethodSummary(label, "auto", 2, {**mean, "ndcg": [], "hit": []}, errors)
    only = replace(spec, variants=tuple(each for each in spec.variants if each.label == label))
    summary = ExperimentSummary("spaces", "rather reproduce spaces", 2, False, [], [row])
    found = result_tables(only, summary)
    return [table for table in found if table.title.startswith(("Mean regret", "Mean EVOI"))]


def test_tables_say_which_answers_were_adjustments():
    regret, evoi = shown("laptop, two questions, then adjusted", 2, 3)
    assert list(regret.head) == ["", "0", "1", "2", "2 + 1 adj.", "2 + 2 adj.", "2 + 3 adj.", "±"]
    assert list(evoi.head) == ["", "1", "2", "±"]


def test_of_many_questions_a_table_shows_the_first_every_fifth_and_the_last():
    regret, evoi = shown("computer, 1,000 users known", 22, 0)
    assert list(regret.head) == ["", *"01234", "5", "10", "15", "20", "22", "±"]
    assert [float(cell) for cell in regret.rows[0][1:-1]] == [0, 1, 2, 3, 4, 5, 10, 15, 20, 22]
    assert [float(cell) for cell in evoi.rows[0][1:-1]] == [1, 2, 3, 4, 5, 10, 15, 20, 22]
    assert len(shown("computer, 1,000 users known", 16, 0)[0].head) == 1 + 17 + 1
