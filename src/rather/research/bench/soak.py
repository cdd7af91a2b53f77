"""A soak: people use a server in every way for a long time, while it is killed, reloaded and slowed down."""

import asyncio
import json
import random
import secrets
import sqlite3
import statistics
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rather.errors import RatherError
from rather.research.bench.load import Http, ServerProcess, percentiles, run_loop

Disturbance = Literal["reload", "lock", "kill"]

# A person tries again after this long, as the page does.
RETRY_SECONDS = 0.5

# A person who has not been answered for this long is reported as lost.
PATIENCE_SECONDS = 120.0

# How long another program locks the database.
LOCK_SECONDS = 1.0

# What counts as flat: memory may grow by this share from the third quarter of the last process's life to the fourth,
# and as many file descriptors may be added.
MEMORY_GROWTH = 1.1
DESCRIPTOR_GROWTH = 5

# The table that is served beside the catalogue, and changed.
TABLE = "shop"
ROWS = 60


# Why a request about a table that has changed may be rejected.
OF_CHANGED_CATALOGS = ("catalog-changed", "stale-question", "no-question-left", "impossible-answer")


@dataclass(frozen=True)
class Minute:
    """What happened in a minute, or in a quarter of a shorter run. Times are in milliseconds.

    Attributes:
        disturbed: Whether the server was killed, reloaded or slowed down.
        answers: Acknowledged.
        median: From answer to next question.
        p99: Likewise.
        retries: Requests that had to be sent again.
        memory_mb: Of the server at the end; None where it cannot be read.
        descriptors: File descriptors of the server at the end; likewise.
    """

    disturbed: bool
    answers: int
    median: float
    p99: float
    retries: int
    memory_mb: float | None
    descriptors: int | None


@dataclass(frozen=True)
class SoakReport:
    """What a soak saw.

    Attributes:
        catalog: What was asked about, beside a table that changed.
        users: At the same time.
        seconds: How long.
        minutes: What happened in each.
        requests: Acknowledged, by kind.
        sessions: Compared at their end with what was acknowledged.
        kills: Of the server.
        reloads: Changes of the table that the server switched to.
        locks: Of the database by another program, for a second each.
        retries: Why requests were sent again, and how often.
        checks: What was checked, and what is wrong; an empty text if nothing is, None if it could not be checked.
    """

    catalog: str
    users: int
    seconds: float
    minutes: list[Minute]
    requests: dict[str, int]
    sessions: int
    kills: int
    reloads: int
    locks: int
    retries: dict[str, int]
    checks: dict[str, str | None]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not any(self.checks.values())


def soak(
    users: int = 200,
    seconds: float = 3600.0,
    catalog: str = "films",
    *,
    think_seconds: float = 10.0,
    seed: int = 0,
    measured: bool = True,
    on_progress: Callable[[float], None] = lambda share: None,
) -> SoakReport:
    """Let simulated users open, answer, undo, filter, export, import, read and delete, and check what they are told.

    Every second minute (or quarter of a run shorter than four) is disturbed: a table is changed, another program locks
    the database, and in the first half of the run the server is killed and started again. Requests that fail are sent
    again until they are answered.

    Args:
        users: At the same time.
        seconds: How long.
        catalog: What to ask about: anything that `rather serve` takes. Half of the sessions are about a small table.
        think_seconds: Mean time that a user reads.
        seed: Of the users, and of when the server is disturbed.
        measured: Whether to check memory, file descriptors and times; a short run says nothing about them.
        on_progress: Called about once a second with the share of the time that has passed.
    """
    period = min(60.0, seconds / 4)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / f"{TABLE}.csv"
        write_table(table, 0)
        token = secrets.token_hex(16)
        with ServerProcess([catalog, str(table)], folder, ["--no-watch", "--admin-token", token]) as server:
            names = [str(entry["name"]) for entry in run_loop(_read(server.address, "/v1/catalogs"))["catalogs"]]
            crowd = _Crowd(server.address, names, users, think_seconds, seed)
            disturber = _Disturber(server, table, Path(folder) / "sessions.db", token)
            moments = disturbances(seconds, period, random.Random(seed))
            run_loop(_soak(crowd, disturber, moments, seconds, period, on_progress))
    minutes = _minutes(crowd, disturber, moments, period, round(seconds / period))
    return SoakReport(
        catalog=catalog,
        users=users,
        seconds=seconds,
        minutes=minutes,
        requests=dict(crowd.requests),
        sessions=crowd.compared,
        kills=disturber.counts["kill"],
        reloads=disturber.counts["reload"],
        locks=disturber.counts["lock"],
        retries=dict(crowd.retries),
        checks={
            "answers": "; ".join(crowd.wrong[:5]),
            "memory": memory_problem(disturber.samples) if measured else None,
            "descriptors": descriptor_problem(disturber.samples) if measured else None,
            "p99": p99_problem(minutes) if measured else None,
        },
    )


