"""The examples in docstrings run and print what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import rather

PACKAGE = Path(rather.__file__).parent

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def module_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = sorted(module_of(file) for file in PACKAGE.rglob("*.py") if ">>> " in file.read_text(encoding="utf8"))

# Those that a newcomer meets first.
SHOWN = [
    "Belief",
    "Belief.from_users",
    "Belief.update",
    "ExactRetriever",
    "Logistic",
    "Noiseless",
    "Policy",
    "Session",
    "SimulatedUser",
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_print_what_they_say(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an example may write a file
    results = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("name", SHOWN)
def test_the_main_classes_and_methods_have_an_example(name):
    found = rather
    for part in name.split("."):
        found = getattr(found, part)
    assert doctest.DocTestParser().get_examples(found.__doc__)
