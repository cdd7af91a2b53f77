import pytest
import torch

from rather import Belief
from rather.strategies.initialisers import balanced, mixed, rand_user_top_item, random_vectors
from worlds import World, normal, world

ALL = [random_vectors, rand_user_top_item, balanced, mixed]


@pytest.mark.parametrize("initialiser", ALL)
@pytest.mark.parametrize(("restarts", "k"), [(1, 2), (5, 3)])
def test_every_initialiser_gives_so_many_slates_inside_the_ball(initialiser, restarts, k):
    here = world(n=20)
    slates = initialiser(here.problem(k=k), restarts)
    assert slates.shape == (restarts, k, 3)
    assert (slates.norm(dim=2) <= here.catalog.largest_norm * 1.0001).all()


@pytest.mark.parametrize("initialiser", ALL)
def test_every_initialiser_follows_the_generator_alone(initialiser):
    problem = world(n=20).problem()
    assert torch.equal(initialiser(problem.fork(), 4), initialiser(problem.fork(), 4))
    assert not torch.equal(initialiser(problem, 4), initialiser(world(n=20).problem(seed=1), 4))


def test_rand_user_top_item_holds_best_items_of_particles():
    here = world(n=30, m=10)
    slates = rand_user_top_item(here.problem(k=2), 20)
    two_best = here.search(here.belief.particles, 2).vectors
    assert all((two_best.flatten(0, 1) == vector).all(dim=1).any() for vector in slates.flatten(0, 1))
    # The first of a slate is never a second choice.
    assert all((two_best[:, 0] == vector).all(dim=1).any() for vector in slates[:, 0])


def test_rand_user_top_item_draws_no_particle_without_weight():
    here = world(n=30, m=10)
    sure = Belief.from_users(here.belief.particles, [1.0] + [0.0] * 9, smooth=False)
    slates = rand_user_top_item(World(here.catalog, sure).problem(k=2), 5)
    two_best = here.search(here.belief.particles[:1], 2).vectors[0]
    assert torch.equal(slates, two_best.expand(5, 2, 3))


def smallest_share(slates: torch.Tensor, belief: Belief) -> torch.Tensor:
    """The weight of the smallest group of particles that prefer the same option, `(b,)`."""
    winners = (slates @ belief.particles.T).argmax(dim=1)
    shares = [((winners == option) * belief.weights).sum(dim=1) for option in range(slates.shape[1])]
    return torch.stack(shares, dim=1).amin(dim=1)


@pytest.mark.parametrize("k", [2, 3])
def test_balanced_slates_split_the_particles_into_groups_of_about_equal_weight(k):
    here = World(world(n=20, d=5).catalog, Belief.from_users(normal(300, 5) + 0.7, smooth=False))
    even = smallest_share(balanced(here.problem(k=k), 30), here.belief).mean()
    random = smallest_share(random_vectors(here.problem(k=k), 30), here.belief).mean()
    assert even > 0.8 / k
    assert even > random + 0.05


def test_no_option_of_a_balanced_slate_is_the_favourite_of_the_mean():
    here = world(n=20, d=4)
    utilities = balanced(here.problem(), 10) @ here.belief.mean
    assert torch.allclose(utilities, torch.zeros_like(utilities), atol=1e-5)
