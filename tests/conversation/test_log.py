import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rather import (
    NONE,
    SAME,
    SKIP,
    BestItem,
    BestOfList,
    Logistic,
    Noiseless,
    PersonalNoise,
    Policy,
    RatherError,
    Rejuvenation,
    RiskAverse,
    Session,
    Stopping,
    strategy_named,
)
from rather.errors import InvalidInputError
from worlds import world

HERE = world(n=20, m=60, smooth=True)


def session(**parts) -> Session:
    stopping = parts.pop("stopping", None)
    return Session(Policy(HERE.catalog, HERE.belief, **parts), stopping)


def again(talk: Session, **parts) -> Session:
    return Session.from_json(talk.to_json(), HERE.catalog, HERE.belief, **parts)


def play(talk: Session, *acts) -> Session:
    for act in acts:
        if act == "undo":
            talk.undo()
        elif act == "ask":
            talk.ask()
        else:
            talk.tell(talk.ask(), act)
    return talk


def assert_same_state(one: Session, other: Session) -> None:
    assert other.belief.content_hash == one.belief.content_hash
    assert [(turn.question, turn.answer) for turn in other.turns] == [(t.question, t.answer) for t in one.turns]
    assert other.ask() == one.ask()
    assert other.recommend(5) == one.recommend(5)
    assert other.stop == one.stop
    assert other.events == one.events


STORIES = {
    "nothing yet": [],
    "asked": ["ask"],
    "answers": [0, 1, 0],
    "answers, then asked": [0, 1, "ask"],
    "none and same": [NONE, SAME, 1],
    "a skip": [0, SKIP],
    "only skips": [SKIP, SKIP],
    "undone": [0, 1, "undo"],
    "undone to the start": [0, "undo"],
    "undone and answered otherwise": [0, 1, "undo", 0, "undo", SKIP, 1],
    "enough to renew particles": [0, 1, 0, 1, 0, 1],
}


@pytest.mark.parametrize("acts", STORIES.values(), ids=STORIES)
def test_a_log_gives_the_same_state_and_the_same_next_question(acts):
    talk = play(session(seed=4), *acts)
    assert_same_state(talk, again(talk))


@pytest.mark.parametrize("acts", STORIES.values(), ids=STORIES)
def test_a_log_of_a_conversation_with_noise_of_ones_own_gives_the_same_state(acts):
    talk = play(session(seed=4, response=PersonalNoise.around(0.2, none_utility=0.0, tie=0.5)), *acts)
    other = again(talk)
    assert other.policy.response == talk.policy.response
    assert_same_state(talk, other)


@pytest.mark.parametrize("damage", [{"weights": [1.0]}, {"temperatures": None}, {"levels": 3}])
def test_a_log_with_damaged_levels_of_noise_is_rejected(damage):
    log = json.loads(session(response=PersonalNoise.around(0.2)).to_json())
    log["response"] |= damage
    with pytest.raises(InvalidInputError):
        Session.from_json(json.dumps(log), HERE.catalog, HERE.belief)


def test_the_stories_include_renewed_particles():
    talk = play(session(), *STORIES["enough to renew particles"])
    assert talk.belief.particles is not HERE.belief.particles


@pytest.mark.parametrize(
    "parts",
    [
        {"allowed": torch.arange(20) % 3 > 0},
        {"allowed": torch.arange(20) == torch.arange(20)},
        {"k": 3},
        {"strategy": "query-iteration"},
        {"response": Noiseless()},
        {"response": Noiseless(none_utility=-2.0, tie=0.01)},
        {"response": Logistic(0.37, none_utility=0.1)},
        {"rejuvenation": None},
        {"rejuvenation": Rejuvenation(threshold=0.9, moves=2)},
        {"rejuvenation": Rejuvenation(max_particles=15)},
        {"stopping": Stopping()},
        {"stopping": Stopping(cost=0.1, regret=0.2, probability=0.3, questions=4)},
    ],
    ids=str,
)
def test_settings_survive_a_round_trip(parts):
    talk = play(session(**parts), 0, SKIP, "ask")
    loaded = again(talk)
    assert_same_state(talk, loaded)
    assert loaded.stopping == talk.stopping
    for name in ("k", "seed", "strategy", "response", "rejuvenation"):
        assert getattr(loaded.policy, name) == getattr(talk.policy, name)
    assert (loaded.policy.allowed is None) == (talk.policy.allowed is None)
    assert loaded.policy.allowed is None or torch.equal(loaded.policy.allowed, talk.policy.allowed)


@settings(max_examples=15)
@given(st.lists(st.sampled_from([0, 1, NONE, SAME, SKIP, "undo", "ask"]), max_size=8), st.integers(0, 5))
def test_going_on_after_a_round_trip_is_going_on(acts, cut):
    """Stored and loaded in the middle, or not at all: the same conversation."""
    straight, stored = session(strategy="rand-user-top-item"), session(strategy="rand-user-top-item")
    for place, act in enumerate(acts):
        if act == "undo" and not straight.turns:
            continue
        if place == cut:
            stored = again(stored)
        play(straight, act)
        play(stored, act)
    assert_same_state(straight, again(stored))


def test_an_answer_undone_after_a_round_trip_opens_the_question_as_it_was():
    talk = play(session(), 0, 1)
    loaded = again(talk)
    assert loaded.undo() == talk.undo()
    assert loaded.ask().evoi > 0
    assert loaded.undo() == talk.undo()


def test_a_log_is_json_without_secrets_of_python():
    log = json.loads(play(session(), 0, SKIP, NONE).to_json())
    assert log["rather"] == 2
    assert [event["answer"] for event in log["events"]] == [0, "skip", "none"]
    assert log["catalog"] == HERE.catalog.content_hash


