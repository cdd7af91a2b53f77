"""A second session in the same state, and one for fewer items."""

from rather import Policy, Session
from worlds import world


def open_session():
    small = world(n=24, m=32)
    return Session(Policy(small.catalog, small.belief))


def test_a_fork_leaves_the_session_as_it_was():
    session = open_session()
    question = session.ask()
    before = session.to_json()
    twin = session.fork()
    twin.tell(question, 0)
    twin.ask()
    assert session.to_json() == before
    session.tell(question, 0)
    assert session.ask() == twin.ask()


def test_a_restricted_session_asks_about_and_recommends_only_what_is_allowed():
    session = open_session()
    session.tell(session.ask(), 0)
    restricted = session.restricted([row % 2 == 0 for row in range(24)])
    assert [item.row % 2 for item in restricted.recommend(12)] == [0] * 12
    assert [row % 2 for row in restricted.ask().slate] == [0, 0]
    assert session.policy.allowed is None
    assert {item.row % 2 for item in session.recommend(24)} == {0, 1}
