"""The service under load: simulated users answer questions of a server, and are timed."""

import asyncio
import itertools
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from rather.conversation.policy import Policy
from rather.conversation.session import Session
from rather.errors import RatherError
from rather.formats.opening import Source, open_source
from rather.numerics.randomness import derive_generator
from rather.simulation.conversations import draw_users

T = TypeVar("T")

# A user whose answer failed tries again after this long, as the page does.
RETRY_SECONDS = 1.0


@dataclass(frozen=True)
class ServeReport:
    """What a load run measured. Times are in milliseconds.

    Attributes:
        catalog: What was asked about.
        items: How many items it has.
        users: At the same time.
        seconds: How long they answered.
        think_seconds: Mean time that a user reads before answering, exponentially distributed.
        answers: Acknowledged in that time.
        questions_per_second: The same per second.
        latency: From answer to next question over HTTP: `median`, `p90`, `p99`, `max`.
        opening: From opening a session to its first question: likewise.
        errors: What went wrong, by status or kind, and how often.
        cached: Share of the answers whose next question had been computed ahead or for another user.
        library_ask: Median time of `Session.ask` alone, in this process before the load.
        library_turn: Median time of `Session.tell` and `ask` together, likewise.
        ratio: Median latency over `library_turn`.
        ratio_p99: 99th percentile of the latency over `library_turn`.
        ratio_p99_ask: 99th percentile of the latency over `library_ask`.
    """

    catalog: str
    items: int
    users: int
    seconds: float
    think_seconds: float
    answers: int
    questions_per_second: float
    latency: dict[str, float]
    opening: dict[str, float]
    errors: dict[str, int]
    cached: float
    library_ask: float
    library_turn: float
    ratio: float
    ratio_p99: float
    ratio_p99_ask: float


def serve_bench(
    users: int = 200,
    seconds: float = 60.0,
    catalog: str = "films",
    *,
    think_seconds: float = 10.0,
    k: int = 2,
    seed: int = 0,
    own_seeds: bool = False,
    serve_options: Sequence[str] = (),
    on_progress: Callable[[float], None] | None = None,
) -> ServeReport:
    """Start a server, let simulated users answer its questions, and report.

    Args:
        users: At the same time. They arrive over one mean thinking time.
        seconds: How long they answer.
        catalog: What to ask about: anything that `rather serve` takes.
        think_seconds: Mean time that a user reads before answering.
        k: Options in a question.
        seed: Of the users and what they answer.
        own_seeds: Give each user's sessions a seed of their own, so that nothing was computed for another user.
        serve_options: Further options of `rather serve`.
        on_progress: Called about once a second with the share of the time that has passed.
    """
    source = open_source(catalog)
    ask, turn = library_times(source, k, seed)
    with tempfile.TemporaryDirectory() as folder, ServerProcess([catalog], folder, serve_options) as server:
        crowd = _Crowd(source, server.address, users, think_seconds, k, seed, own_seeds)
        run_loop(crowd.run(seconds, on_progress or (lambda share: None)))
        cached = run_loop(_share_cached(server.address))
    latency = percentiles(crowd.latencies)
    return ServeReport(
        catalog=catalog,
        items=len(source.catalog),
        users=users,
        seconds=seconds,
        think_seconds=think_seconds,
        answers=len(crowd.latencies),
        questions_per_second=len(crowd.latencies) / seconds,
        latency=latency,
        opening=percentiles(crowd.openings),
        errors=dict(crowd.errors),
        cached=cached,
        library_ask=ask,
        library_turn=turn,
        ratio=latency["median"] / turn,
        ratio_p99=latency["p99"] / turn,
        ratio_p99_ask=latency["p99"] / ask,
    )


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end on a thread of its own: a notebook's thread has a loop already, and allows no second."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def library_times(source: Source, k: int, seed: int, questions: int = 8) -> tuple[float, float]:
    """Median milliseconds of `ask`, and of `tell` and `ask` together, after a first question that warms up."""
    session = Session(Policy(source.catalog, source.belief, k, seed))
    question, asks, turns = session.ask(), [], []
    for number in range(questions):
        start = time.perf_counter()
        session.tell(question, number % k)
        answered = time.perf_counter()
        question = session.ask()
        asks.append(1000 * (time.perf_counter() - answered))
        turns.append(1000 * (time.perf_counter() - start))
    return statistics.median(asks), statistics.median(turns)


