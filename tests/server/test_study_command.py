"""`rather study` and `rather serve --study`."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from serving import answer, open_session
from typer.testing import CliRunner

from rather import Task
from rather.cli import app
from rather.errors import InvalidInputError
from rather.server.studies import Arm, Study

TASKS = (Task(2, ("thing-3", "thing-4"), holdout=True),)
HELD = Study("spring", minimum=3, maximum=5, tasks=TASKS, arms=(Arm("a"), Arm("b", settings={"strategy": "random"})))


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if isinstance(result.exception, InvalidInputError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def held(make_client, tmp_path):
    """A database with twelve interviews, one of which was left, and a session that is part of no study."""
    client = make_client(study=HELD)
    for number in range(11):
        session = open_session(client, respondent=f"p{number}")
        while not session["study"]["finished"]:
            session = answer(client, session, number % 2).json()["session"]
    answer(client, open_session(client))
    open_session(make_client())
    return tmp_path / "sessions.db"


def test_the_example_is_a_study_that_the_films_can_have(tmp_path):
    path = tmp_path / "study.toml"
    run("study", "new", path)
    said = json.loads(run("study", "check", path, "--catalog", "films", "--json"))
    assert [arm["name"] for arm in said["arms"]] == ["adaptive", "random"]
    with pytest.raises(InvalidInputError, match="exists already"):
        run("study", "new", path)


def test_every_line_of_the_example_can_be_set(tmp_path):
    """What is commented out in the example is a setting, too."""
    path = tmp_path / "study.toml"
    run("study", "new", path)
    lines = path.read_text(encoding="utf-8").splitlines()
    settings = [line.removeprefix("# ") for line in lines if line.startswith(("# [[", "# ")) and _is_setting(line)]
    assert len(settings) > 15
    kept = [line.removeprefix("# ") if _is_setting(line) else line for line in lines if not _is_twice(line)]
    path.write_text("\n".join(kept), encoding="utf-8")
    held = Study.from_file(path)
    assert [task.holdout for task in held.tasks] == [False, True]
    assert held.end.redirect.endswith("{respondent}")
    assert held.arms[0].quota == 100


def _is_setting(line):
    text = line.removeprefix("# ")
    return line.startswith("# ") and (text.startswith("[[") or text.split(" = ")[0].isidentifier())


def _is_twice(line):
    return line.startswith("# text = ")


def test_check_says_what_a_study_says(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text('name = "x"\n[[tasks]]\nquestion = 2\nitems = ["no", "thing"]\nholdout = true\n', encoding="utf-8")
    said = run("study", "check", path)
    assert "question 2: hold-out task about no, thing" in said
    assert "arm all: weight 1" in said
    with pytest.raises(InvalidInputError, match="question 2 is about 'no', which is not the id of an item of films"):
        run("study", "check", path, "--catalog", "films")


def test_a_bad_study_ends_in_one_line(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text('name = "x"\nquota = -1\n', encoding="utf-8")
    for command in (["study", "check", str(path)], ["serve", "films", "--study", str(path), "--check"]):
        result = subprocess.run([sys.executable, "-m", "rather", *command], capture_output=True, text=True, check=False)
        assert result.returncode == 2
        assert result.stderr.startswith("Error: study.toml, line 2: `quota` must be a number from 1")
        assert result.stderr.count("\n") == 1


def test_compare_counts_the_interviews_of_the_study(held):
    arms = json.loads(run("study", "compare", held, "--json"))
    assert [arm["arm"] for arm in arms] == ["a", "b"]
    assert sum(arm["began"] for arm in arms) == 12
    assert sum(arm["finished"] for arm in arms) == 11
    assert sum(arm["holdouts"] for arm in arms) == 11
    for arm in arms:
        for name in ("finished", "questions", "regret_left", "hit_rate"):
            found = arm["measures"][name]
            assert found["low"] <= found["value"] <= found["high"]
        assert 3 <= arm["measures"]["questions"]["value"] <= 5
    assert arms[0]["differences"] is None
    assert arms[1]["differences"]["questions"] is not None


def test_compare_says_the_same_of_an_export(held, tmp_path):
    run("export", held, "--out", tmp_path / "export")
    assert run("study", "compare", tmp_path / "export", "--json") == run("study", "compare", held, "--json")


def test_compare_prints_tables_and_draws(held, tmp_path):
    plot = tmp_path / "arms.svg"
    said = run("study", "compare", held, "--against", "b", "--plot", plot)
    assert "Difference from b" in said
    assert "hold-out hits" in said
    drawn = ElementTree.parse(plot).getroot()
    texts = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("a") == texts.count("b") == 4
    assert "regret left" in texts


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--study", "autumn"], "no interview of the study 'autumn'"),
        (["--against", "c"], "must be one of the arms a, b, got 'c'"),
        (["--catalog", "cars.csv"], "no interview"),
        (["--plot", "/nowhere/x.svg"], "Cannot write"),
    ],
)
def test_compare_says_what_is_wrong(held, options, said):
    with pytest.raises(InvalidInputError, match=said):
        run("study", "compare", held, *options)


def test_compare_wants_to_know_which_study(held, make_client):
    open_session(make_client(), campaign="autumn", arm="a")
    with pytest.raises(InvalidInputError, match="several studies, such as 'spring' and 'autumn'"):
        run("study", "compare", held)
    assert "Difference from a" in run("study", "compare", held, "--study", "spring", "--catalog", "things")
