"""Exported tables: every session is in them, no cell is a formula, and importing them gives the same sessions back."""

import csv
import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import pyarrow.parquet
import pytest
from serving import answer, open_session
from typer.testing import CliRunner

from rather.cli import app
from rather.errors import InvalidInputError
from rather.server.exports.columns import TABLES, dictionary
from rather.server.exports.reading import read_folder
from rather.server.exports.sources import open_sessions
from rather.server.exports.writing import stream_table, write_folder
from rather.server.sessions.records import StoredEvent, StoredSession, now
from rather.server.sessions.sql_store import SqlStore
from rather.spreadsheets import guarded, unguarded

HOSTILE = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "＝1+1", 'say "hi", you', "two\nlines", "ü€")
ADMIN = {"admin_token": "a token of some length"}
BEARER = {"Authorization": f"Bearer {ADMIN['admin_token']}"}


def options(*labels):
    return [{"id": f"-{label}", "label": label} for label in labels]


def told(number, *labels, choice=0):
    shown = {"options": options(*labels), "vectors": "AAAA", "space": "s"}
    return {"tell": number, "items": [1, 2], "evoi": 0.1 + 0.2, "shown": shown, "answer": choice}


def stored(text="plain", events=(), **changes):
    made = StoredSession.new("things", {"k": 2, "strategy": text}, json.dumps({"text": text}), None, ())
    kept = tuple(
        StoredEvent(position, event, f"{position}-0", 1 / (3 * position), now())
        for position, event in enumerate(events, 1)
    )
    summary = {"start_regret": 1.5, "regret": 0.25, "stop": "cost", "tastes": [[text, 1.0, 2.0, 0.0, 1.0, text]]}
    study = {"respondent": text, "campaign": "spring"}
    return replace(made, events=kept, version=len(kept), summary=summary, study=study, **changes)


def hostile_sessions():
    """Sessions with every kind of event, and with texts that a spreadsheet would compute."""
    hint = {"hint": 1, "says": "want", "attribute": "x", "answer": 0, "shown": {"text": "=hint", "options": []}}
    for text in HOSTILE:
        yield stored(text, [told(1, text, "b"), {"undo": 1}, told(1, text, "b", choice="none"), hint])
    yield stored(open={"items": [1, 2]}, changes=["a price"])
    yield replace(stored(), summary=None, study={}, request={})


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("text", [*HOSTILE, "", "''", "plain"])
def test_a_guarded_text_is_no_formula_and_comes_back(text):
    assert not guarded(text).startswith(tuple("=+-@\t\r\n＝＋－＠"))
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_importing_an_export_gives_the_same_sessions(tmp_path, any_database, format):
    sessions = list(hostile_sessions())
    before = SqlStore(f"sqlite:///{tmp_path / 'before.db'}")
    assert before.restore(sessions, "a") == len(sessions)
    assert write_folder(before.stream(), tmp_path / "out", format, batch=3) == {
        "answers": 4 * len(HOSTILE),
        "respondents": len(sessions),
    }
    before.close()
    after = SqlStore(any_database)
    assert after.restore(list(read_folder(tmp_path / "out")), "b") == len(sessions)
    assert list(after.stream()) == sessions
    assert after.restore(sessions, "b") == 0
    after.close()


def test_no_cell_of_a_csv_is_a_formula():
    for table in ("answers", "respondents"):
        text = b"".join(stream_table(hostile_sessions(), table, "csv")).decode()
        cells = [cell for row in read_csv(text) for name, cell in row.items() if cell]
        assert len(cells) > 100
        for cell in cells:
            assert not re.match(r"[=+@\t\r\n＝＋－＠]|-(?!\d+(\.\d+)?(e-?\d+)?$)", cell), cell


def test_a_row_says_what_was_shown_chosen_and_taken_back():
    text = b"".join(stream_table([stored("x", [told(1, "A", "B", choice=1), {"undo": 1}])], "answers", "csv")).decode()
    first, second = read_csv(text)
    assert (first["options"], first["option_ids"]) == ('["A", "B"]', '["-A","-B"]')
    assert (first["answer"], first["chosen"], first["chosen_id"], first["undone"]) == ("1", "B", "'-B", "true")
    assert (second["kind"], second["answer"], second["undone"]) == ("undo", "", "false")
    assert float(first["evoi"]) == 0.1 + 0.2


def test_a_row_per_respondent_counts_what_was_answered():
    events = [told(1, "A", "B"), told(2, "A", "C", choice="skip"), {"undo": 2}, told(2, "A", "C", choice="skip")]
    (row,) = read_csv(b"".join(stream_table([stored("x", events)], "respondents", "csv")).decode())
    assert [row[name] for name in ("events", "answers", "skipped", "hints", "undone")] == ["4", "2", "1", "0", "1"]
    assert (row["finished"], row["regret"], row["respondent"]) == ("true", "0.25", "x")


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_first_piece_comes_before_the_second_batch_is_read(format):
    read = count()

    def endless():
        while True:
            next(read)
            yield stored("x", [told(1, "A", "B")])

    pieces = stream_table(endless(), "answers", format, batch=10)
    assert next(pieces)
    assert next(read) == 10


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_an_export_of_nothing_has_its_columns(tmp_path, format):
    write_folder([], tmp_path, format)
    assert list(read_folder(tmp_path)) == []
    if format == "parquet":
        for table, columns in TABLES.items():
            schema = pyarrow.parquet.read_schema(tmp_path / f"{table}.parquet")
            assert schema.names == [column.name for column in columns]


