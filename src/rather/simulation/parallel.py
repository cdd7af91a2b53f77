"""Tasks run in parallel, on the processes of this machine or on a Ray cluster. The results are the same on either."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, TypeVar

import torch

from rather.cluster import ClusterError, connected, require_ray

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Result = TypeVar("Result")

# Tasks submitted for each processor of a cluster: one that runs, and the next one, so that none has to wait for us.
TASKS_PER_PROCESSOR = 2

# How often a task is run again when the machine it ran on is lost.
RETRIES = 5


def run_parallel(
    work: Callable[[Shared, Task], Result],
    shared: Shared,
    tasks: Sequence[Task],
    *,
    workers: int = 1,
    ray: str | None = None,
) -> Iterator[tuple[int, Result]]:
    """Yield the index and the result of every task, in the order in which they finish.

    Args:
        work: A module-level function, so that other processes can import it. Its result must depend on nothing but its
            arguments.
        shared: The first argument of every call; sent to each process once.
        tasks: The second argument, one for each call.
        workers: Processes, each on one torch thread; 1 works in this process.
        ray: Address of a Ray cluster to run on instead, with one task per processor; see `rather.cluster.connected`.
    """
    if ray is not None:
        yield from _run_on_cluster(work, shared, tasks, ray)
    elif workers <= 1 or len(tasks) <= 1:
        for index, task in enumerate(tasks):
            yield index, work(shared, task)
    else:
        yield from _run_in_processes(work, shared, tasks, workers)


def _run_in_processes(
    work: Callable[[Any, Any], Any], shared: Any, tasks: Sequence[Any], workers: int
) -> Iterator[tuple[int, Any]]:
    pool = ProcessPoolExecutor(min(workers, len(tasks)), get_context("spawn"), _start_worker, (work, shared))
    try:
        futures: dict[Future[Any], int] = {pool.submit(_work_in_process, task): i for i, task in enumerate(tasks)}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


_worker: tuple[Callable[[Any, Any], Any], Any] | None = None


def _start_worker(work: Callable[[Any, Any], Any], shared: Any) -> None:
    global _worker
    _use_one_thread()
    _worker = (work, shared)


def _work_in_process(task: Any) -> Any:
    assert _worker is not None
    work, shared = _worker
    return work(shared, task)


def _use_one_thread() -> None:
    """Put this process on one thread: there are as many processes as cores."""
    torch.set_num_threads(1)
    # Other libraries read these when they are loaded.
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"


def _run_on_cluster(
    work: Callable[[Any, Any], Any], shared: Any, tasks: Sequence[Any], address: str
) -> Iterator[tuple[int, Any]]:
    with connected(address) as ray:
        run = ray.remote(num_cpus=1, max_retries=RETRIES)(_work_on_cluster)
        stored = ray.put(shared)
        limit = max(1, TASKS_PER_PROCESSOR * int(ray.cluster_resources().get("CPU", 1)))
        waiting = iter(enumerate(tasks))
        running: dict[Any, int] = {}
        try:
            while True:
                while len(running) < limit and (following := next(waiting, None)) is not None:
                    index, task = following
                    running[run.remote(work, stored.hex(), [stored], task)] = index
                if not running:
                    return
                for finished in ray.wait(list(running), num_returns=1)[0]:
                    yield running.pop(finished), _result(ray, finished)
        finally:
            for reference in running:
                ray.cancel(reference)


_received: dict[str, Any] = {}


def _work_on_cluster(work: Callable[[Any, Any], Any], name: str, shared: list[Any], task: Any) -> Any:
    """Runs in a process of the cluster. Ray does not fetch a reference inside a list, so we do it, once per process."""
    if name not in _received:
        _use_one_thread()
        _received.clear()
        _received[name] = require_ray().get(shared[0])
    return work(_received[name], task)


def _result(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, Exception) and not isinstance(error.cause, ray.exceptions.RayError):
            raise error.cause from None  # raised by the task itself
        raise _failed(error.cause) from None
    except ray.exceptions.RayError as error:
        raise _failed(error) from None


def _failed(error: BaseException) -> ClusterError:
    return ClusterError(
        f"The cluster could not run a task: {str(error).strip().splitlines()[0].rstrip('.')}. "
        "Is the same version of rather installed on every machine, and do all of them see the same files?"
    )