def disturbances(seconds: float, period: float, moments: random.Random) -> list[tuple[float, Disturbance]]:
    """When to do what: in the first half of every second period, and kills only in the first half of the run."""
    found: list[tuple[float, Disturbance]] = []
    for number in range(1, round(seconds / period), 2):
        kinds: list[Disturbance] = ["reload", "lock"]
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


@dataclass
class Sample:
    """The server at one moment: seconds since the start, which process it was, its memory and file descriptors."""

    at: float
    process: int
    memory_mb: float
    descriptors: int


def memory_problem(samples: Sequence[Sample]) -> str | None:
    """What is wrong with the memory of the last process: it still grew in the last quarter of its life."""
    quarters = _last_quarters(samples)
    if quarters is None:
        return None
    before, after = (statistics.median(sample.memory_mb for sample in quarter) for quarter in quarters)
    return "" if after <= MEMORY_GROWTH * before else f"it grew from {before:.0f} MB to {after:.0f} MB"


def descriptor_problem(samples: Sequence[Sample]) -> str | None:
    """What is wrong with the file descriptors of the last process, likewise."""
    quarters = _last_quarters(samples)
    if quarters is None:
        return None
    before, after = (statistics.median(sample.descriptors for sample in quarter) for quarter in quarters)
    return "" if after <= before + DESCRIPTOR_GROWTH else f"they grew from {before:.0f} to {after:.0f}"


def _last_quarters(samples: Sequence[Sample]) -> tuple[Sequence[Sample], Sequence[Sample]] | None:
    life = [sample for sample in samples if sample.process == samples[-1].process]
    quarter = len(life) // 4
    return (life[2 * quarter : 3 * quarter], life[3 * quarter :]) if quarter else None


def p99_problem(minutes: Sequence[Minute]) -> str | None:
    """Which quiet minutes were more than twice as slow as the first one."""
    first = minutes[0].p99
    slow = [
        f"minute {number}: {minute.p99:.0f} ms instead of {first:.0f} ms"
        for number, minute in enumerate(minutes, start=1)
        if not minute.disturbed and minute.p99 > 2 * first
    ]
    return "; ".join(slow)


