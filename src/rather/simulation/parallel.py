"""Work in pieces, spread over the processes of this machine or over a cluster. Results do not depend on which."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, TypeVar

import torch

from rather.cluster import ClusterError, connected, require_ray

Shared = TypeVar("Shared")
Piece = TypeVar("Piece")
Result = TypeVar("Result")

# Pieces handed to a cluster for each of its processors: one to work on and one to go on with.
AHEAD = 2

# A piece on a machine that was lost is done again elsewhere, so many times.
RETRIES = 5


def spread(
    work: Callable[[Shared, Piece], Result],
    shared: Shared,
    pieces: Sequence[Piece],
    *,
    workers: int = 1,
    ray: str | None = None,
) -> Iterator[tuple[int, Result]]:
    """The places of pieces and their results, in the order in which they end.

    Args:
        work: A function of a module, so that other processes find it. What it returns must follow from its arguments.
        shared: Given to every call of it; sent to each process once.
        pieces: Given to one call each.
        workers: Processes, each on one torch thread; 1 works in this one.
        ray: Address of a Ray cluster to spread over instead, a piece to a processor. See `rather.cluster.connected`.
    """
    if ray is not None:
        yield from _over_cluster(work, shared, pieces, ray)
    elif workers <= 1 or len(pieces) <= 1:
        for place, piece in enumerate(pieces):
            yield place, work(shared, piece)
    else:
        yield from _over_processes(work, shared, pieces, workers)


def _over_processes(
    work: Callable[[Any, Any], Any], shared: Any, pieces: Sequence[Any], workers: int
) -> Iterator[tuple[int, Any]]:
    pool = ProcessPoolExecutor(min(workers, len(pieces)), get_context("spawn"), _start_worker, (work, shared))
    try:
        futures: dict[Future[Any], int] = {pool.submit(_in_worker, piece): place for place, piece in enumerate(pieces)}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


_worker: tuple[Callable[[Any, Any], Any], Any] | None = None


def _start_worker(work: Callable[[Any, Any], Any], shared: Any) -> None:
    global _worker
    use_one_thread()
    _worker = (work, shared)


def _in_worker(piece: Any) -> Any:
    assert _worker is not None
    work, shared = _worker
    return work(shared, piece)


def use_one_thread() -> None:
    """Put a process that works on one piece at a time on one thread."""
    torch.set_num_threads(1)
    # What is not torch reads these when it is loaded.
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"


def _over_cluster(
    work: Callable[[Any, Any], Any], shared: Any, pieces: Sequence[Any], address: str
) -> Iterator[tuple[int, Any]]:
    with connected(address) as ray:
        run = ray.remote(num_cpus=1, max_retries=RETRIES)(_on_cluster)
        kept = ray.put(shared)
        most = max(1, AHEAD * int(ray.cluster_resources().get("CPU", 1)))
        left = iter(enumerate(pieces))
        running: dict[Any, int] = {}
        try:
            while True:
                while len(running) < most and (following := next(left, None)) is not None:
                    running[run.remote(work, kept.hex(), [kept], following[1])] = following[0]
                if not running:
                    return
                for done in ray.wait(list(running), num_returns=1)[0]:
                    place = running.pop(done)
                    yield place, _result(ray, done)
        finally:
            for task in running:
                ray.cancel(task)


_received: dict[str, Any] = {}


def _on_cluster(work: Callable[[Any, Any], Any], name: str, shared: list[Any], piece: Any) -> Any:
    """In a process of the cluster; what is shared comes in a list, by which Ray leaves it to us to fetch it once."""
    if name not in _received:
        use_one_thread()
        _received.clear()
        _received[name] = require_ray().get(shared[0])
    return work(_received[name], piece)


def _result(ray: Any, task: Any) -> Any:
    try:
        return ray.get(task)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, Exception) and not isinstance(error.cause, ray.exceptions.RayError):
            raise error.cause from None  # what the piece itself raised
        raise _failed(error.cause) from None
    except ray.exceptions.RayError as error:
        raise _failed(error) from None


def _failed(error: BaseException) -> ClusterError:
    return ClusterError(
        f"The cluster could not do a piece of the work: {str(error).strip().splitlines()[0]} "
        "Is the same version of rather installed on every machine, and do all see the same files?"
    )
