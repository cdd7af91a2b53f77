"""What sessions about the same catalogue and prior compute once."""

from typing import NamedTuple

from rather import Belief, Catalog, ExactRetriever, Policy, Session
from rather.retrieval import Found
from worlds import normal

CATALOG, BELIEF = Catalog(normal(40, 3)), Belief.from_users(normal(30, 3, seed=1))


class Counting:
    """Counts the directions that it searches."""

    def __init__(self) -> None:
        self.directions = 0

    def top(self, directions, count, allowed=None) -> Found:
        self.directions += len(directions)
        return ExactRetriever(CATALOG).top(directions, count, allowed)


def test_the_first_session_searches_for_every_particle_and_later_ones_for_none():
    retriever = Counting()
    opened = [Session(Policy(CATALOG, BELIEF, k, seed, retriever=retriever)) for k, seed in ((2, 0), (2, 1), (3, 2))]
    assert retriever.directions == len(BELIEF) + 1
    assert len({session.stopping for session in opened}) == 1


def test_another_prior_or_filter_has_a_regret_of_its_own():
    retriever = Counting()
    first = Policy(CATALOG, BELIEF, retriever=retriever).start_regret
    other = Belief.from_users(normal(30, 3, seed=2))
    assert Policy(CATALOG, other, retriever=retriever).start_regret == Policy(CATALOG, other).start_regret != first
    few = [row < 5 for row in range(40)]
    filtered = Policy(CATALOG, BELIEF, retriever=retriever, allowed=few)
    assert filtered.start_regret == Policy(CATALOG, BELIEF, allowed=few).start_regret != first
    assert Policy(CATALOG, BELIEF, retriever=retriever).restricted(few).expected_regret(BELIEF) == filtered.start_regret


def test_any_object_may_be_a_retriever():
    class Tuple(NamedTuple):
        exact: ExactRetriever

        def top(self, directions, count, allowed=None) -> Found:
            return self.exact.top(directions, count, allowed)

    policy = Policy(CATALOG, BELIEF, retriever=Tuple(ExactRetriever(CATALOG)))
    assert policy.start_regret == Policy(CATALOG, BELIEF).start_regret
