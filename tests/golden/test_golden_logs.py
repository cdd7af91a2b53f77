"""A log that was stored still loads, into the same state, and goes on as it would have."""

import json

import golden_worlds as worlds
import pytest
from golden_conversations import go_on
from golden_files import ELSEWHERE, RECORDED, assert_as_recorded, elsewhere, names, read

LOGS = [name.removeprefix("log-") for name in names("log-*")]


@pytest.fixture
def stored(request):
    """A log and the world that it is about."""
    world = worlds.world(read(f"loaded-{request.param}")["world"])
    log = (RECORDED / f"log-{request.param}.json").read_text(encoding="utf-8")
    if elsewhere() and json.loads(log)["belief"] != worlds.describe_world(world)["belief"]:
        pytest.skip(f"{ELSEWHERE}, and so the starting belief is another one")
    return request.param, world, log


@pytest.mark.parametrize("stored", LOGS, indirect=True)
def test_a_stored_log_gives_the_recorded_state(stored):
    name, world, log = stored
    recorded = read(f"loaded-{name}")
    del recorded["world"]
    assert_as_recorded(go_on(worlds.load_session(world, log)), recorded)


@pytest.mark.parametrize("stored", LOGS, indirect=True)
def test_a_stored_log_is_written_as_it_was(stored):
    _, world, log = stored
    written = worlds.save_session(worlds.load_session(world, log))
    assert worlds.log_as_recorded(json.loads(written)) == json.loads(log)
    again = worlds.load_session(world, written)
    assert worlds.save_session(again) == written