class _Disturber:
    """Kills the server, changes its table, locks its database; and measures the process."""

    def __init__(self, server: ServerProcess, table: Path, database: Path, token: str) -> None:
        self.server, self.table, self.database, self.token = server, table, database, token
        self.counts: Counter[Disturbance] = Counter()
        self.samples: list[Sample] = []
        self.start = time.monotonic()

    async def disturb(self, kind: Disturbance) -> None:
        if kind == "reload":
            write_table(self.table, self.counts[kind] + 1)
            await self._reload()
        elif kind == "lock":
            await asyncio.to_thread(self._lock)
        else:
            await asyncio.to_thread(self.server.restart)
        self.counts[kind] += 1

    def sample(self) -> None:
        found = self.server.memory_and_descriptors()
        if found is not None:
            self.samples.append(Sample(time.monotonic() - self.start, self.server.process.pid, *found))

    async def _reload(self) -> None:
        http = Http(*self.server.address)
        status, content = await http.send("POST", "/v1/admin/reload", {}, {"Authorization": f"Bearer {self.token}"})
        http.close()
        outcomes = {entry["name"]: entry["outcome"] for entry in json.loads(content).get("catalogs", [])}
        if outcomes.get(TABLE) != "switched":
            raise RatherError(f"The server did not switch to a changed table: {status}, {outcomes}.")

    def _lock(self) -> None:
        with closing(sqlite3.connect(self.database, timeout=LOCK_SECONDS, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:  # the server has locked it all the time: as slow
                return
            time.sleep(LOCK_SECONDS)
            connection.execute("ROLLBACK")


async def _soak(
    crowd: "_Crowd",
    disturber: _Disturber,
    moments: Sequence[tuple[float, Disturbance]],
    seconds: float,
    period: float,
    on_progress: Callable[[float], None],
) -> None:
    crowd.start = disturber.start = time.monotonic()
    end = crowd.start + seconds
    people = [asyncio.create_task(crowd.person(number, end)) for number in range(crowd.users)]

    async def measure() -> None:
        while (left := end - time.monotonic()) > 0:
            on_progress(1 - left / seconds)
            disturber.sample()
            await asyncio.sleep(min(1.0, period / 10, left))

    measuring = asyncio.create_task(measure())
    for at, kind in moments:
        await asyncio.sleep(max(0.0, crowd.start + at - time.monotonic()))
        await disturber.disturb(kind)
    await measuring
    await asyncio.gather(*people)


@dataclass
class _Session:
    """What a person knows of a session: its latest response, and what was acknowledged."""

    state: dict[str, Any]
    events: list[Any] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.state['id']}"


class _LostError(Exception):
    """A person was never answered."""


class _RejectedError(Exception):
    """The server rejected a request, as this code says."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code


class _Crowd:
    """People who use sessions in every way, and note whatever is not as it was acknowledged."""

    def __init__(self, address: tuple[str, int], catalogs: Sequence[str], users: int, think: float, seed: int) -> None:
        self.address, self.catalogs, self.users, self.think, self.seed = address, catalogs, users, think, seed
        self.start = 0.0
        self.latencies: list[tuple[float, float]] = []
        self.retried_at: list[float] = []
        self.requests: Counter[str] = Counter()
        self.retries: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.compared = 0

    async def person(self, number: int, end: float) -> None:
        moods, http = random.Random(self.seed * 1_000_003 + number), Http(*self.address)
        await asyncio.sleep(moods.random() * self.think)
        try:
            while time.monotonic() < end:
                await self._visit(http, moods, end)
        except (_LostError, _RejectedError) as error:
            self.wrong.append(str(error))
        finally:
            http.close()

    async def _visit(self, http: Http, moods: random.Random, end: float) -> None:
        """One session from its opening to its end, and sometimes its deletion."""
        body = {"catalog": moods.choice(self.catalogs), "seed": moods.randrange(20)}
        session = _Session(await self._send(http, "open", "POST", "/v1/sessions", body))
        try:
            for _ in range(moods.randint(3, 15)):
                await asyncio.sleep(self.think * moods.expovariate(1.0))
                if time.monotonic() >= end or not session.state["question"]:
                    break
                session = await self._step(http, moods, session)
        except _RejectedError as error:
            self._note(session, error)
        await self._compare(http, session)
        if moods.random() < 0.3:
            await self._delete(http, session)

    async def _step(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        steps = {self._answer: 70, self._undo: 8, self._filter: 8, self._read: 8, self._import: 6}
        (step,) = moods.choices(list(steps), list(steps.values()))
        return await step(http, moods, session)

    async def _answer(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        question = session.state["question"]
        choice = moods.choice([*range(len(question["options"])), "skip"])
        body = {"question": question["id"], "choice": choice}
        try:
            answered = await self._send(http, "answer", "POST", f"{session.path}/answers", body)
        except _RejectedError as error:  # another question is open, if there is one
            self._note(session, error)
            return self._now(session, await self._send(http, "read", "GET", session.path))
        session.events.append(choice)
        return self._now(session, answered["session"])

    async def _undo(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        if session.state["last_answer"] is None:
            return session
        undo = {"answer": session.state["last_answer"]}
        state = await self._send(http, "undo", "POST", f"{session.path}/undo", undo)
        session.events.append("undo")
        return self._now(session, state)

    async def _filter(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        cheap = session.state["catalog"] == TABLE and moods.random() < 0.5
        filters = [{"attribute": "price", "maximum": moods.choice([300, 400])}] if cheap else []
        state = await self._send(http, "filters", "PUT", f"{session.path}/filters", {"filters": filters})
        if [item["maximum"] for item in state["filters"]] != [item["maximum"] for item in filters]:
            self.wrong.append(f"filters {filters} became {state['filters']}")
        return self._now(session, state)

    async def _read(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        for part in ("history", "recommendations?limit=20", "profile"):
            await self._send(http, "read", "GET", f"{session.path}/{part}")
        return session

    async def _import(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        """Go on in a copy."""
        log = await self._send(http, "export", "GET", f"{session.path}/export")
        state = await self._send(http, "import", "POST", "/v1/sessions/import", log)
        await self._compare(http, session)
        return self._now(_Session(session.state, session.events.copy()), state)

    def _now(self, session: _Session, state: dict[str, Any]) -> _Session:
        """The session in a new state, which must have as many answers as were acknowledged."""
        if state["answers"] != (expected := len(standing(session.events))):
            self.wrong.append(f"{state['answers']} answers stand where {expected} were acknowledged")
        return _Session(state, session.events)

    async def _compare(self, http: Http, session: _Session) -> None:
        """Compare what is stored with what was acknowledged."""
        log = await self._send(http, "export", "GET", f"{session.path}/export")
        stored = ["undo" if "undo" in event else event["answer"] for event in log["events"]]
        if stored != session.events:
            self.wrong.append(f"stored are {stored}, acknowledged were {session.events}")
        self.compared += 1

    async def _delete(self, http: Http, session: _Session) -> None:
        await self._send(http, "delete", "DELETE", session.path, accepted=(204, 404))
        status, _ = await self._persist(http, "GET", session.path, None, {})
        if status != 404:
            self.wrong.append(f"a deleted session was found: {status}")

    async def _send(
        self,
        http: Http,
        kind: str,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        accepted: Sequence[int] = (200, 201),
    ) -> Any:
        """The response to a request, which is sent until it is answered."""
        key = {} if method == "GET" else {"Idempotency-Key": str(uuid.uuid4())}
        status, content = await self._persist(http, method, path, body, key, timed=kind == "answer")
        if status in accepted:
            self.requests[kind] += 1
            return json.loads(content) if content else None
        problem = json.loads(content)
        raise _RejectedError(f"{method} {path.rpartition('/')[2]}: {status} {problem['detail']}", problem["code"])

    def _note(self, session: _Session, error: _RejectedError) -> None:
        """Note a rejection as wrong, unless the table of the session has changed."""
        self.requests["rejected"] += 1
        if session.state["catalog"] != TABLE or error.code not in OF_CHANGED_CATALOGS:
            self.wrong.append(str(error))

    async def _persist(
        self,
        http: Http,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        headers: dict[str, str],
        timed: bool = False,
    ) -> tuple[int, bytes]:
        """The response once the server does respond, and is not busy."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            start = time.monotonic()
            try:
                status, content = await asyncio.wait_for(http.send(method, path, body, headers), PATIENCE_SECONDS)
            except (OSError, asyncio.IncompleteReadError, ValueError) as error:
                reason = type(error).__name__
            else:
                if status != 503:
                    if timed:
                        self.latencies.append((start - self.start, 1000 * (time.monotonic() - start)))
                    return status, content
                reason = str(json.loads(content)["code"])
            self.retries[reason] += 1
            self.retried_at.append(start - self.start)
            http.close()
            await asyncio.sleep(RETRY_SECONDS)
        raise _LostError(f"{method} was not answered for {PATIENCE_SECONDS:.0f} s")


def standing(events: Sequence[Any]) -> list[Any]:
    """The answers that have not been taken back."""
    left: list[Any] = []
    for event in events:
        if event == "undo":
            left.pop()
        else:
            left.append(event)
    return left


async def _read(address: tuple[str, int], path: str) -> Any:
    http = Http(*address)
    _, content = await http.send("GET", path)
    http.close()
    return json.loads(content)


def _minutes(
    crowd: _Crowd, disturber: _Disturber, moments: Sequence[tuple[float, Disturbance]], period: float, count: int
) -> list[Minute]:
    disturbed = {int(at / period) for at, _ in moments}
    minutes = []
    for number in range(count):
        times = [ms for at, ms in crowd.latencies if int(at / period) == number]
        samples = [sample for sample in disturber.samples if int(sample.at / period) == number]
        latency = percentiles(times)
        minutes.append(
            Minute(
                disturbed=number in disturbed,
                answers=len(times),
                median=latency["median"],
                p99=latency["p99"],
                retries=sum(int(at / period) == number for at in crowd.retried_at),
                memory_mb=samples[-1].memory_mb if samples else None,
                descriptors=samples[-1].descriptors if samples else None,
            )
        )
    return minutes
