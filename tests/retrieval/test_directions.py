import torch

from rather import Belief
from rather.retrieval.directions import (
    belief_directions,
    conversation_directions,
    group_means,
    representative_users,
    unseen_users,
)
from worlds import normal


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def distinct(users) -> set[tuple[float, ...]]:
    return {tuple(row) for row in users.tolist()}


def test_groups_of_one_are_users_and_larger_ones_their_means():
    users = normal(200, 3)
    means = group_means(users, 15, generator())
    assert ((means[:1, None] - users).abs().sum(dim=2) < 1e-5).any()
    slices = [users[start : start + 128].mean(dim=0) for start in range(73)]
    assert min(float((means[-1] - mean).abs().sum()) for mean in slices) < 1e-4


def test_fewer_users_than_a_group_holds_are_one_group():
    users = normal(3, 2)
    assert torch.allclose(group_means(users, 9, generator())[-1], users.mean(dim=0), atol=1e-5)


def test_directions_of_conversations_lie_among_the_users():
    """Every direction is a weighted mean: in no coordinate is it beyond all users."""
    users, items = normal(40, 3), normal(9, 3, seed=1)
    directions = conversation_directions(users, items, 60, generator())
    assert directions.shape == (60, 3)
    assert (directions <= users.amax(dim=0) + 1e-5).all()
    assert (directions >= users.amin(dim=0) - 1e-5).all()
    assert directions.std(dim=0).min() > 0.1  # and not all the same


def test_directions_of_conversations_lean_towards_the_tastes_that_answers_reveal():
    """Two camps with opposite tastes: after an answer about items they disagree on, the other camp hardly counts."""
    camps = torch.cat([normal(50, 2) / 10 + 1.0, normal(50, 2, seed=1) / 10 - 1.0])
    items = torch.tensor([[1.0, 1.0], [-1.0, -1.0]])
    directions = conversation_directions(camps, items, 6000, generator())[::3]  # the means of all users
    in_a_camp = (directions.abs() > 0.9).all(dim=1).float().mean()
    # Conversations have 0 to 6 answers, each about two different items half of the time. A camp is found in
    # 1 - (1 + 1/2 + ... + 1/64) / 7 of them.
    assert abs(float(in_a_camp) - 0.7165) < 5 * (0.7165 * 0.2835 / 2000) ** 0.5


def test_directions_of_beliefs_are_posterior_means_and_means_of_eight_users():
    users, items = torch.eye(40), normal(9, 40, seed=1)
    directions = belief_directions(users, items, 60, generator())
    assert torch.allclose(directions.sum(dim=1), torch.ones(60))
    eighths = directions[1::2] * 8
    assert torch.equal(eighths, eighths.round())
    # Some conversations have no answers yet: the mean of all.
    assert ((directions[::2] - 1 / 40).abs() < 1e-6).all(dim=1).any()


def test_with_a_prior_density_others_than_the_particles_are_drawn():
    belief = Belief.from_users(normal(30, 3))
    users = representative_users(belief, generator())
    assert len(users) == 60
    assert distinct(belief.particles) < distinct(users)
    others = unseen_users(belief, users, generator(1))
    assert others.shape == users.shape
    assert not distinct(others) & distinct(users)


def test_without_a_prior_density_there_is_nobody_else():
    belief = Belief.from_users(normal(30, 3), smooth=False)
    users = representative_users(belief, generator())
    assert sorted(users.tolist()) == sorted(belief.particles.tolist())
    assert not torch.equal(users, belief.particles)  # but shuffled
    assert unseen_users(belief, users, generator(1)) is users


def test_after_answers_only_particles_represent_the_user():
    belief = Belief.from_users(normal(30, 3)).update(normal(2, 3, seed=1), 0)
    users = representative_users(belief, generator())
    assert sorted(users.tolist()) == sorted(belief.particles.tolist())
    assert unseen_users(belief, users, generator(1)) is users


def test_of_many_particles_those_with_weight_are_drawn():
    weights = torch.zeros(2000)
    weights[:5] = 1.0
    belief = Belief.from_users(normal(2000, 3), weights, smooth=False)
    assert distinct(representative_users(belief, generator())) == distinct(belief.particles[:5])
