"""What disturbs a server during a soak: it is killed, its table changes, its database is locked or slow."""

import asyncio
import json
import random
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Literal

from rather.errors import RatherError
from rather.research.bench.served import Http, ServerProcess
from rather.research.bench.soak.report import Sample

Disturbance = Literal["reload", "lock", "slow", "kill"]

# How long another program locks the database: once, and again and again with pauses while the database is slow.
LOCK_SECONDS = 1.0
SHORT_LOCK_SECONDS = 0.2
PAUSE_SECONDS = 0.05

# For which share of a period it is slow.
SLOW_SHARE = 1 / 12

# How long the operator tries to make the server open its table again.
RELOAD_SECONDS = 60.0

# The table that is served beside the catalogue, and changed.
TABLE = "shop"
ROWS = 60


def disturbances(seconds: float, period: float, moments: random.Random) -> list[tuple[float, Disturbance]]:
    """When to do what: in the first half of every second period, and kills only in the first half of the run."""
    found: list[tuple[float, Disturbance]] = []
    for number in range(1, round(seconds / period), 2):
        kinds: list[Disturbance] = ["reload", "lock", "slow"]
        if number < round(seconds / period) / 2:
            kinds.append("kill")
        moments.shuffle(kinds)
        for index, kind in enumerate(kinds):
            found.append(((number + (index + moments.random()) / (2 * len(kinds))) * period, kind))
    return found


def write_table(path: Path, version: int) -> None:
    """The table in one of its versions: other prices, and one row that comes and goes."""
    prices = random.Random(version)
    colours = ("red", "blue", "green")
    rows = [f"thing {row},{prices.randint(10, 500)},{row * 7 % 31},{colours[row % 3]}" for row in range(ROWS)]
    draft = path.with_name(f".{path.name}")
    draft.write_text("\n".join(["name,price,quality,colour", *rows[: ROWS - version % 2]]) + "\n", encoding="utf-8")
    draft.replace(path)


class Disturber:
    """Kills the server, changes its table, locks its database or slows it down; and measures the process."""

    def __init__(self, server: ServerProcess, table: Path, database: Path, token: str, period: float) -> None:
        self.server, self.table, self.database, self.token = server, table, database, token
        self.slow_seconds = SLOW_SHARE * period
        self.counts: Counter[Disturbance] = Counter()
        self.samples: list[Sample] = []
        self.start = time.monotonic()

    async def disturb(self, kind: Disturbance) -> None:
        """Disturb the server in this way."""
        if kind == "reload":
            write_table(self.table, self.counts[kind] + 1)
            await self._reload()
        elif kind == "lock":
            await asyncio.to_thread(self._lock, LOCK_SECONDS)
        elif kind == "slow":
            await asyncio.to_thread(self._slow_down)
        else:
            await asyncio.to_thread(self.server.restart)
        self.counts[kind] += 1

    def sample(self) -> None:
        """Note the memory and the file descriptors of the server."""
        found = self.server.memory_and_descriptors()
        if found is not None:
            self.samples.append(Sample(time.monotonic() - self.start, self.server.process.pid, *found))

    async def _reload(self) -> None:
        http, status, content = Http(*self.server.address), 503, b""
        deadline = time.monotonic() + RELOAD_SECONDS
        while status == 503 and time.monotonic() < deadline:  # busy, as it may be for everybody
            status, content = await http.send("POST", "/v1/admin/reload", {}, {"Authorization": f"Bearer {self.token}"})
            http.close()
            await asyncio.sleep(PAUSE_SECONDS)
        outcomes = {entry["name"]: entry["outcome"] for entry in json.loads(content).get("catalogs", [])}
        if outcomes.get(TABLE) != "switched":
            raise RatherError(f"The server did not switch to a changed table: {status}, {outcomes}.")

    def _slow_down(self) -> None:
        end = time.monotonic() + self.slow_seconds
        while time.monotonic() < end:
            self._lock(SHORT_LOCK_SECONDS)
            time.sleep(PAUSE_SECONDS)

    def _lock(self, seconds: float) -> None:
        with closing(sqlite3.connect(self.database, timeout=seconds, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:  # the server has locked it all the time: as slow
                return
            time.sleep(seconds)
            connection.execute("ROLLBACK")
