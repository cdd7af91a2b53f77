"""How many threads our calls use; a host program's own settings are as before when we return.

Small kernels on two threads ran 30 to 100 times slower than on one when the machine was busy: OpenMP workers wait
for each other at the end of every kernel, and one that is not running holds up all. So every kernel runs on one
thread (`one_thread`), and the only parallel work, the scan over a catalogue, is split into blocks that run on threads
of our own, which wait for each other once per scan (`on_all_threads`).

`torch.set_num_threads` is also the default of every thread that has not used torch yet, so a thread that the host
starts while we compute would keep our setting. Where torch is built on OpenMP and MKL, only the calling thread is set.
"""

import ctypes
import itertools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import torch

Piece = TypeVar("Piece")
Result = TypeVar("Result")

# A denormal number: below the smallest float32 of full precision.
_DENORMAL = torch.tensor(1e-40, dtype=torch.float32)

_thread = threading.local()
"""Whether this thread is inside `one_thread`; a context variable would be copied to other threads."""

_host_threads: ContextVar[int | None] = ContextVar("rather_host_threads", default=None)


@contextmanager
def one_thread() -> Iterator[None]:
    """Run kernels on one thread; `allowed_threads` still tells how many the host allows.

    Inside, denormal numbers (under 1e-38) are flushed to 0. Softmaxes are full of them, and processors take a hundred
    times longer to multiply them: query iteration took 1.5 times, greedy 1.6 times as long.
    """
    if getattr(_thread, "is_limited", False):  # again inside itself, many times in a question
        yield
        return
    before = torch.get_num_threads()
    token = _host_threads.set(_host_threads.get() or before)
    undo = _limit_to_one(before) if before != 1 else None
    flush = not _flushes() and torch.set_flush_denormal(True)
    _thread.is_limited = True
    try:
        yield
    finally:
        _thread.is_limited = False
        if flush:
            torch.set_flush_denormal(False)
        if undo is not None:
            undo()
        _host_threads.reset(token)


def _flushes() -> bool:
    """Whether denormal numbers are flushed to 0 in this thread: torch can set it, but has no way to ask."""
    return float(_DENORMAL * 1) == 0


def available_cores() -> int:
    """How many cores this process may run on; all of them where the system sets no limit or does not say."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def allowed_threads() -> int:
    """How many threads the host lets torch use, also inside `one_thread`."""
    return _host_threads.get() or torch.get_num_threads()


def on_all_threads(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
    """The results of `work` for every piece, in order; each piece runs on one thread, several pieces in parallel.

    The calling thread works as well: while the helpers are busy it simply takes more of the pieces, and it never waits
    for a helper that has not started.
    """
    threads = min(allowed_threads(), len(pieces))
    with one_thread():
        if threads <= 1:
            return [work(piece) for piece in pieces]
        results: list[Any] = [None] * len(pieces)
        numbers = itertools.count()  # next() on it is atomic

        def take_pieces() -> None:
            for number in numbers:
                if number >= len(pieces):
                    return
                results[number] = work(pieces[number])

        helpers = [_helpers().submit(take_pieces) for _ in range(threads - 1)]
        try:
            take_pieces()
        finally:
            _wait(helpers)
        return results


def _wait(helpers: list[Future[None]]) -> None:
    """Wait for every helper that has started, and raise what one of them raised."""
    for helper in helpers:
        if not helper.cancel():
            helper.result()


@cache
def _helpers() -> ThreadPoolExecutor:
    """Threads that help with scans, each limited to one torch thread."""
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 2) - 1), "rather-scan", _start_helper)


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_helpers.cache_clear)


def _start_helper() -> None:
    _limit_to_one(torch.get_num_threads())
    torch.set_flush_denormal(True)


def _limit_to_one(before: int) -> Callable[[], object]:
    """Limit the calling thread to one torch thread; returns a function that undoes it."""
    native = _native_limits()
    if native is None:
        torch.set_num_threads(1)
        return lambda: torch.set_num_threads(before)
    set_openmp, set_mkl = native
    set_openmp(1)
    mkl_before = set_mkl(1)

    def undo() -> None:
        set_openmp(before)
        set_mkl(mkl_before)

    return undo


@cache
def _native_limits() -> tuple[Callable[[int], Any], Callable[[int], Any]] | None:
    """The functions of OpenMP and MKL that limit the calling thread, or None if this torch is built without them."""
    libraries = list(Path(torch.__file__).parent.joinpath("lib").glob("libtorch_cpu.so"))
    if not libraries:
        return None
    library = ctypes.CDLL(str(libraries[0]))  # torch has loaded it already
    try:
        set_openmp, set_mkl = library.omp_set_num_threads, library.MKL_Set_Num_Threads_Local
    except AttributeError:
        return None
    set_openmp.argtypes = set_mkl.argtypes = [ctypes.c_int]
    set_openmp.restype, set_mkl.restype = None, ctypes.c_int
    return set_openmp, set_mkl
