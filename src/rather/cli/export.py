"""`rather export` and `rather import`: all sessions as tables for other programs, and back."""

from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rather.cli.console import say
from rather.cli.json_output import print_json
from rather.cli.options import Json
from rather.extras import require_extra
from rather.nouns import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from rather.server.sessions.records import StoredSession

# Imported sessions that are stored in one transaction.
BATCH = 500

# Who opened an imported session is not in the export; limits count those of one address.
IMPORTED = "imported"

StoredSource = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="A database (its URL, or a SQLite file), or a folder that `rather export` wrote."
    ),
]
Since = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="Only sessions that were opened since then, in UTC."),
]


def export(
    source: StoredSource,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("export"),
    format: Annotated[Literal["csv", "parquet"], typer.Option(help="Of the tables.")] = "csv",
    since: Since = None,
    json_output: Json = False,
) -> None:
    """Write all sessions as two tables, one row per answer and one per respondent, and what their columns mean.

    The tables are written in small batches, whatever their size. Texts in a CSV are safe to open in a spreadsheet: none
    is taken for a formula. `rather import` makes the same sessions of the folder again.

    The tables hold the ids of the sessions, with which one can answer in them: keep them as safe as the database.

    Examples:
        rather export sqlite:///sessions.db --out export
        rather export sessions.db --out export --format parquet
        rather export sessions.db --out export --since 2026-03-01
    """
    require_extra("serve", "`rather export`")
    from rather.cli.progress import counted_progress
    from rather.server.exports.sources import open_sessions
    from rather.server.exports.writing import write_folder

    with open_sessions(source, since) as sessions, counted_progress("sessions") as (_, advance):
        counts = write_folder((_counting(session, advance) for session in sessions), out, format)
    files = {table: str(out / f"{table}.{format}") for table in counts}
    if json_output:
        print_json({"rows": counts, "files": {**files, "dictionary": str(out / "dictionary.csv")}})
        return
    for table, count in counts.items():
        say(f"{files[table]}: {counted(count, 'row')}")
    say(f"{out / 'dictionary.csv'}: what the columns mean")


def import_(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that `rather export` wrote.")],
    database: Annotated[
        str,
        typer.Option(envvar="RATHER_DATABASE", help="Where to store them: the URL of a SQLite or PostgreSQL database."),
    ],
    json_output: Json = False,
) -> None:
    """Store the sessions of an exported folder in a database, exactly as they were.

    Sessions that are already there are left as they are, so an import that broke off can be run again.

    Examples:
        rather import export --database sqlite:///sessions.db
        rather import export --database postgresql+psycopg://USER:PASSWORD@HOST/DB
    """
    require_extra("serve", "`rather import`")
    from rather.cli.progress import counted_progress
    from rather.server.exports.reading import read_folder
    from rather.server.sessions.sql_store import SqlStore

    read = stored = 0
    store = SqlStore(database)
    try:
        with counted_progress("sessions") as (_, advance):
            sessions = (_counting(session, advance) for session in read_folder(folder))
            while part := list(islice(sessions, BATCH)):
                read, stored = read + len(part), stored + store.restore(part, IMPORTED)
    finally:
        store.close()
    if json_output:
        print_json({"sessions": read, "stored": stored, "already_there": read - stored})
    else:
        there = f"; {read - stored:,} were already there" if stored < read else ""
        say(f"{counted(stored, 'session')} stored{there}")


def _counting(session: "StoredSession", advance: "Callable[[], None]") -> "StoredSession":
    advance()
    return session
