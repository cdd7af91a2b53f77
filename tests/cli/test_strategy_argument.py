"""A strategy of one's own on the command line."""

import json
import sys

import pytest

from rather.cli.strategy_argument import strategy_of
from rather.errors import InvalidInputError, UnknownNameError
from rather.formats.films import film_catalog

MODULE = """
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Longest:
    def __call__(self, problem):
        norms = problem.vectors(problem.rows[:, None])[:, 0].norm(dim=1)
        return problem.rows[norms.topk(problem.k).indices][None]


class Demanding:
    def __init__(self, restarts):
        pass


def first(problem):
    return problem.rows[: problem.k][None]


NUMBER = 7
"""


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    (tmp_path / "own_strategies.py").write_text(MODULE)
    (tmp_path / "broken_strategies.py").write_text("import no_such_module_anywhere")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in ("own_strategies", "broken_strategies"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("own_module")
def test_a_class_or_a_function_of_a_module_asks_the_questions(rather):
    catalog = film_catalog()
    longest = catalog.items.norm(dim=1).topk(2).indices.tolist()
    for name, rows in (("Longest", longest), ("first", [0, 1])):
        out = rather("ask", "films", "--json", "--strategy", f"own_strategies:{name}", stdin='{"quit": true}\n').out
        options = json.loads(out.splitlines()[0])["options"]
        assert {option["id"] for option in options} == {catalog.ids[row] for row in rows}


@pytest.mark.usefixtures("own_module")
@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("nowhere_to_be_found:Longest", UnknownNameError, "There is no module 'nowhere_to_be_found'"),
        ("own_strategies:Shortest", UnknownNameError, "own_strategies has no 'Shortest'"),
        ("own_strategies:Demanding", InvalidInputError, "cannot be made without arguments"),
        ("own_strategies:NUMBER", InvalidInputError, "must be a strategy"),
        ("broken_strategies:Longest", InvalidInputError, "no_such_module_anywhere"),
        ("best", UnknownNameError, "No strategy for items is called 'best'"),
    ],
)
def test_what_is_no_strategy_is_rejected_with_the_reason(text, error, message):
    with pytest.raises(error, match=message):
        strategy_of(text, "items")


def test_a_name_stays_a_name():
    assert strategy_of("greedy", "attributes") == "greedy"