def test_storing_twice_gives_the_same_text():
    talk = play(session(), 0, 1)
    assert talk.to_json() == talk.to_json() == again(talk).to_json()


def test_a_strategy_of_ones_own_must_be_passed_again():
    own = strategy_named("rand-user-top-item", restarts=3)
    talk = play(session(strategy=own), 0)
    with pytest.raises(InvalidInputError, match="had a strategy of its own: pass it as `strategy`"):
        again(talk)
    assert again(talk, strategy=own).ask() == talk.ask()


def test_a_response_model_of_ones_own_must_be_passed_again():
    class Mine(Logistic):
        pass

    talk = play(session(response=Mine(0.3)), 0)
    with pytest.raises(InvalidInputError, match="had a response model of its own: pass it as `response`"):
        again(talk)
    assert again(talk, response=Mine(0.3)).ask() == talk.ask()


@pytest.mark.parametrize(
    "text", ["", "hello", "[1, 2]", "{}", '{"rather": 99}', "null", "9" * 5_000, "[" * 100_000, b"\xff"]
)
def test_what_is_not_a_log_is_refused(text):
    with pytest.raises(InvalidInputError, match="This is not a session log"):
        Session.from_json(text, HERE.catalog, HERE.belief)


@pytest.mark.parametrize("part", ["catalog", "belief", "k", "seed", "strategy", "response", "events", "open"])
def test_an_incomplete_log_says_what_it_lacks(part):
    log = json.loads(session().to_json())
    del log[part]
    with pytest.raises(InvalidInputError, match=f"incomplete: it lacks {part}"):
        Session.from_json(json.dumps(log), HERE.catalog, HERE.belief)


DAMAGE = {
    "a row past the catalogue": ("events", [{"tell": 1, "items": [0, 20], "answer": 0}]),
    "a negative row": ("events", [{"tell": 1, "items": [0, -1], "answer": 0}]),
    "a repeated row": ("events", [{"tell": 1, "items": [3, 3], "answer": 0}]),
    "a slate of another size": ("events", [{"tell": 1, "items": [0, 1, 2], "answer": 0}]),
    "a row that is a text": ("events", [{"tell": 1, "items": ["0", 1], "answer": 0}]),
    "no items": ("events", [{"tell": 1, "answer": 0}]),
    "no answer": ("events", [{"tell": 1, "items": [0, 1]}]),
    "an unknown answer": ("events", [{"tell": 1, "items": [0, 1], "answer": "perhaps"}]),
    "an option that is not there": ("events", [{"tell": 1, "items": [0, 1], "answer": 2}]),
    "an event that is none": ("events", [7]),
    "an undo of nothing": ("events", [{"undo": 1}]),
    "an open question past the catalogue": ("open", {"items": [0, 20], "evoi": 0.1}),
    "an unknown rule": ("stopping", {"boredom": 3}),
    "an unknown response model": ("response", {"model": "oracle"}),
    "an unknown setting of the response": ("response", {"model": "logistic", "mood": 1}),
    "a strategy that does not exist": ("strategy", "magic"),
    "a filter that is none": ("allowed", "AAAA"),
    "a slate size that does not fit": ("k", 21),
    "a space that is no text": ("space", [7]),
    "spaces that are none": ("spaces", [7]),
    "a name that is none": ("name", {}),
    "a slate size that is none": ("k", [2]),
    "a response model that is none": ("response", {"model": []}),
    "a utility that no float holds": ("response", {"model": "logistic", "temperature": 1, "none_utility": 10**400}),
    "a threshold that is none": ("rejuvenation", {"threshold": "x", "moves": 1, "max_particles": 9}),
    "fewer moves than none": ("rejuvenation", {"threshold": 0.5, "moves": -1, "max_particles": 9}),
    "half a move": ("rejuvenation", {"threshold": 0.5, "moves": 1.5, "max_particles": 9}),
    "nothing shown": ("events", [{"tell": 1, "items": [0, 1], "answer": 0, "shown": None}]),
    "events that are none": ("events", {"tell": 1}),
}


@pytest.mark.parametrize(("part", "damage"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_log_is_refused_in_words(part, damage):
    log = json.loads(session().to_json())
    log[part] = damage
    with pytest.raises(RatherError):
        Session.from_json(json.dumps(log), HERE.catalog, HERE.belief)


@pytest.mark.parametrize(
    ("name", "objective"),
    [
        ("objective", BestItem()),
        ("objective", BestOfList(3)),
        ("objective", RiskAverse(0.3, 2)),
        ("question_objective", BestOfList(2)),
    ],
)
def test_objectives_are_logged(name, objective):
    talk = play(session(**{name: objective}), 0, 1)
    restored = again(talk)
    assert getattr(restored.policy, name) == objective
    assert_same_state(talk, restored)


def test_the_usual_objectives_are_not_logged():
    assert "objective" not in session().to_json()


def test_an_objective_of_ones_own_is_asked_for():
    class Own(BestItem):
        pass

    talk = session(objective=Own())
    with pytest.raises(InvalidInputError, match="This session had an objective of its own: pass it as `objective`"):
        again(talk)
    assert again(talk, objective=Own()).policy.objective == Own()


@pytest.mark.parametrize("damage", [3, {"kind": "nothing"}, {"kind": "best-of-list", "length": 2}])
def test_a_damaged_objective_is_rejected(damage):
    log = json.loads(session(objective=BestItem()).to_json())
    with pytest.raises(InvalidInputError, match="damaged"):
        Session.from_json(json.dumps({**log, "objective": damage}), HERE.catalog, HERE.belief)
