"""Simulated respondents of known part-worths, from their answers to the report: what is reported holds the truth."""

import json

import pytest
import torch
from insight_worlds import cars

import rather
from rather.insights.aspects import aspects
from rather.insights.estimates import Replicates, respondent_means
from rather.insights.items import item_of
from rather.insights.part_worths import importance_shares, importances, part_worths
from rather.insights.respondents import Respondent, effects_of, sampled
from rather.insights.shares import first_choices, shares

PEOPLE, ANSWERS = 60, 8

# How many studies; the column that counts five times as much as the table's prior expects, if any; and whether
# questions are drawn at random or depend on the answers.
KINDS = {
    "as expected": (4, None, "random"),
    "price decides": (2, "price", "random"),
    "price decides, adaptive": (2, "price", "query-iteration"),
}


class Study:
    """People of a population that the prior of the table does not know, and the report on their answers."""

    def __init__(self, opened, number, decisive=None, strategy="random"):
        generator = torch.Generator().manual_seed(number)
        self.catalog, self.belief = opened
        mean, covariance = self.belief.prior.moments
        root = torch.linalg.cholesky(covariance).float()
        d = self.catalog.dimensions
        # A fifth of what the table's prior expects of a person is what the population has in common.
        self.mean = mean.float() + 0.2**0.5 * root @ torch.randn(d, generator=generator)
        self.root = 0.8**0.5 * root
        for column in self.catalog.columns:
            if column.name == decisive:
                self.mean[column.dimensions] *= 5
                self.root[column.dimensions] *= 5
        self.truth = self.people(PEOPLE, generator)
        logs = [answered(opened, truth, 1000 * number + index, strategy) for index, truth in enumerate(self.truth)]
        self.respondents = [Respondent(str(index), log) for index, log in enumerate(logs)]
        self.sampled = sampled(self.respondents, *opened, seed=number)
        self.columns = aspects(self.catalog)
        self.replicates = Replicates.of(self.sampled.draws, generator)

    def people(self, count, generator):
        return self.mean + torch.randn(count, len(self.mean), generator=generator) @ self.root.T


def answered(opened, truth, seed, strategy):
    policy = rather.Policy(*opened, k=2, seed=0, strategy=strategy)
    session = rather.Session(policy)
    user = rather.SimulatedUser(truth, policy.response, seed=seed)
    for _ in range(ANSWERS):
        question = session.ask()
        session.tell(question, user.answer(question))
    return json.loads(session.to_json())


def held(found, truth):
    """Which of these estimates hold the truth."""
    return [each.low <= value <= each.high for each, value in zip(found, truth.tolist(), strict=True)]


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def studies(request, tmp_path_factory):
    opened = cars(tmp_path_factory.mktemp("cars"))
    count, *kind = request.param
    return [Study(opened, number, *kind) for number in range(count)]


def test_part_worths_of_respondents_are_within_their_intervals_in_19_of_20_cases(studies):
    found = []
    for study in studies:
        for column in study.columns:
            estimated = respondent_means(column.worths(study.sampled.draws))
            for own, truth in zip(estimated, study.truth @ column.vectors.T, strict=True):
                found += held(own, truth)
    assert len(found) == len(studies) * PEOPLE * 8
    # The eight values of a person go together, so that 240 people have an error of about 1.4 %.
    assert sum(found) / len(found) == pytest.approx(0.95, abs=0.03)


def test_part_worths_of_the_population_are_within_their_intervals(studies):
    found = []
    for study in studies:
        for column, own in zip(
            study.columns, part_worths(study.sampled.draws, study.columns, study.replicates), strict=True
        ):
            found += held(own.worths, column.vectors @ study.mean)
    assert len(found) == len(studies) * 8
    assert sum(found) / len(found) >= 0.85  # 0.95 less three times the error of 32


def test_importances_and_shares_of_the_population_are_within_their_intervals(studies):
    found = []
    for study in studies:
        everybody = study.people(20_000, torch.Generator().manual_seed(99))[:, None]
        truth = importance_shares(everybody, study.columns).mean(dim=(0, 1))
        by_name = dict(zip((column.name for column in study.columns), truth.tolist(), strict=True))
        weighed = importances(study.sampled.draws, study.columns, study.replicates)
        found += held([each.share for each in weighed], torch.tensor([by_name[each.column] for each in weighed]))
        vectors, items = study.catalog.vectors(list(range(6))), [item_of(study.catalog, row) for row in range(6)]
        chosen = shares(study.sampled.draws, vectors, items, study.sampled.temperatures, study.replicates)
        found += held([each.first_choice for each in chosen], first_choices(everybody @ vectors.T).mean(dim=(0, 1)))
    assert len(found) == len(studies) * 9
    assert sum(found) / len(found) >= 0.85


def test_effects_are_those_of_the_answers(studies):
    study = studies[0]
    found = effects_of(study.respondents, study.catalog, study.belief, most=20)
    assert len(found) == 20
    assert all([effect.number for effect in each] == list(range(1, ANSWERS + 1)) for each in found)
