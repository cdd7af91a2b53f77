"""Experiments in which a prior is learnt: the populations that are drawn, and what the tables state."""

import pytest
import torch

from rather.errors import InvalidInputError
from rather.model.priors import gaussian_prior
from rather.research.experiments import load_spec
from rather.research.experiments.learnt_priors.kind import jobs
from rather.research.experiments.learnt_priors.priors import conversations_wanted
from rather.research.experiments.learnt_priors.simulated import drawn_population
from rather.research.experiments.learnt_priors.tables import closed_share
from rather.research.experiments.summary import MethodSummary

OWN = gaussian_prior([0.5, -1.0], [[1.0, 0.3], [0.3, 0.5]])


def test_averaged_over_populations_a_person_is_as_the_own_prior_says():
    drawn = [drawn_population(OWN, seed).moments for seed in range(2000)]
    means, within = (torch.stack(part) for part in zip(*drawn, strict=True))
    mean, covariance = OWN.moments
    between = torch.cov(means.T)
    assert torch.allclose(means.mean(dim=0), mean, atol=0.06)
    assert torch.allclose(within.mean(dim=0) + between, covariance, atol=0.08)
    assert torch.allclose(between, covariance / 2, atol=0.06)


def test_groups_have_means_of_their_own_and_halve_in_size():
    found = drawn_population(OWN, 0, groups=2)
    assert torch.allclose(found.log_weights.exp(), torch.tensor([2 / 3, 1 / 3]))
    assert not torch.allclose(found.centres[0], found.centres[1])


def row(method, regret, error):
    return MethodSummary("v", method, 4, {"regret": [regret]}, {"regret": [0.0]}, [0.0], [error])


def test_the_share_of_the_way_is_stated_where_there_is_a_way():
    own, half, best = row("own", 2.0, 0.0), row("learnt", 1.5, 0.1), row("best", 1.0, 0.1)
    assert closed_share(own, half, best, 0) == "50 %"
    assert closed_share(own, half, row("best", 1.9, 0.1), 0) == "–"


def test_real_people_are_learnt_from_or_measured_on_never_both():
    spec = load_spec("population")
    made = jobs(spec, {variant.label: "x.npz" for variant in spec.variants})
    rated = [job for job in made if job.variant == "MovieLens-1M ratings" and job.method == "own prior"]
    assert len(rated) == 400 == 1400 - rated[0].parameters["conversations"]


def test_an_unknown_method_is_rejected():
    assert conversations_wanted({"strategy": "learnt", "settings": {"conversations": 50}}) == 50
    with pytest.raises(InvalidInputError, match="own, learnt, best"):
        conversations_wanted({"strategy": "auto", "settings": {}})
