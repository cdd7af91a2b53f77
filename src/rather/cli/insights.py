"""`rather insights`: what people want, as a report for the owner."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.console import say
from rather.cli.conversation_sources import (
    AboutCatalog,
    ConversationSource,
    ServedName,
    is_database,
    is_export,
    validate_name,
)
from rather.cli.json_output import print_json
from rather.cli.options import Json, Seed, Strict
from rather.errors import InvalidInputError
from rather.extras import require_extra
from rather.nouns import counted

if TYPE_CHECKING:
    from rather.formats.opened import Opened
    from rather.insights.progress import Course, Progress
    from rather.insights.report import Wants, Wishes
    from rather.insights.respondents import Respondent
    from rather.server.sessions.sql_store import SqlStore


def insights(
    source: ConversationSource,
    catalog: AboutCatalog,
    out: Annotated[
        Path | None, typer.Option(help="The HTML file to write.", show_default="report.html, unless --json")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write every table as a CSV file into this folder.")] = None,
    plots: Annotated[Path | None, typer.Option(help="Write every plot as an SVG file into this folder.")] = None,
    items: Annotated[
        str | None,
        typer.Option(
            help="Ids of items to compare by share, separated by commas.", show_default="the five that win most"
        ),
    ] = None,
    what_if: Annotated[
        list[str] | None,
        typer.Option(
            help="A change to try: 'ID: price=900', or '+ID: price=900' for a new item like it; repeat for more."
        ),
    ] = None,
    price: Annotated[
        str | None, typer.Option(help="The column that is the price.", show_default="the first column of money")
    ] = None,
    name: ServedName = None,
    sample: Annotated[
        int, typer.Option(min=10, help="The most conversations to estimate from, chosen at random.")
    ] = 1_000,
    seed: Seed = 0,
    json_output: Json = False,
    strict: Strict = False,
) -> None:
    """Report what people want: what matters to them, groups, prices they would pay, which items win.

    Reads stored conversations and writes one HTML file that needs nothing else; numbers come with 95 % intervals.

    Examples:
        rather insights sessions.db --catalog cars.csv --out cars.html --csv cars
        rather insights sqlite:///sessions.db --catalog cars.csv
        rather insights export/ --catalog cars.csv --items 12,15,31
        rather insights sessions.db --catalog cars.csv --what-if "12: price=18000"
    """
    from rather.cli.progress import open_with_progress
    from rather.insights.figures import write_svg
    from rather.insights.page import page
    from rather.insights.report import Insights, Wishes, as_data
    from rather.insights.tables import write_csv
    from rather.insights.what_if import parsed_change, row_of

    _validate_paths(out, csv, plots)
    opened = open_with_progress(catalog, strict=strict)
    wishes = Wishes(tuple(_listed(items)), tuple(what_if or ()), price)
    for text in wishes.what_if:
        parsed_change(text, opened.catalog)  # rejects before anything takes long
    for id in wishes.items:
        row_of(opened.catalog, id)
    stored = _read(source, name or (Path(catalog).stem or catalog), sample, seed, json_output)
    wants = _wants(stored, opened, wishes, seed, json_output) if stored.answering else None
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    report = Insights(Path(catalog).stem, opened.catalog.name, made, stored.progress, wants)
    if csv is not None:
        say(f"wrote {counted(len(write_csv(report, csv)), 'CSV file')} into {csv}", stderr=json_output)
    if plots is not None:
        say(f"wrote {counted(len(write_svg(report, plots)), 'SVG file')} into {plots}", stderr=json_output)
    path = out if out is not None or json_output else Path("report.html")
    if path is not None:
        path.write_text(page(report), encoding="utf-8")
        say(f"wrote {path}: {counted(stored.progress.total.began, 'conversation')}", stderr=json_output)
    if json_output:
        print_json(as_data(report))


def _validate_paths(out: Path | None, *folders: Path | None) -> None:
    """Reject what cannot be written to before anything takes long."""
    if out is not None and not out.parent.is_dir():
        raise InvalidInputError(f"There is no folder {out.parent}.")
    if out is not None and out.is_dir():
        raise InvalidInputError(f"--out must be a file, and {out} is a folder.")
    for folder in folders:
        if folder is not None and folder.exists() and not folder.is_dir():
            raise InvalidInputError(f"{folder} must be a folder, and is a file.")


def _wants(stored: "_Stored", opened: "Opened", wishes: "Wishes", seed: int, quiet: bool) -> "Wants":
    from rather.cli.progress import progress_bar, step_progress
    from rather.insights.report import wants_of
    from rather.insights.respondents import effects_of, looked_at, sampled

    with step_progress("learning what people want", quiet) as on_progress:
        people = sampled(stored.respondents, *opened, seed=seed, on_progress=on_progress)
    with progress_bar("replaying answers", len(looked_at(stored.respondents)), quiet) as on_step:
        effects = effects_of(stored.respondents, *opened, on_step=on_step)
    return wants_of(people, *opened, wishes, effects=effects, answering=stored.answering, seed=seed)


@dataclass(frozen=True)
class _Stored:
    """Conversations of a source: how all went, a sample of those with an answer, and how many of these there are."""

    progress: "Progress"
    respondents: "list[Respondent]"
    answering: int


def _read(source: str, name: str, most: int, seed: int, quiet: bool) -> _Stored:
    if is_database(source):
        return _read_database(source, name, most, seed, quiet)
    if is_export(source):
        return _read_export(Path(source), name, most, seed)
    return _read_logs(Path(source), most, seed)


def _read_export(folder: Path, name: str, most: int, seed: int) -> _Stored:
    require_extra("serve", "Reading stored sessions")
    from rather.insights.progress import progress
    from rather.insights.respondents import Reservoir
    from rather.server.conversations.insights import respondent_of
    from rather.server.exports.reading import read_folder
    from rather.server.sessions.courses import course_of

    kept, names = Reservoir(most, seed), Counter[str]()

    def courses() -> Iterator["Course"]:
        for stored in read_folder(folder):
            names[stored.catalog] += 1
            if stored.catalog == name:
                kept.add(respondent_of(stored, names[name]))
                yield course_of(stored)

    went = progress(courses())
    validate_name(name, names, folder.name)
    return _Stored(went, kept.respondents, kept.answering)


def _read_logs(source: Path, most: int, seed: int) -> _Stored:
    from rather.insights.logs import course_of_log, logs_in
    from rather.insights.progress import progress
    from rather.insights.respondents import Reservoir

    kept = Reservoir(most, seed)

    def courses() -> Iterator["Course"]:
        for respondent in logs_in(source):
            kept.add(respondent)
            yield course_of_log(respondent.log)

    went = progress(courses())
    return _Stored(went, kept.respondents, kept.answering)


def _read_database(source: str, name: str, most: int, seed: int, quiet: bool) -> _Stored:
    require_extra("serve", "Reading a database")
    from rather.cli.progress import progress_bar
    from rather.insights.progress import progress
    from rather.server.conversations.insights import respondent_of
    from rather.server.sessions.sql_store import SqlStore

    if "://" not in source:
        if not Path(source).exists():
            raise InvalidInputError(f"There is no file {source!r}.")
        source = f"sqlite:///{source}"
    store = SqlStore(source)
    try:
        with progress_bar("counting conversations", _count(store, name), quiet) as on_step:
            went = progress(_each(store.courses(name), on_step))
        found, answering = store.sample(name, most, seed)
    finally:
        store.close()
    return _Stored(went, [respondent_of(stored, number) for number, stored in enumerate(found, 1)], answering)


def _each(courses: Iterable["Course"], on_step: Callable[[], None]) -> Iterator["Course"]:
    for course in courses:
        yield course
        on_step()


def _count(store: "SqlStore", name: str) -> int:
    """How many conversations are about the catalogue of this name."""
    names = store.catalog_names()
    validate_name(name, names, "The database")
    return names[name]


def _listed(items: str | None) -> list[str]:
    return [] if items is None else [item.strip() for item in items.split(",") if item.strip()]
