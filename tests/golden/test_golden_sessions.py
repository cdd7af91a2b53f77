"""The same seeds and answers give the questions, recommendations and stops that were recorded."""

import golden_worlds as worlds
import pytest
from golden_conversations import acts_of, play
from golden_files import assert_as_recorded, elsewhere, names, read

FILES = {name: read(name) for name in names("sessions-*")}
CASES = [(name, number) for name, content in FILES.items() for number in range(len(content["conversations"]))]
DIFFERENT: list[str] = []
"""Titles of conversations that were not as recorded in this run."""


def conversation(name, number):
    return FILES[name]["conversations"][number]


def title(name, number):
    settings = conversation(name, number)["settings"]
    return " ".join([name.removeprefix("sessions-"), *(f"{key}={value}" for key, value in settings.items())])


def world(name):
    """The world of a file; skips what is not on this machine."""
    try:
        return worlds.world(FILES[name]["world"])
    except worlds.NotHereError as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", FILES)
def test_a_world_is_as_recorded(name):
    assert_as_recorded(worlds.describe_world(world(name)), FILES[name]["identity"])
    assert_as_recorded(worlds.describe_state(worlds.open_session(world(name), {})), FILES[name]["start"])


@pytest.mark.parametrize(("name", "number"), CASES, ids=[title(*case) for case in CASES])
def test_a_conversation_is_as_recorded(name, number):
    recorded = conversation(name, number)
    now = play(world(name), recorded["settings"], acts_of(recorded))
    DIFFERENT.append(title(name, number))
    assert_as_recorded(now, recorded)
    DIFFERENT.pop()


def test_rounding_changes_few_conversations():
    """Of 220 conversations 8 differed with AVX2 in place of AVX-512, and 24 with neither: most of gradient methods."""
    assert not elsewhere() or len(DIFFERENT) < 0.2 * len(CASES), DIFFERENT


def test_every_strategy_is_recorded():
    settings = [talk["settings"] for content in FILES.values() for talk in content["conversations"]]
    for name in worlds.ITEM_STRATEGIES:
        assert {2, 3} <= {each.get("k", 2) for each in settings if each.get("strategy", "auto") == name}
    for name in worlds.ATTRIBUTE_STRATEGIES:
        assert {1, 2} <= {each.get("p", 1) for each in settings if each.get("partial_strategy") == name}
    assert {each["seed"] for each in settings} == {0, 1, 7}
    assert {each.get("ask", "items") for each in settings} == {"items", "attributes", "auto"}


def test_every_kind_of_answer_is_recorded():
    given = {str(act) for content in FILES.values() for talk in content["conversations"] for act in acts_of(talk)}
    assert given == {"0", "1", "2", "none", "same", "skip", "undo"}


def test_every_kind_of_stop_is_recorded():
    turns = [turn for content in FILES.values() for talk in content["conversations"] for turn in talk["turns"]]
    assert any(turn.get("exhausted") for turn in turns)
    stops = {turn["stop"] for turn in turns if "stop" in turn}
    assert stops == {None, "questions", "probability", "regret", "cost", "exhausted"}


def test_particles_are_rejuvenated_somewhere():
    content = FILES["sessions-films-items"]
    turns = [turn for talk in content["conversations"] for turn in talk["turns"] if turn.get("answer") in (0, 1)]
    assert any(turn["ess"] == content["identity"]["particles"] for turn in turns)
