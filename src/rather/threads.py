"""How many threads torch uses inside our calls; a host program's own setting is back when we return.

Small kernels on two threads ran 30 to 100 times slower than on one when the machine was busy (OpenMP workers
waiting for each other), so everything but the scan over a catalogue runs on one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch

_host_threads: ContextVar[int | None] = ContextVar("rather_host_threads", default=None)


@contextmanager
def one_thread() -> Iterator[None]:
    """Run small kernels on one thread; remembers how many the host allows, for `all_threads`."""
    token = _host_threads.set(_host_threads.get() or torch.get_num_threads())
    try:
        with _threads(1):
            yield
    finally:
        _host_threads.reset(token)


@contextmanager
def all_threads() -> Iterator[None]:
    """Inside `one_thread`: as many threads as the host allowed before it. Elsewhere: no change."""
    with _threads(_host_threads.get() or torch.get_num_threads()):
        yield


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    if before == count:
        yield
        return
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
