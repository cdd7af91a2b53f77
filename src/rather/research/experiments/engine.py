"""Runs jobs, in parallel and resuming where it was interrupted, and writes a line of JSON for each result.

A job says everything that decides its result, so results do not depend on the number of workers, the order in which
they end or how often the run was interrupted.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

import rather
from rather.errors import RatherError
from rather.simulation.parallel import run_parallel

Outcome = dict[str, Any]
"""What a job found, as plain data. Measured times go under "seconds": they alone may differ in a rerun."""

Work = Callable[["Job"], Outcome]


@dataclass(frozen=True)
class Job:
    """One piece of an experiment.

    Attributes:
        experiment: Its name.
        variant: Label of the setting.
        method: Label of the method.
        trial: Which repetition.
        seed: Of its randomness.
        parameters: Everything else that decides the result, plain data.
        files: Where to find what was prepared; does not decide the result.
    """

    experiment: str
    variant: str
    method: str
    trial: int
    seed: int
    parameters: Mapping[str, Any]
    files: Mapping[str, str] = field(default_factory=dict, compare=False)

    @cached_property
    def key(self) -> str:
        """Equal for equal jobs, in whichever run."""
        text = json.dumps(
            [self.experiment, self.variant, self.method, self.trial, self.seed, dict(self.parameters)], sort_keys=True
        )
        return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()


@dataclass(frozen=True)
class JobResult:
    """A line of a results file."""

    key: str
    variant: str
    method: str
    trial: int
    seed: int
    outcome: Outcome
    provenance: Mapping[str, str]


def provenance() -> dict[str, str]:
    """The versions and the commit that results come from; a `+` marks changes that are not committed."""
    return {
        "rather": rather.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def _commit() -> str:
    folder = Path(__file__).parent

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        return git("rev-parse", "--short=10", "HEAD") + ("+" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def run_jobs(
    jobs: Sequence[Job],
    work: Work,
    path: Path,
    *,
    workers: int = 1,
    ray: str | None = None,
    fresh: bool = False,
    on_done: Callable[[Job], None] | None = None,
) -> list[JobResult]:
    """The results of all jobs, in their order; those the file has already are not done again.

    Args:
        jobs: What to do.
        work: How; a function of a module, so that other processes find it.
        path: The results file, a line for each job. It is complete and in order when this returns, and holds every
            job that was finished when it does not.
        workers: Processes, each on one torch thread.
        ray: Address of a Ray cluster to use instead, see `rather.cluster.connected`.
        fresh: Do not look at what the file has.
        on_done: Called after each job.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    done = {} if fresh else {result.key: result for result in read_results(path)}
    _write(path, done.values())  # without the half line that an interruption may have left
    todo = [job for job in jobs if job.key not in done]
    stamp = provenance() if todo else {}
    with path.open("a", encoding="utf8") as file:
        for index, outcome in run_parallel(_timed, work, todo, workers=workers, ray=ray):
            job = todo[index]
            # Rounded before it is used, so that a resumed run sees the numbers an uninterrupted one does.
            result = JobResult(job.key, job.variant, job.method, job.trial, job.seed, rounded(outcome), stamp)
            done[job.key] = result
            file.write(_line(result))
            file.flush()
            if on_done is not None:
                on_done(job)
    wanted = {job.key: job for job in jobs}
    ordered = [done[key] for key in wanted]
    _write(path, [*ordered, *(result for key, result in done.items() if key not in wanted)])
    return ordered


def _timed(work: Work, job: Job) -> Outcome:
    start = time.perf_counter()
    outcome = work(job)
    return {**outcome, "seconds": {**outcome.get("seconds", {}), "job": time.perf_counter() - start}}


def _line(result: JobResult) -> str:
    return json.dumps(asdict(result)) + "\n"


def rounded(value: Any) -> Any:
    """Plain data with numbers to seven digits: what float32 holds, so that files stay small. NaN becomes null."""
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(entry) for entry in value]
    return value


def _write(path: Path, results: Any) -> None:
    draft = path.with_name(f".{path.name}.new")
    draft.write_text("".join(_line(result) for result in results), encoding="utf8")
    draft.replace(path)


def read_results(path: Path) -> list[JobResult]:
    """The results in a file; a last line that was not finished is left out."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf8").splitlines()
    results = []
    for number, line in enumerate(lines, start=1):
        try:
            results.append(JobResult(**json.loads(line)))
        except (json.JSONDecodeError, TypeError):
            if number == len(lines):
                break
            raise RatherError(f"{path} is damaged in line {number}; move it away to begin again.") from None
    return results
