"""Keys by content: equal for equal settings, different as soon as something decides differently."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rather.caching import keys
from rather.strategies.auto import Auto
from rather.strategies.discrete import QueryIteration

ASKED_IN_A_NEW_PROCESS = """
import sys
import torch
from rather import Belief, Catalog, ATTRIBUTE_STRATEGIES, STRATEGIES, Policy, Session

def vectors(n, seed):
    return torch.randn(n, 3, generator=torch.Generator().manual_seed(seed))

catalog, belief = Catalog(vectors(12, 0), features=["a", "b", "c"]), Belief.from_users(vectors(20, 1))
settings = [{"strategy": name} for name in STRATEGIES] + [{"retriever": "shortlist"}]
settings += [{"ask": "attributes", "attribute_strategy": name} for name in ATTRIBUTE_STRATEGIES]
for one in settings:
    session = Session(Policy(catalog, belief, **one))
    session.tell(session.ask(), 0)
    session.ask(), session.recommend(2), session.stop
print(*{module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "rather"}, sep="\\n")
"""


def test_every_module_that_takes_part_in_a_question_is_in_the_key():
    arguments = [sys.executable, "-c", ASKED_IN_A_NEW_PROCESS]
    loaded = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()
    assert len(loaded) > 30
    assert {Path(file).resolve() for file in loaded} <= {file.resolve() for file in keys.HOME.rglob("*.py")}


@pytest.mark.parametrize(
    "change",
    [
        lambda home: (home / "deep" / "down" / "one.py").write_text("x = 2"),
        lambda home: (home / "deep" / "new.py").write_text(""),
        lambda home: (home / "two.py").rename(home / "renamed.py"),
        lambda home: (home / "two.py").rename(home / "deep" / "two.py"),
    ],
    ids=["altered", "added", "renamed", "moved"],
)
def test_other_code_has_another_hash(tmp_path, change):
    (tmp_path / "deep" / "down").mkdir(parents=True)
    (tmp_path / "deep" / "down" / "one.py").write_text("x = 1")
    (tmp_path / "two.py").write_text("y = 1")
    before = keys.code_hash(tmp_path)
    assert keys.code_hash(tmp_path) == before
    change(tmp_path)
    assert keys.code_hash(tmp_path) != before


def test_settings_are_identified_by_their_fields_and_functions_by_their_names():
    one = keys.plain(QueryIteration(restarts=3))
    assert one == keys.plain(QueryIteration(restarts=3))
    assert one != keys.plain(QueryIteration(restarts=4))
    assert one != keys.plain(replace(QueryIteration(restarts=3), initialiser=keys.plain))
    assert keys.plain(Auto(drawn=3)) != keys.plain(Auto())


class Stranger:
    """Not from this package."""


@pytest.mark.parametrize("setting", [Stranger(), lambda problem: problem, [1, Stranger()], Stranger.__init__])
def test_what_comes_from_elsewhere_cannot_be_identified(setting):
    with pytest.raises(keys.UnidentifiableError):
        keys.plain(setting)
