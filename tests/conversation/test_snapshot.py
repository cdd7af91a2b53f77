"""A snapshot gives the state that a replay gives, without replaying."""

import json

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from rather import NONE, SAME, SKIP, Belief, Catalog, Logistic, PersonalNoise, Policy, Rejuvenation, Session
from rather.errors import InvalidInputError
from worlds import normal, world

HERE = world(n=20, m=60, smooth=True)

PERSONAL = PersonalNoise.around(0.2, none_utility=0.0, tie=0.5)

STORIES = {
    "nothing yet": [],
    "asked": ["ask"],
    "answers, then asked": [0, 1, 0, "ask"],
    "none and same": [NONE, SAME, 1],
    "a skip": [0, SKIP, 1],
    "only skips": [SKIP, SKIP],
    "undone": [0, 1, "undo"],
    "undone to the start": [0, "undo"],
    "undone and answered otherwise": [0, 1, "undo", 0],
}


def play(session: Session, *acts) -> Session:
    for act in acts:
        if act == "undo":
            session.undo()
        elif act == "ask":
            session.ask()
        else:
            session.tell(session.ask(), act)
    return session


def restored(session: Session, **parts) -> Session:
    return Session.restore(session.snapshot(), session.policy.catalog, session.policy.prior, **parts)


def assert_same_state(one: Session, other: Session) -> None:
    assert other.to_json() == one.to_json()
    assert torch.equal(other.belief.particles, one.belief.particles)
    assert torch.equal(other.belief.log_weights, one.belief.log_weights)
    assert len(other.belief.evidence) == len(one.belief.evidence)
    assert other.ask() == one.ask()
    assert other.recommend(5) == one.recommend(5)
    assert other.stop == one.stop


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES.keys())
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rejuvenation": None},
        {"rejuvenation": Rejuvenation(threshold=1.0)},
        {"response": PERSONAL},
        {"response": PERSONAL, "rejuvenation": Rejuvenation(threshold=1.0)},
    ],
)
def test_a_snapshot_gives_the_state_that_it_was_taken_in(story, settings):
    session = play(Session(Policy(HERE.catalog, HERE.belief, **settings)), *story)
    assert_same_state(session, restored(session))


def test_a_conversation_goes_on_after_a_snapshot_as_it_would_have():
    session = play(Session(Policy(HERE.catalog, HERE.belief, seed=3)), 0, SKIP, 1)
    again = restored(session)
    for story in ([1, 0], ["undo", "undo", "undo", "undo"], [0, NONE]):
        play(session, *story)
        play(again, *story)
        assert_same_state(session, again)
    assert [turn.belief.content_hash for turn in again.turns] == [turn.belief.content_hash for turn in session.turns]


def test_restoring_computes_no_belief_again(monkeypatch):
    session = play(Session(Policy(HERE.catalog, HERE.belief)), 0, 1, 0)
    snapshot, computed = session.snapshot(), []
    after = Policy.after
    monkeypatch.setattr(Policy, "after", lambda *arguments: computed.append(1) or after(*arguments))
    again = Session.restore(snapshot, HERE.catalog, HERE.belief)
    assert torch.equal(again.belief.particles, session.belief.particles)
    assert computed == []
    again.undo()
    assert torch.equal(again.belief.particles, session.turns[1].belief.particles)
    assert len(computed) == 2


def test_questions_about_attributes_are_restored():
    catalog = Catalog(normal(30, 4), features=["a", "b", "c", "d"], name="film")
    belief = Belief.from_users(normal(40, 4, seed=1))
    session = play(Session(Policy(catalog, belief, k=3, ask="attributes", p=2)), 0, 2, "ask")
    assert_same_state(session, restored(session))


def test_parts_of_ones_own_are_given_again():
    session = play(Session(Policy(HERE.catalog, HERE.belief, strategy=lambda problem: problem.random_slates(1))), 0)
    with pytest.raises(InvalidInputError, match="pass it as `strategy`"):
        restored(session)
    assert restored(session, strategy=session.policy.strategy).belief.content_hash == session.belief.content_hash


def test_a_snapshot_is_about_as_large_as_its_particles():
    catalog, belief = Catalog(normal(100, 50)), Belief.from_users(normal(1000, 50, seed=1))
    session = play(Session(Policy(catalog, belief, response=Logistic(1.0))), 0, 1)
    assert len(session.snapshot()) < 4 * 1000 * 51 + 5000


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"", "not a snapshot"),
        (lambda data: b"\x80\x04pickled" + data, "not a snapshot"),
        (lambda data: data.replace(b"snapshot 1", b"snapshot 9"), "not a snapshot of the form 'rather snapshot 1'"),
        (lambda data: data[:-1], "does not hold its 60 particles"),
        (lambda data: data + b"1234", "does not hold its 60 particles"),
        (lambda data: data[:-4] + b"\xff\xff\xff\xff", "not finite"),
        (lambda data: data.replace(b'"events"', b'"happened"'), "lacks events"),
        (lambda data: data.replace(b'"tell": 1', b'"tell": 7'), "damaged"),
        (lambda data: data.replace(b'"particles": 60', b'"particles": -6'), "does not hold"),
    ],
)
def test_a_damaged_snapshot_is_rejected(damage, message):
    data = play(Session(Policy(HERE.catalog, HERE.belief)), 0).snapshot()
    with pytest.raises(InvalidInputError, match=message):
        Session.restore(damage(data), HERE.catalog, HERE.belief)


class _ThreadsOfKernels(TorchDispatchMode):
    """On how many threads each kernel may run."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[int] = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.seen.add(torch.get_num_threads())
        return function(*args, **(kwargs or {}))


def test_restoring_runs_its_kernels_on_one_thread():
    """On a busy machine, two threads that wait for each other took fifty milliseconds instead of one."""
    snapshot = play(Session(Policy(HERE.catalog, HERE.belief)), 0, 1).snapshot()
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with _ThreadsOfKernels() as threads:
            Session.restore(snapshot, HERE.catalog, HERE.belief)
    finally:
        torch.set_num_threads(before)
    assert threads.seen == {1}


def test_the_log_in_a_snapshot_is_plain_json():
    session = play(Session(Policy(HERE.catalog, HERE.belief)), 0, SKIP)
    log = json.loads(session.snapshot().split(b"\n")[1])
    assert [event["answer"] for event in log["events"]] == [0, "skip"]
