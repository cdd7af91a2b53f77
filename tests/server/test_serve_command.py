"""`rather serve` as it is typed."""

import os
import re
import signal
import subprocess
import sys
import urllib.request

from typer.testing import CliRunner

from rather.cli import app


def run(*arguments):
    return CliRunner().invoke(app, ["serve", *arguments])


def test_check_says_what_would_be_served(database):
    done = run("films", "--check", "--database", database)
    assert done.exit_code == 0
    assert re.search(r"films: \d+ films, 25 dimensions", done.output)
    assert "answers, 0 sessions" in done.output
    assert "kept for 30 days" in done.output


def test_check_fails_when_the_database_does_not_answer(tmp_path):
    done = run("films", "--check", "--database", "postgresql+psycopg://u:secret@127.0.0.1:1/x")
    assert done.exit_code == 1
    assert "does not answer" in done.output
    assert "secret" not in done.output
    done = run("films", "--check", "--database", f"sqlite:///{tmp_path}/no/such/folder.db")
    assert done.exit_code == 1


def test_the_database_may_come_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("RATHER_DATABASE", f"sqlite:///{tmp_path}/named.db")
    assert "named.db" in run("--check").output


def test_without_a_database_it_is_in_the_data_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert run("--check").exit_code == 0
    assert (tmp_path / "rather" / "sessions.db").exists()


def test_it_serves_until_told_to_stop(database):
    command = [sys.executable, "-m", "rather", "serve", "films", "--port", "0", "--database", database]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    line = process.stdout.readline()
    address = re.search(r"http://localhost:\d+", line)[0]
    with urllib.request.urlopen(f"{address}/ready") as response:
        assert response.status == 200
    busy = subprocess.run(
        [sys.executable, "-m", "rather", "serve", "--port", address.rsplit(":", 1)[1], "--database", database],
        capture_output=True,
        text=True,
    )
    assert busy.returncode == 2
    assert "Cannot listen on" in busy.stderr
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0
    assert '"event": "draining"' in errors
    assert "Traceback" not in errors
