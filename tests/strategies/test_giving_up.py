"""What nobody waits for any more ends at the next look at the clock."""

import pytest
import torch

from rather import Belief, Catalog, Policy, Session
from rather.strategies.clock import Clock, check_interrupt, interruptible


class UnwantedError(Exception):
    """Nobody waits."""


def unwanted():
    raise UnwantedError


def normal(n, seed):
    return torch.randn(n, 12, generator=torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def world():
    return Catalog(normal(60, 1), features=list("abcdefghijkl")), Belief.from_users(normal(30, 2))


def test_a_clock_ends_what_is_unwanted_with_and_without_a_budget():
    for clock in (Clock(None), Clock(1e9)):
        assert not clock.spent(0.5)
        with pytest.raises(UnwantedError), interruptible(unwanted):
            clock.spent(0.5)
        assert not clock.spent(0.5)


def test_the_inner_block_decides_and_the_outer_one_again_after_it():
    with interruptible(unwanted):
        with interruptible(lambda: None):
            check_interrupt()
        with pytest.raises(UnwantedError):
            check_interrupt()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"ask": "attributes"},
        {"ask": "attributes", "attribute_strategy": "greedy"},
        {"ask": "attributes", "attribute_strategy": "cont-partial"},
        {"ask": "auto"},
    ],
    ids=str,
)
def test_a_question_that_nobody_waits_for_is_not_chosen(world, settings):
    policy = Policy(*world, k=3, p=2, budget_ms=60_000.0, **settings)
    with pytest.raises(UnwantedError), interruptible(unwanted):
        policy.question(policy.prior, ())
    assert policy.question(policy.prior, ()).evoi > 0  # and can be chosen later


def test_a_log_that_nobody_waits_for_is_not_replayed(world):
    session = Session(Policy(*world))
    session.tell(session.ask(), 0)
    looked = []
    with interruptible(lambda: looked.append(1)):
        Session.from_json(session.to_json(), *world)
    assert looked
    with pytest.raises(UnwantedError), interruptible(unwanted):
        Session.from_json(session.to_json(), *world)
