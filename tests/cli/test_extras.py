"""Without an extra, what needs it says so in one line; everything else works."""

import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from needing_extras import NEEDING, write_files

from rather.errors import MissingExtraError
from rather.extras import MODULES, require_extra

HERE = Path(__file__).parent
PROJECT = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text())["project"]
EVERY_MODULE = {module for modules in MODULES.values() for module in modules}
WORKING = [
    ("demo",),
    ("ask", "films", "--json"),
    ("inspect", "TABLE", "--no-write"),
    ("simulate", "films", "--users", "1", "--questions", "1", "--strategy", "random"),
    ("strategies",),
    ("data", "list"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


def play(modules, commands, files):
    """What the commands do in one Python without these modules."""
    commands = [[str(files.get(argument, argument)) for argument in command] for command in commands]
    script = [sys.executable, str(HERE / "without_extras.py"), json.dumps(sorted(modules)), json.dumps(commands)]
    done = subprocess.run(script, capture_output=True, text=True, check=True, cwd=files["TABLE"].parent)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def done(files):
    """What every command does without any extra; those that need PostgreSQL's, with all others."""
    found = {}
    for hidden in (EVERY_MODULE, {"psycopg"}):
        mine = [command for extra, command in NEEDING if (extra == "postgres") == (hidden == {"psycopg"})]
        found |= dict(zip(mine, play(hidden, mine, files), strict=True))
    return found


@pytest.mark.parametrize(
    ("extra", "command"), NEEDING, ids=lambda value: value if isinstance(value, str) else " ".join(value)
)
def test_a_command_says_in_one_line_which_extra_it_needs(done, extra, command):
    assert done[command]["err"].count("\n") == 1, done[command]["err"]
    assert f"pip install 'rather[{extra}]'" in done[command]["err"]
    assert done[command]["code"] == 1


def test_the_demo_says_what_works_without_the_page(done):
    assert "rather demo --terminal" in done["terminal", "demo"]["err"]


def test_without_any_extra_the_other_commands_work(files):
    for command, result in zip(WORKING, play(EVERY_MODULE, WORKING, files), strict=True):
        assert result["code"] == 0, (command, result["err"])


def test_every_requirement_of_every_extra_is_looked_for():
    declared = PROJECT["optional-dependencies"]
    extras = {name: declared[name] for name in declared.keys() - {"all", "dev", "docs"}}
    assert set(extras) == set(MODULES)
    homes = importlib.metadata.packages_distributions()
    for extra, requirements in extras.items():
        named = {_normal(re.match(r"[\w.-]+", requirement)[0]) for requirement in requirements}
        looked_for = {_normal(name) for module in MODULES[extra] for name in homes.get(module, [module])}
        assert named <= looked_for | {"ray"}  # Ray need not be installed here


def _normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_an_extra_that_is_there_is_no_error_and_a_missing_one_names_the_way_out():
    require_extra("plots", "A picture", modules={"plots": ("json",)})
    incomplete = {"plots": ("json", "no_such_module")}
    with pytest.raises(MissingExtraError, match=r"^A picture needs an extra: pip install 'rather\[plots\]'$"):
        require_extra("plots", "A picture", modules=incomplete)
    with pytest.raises(MissingExtraError, match=r"; or look at --json$"):
        require_extra("plots", "A picture", "look at --json", modules=incomplete)
