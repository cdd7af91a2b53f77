"""A small catalogue, an app about it, and PostgreSQL where it is installed."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from serving import by_name, free_port, small_source
from starlette.testclient import TestClient

from rather.server import Limits, Settings, create_app

NO_POSTGRES = "PostgreSQL was not tested: its binaries are missing (apt install postgresql)"


@pytest.fixture(scope="session")
def source():
    return small_source()


@pytest.fixture
def database(tmp_path):
    return f"sqlite:///{tmp_path / 'sessions.db'}"


@pytest.fixture
def make_client(source, database):
    """Clients of apps with the settings given, all closed at the end."""
    opened = []

    def make(*, sources=None, files=None, limits=None, raising=True, **settings):
        wanted = Settings(
            **{"database": database, "prefetch": False, "watch": False, "limits": Limits(**(limits or {})), **settings}
        )
        app = create_app(by_name(*(sources or [source])), wanted, files=files)
        client = TestClient(app, raise_server_exceptions=raising)
        client.__enter__()
        opened.append(client)
        return client

    yield make
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture
def client(make_client):
    return make_client()


def postgres_folder():
    """Where the binaries of PostgreSQL are, or None."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    folders = Path("/usr/lib/postgresql").glob("*/bin")
    return max(folders, key=lambda folder: int(folder.parent.name), default=None)


class Postgres:
    """A PostgreSQL of our own on loopback, which can be stopped and started."""

    def __init__(self, binaries, folder):
        self.binaries, self.folder, self.port = binaries, Path(folder), free_port()
        self.user = None
        if os.geteuid() == 0:  # it does not run as root
            self.user = "postgres"
            shutil.chown(self.folder, self.user, self.user)
        self._run("initdb", "-D", self.data, "-U", "rather", "-A", "trust", "--no-sync")
        self.start()

    @property
    def data(self):
        return str(self.folder / "data")

    @property
    def url(self):
        return f"postgresql+psycopg://rather@127.0.0.1:{self.port}/postgres"

    def new_database(self):
        """The URL of an empty database."""
        import psycopg

        name = f"test_{os.urandom(6).hex()}"
        with psycopg.connect(self.url.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url.replace("/postgres", f"/{name}")

    def start(self):
        options = f"-h 127.0.0.1 -p {self.port} -k {self.folder} -c fsync=off"
        self._run("pg_ctl", "-D", self.data, "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self):
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "fast", "stop")

    def _run(self, command, *arguments):
        result = subprocess.run(
            [str(self.binaries / command), *arguments],
            user=self.user,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # a pipe would stay open in the server that pg_ctl starts
            stderr=subprocess.DEVNULL,
            timeout=300,
        )
        assert result.returncode == 0, f"{command} failed; see {self.folder / 'log'}"


@pytest.fixture(scope="session")
def postgres():
    binaries = postgres_folder()
    if binaries is None:
        pytest.skip(NO_POSTGRES)
    folder = tempfile.mkdtemp(prefix="rather-postgres-")
    server = Postgres(binaries, folder)
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres):
    """A database of its own in that PostgreSQL."""
    return postgres.new_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def any_database(request, tmp_path):
    """Both kinds of database, one after the other."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'sessions.db'}"
    return request.getfixturevalue("postgres_url")


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    if any(NO_POSTGRES in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(NO_POSTGRES)
