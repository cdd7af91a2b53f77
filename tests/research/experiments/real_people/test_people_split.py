"""Nothing is learnt from those who answer."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from rather import Logistic
from rather.errors import InvalidInputError
from rather.research.datasets import DATASETS
from rather.research.experiments.population import generated_ratings
from rather.research.experiments.real_people.noise import PAIRS, evidence
from rather.research.experiments.real_people.people import learn_people, load_people, save_people, split_people

SMALL = {"dimensions": 3, "epochs": 5, "people": 10, "tuning": 20, "by_user": 16, "of_item": 5, "particles": 30}


@pytest.fixture(scope="module")
def ratings():
    return generated_ratings()[0]


def split(ratings, **changed):
    settings = {"people": 10, "tuning": 20, "by_user": 16, "of_item": 5, "seed": 0}
    return split_people(ratings, **{**settings, **changed})


def assert_apart(parts):
    groups = [set(part.users.tolist()) for part in (parts.learnt, parts.tuning, parts.held)]
    assert not groups[0] & groups[1]
    assert not groups[0] & groups[2]
    assert not groups[1] & groups[2]
    return groups


def test_the_groups_share_nobody_and_nobody_is_lost(ratings):
    groups = assert_apart(split(ratings))
    assert [len(group) for group in groups] == [50, 20, 10]


def test_people_are_only_asked_about_what_others_have_rated(ratings):
    parts = split(ratings, of_item=20)
    for part in (parts.held, parts.tuning):
        assert parts.learnt.popularity[part.items].min() >= 20
        assert np.unique(part.users, return_counts=True)[1].min() >= 16


def test_too_many_people_are_rejected(ratings):
    with pytest.raises(InvalidInputError, match="must add up to at most 80"):
        split(ratings, people=70)


def test_the_ratings_of_those_who_answer_change_nothing_that_is_learnt(ratings):
    held = np.isin(ratings.users, np.unique(split(ratings).held.users))
    turned = replace(ratings, values=np.where(held, 6 - ratings.values, ratings.values).astype(np.float32))
    one, other = learn_people(ratings, SMALL), learn_people(turned, SMALL)
    assert np.array_equal(one.items, other.items)
    assert np.array_equal(one.users, other.users)
    assert (one.temperature, one.tie) == (other.temperature, other.tie)
    assert np.array_equal(one.held_values, 6 - other.held_values)


def test_settings_are_chosen_on_others_than_those_who_answer(ratings):
    people, tuning = learn_people(ratings, SMALL), learn_people(ratings, {**SMALL, "answering": "tuning"})
    assert (len(people), len(tuning)) == (10, 20)
    assert np.array_equal(people.items, tuning.items)


def test_what_was_learnt_is_saved_and_loaded(ratings, tmp_path):
    people = learn_people(ratings, SMALL)
    save_people(people, tmp_path / "people.npz")
    again = load_people(str(tmp_path / "people.npz"))
    assert again.temperature == people.temperature
    rows, stars = again.ratings_of(3)
    expected = people.held_users == 3
    assert np.array_equal(rows, people.held_items[expected])
    assert np.array_equal(stars, people.held_values[expected])


def test_the_evidence_of_answers_in_a_row_by_hand():
    """One person, one pair and two particles: the probability of the answer is the mean of theirs."""
    utilities = torch.tensor([[[1.0, 0.0], [0.0, 0.0]]])  # one pair, two options, two particles
    expected = np.log((1 / (1 + np.exp(-1.0)) + 0.5) / 2)
    assert evidence(Logistic(1.0), utilities, torch.tensor([0]), pairs=1) == pytest.approx(expected, abs=1e-6)


def test_noisier_answers_are_found_to_be_noisier():
    """People who answer at a known temperature are likeliest at about that temperature."""
    generator = torch.Generator().manual_seed(0)
    utilities = torch.randn(300 * PAIRS, 2, 1, generator=generator)
    shares = Logistic(0.5).log_probabilities(utilities)[..., 0].exp()
    rows = torch.multinomial(shares, 1, generator=generator)[:, 0]
    found = {temperature: evidence(Logistic(temperature), utilities, rows) for temperature in (0.25, 0.5, 1.0)}
    assert max(found, key=found.get) == 0.5


@pytest.mark.parametrize("name", ["ml-1m", "goodbooks-10k"])
def test_held_out_people_of_a_public_data_set(name):
    folder = Path(os.environ.get("RATHER_DATA", "no such folder")) / name
    if not DATASETS[name].is_in(folder):
        pytest.skip(f"needs {name} in RATHER_DATA")
    ratings = DATASETS[name].ratings(folder)
    groups = assert_apart(split(ratings, people=500, tuning=300, by_user=40, of_item=10))
    assert [len(group) for group in groups[1:]] == [300, 500]
