"""Print what a report on very many stored conversations costs: seconds, and megabytes beyond those of the server.

`python docs/measure_insights.py` needs the extra `serve` and a few minutes; `--database URL` measures an empty
PostgreSQL database instead of a SQLite file, `--conversations 1e4` is quicker. Some conversations are simulated, and
stored again and again under new ids.
"""

import argparse
import json
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import torch

import rather
from rather.conversation.log import as_data
from rather.server.computing.summaries import summary_of
from rather.server.sessions.records import StoredEvent, StoredSession, now
from rather.server.sessions.sql_store import SqlStore

SIMULATED, ITEMS, ANSWERS, BATCH = 200, 300, 8, 1_000
DAYS = 25  # a server deletes sessions after thirty

# Serves the report from a process of its own, and prints seconds and megabytes as JSON.
SERVING = """
import json, resource, sys, time
import rather
from starlette.testclient import TestClient
from rather.server import Settings, create_app
table, database = sys.argv[1:]
token = "a token for measuring"
app = create_app({"things": rather.open(table)}, Settings(database=database, admin_token=token, prefetch=False))
with TestClient(app) as client:
    megabytes = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    client.post("/admin/login", data={"token": token}, follow_redirects=False)
    before, start, busy = megabytes(), time.perf_counter(), time.process_time()
    while "How conversations went" not in client.get("/admin/insights").text:
        pass
    first, first_busy, counted = time.perf_counter() - start, time.process_time() - busy, megabytes()
    while not client.get("/v1/admin/insights", headers={"Authorization": f"Bearer {token}"}).json()["complete"]:
        time.sleep(0.2)
    complete, busy = time.perf_counter() - start, time.process_time() - busy
    again = time.perf_counter()
    client.get("/admin/insights")
    shown = time.perf_counter() - again
    print(json.dumps([first, first_busy, complete, busy, shown, counted - before, megabytes() - before]))
"""


def main() -> None:
    """Store conversations, and measure the report on a hundredth of them and on all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=float, default=1e5)
    parser.add_argument("--database", help="The URL of an empty database; by default a SQLite file.")
    arguments = parser.parse_args()
    count = int(arguments.conversations)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "things.csv"
        table.write_text(_table(), encoding="utf-8")
        url = arguments.database or f"sqlite:///{folder}/sessions.db"
        store = SqlStore(url)
        simulated = _simulated(table)
        print(
            "| conversations | first page (CPU) | whole report (CPU) | shown again | memory: first page | memory: all |"
        )
        print("| --- | --- | --- | --- | --- | --- |")
        stored = 0
        for wanted in (count // 100, count):
            stored += _store(store, simulated, wanted - stored)
            first, first_busy, complete, busy, again, counted, memory = _served(table, url)
            times = f"{first:.1f} s ({first_busy:.1f} s) | {complete:.0f} s ({busy:.0f} s) | {again:.2f} s"
            cells = f"{times} | {counted:.0f} MB | {memory:.0f} MB"
            print(f"| {stored:,} | {cells} |", flush=True)
        store.close()


def _table() -> str:
    generator = torch.Generator().manual_seed(1)
    rows = ["name,price,weight,colour,rating"]
    for number in range(ITEMS):
        price, weight, colour, rating = torch.rand(4, generator=generator).tolist()
        shade = ("red", "green", "blue", "black")[int(4 * colour)]
        rows.append(f"thing {number},€{100 + 900 * price:.0f},{1 + 4 * weight:.1f} kg,{shade},{1 + 4 * rating:.1f}")
    return "\n".join(rows) + "\n"


def _simulated(table: Path) -> list[StoredSession]:
    """Conversations of simulated users, some of whom leave early."""
    opened = rather.open(table)
    policy = rather.Policy(*opened, k=2, seed=0)
    found = []
    for number in range(SIMULATED):
        session = rather.Session(policy)
        user = rather.SimulatedUser(opened.belief.particles[number], policy.response, seed=number)
        for _ in range(number % (ANSWERS + 1)):
            session.tell(session.ask(), user.answer(session.ask()))
        session.ask()
        log = as_data(session)
        settings = json.dumps({name: part for name, part in log.items() if name not in ("events", "open")})
        start = now() - timedelta(days=DAYS + 1)
        at = [start + timedelta(seconds=9 * position) for position in range(len(log["events"]) + 1)]
        events = tuple(
            StoredEvent(position, event, str(position), None, at[position])
            for position, event in enumerate(log["events"], 1)
        )
        summary = summary_of(session, policy.expected_regret(session.belief), session.stop)
        started = StoredSession.new("things", {}, settings, log["open"])
        found.append(replace(started, created_at=start, version=len(events), events=events, summary=summary))
    return found


def _store(store: SqlStore, simulated: list[StoredSession], count: int) -> int:
    batch: list[StoredSession] = []
    for session in _copies(simulated, count):
        batch.append(session)
        if len(batch) == BATCH:
            store.restore(batch, "measured")
            batch = []
    store.restore(batch, "measured")
    return count


def _copies(simulated: list[StoredSession], count: int) -> Iterator[StoredSession]:
    """Under new ids, spread over some days, three campaigns and two arms."""
    for number in range(count):
        original, later = simulated[number % len(simulated)], timedelta(days=number % DAYS, seconds=number % 40_000)
        events = tuple(replace(event, at=event.at + later) for event in original.events)
        campaign, arm = ("mail", "shop", "search")[number % 3], "ab"[number % 2]
        began = original.created_at + later
        yield replace(
            original,
            id=secrets.token_urlsafe(24),
            share=secrets.token_urlsafe(24),
            created_at=began,
            touched_at=events[-1].at if events else began,
            events=events,
            study={"respondent": f"r{number}", "campaign": campaign, "arm": arm},
        )


def _served(table: Path, url: str) -> list[float]:
    result = subprocess.run(
        [sys.executable, "-c", SERVING, str(table), url], capture_output=True, text=True, check=True
    )
    found: list[float] = json.loads(result.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
