"""Progress bars with the time left, on standard error, for work that takes more than a moment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from rather.cli.console import plain_console

if TYPE_CHECKING:
    from pathlib import Path

    from rather.formats.opening import Opened
    from rather.formats.prior_files import LearntPrior


@contextmanager
def progress_bar(what: str, total: int, quiet: bool = False) -> Iterator[Callable[[], None]]:
    """Yields a function to call after each of `total` steps; silent when `quiet` or not at a terminal."""
    with counted_progress(what, quiet) as (set_total, advance):
        set_total(total)
        yield advance


@contextmanager
def counted_progress(what: str, quiet: bool = False) -> Iterator[tuple[Callable[[int], None], Callable[[], None]]]:
    """Yields two functions: one to call with the number of steps once it is known, one after each step."""
    times = (MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with _progress(*times, quiet=quiet) as progress:
        task = progress.add_task(what, total=None)
        yield lambda total: progress.update(task, total=total), lambda: progress.advance(task)


@contextmanager
def step_progress(what: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Yields a function to call with how many steps are done and how many there are."""
    with _progress(MofNCompleteColumn(), TimeElapsedColumn(), quiet=quiet) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def epoch_progress(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """Yields a function to call after each pass over the data, with a note on how it goes."""
    with _progress(MofNCompleteColumn(), TextColumn("{task.fields[note]}", markup=False)) as progress:
        task = progress.add_task(what, total=None, note="")
        yield lambda done, total, note: progress.update(task, completed=done, total=total, note=note)


@contextmanager
def byte_progress(
    of_bytes: bool = True, console: Console | None = None
) -> Iterator[Callable[[str, int, int | None], None]]:
    """Yields a function to call as bytes of a named file arrive, or as something else is done step by step."""
    counts = (DownloadColumn(), TransferSpeedColumn()) if of_bytes else (MofNCompleteColumn(),)
    tasks: dict[str, TaskID] = {}
    with _progress(*counts, TimeRemainingColumn(), console=console) as progress:

        def show(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=total)
            progress.update(tasks[name], completed=done, total=total)

        yield show


def _progress(*columns: ProgressColumn, quiet: bool = False, console: Console | None = None) -> Progress:
    """A bar between what is done and the given columns, which disappears at the end."""
    console = console or plain_console(stderr=True)
    what = TextColumn("{task.description}", markup=False)
    disable = quiet or not console.is_terminal
    return Progress(what, BarColumn(), *columns, console=console, transient=True, disable=disable)


@contextmanager
def spinner(what: str) -> Iterator[None]:
    """Shows what is going on while it takes its time, at a terminal."""
    console = plain_console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(Text(f"{what}…")):
        yield


def open_with_progress(name: str, *, strict: bool = False, prior: "Path | LearntPrior | None" = None) -> "Opened":
    """What a command is pointed at, opened with the user's cache, and with a bar while a large file is read.

    Prints what its owner should know about how it was read.

    Args:
        name: The catalogue.
        strict: See `rather.open`.
        prior: What `--prior` names.
    """
    from rather.caching import user_cache
    from rather.formats.opening import open

    with byte_progress(of_bytes=False) as show:
        show(name, 0, None)
        opened = open(name, strict=strict, prior=prior, cache=user_cache(), on_progress=show)
    console = plain_console(stderr=True)
    for note in opened.catalog.notes:
        console.print(Text(note, style="yellow"))
    return opened
