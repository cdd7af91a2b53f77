"""`rather insights` says what is wrong in one line, before anything takes long."""

import json

import pytest
from fastapi.testclient import TestClient

import rather
from rather.server import Settings, create_app
from rather.server.exports.sources import open_sessions
from rather.server.exports.writing import write_folder


@pytest.fixture(name="command")
def _command(request):
    """The fixture `rather`, whose name is taken by the library here."""
    return request.getfixturevalue("rather")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--out", "none/report.html"], "There is no folder none."),
        (["--out", "folder"], "--out must be a file, and folder is a folder."),
        (["--csv", "file"], "file must be a folder, and is a file."),
        (["--plots", "file"], "file must be a folder, and is a file."),
    ],
)
def test_a_path_that_cannot_be_written_is_rejected(command, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    assert said in command("insights", "sessions.db", "--catalog", "films", *options, expect=2).err


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder with a table, a database of three conversations about it, and an export of that."""
    folder = tmp_path_factory.mktemp("stored")
    rows = "".join(f"item {row},{100 + 7 * row},{'abc'[row % 3]}\n" for row in range(20))
    (folder / "things.csv").write_text("id,price,maker\n" + rows)
    database = f"sqlite:///{folder / 'sessions.db'}"
    with TestClient(create_app({"things": rather.open(folder / "things.csv")}, Settings(database=database))) as client:
        for number, answers in enumerate((0, 1, 3)):
            session = client.post("/v1/sessions", json={"respondent": f"p{number}", "campaign": "spring"}).json()
            for _ in range(answers):
                answer = {"question": session["question"]["id"], "choice": 0}
                session = client.post(f"/v1/sessions/{session['id']}/answers", json=answer).json()["session"]
    with open_sessions(database) as sessions:
        write_folder(sessions, folder / "export", "csv")
    return folder


def test_an_export_is_read_as_its_database_is(command, stored):
    of = ("--catalog", stored / "things.csv", "--json")
    database = json.loads(command("insights", stored / "sessions.db", *of).out)
    export = json.loads(command("insights", stored / "export", *of).out)
    assert export["progress"] == database["progress"]
    assert export["progress"]["by_campaign"]["spring"]["began"] == 3
    assert {each["name"] for each in export["wants"]["people"]} == {"p1", "p2"}
    assert {each["name"] for each in database["wants"]["people"]} == {"p1", "p2"}


def test_an_export_without_the_catalogue_says_which_it_has(command, stored):
    said = command("insights", stored / "export", "--catalog", stored / "things.csv", "--name", "cars", expect=2).err
    assert "export has no conversation about 'cars'. There are: 'things' (3 sessions)." in " ".join(said.split())