class _Crowd:
    """Users who open sessions, read, answer, and open another when theirs has ended."""

    def __init__(
        self, source: Source, address: tuple[str, int], users: int, think: float, k: int, seed: int, own_seeds: bool
    ) -> None:
        self.source, self.address, self.think, self.k, self.seed = source, address, think, k, seed
        self.own_seeds = own_seeds
        self.utilities = draw_users(source.belief, users, seed)
        self.latencies: list[float] = []
        self.openings: list[float] = []
        self.errors: Counter[str] = Counter()

    async def run(self, seconds: float, on_progress: Callable[[float], None]) -> None:
        end = time.monotonic() + seconds
        crowd = [asyncio.create_task(self._user(number, end)) for number in range(len(self.utilities))]
        while (left := end - time.monotonic()) > 0:
            on_progress(1 - left / seconds)
            await asyncio.sleep(min(1.0, left))
        await asyncio.gather(*crowd)

    async def _user(self, number: int, end: float) -> None:
        moods = derive_generator(self.seed, "load", number)
        http = Http(*self.address)
        await asyncio.sleep(float(torch.rand((), generator=moods)) * self.think)
        for visit in itertools.count():
            if time.monotonic() >= end:
                break
            own = 1 + number + visit * len(self.utilities) if self.own_seeds else 0
            session = await self._send(http, "/v1/sessions", {"k": self.k, "seed": own}, self.openings)
            while session is not None and session["question"] and session["stop"] is None:
                await asyncio.sleep(self.think * float(-torch.rand((), generator=moods).clamp_min(1e-9).log()))
                if time.monotonic() >= end:
                    break
                session = await self._answer(http, session, self._choice(session["question"], number, moods))
        http.close()

    async def _answer(self, http: "Http", session: dict[str, Any], choice: int) -> dict[str, Any] | None:
        body = {"question": session["question"]["id"], "choice": choice}
        answered = await self._send(http, f"/v1/sessions/{session['id']}/answers", body, self.latencies)
        return session if answered is None else answered["session"]  # the same question again after an error

    async def _send(self, http: "Http", path: str, body: dict[str, Any], times: list[float]) -> dict[str, Any] | None:
        start = time.perf_counter()
        status: int | str
        try:
            status, content = await http.send("POST", path, body)
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            status, content = type(error).__name__, b""
        if status in (200, 201):
            times.append(1000 * (time.perf_counter() - start))
            found: dict[str, Any] = json.loads(content)
            return found
        self.errors[str(status)] += 1
        http.close()
        await asyncio.sleep(RETRY_SECONDS)
        return None

    def _choice(self, question: dict[str, Any], number: int, moods: torch.Generator) -> int:
        """What this user would rather have; random if the options are not items."""
        ids = [option["id"] for option in question["options"]]
        if None in ids:
            return int(torch.randint(len(ids), (), generator=moods))
        catalog = self.source.catalog
        rows = ids if isinstance(catalog.ids, range) else [catalog.row(id) for id in ids]
        utilities: Tensor = catalog.vectors(rows) @ self.utilities[number]
        return int(utilities.argmax())


class Http:
    """One connection that is kept, and opened again when it broke. Light, to leave the cores to the server."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes]:
        """The status and the content of the response."""
        sent = b"" if body is None else json.dumps(body).encode()
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self._streams
        lines = {"Host": self.host, "Content-Type": "application/json", **(headers or {}), "Content-Length": len(sent)}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + sent)
        await writer.drain()
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", answer)
        content = await reader.readexactly(int(length[1])) if length else b""
        return int(answer[9:12]), content

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _share_cached(address: tuple[str, int]) -> float:
    http = Http(*address)
    _, content = await http.send("GET", "/metrics")
    http.close()
    counts = dict(re.findall(rb"(?m)^rather_states_(found|computed) ([\d.e+]+)", content))
    found, computed = float(counts[b"found"]), float(counts[b"computed"])
    return found / max(1.0, found + computed)


class ServerProcess:
    """`rather serve` in a process of its own, without limits on one address and with an empty cache.

    Args:
        catalogs: What to serve.
        folder: For its database and its cache.
        options: Further options of `rather serve`.
    """

    def __init__(self, catalogs: Sequence[str], folder: str, options: Sequence[str] = ()) -> None:
        database = f"sqlite:///{folder}/sessions.db"
        limits = ["--requests-per-minute", "1000000000", "--sessions-per-day", "1000000000"]
        self._command = [sys.executable, "-m", "rather", "serve", *catalogs, "--database", database, *limits, *options]
        self._environment = {**os.environ, "RATHER_CACHE": str(Path(folder) / "cache")}
        self._port = 0

    @property
    def address(self) -> tuple[str, int]:
        """Host and port; the same after a restart."""
        return "127.0.0.1", self._port

    def start(self) -> None:
        """Start it, and wait until it accepts requests."""
        command = [*self._command, "--port", str(self._port)]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        self.process = subprocess.Popen(command, env=self._environment, **pipes)
        assert self.process.stdout is not None
        found = re.search(r"http://localhost:(\d+)", self.process.stdout.readline())
        if found is None:
            self.stop()
            raise RatherError(f"The server did not start: {' '.join(command)}")
        self._port = int(found[1])

    def stop(self) -> None:
        """Let it finish, and wait for that."""
        self.process.send_signal(signal.SIGTERM)
        self._wait()

    def restart(self) -> None:
        """Kill it without warning, and start it again."""
        self.process.kill()
        self._wait()
        self.start()

    def memory_and_descriptors(self) -> tuple[float, int] | None:
        """Its resident memory in MB and its open file descriptors; None where there is no /proc, or no process."""
        folder = Path("/proc", str(self.process.pid))
        try:
            resident = re.search(r"VmRSS:\s+(\d+) kB", (folder / "status").read_text())
            return None if resident is None else (int(resident[1]) / 1024, len(list((folder / "fd").iterdir())))
        except OSError:
            return None

    def _wait(self) -> None:
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def __enter__(self) -> "ServerProcess":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """The `median`, `p90`, `p99` and `max` of times; NaN if there are none."""
    if not times:
        return {name: float("nan") for name in ("median", "p90", "p99", "max")}
    ordered = torch.tensor(times, dtype=torch.float64)
    shares = torch.tensor([0.5, 0.9, 0.99, 1.0], dtype=torch.float64)
    return dict(zip(("median", "p90", "p99", "max"), torch.quantile(ordered, shares).tolist(), strict=True))
