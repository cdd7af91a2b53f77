"""A progress bar with the time left, on standard error, for work that takes more than a moment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

if TYPE_CHECKING:
    from rather.formats.opening import Source


@contextmanager
def progress_bar(what: str, total: int, quiet: bool = False) -> Iterator[Callable[[], None]]:
    """Yields a function to call after each of `total` steps; silent when `quiet` or not at a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)


@contextmanager
def epoch_progress(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """Yields a function to call after each pass over the data, with how it goes in words."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[note]}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=None, note="")
        yield lambda done, total, note: progress.update(task, completed=done, total=total, note=note)


@contextmanager
def byte_progress(of_bytes: bool = True) -> Iterator[Callable[[str, int, int | None], None]]:
    """Yields a function to call as bytes of a named file arrive, or as something else is done piece by piece."""
    console = Console(stderr=True)
    counts = (DownloadColumn(), TransferSpeedColumn()) if of_bytes else (MofNCompleteColumn(),)
    columns = (TextColumn("{task.description}"), BarColumn(), *counts, TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:

        def show(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=total)
            progress.update(tasks[name], completed=done, total=total)

        yield show


@contextmanager
def counted_progress(what: str) -> Iterator[tuple[Callable[[int], None], Callable[[], None]]]:
    """Yields two functions: one to call with the number of steps once it is known, one after each step."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        yield lambda total: progress.update(task, total=total), lambda: progress.advance(task)


def opened_source(name: str) -> "Source":
    """What a command is pointed at, with a bar while a large vectors file is looked at for the first time."""
    from rather.formats.opening import open_source

    with byte_progress(of_bytes=False) as show:
        return open_source(name, show)
