"""`rather serve` as it is typed."""

import gc
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from cars import CARS
from rather.cli import app
from rather.errors import InvalidInputError
from rather.server import Limits, logs, running
from rather.server.requests import NewSession


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


def test_a_budget_that_no_request_may_have_is_rejected(database):
    done = run("films", "--check", "--database", database, "--budget-ms", "60001")
    assert done.exit_code == 2
    assert "--budget-ms" in done.output
    with pytest.raises(InvalidInputError, match="`budget_ms` must be at most 60,000, got 60,001"):
        Limits(budget_ms=60_001)
    assert Limits(budget_ms=60_000).budget_ms == NewSession(time_budget_ms=60_000).time_budget_ms


@pytest.mark.parametrize("options", [[], ["--no-watch"]])
def test_files_are_watched_unless_told_otherwise(database, tmp_path, monkeypatch, options):
    path, started = tmp_path / "cars.csv", []
    path.write_text(CARS, encoding="utf-8")
    monkeypatch.setattr(running, "listen", lambda host, port: SimpleNamespace(getsockname=lambda: (host, port)))
    monkeypatch.setattr(running, "run", lambda app, listener, **others: started.append(app.state))
    monkeypatch.setattr(logs, "configure", lambda level, plain: None)
    assert run(str(path), "films", "--database", database, *options).exit_code == 0
    (state,) = started
    assert state.reloading.problems == {"cars": None}
    assert state.settings.watch == (not options)


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


def test_what_is_there_at_the_start_is_left_out_of_garbage_collections_while_it_serves(monkeypatch):
    frozen = []

    def run(server, sockets):
        server._on_start()

    monkeypatch.setattr(running.Server, "run", run)
    running.run(None, None, on_start=lambda: frozen.append(gc.get_freeze_count()))
    assert frozen[0] > 10_000
    assert gc.get_freeze_count() == 0


THEMES = Path(__file__).parents[2] / "docs" / "guides" / "themes"


def test_it_says_which_links_and_pictures_it_does_not_show(database):
    bikes = str(THEMES / "bikes.csv")
    done = run(bikes, "--check", "--database", database, "--image-host", "https://harbour.example")
    assert done.exit_code == 0
    assert (
        "56 links on https://harbour.example are not shown. To show them: --link-host https://harbour.example"
        in done.output
    )
    assert "picture" not in done.output
    assert "not shown" not in run("films", "--check", "--database", database).output


def test_a_theme_that_cannot_be_read_stops_the_start(database, tmp_path):
    theme = tmp_path / "shop.toml"
    theme.write_text('[colors]\naccent = "#ffff00"', encoding="utf-8")
    done = run("films", "--check", "--database", database, "--theme", str(theme))
    assert done.exit_code != 0
    assert "shop.toml: `colors.accent` (#ffff00)" in f"{done.output}{done.exception}"
    theme.write_text('contrast = "warn"\n[colors]\naccent = "#ffff00"', encoding="utf-8")
    done = run("films", "--check", "--database", database, "--theme", str(theme))
    assert done.exit_code == 0
    assert "shop.toml: `colors.accent` (#ffff00)" in done.output
