import torch

from rather import Belief
from rather.retrieval.directions import conversation_directions, group_means, others_of, people_of
from worlds import normal


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_groups_of_one_are_people_and_larger_ones_their_means():
    people = normal(200, 3)
    means = group_means(people, 15, generator())
    assert ((means[:1, None] - people).abs().sum(dim=2) < 1e-5).any()
    stretches = [people[start : start + 128].mean(dim=0) for start in range(73)]
    assert min(float((means[-1] - mean).abs().sum()) for mean in stretches) < 1e-4


def test_fewer_people_than_a_group_are_one_group():
    people = normal(3, 2)
    assert torch.allclose(group_means(people, 9, generator())[-1], people.mean(dim=0), atol=1e-5)


def test_directions_of_conversations_lie_among_the_people():
    """Every direction is a weighted mean: in no coordinate beyond everybody."""
    people, items = normal(40, 3), normal(9, 3, seed=1)
    directions = conversation_directions(people, items, 60, generator())
    assert directions.shape == (60, 3)
    assert (directions <= people.amax(dim=0) + 1e-5).all()
    assert (directions >= people.amin(dim=0) - 1e-5).all()
    assert directions.std(dim=0).min() > 0.1  # and not all the same


def test_with_a_prior_density_others_than_the_particles_are_met():
    belief = Belief.from_users(normal(30, 3))
    people = people_of(belief, generator())
    assert len(people) == 60
    assert {tuple(row) for row in belief.particles.tolist()} < {tuple(row) for row in people.tolist()}
    others = others_of(belief, people, generator(1))
    assert not {tuple(row) for row in others.tolist()} & {tuple(row) for row in people.tolist()}


def test_without_a_prior_density_there_is_nobody_else():
    belief = Belief.from_users(normal(30, 3), smooth=False)
    people = people_of(belief, generator())
    assert sorted(people.tolist()) == sorted(belief.particles.tolist())
    assert others_of(belief, people, generator(1)) is people


def test_of_many_particles_those_with_weight_are_met():
    weights = torch.zeros(2000)
    weights[:5] = 1.0
    belief = Belief.from_users(normal(2000, 3), weights, smooth=False)
    assert {tuple(row) for row in people_of(belief, generator()).tolist()} == {
        tuple(row) for row in belief.particles[:5].tolist()
    }
