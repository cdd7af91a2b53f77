"""Run a soak: a server, its people and what disturbs it, and the report of all three."""

import asyncio
import json
import random
import secrets
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rather.research.bench.served import Http, ServerProcess, run_loop
from rather.research.bench.soak.disturbing import TABLE, Disturbance, Disturber, disturbances, write_table
from rather.research.bench.soak.people import Crowd
from rather.research.bench.soak.report import Minute, SoakReport, descriptor_problem, memory_problem, p99_problem
from rather.research.bench.timing import percentiles
from rather.research.bench.traffic import Traffic


def soak(
    traffic: Traffic,
    *,
    measured: bool = True,
    on_progress: Callable[[float], None] = lambda share: None,
) -> SoakReport:
    """Let simulated users open, answer, undo, filter, export, import, read and delete, and check what they are told.

    Every second minute (or quarter of a run shorter than four) is disturbed: a table is changed, another program locks
    the database and slows it down, and in the first half of the run the server is killed and started again. Requests
    that fail are sent again until they are answered.

    Args:
        traffic: The users, and how long they use the server. Half of the sessions are about a small table. The seed is
            also that of when the server is disturbed.
        measured: Whether to check memory, file descriptors and times; a short run says nothing about them.
        on_progress: Called about once a second with the share of the time that has passed.
    """
    period = min(60.0, traffic.seconds / 4)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / f"{TABLE}.csv"
        write_table(table, 0)
        token = secrets.token_hex(16)
        with ServerProcess([traffic.catalog, str(table)], folder, ["--no-watch", "--admin-token", token]) as server:
            names = [str(entry["name"]) for entry in run_loop(_read(server.address, "/v1/catalogs"))["catalogs"]]
            crowd = Crowd(server.address, names, traffic)
            disturber = Disturber(server, table, Path(folder) / "sessions.db", token, period)
            moments = disturbances(traffic.seconds, period, random.Random(traffic.seed))
            run_loop(_soak(crowd, disturber, moments, traffic.seconds, period, on_progress))
    minutes = _minutes(crowd, disturber, moments, period, round(traffic.seconds / period))
    return SoakReport(
        catalog=traffic.catalog,
        users=traffic.users,
        seconds=traffic.seconds,
        minutes=minutes,
        requests=dict(crowd.requests),
        sessions=crowd.compared,
        disturbances={str(kind): count for kind, count in disturber.counts.items()},
        p99=_p99(crowd, minutes, period),
        retries=dict(crowd.retries),
        checks={
            "answers": "; ".join(crowd.wrong[:5]),
            "memory": memory_problem(disturber.samples) if measured else None,
            "descriptors": descriptor_problem(disturber.samples) if measured else None,
            "p99": p99_problem(minutes) if measured else None,
        },
    )


async def _soak(
    crowd: Crowd,
    disturber: Disturber,
    moments: Sequence[tuple[float, Disturbance]],
    seconds: float,
    period: float,
    on_progress: Callable[[float], None],
) -> None:
    crowd.start = disturber.start = time.monotonic()
    end = crowd.start + seconds
    people = [asyncio.create_task(crowd.person(number, end)) for number in range(crowd.traffic.users)]

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


async def _read(address: tuple[str, int], path: str) -> Any:
    http = Http(*address)
    _, content = await http.send("GET", path)
    http.close()
    return json.loads(content)


def _p99(crowd: Crowd, minutes: Sequence[Minute], period: float) -> dict[str, float]:
    quiet = {number for number, minute in enumerate(minutes) if number and not minute.disturbed}
    kinds = {
        "first": [ms for at, ms in crowd.latencies if at < period],
        "quiet": [ms for at, ms in crowd.latencies if int(at / period) in quiet],
        "all": [ms for _, ms in crowd.latencies],
    }
    return {kind: percentiles(times)["p99"] for kind, times in kinds.items()}


def _minutes(
    crowd: Crowd, disturber: Disturber, moments: Sequence[tuple[float, Disturbance]], period: float, count: int
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
