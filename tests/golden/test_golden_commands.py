"""The same commands print what was recorded."""

import pytest
from golden_conversations import play_on_the_command_line
from golden_files import assert_as_recorded, read

COMMANDS = read("commands")["commands"]


@pytest.mark.parametrize("recorded", COMMANDS, ids=lambda command: " ".join(command["arguments"]))
def test_a_command_prints_what_was_recorded(recorded, tmp_path):
    printed = play_on_the_command_line(tmp_path, recorded["arguments"], recorded["lines"])
    assert_as_recorded(printed, recorded["printed"])
