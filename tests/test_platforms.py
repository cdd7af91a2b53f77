"""Systems that lack what Linux has, and terminals that lack what ours has."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import rather
from rather.numerics.threads import available_cores
from rather.server import Settings

# What `os` and `signal` do not have everywhere, and modules that do not exist everywhere.
NOT_EVERYWHERE = {
    "fork", "forkpty", "getgid", "getloadavg", "getpgid", "getuid", "killpg", "mkfifo", "nice", "posix_fadvise",
    "register_at_fork", "sched_getaffinity", "sched_setaffinity", "setpgid", "setsid", "sysconf", "uname",
    "SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2", "alarm", "setitimer", "AF_UNIX",
}  # fmt: skip
UNIX_MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios"}

TREES = {
    path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(Path(rather.__file__).parent.rglob("*.py"))
}


def used(tree):
    """Names of `os`, `signal` and `socket` that the code uses."""
    attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {node.attr for node in attributes if ast.unparse(node.value) in ("os", "signal", "socket")}


def asked_for(tree):
    """Names that the code looks for before it uses them."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "hasattr")
    return {call.args[1].value for call in calls if isinstance(call.args[1], ast.Constant)}


def test_what_not_every_system_has_is_looked_for_before_it_is_used():
    found = {path.name: (used(tree) & NOT_EVERYWHERE) - asked_for(tree) for path, tree in TREES.items()}
    found["machine.py"] -= {"sysconf"}  # used after Linux's /proc/stat was found
    assert {name: names for name, names in found.items() if names} == {}


def test_modules_that_only_unix_has_are_imported_where_they_are_used():
    for path, tree in TREES.items():
        eager = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
        assert not eager & UNIX_MODULES, path


def test_a_system_that_sets_no_affinity_has_all_its_cores(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert available_cores() == 6
    assert Settings().cores == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1


def test_cores_that_were_taken_away_do_not_count(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3}, raising=False)
    assert available_cores() == 2


def test_the_service_starts_on_a_system_without_the_names_of_linux(tmp_path):
    script = (
        "import os, sys, torch\n"
        "for name in ('sched_getaffinity', 'fork', 'register_at_fork', 'getloadavg'):\n"
        "    if hasattr(os, name): delattr(os, name)\n"
        "from rather.__main__ import main\n"
        f"sys.argv = ['rather', 'serve', 'films', '--check', '--database', 'sqlite:///{tmp_path.as_posix()}/s.db']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "films" in done.stdout


def run(*arguments, encoding, stdin=""):
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    return subprocess.run(
        [sys.executable, "-m", "rather", *arguments], input=stdin.encode("latin1"), capture_output=True, env=environment
    )


def test_a_terminal_that_cannot_show_a_sign_shows_another():
    done = run("demo", encoding="ascii")
    assert done.returncode == 0, done.stderr
    assert b"would you rather watch?" in done.stdout


def test_a_program_reads_every_sign_whatever_the_encoding():
    done = run("ask", "films", "--json", encoding="ascii", stdin="\xff\n")
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]
    assert said[0]["text"].startswith("Would you rather")
    assert said[1]["type"] == "error"
    assert run("ask", "films", "--json", encoding="utf-8").stdout.decode().splitlines()[0] == json.dumps(
        said[0], ensure_ascii=False
    )
