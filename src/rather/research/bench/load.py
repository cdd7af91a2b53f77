"""The service under load: simulated users answer questions of a server, and are timed."""

import asyncio
import itertools
import json
import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from rather.conversation.policy import Policy
from rather.conversation.session import Session
from rather.formats.opening import Source, open_source
from rather.numerics.randomness import derive_generator
from rather.research.bench.served import Http, ServerProcess, run_loop
from rather.research.bench.timing import percentiles
from rather.research.bench.traffic import Traffic
from rather.simulation.conversations import draw_users

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
    traffic: Traffic,
    *,
    k: int = 2,
    own_seeds: bool = False,
    serve_options: Sequence[str] = (),
    on_progress: Callable[[float], None] | None = None,
) -> ServeReport:
    """Start a server, let simulated users answer its questions, and report.

    Args:
        traffic: The users, and how long they answer.
        k: Options in a question.
        own_seeds: Give each user's sessions a seed of their own, so that nothing was computed for another user.
        serve_options: Further options of `rather serve`.
        on_progress: Called about once a second with the share of the time that has passed.
    """
    source = open_source(traffic.catalog)
    ask, turn = library_times(source, k, traffic.seed)
    with tempfile.TemporaryDirectory() as folder, ServerProcess([traffic.catalog], folder, serve_options) as server:
        crowd = _Crowd(source, server.address, traffic, k, own_seeds)
        run_loop(crowd.run(traffic.seconds, on_progress or (lambda share: None)))
        cached = run_loop(_share_cached(server.address))
    latency = percentiles(crowd.latencies)
    return ServeReport(
        catalog=traffic.catalog,
        items=len(source.catalog),
        users=traffic.users,
        seconds=traffic.seconds,
        think_seconds=traffic.think_seconds,
        answers=len(crowd.latencies),
        questions_per_second=len(crowd.latencies) / traffic.seconds,
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

    def __init__(self, source: Source, address: tuple[str, int], traffic: Traffic, k: int, own_seeds: bool) -> None:
        self.source, self.address, self.k, self.own_seeds = source, address, k, own_seeds
        self.think, self.seed = traffic.think_seconds, traffic.seed
        self.utilities = draw_users(source.belief, traffic.users, traffic.seed)
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

    async def _answer(self, http: Http, session: dict[str, Any], choice: int) -> dict[str, Any] | None:
        body = {"question": session["question"]["id"], "choice": choice}
        answered = await self._send(http, f"/v1/sessions/{session['id']}/answers", body, self.latencies)
        return session if answered is None else answered["session"]  # the same question again after an error

    async def _send(self, http: Http, path: str, body: dict[str, Any], times: list[float]) -> dict[str, Any] | None:
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


async def _share_cached(address: tuple[str, int]) -> float:
    http = Http(*address)
    _, content = await http.send("GET", "/metrics")
    http.close()
    counts = dict(re.findall(rb"(?m)^rather_states_(found|computed) ([\d.e+]+)", content))
    found, computed = float(counts[b"found"]), float(counts[b"computed"])
    return found / max(1.0, found + computed)