def test_the_dictionary_has_every_column_of_the_files(tmp_path):
    write_folder([stored()], tmp_path, "csv")
    listed = [(row["table"], row["column"]) for row in read_csv((tmp_path / "dictionary.csv").read_text("utf-8"))]
    found = [
        (table, name)
        for table in ("answers", "respondents")
        for name in next(csv.reader([(tmp_path / f"{table}.csv").read_text("utf-8").splitlines()[0]]))
    ]
    assert listed == found
    assert all(row["meaning"].endswith(".") for row in dictionary())


def test_the_guide_explains_every_column():
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "studies.md").read_text(encoding="utf-8")
    assert [row["column"] for row in dictionary() if f"`{row['column']}`" not in guide] == []


def test_files_of_different_exports_are_rejected(tmp_path):
    one, two = stored("x", [told(1, "A", "B")]), stored("y", [told(1, "A", "B")])
    write_folder([one, two], tmp_path, "csv")
    answers = (tmp_path / "answers.csv").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "answers.csv").write_text(answers[0] + answers[1], "utf-8")
    with pytest.raises(InvalidInputError, match="should have 1 rows"):
        list(read_folder(tmp_path))
    (tmp_path / "answers.csv").write_text("session\nx\n", "utf-8")
    with pytest.raises(InvalidInputError, match="lacks the columns position"):
        list(read_folder(tmp_path))
    (tmp_path / "respondents.csv").write_text(
        "session,respondent,campaign,arm,source,events,record\nx,,,,,0,{}\n", "utf-8"
    )
    (tmp_path / "answers.csv").write_text("", "utf-8")
    with pytest.raises(InvalidInputError, match="'x' cannot be read: `id`: "):
        list(read_folder(tmp_path))


@pytest.mark.parametrize("source", ["nowhere.db", "sqlite:///nowhere.db", "nowhere"])
def test_a_source_that_is_not_there_is_not_made(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match="does not exist"), open_sessions(source):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_commands_export_and_import(tmp_path, database, make_client):
    client = make_client()
    session = open_session(client)
    answer(client, session)
    runner, out = CliRunner(), tmp_path / "out"
    result = runner.invoke(app, ["export", database, "--out", str(out), "--format", "parquet", "--json"])
    assert json.loads(result.stdout)["rows"] == {"answers": 1, "respondents": 1}
    other = f"sqlite:///{tmp_path / 'other.db'}"
    for expected in ({"stored": 1, "already_there": 0}, {"stored": 0, "already_there": 1}):
        result = runner.invoke(app, ["import", str(out), "--database", other, "--json"])
        assert json.loads(result.stdout) == {"sessions": 1, **expected}
    moved = make_client(database=other).get(f"/v1/sessions/{session['id']}").json()
    assert (moved["answers"], moved["share"]) == (1, session["share"])
    result = runner.invoke(app, ["export", str(out), "--out", str(tmp_path / "csv"), "--since", "2000-01-01"])
    assert "answers.csv: 1 row" in result.stdout
    assert list(read_folder(tmp_path / "csv")) == list(read_folder(out))


def test_a_bad_folder_ends_in_one_line(tmp_path):
    command = [sys.executable, "-m", "rather", "import", str(tmp_path), "--database", f"sqlite:///{tmp_path / 'a.db'}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


def test_the_api_exports_what_is_stored(make_client, tmp_path):
    client = make_client(**ADMIN)
    session = open_session(client)
    answer(client, session, choice=1)
    for name in ("answers", "respondents"):
        text = client.get(f"/v1/admin/export/{name}.csv", headers=BEARER)
        assert text.headers["content-type"] == "text/csv; charset=utf-8"
        assert text.headers["content-disposition"] == f'attachment; filename="{name}.csv"'
        (row,) = read_csv(text.text)
        assert unguarded(row["session"]) == session["id"]
        (tmp_path / f"{name}.parquet").write_bytes(
            client.get(f"/v1/admin/export/{name}.parquet", headers=BEARER).content
        )
    (read,) = read_folder(tmp_path)
    assert read == client.app.state.conversations.store.load(session["id"])
    assert client.get("/v1/admin/export/answers.csv?since=2999-01-01", headers=BEARER).text.count("\n") == 1
    assert client.get("/v1/admin/export/dictionary.csv", headers=BEARER).text.startswith("table,column,type,meaning")


def test_exports_need_the_admin_token(make_client):
    client = make_client(**ADMIN)
    assert client.get("/v1/admin/export/answers.csv").status_code == 401
    assert client.get("/v1/admin/export/nothing.csv", headers=BEARER).status_code == 422
    assert client.get("/v1/admin/export/answers.csv?since=x", headers=BEARER).status_code == 422
