"""A conversation at a terminal: single keys, the same as on the page, and reasons at the end."""

import os
import re
import select
import subprocess
import sys
import time

import pytest

import rather

pty = pytest.importorskip("pty")

PATIENCE = 60
STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """`rather ask` behind a pseudo-terminal."""

    def __init__(self, *arguments):
        self.master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "RATHER_CACHE": "off", "NO_COLOR": "1"}
        command = [sys.executable, "-m", "rather", "ask", *arguments]
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.seen = ""

    def press(self, keys):
        os.write(self.master, keys.encode())

    def wait_for(self, text):
        """Read until the text is there; what was read is dropped up to its end."""
        end = time.monotonic() + PATIENCE
        while text not in self.seen:
            assert time.monotonic() < end, f"no {text!r} in {self.seen[-2000:]!r}"
            if select.select([self.master], [], [], 1)[0]:
                try:
                    self.seen = STYLES.sub("", self.seen + os.read(self.master, 4096).decode("utf-8", "replace"))
                except OSError:  # the other end has closed it
                    assert text in self.seen, self.seen[-2000:]
        before, _, self.seen = self.seen.partition(text)
        return before

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal():
    opened = []

    def start(*arguments):
        opened.append(Terminal(*arguments))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_single_keys_answer_skip_undo_and_quit_and_the_end_gives_reasons(terminal):
    asked = terminal("films", "--seed", "1")
    asked.wait_for("Question 1")
    asked.wait_for("q quit")
    asked.press("x")
    asked.wait_for("Type 1 or 2, or one of the other keys above.")
    asked.press("\x1b[A")  # an arrow key is no answer
    asked.wait_for("Type 1 or 2")
    asked.press("u")
    asked.wait_for("Nothing to undo")
    asked.press("1")
    asked.wait_for("→ ")
    asked.wait_for("Question 2")
    asked.wait_for("q quit")
    asked.press("\x7f")
    asked.wait_for("Question 1")
    asked.wait_for("q quit")
    for key, said in (("=", "about the same"), ("?", "skipped"), ("0", "none of these"), ("2", "→ ")):
        asked.press(key)
        asked.wait_for(f"→ {said}" if said != "→ " else said)
        asked.wait_for("q quit")
    asked.press("q")
    asked.wait_for("Done after 4 answers")
    asked.wait_for("how well it matches")
    asked.wait_for("Why ")
    assert asked.process.wait(PATIENCE) == 0


def test_the_end_of_the_input_quits(terminal):
    asked = terminal("films")
    asked.wait_for("q quit")
    asked.press("\x04")
    asked.wait_for("Done after 0 answers")
    assert asked.process.wait(PATIENCE) == 0


def test_the_first_line_counts_what_the_must_haves_leave(terminal, tmp_path):
    rows = "".join(f"lamp {number},{10 * number},{'red' if number % 2 else 'blue'}\n" for number in range(1, 21))
    path = tmp_path / "lamps.csv"
    path.write_text(f"name,price,colour\n{rows}", encoding="utf-8")
    asked = terminal(str(path), "--where", "price <= 70")
    assert "7 " in asked.wait_for("A few questions").splitlines()[-1]


def test_a_contradiction_is_told_kindly_and_can_be_corrected(terminal):
    asked = terminal("films")
    for number, key in enumerate("11212", start=1):
        asked.wait_for(f"Question {number}")
        asked.wait_for("q quit")
        asked.press(key)
    asked.wait_for("In question 4 you chose 8½ over Mary Poppins, but earlier, in question 3, you chose Mary Poppins")
    asked.wait_for("Both may be right. If one of them was a slip, r lets you answer question 3 again.")
    asked.wait_for("Question 6")
    asked.wait_for("q quit")
    asked.press("r")
    asked.wait_for("Question 3")
    asked.wait_for("q quit")
    asked.press("\x7f")  # never mind
    asked.wait_for("Question 6")
    asked.wait_for("q quit")
    asked.press("r")  # told once
    asked.wait_for("Type 1 or 2")
    asked.press("q")
    asked.wait_for("Done after 5 answers")
    assert asked.process.wait(PATIENCE) == 0


def test_a_corrected_answer_is_saved(terminal, tmp_path):
    file = tmp_path / "log.json"
    asked = terminal("films", "--save", str(file))
    for number, key in enumerate("11212", start=1):
        asked.wait_for(f"Question {number}")
        asked.wait_for("q quit")
        asked.press(key)
    asked.wait_for("Question 6")
    asked.wait_for("q quit")
    asked.press("r")
    asked.wait_for("Question 3")
    asked.wait_for("q quit")
    asked.press("1")
    asked.wait_for("→ Duck Soup")
    asked.wait_for("Question 6")
    asked.press("q")
    asked.wait_for("Done after 5 answers")
    turns = [turn.answer for turn in rather.history(file.read_text()) if not turn.undone]
    assert turns == [0, 0, 0, 0, 1]


def test_a_configuration_is_changed_between_two_questions(terminal, tmp_path):
    file = tmp_path / "log.json"
    asked = terminal("bicycle", "--save", str(file))
    asked.wait_for("c change something")
    asked.press("c")
    asked.wait_for("We would now recommend")
    asked.wait_for("The first of them:")
    asked.wait_for("press Enter to go on")
    asked.press("1 frame carbon, gears 14\n")
    asked.wait_for("Take it?")
    asked.press("y\n")
    asked.wait_for("but frame: carbon and gears: 14")
    asked.wait_for("As you adjusted it:")
    asked.press("\n")
    asked.wait_for("Question 1")
    asked.wait_for("c change something")
    asked.press("1")  # single keys again
    asked.wait_for("Question 2")
    asked.wait_for("c change something")
    asked.press("q")
    asked.wait_for("Done after 1 answer")
    assert asked.process.wait(PATIENCE) == 0
    (hint,) = rather.hint_history(file.read_text())
    assert hint.hint.text.endswith("but frame: carbon and gears: 14")


def test_items_of_a_list_cannot_be_changed(terminal):
    asked = terminal("films")
    assert "change something" not in asked.wait_for("q quit")
    asked.press("c")
    asked.wait_for("Type 1 or 2")
