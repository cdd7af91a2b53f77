"""Sessions from exported tables: the same as those that were exported."""

import csv
import json
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from rather.errors import InvalidInputError
from rather.server.sessions.records import STUDY_KEYS, StoredSession
from rather.spreadsheets import unguarded

SESSION = TypeAdapter(StoredSession)
FORMATS = ("parquet", "csv")

NEEDED = {
    "answers": ("session", "position", "at", "question", "regret", "event"),
    "respondents": ("session", *STUDY_KEYS, "events", "record"),
}

Row = Mapping[str, Any]


def read_folder(folder: Path) -> Iterator[StoredSession]:
    """The sessions of a folder that `rather export` wrote, one after the other.

    Both tables must be in the order in which they were written.

    Args:
        folder: With `respondents` and `answers`, as CSV or Parquet.
    """
    paths = {table: _file(folder, table) for table in NEEDED}
    by_session = groupby(_rows(paths["answers"], "answers"), key=lambda row: row["session"])
    waiting = next(by_session, None)
    for row in _rows(paths["respondents"], "respondents"):
        events: list[Row] = []
        if waiting is not None and waiting[0] == row["session"]:
            events = list(waiting[1])
            waiting = next(by_session, None)
        yield _session(row, events, paths["respondents"].name)
    if waiting is not None:
        raise InvalidInputError(
            f"The answers of the session {waiting[0]!r} do not follow the order of {paths['respondents'].name}. "
            "Import both files of one export, as they were written."
        )


def _file(folder: Path, table: str) -> Path:
    found = [path for format in FORMATS if (path := folder / f"{table}.{format}").is_file()]
    if not found:
        raise InvalidInputError(
            f"{folder} must be a folder that `rather export` wrote: {table}.csv or .parquet is missing."
        )
    if len(found) > 1:
        raise InvalidInputError(f"{folder} has {table} as CSV and as Parquet. Delete one of them.")
    return found[0]


def _rows(path: Path, table: str) -> Iterator[Row]:
    rows = _parquet_rows(path) if path.suffix == ".parquet" else _csv_rows(path)
    for row in rows:
        if missing := [name for name in NEEDED[table] if name not in row]:
            raise InvalidInputError(f"{path.name} lacks the columns {', '.join(missing)}. Export again.")
        yield row


def _csv_rows(path: Path) -> Iterator[Row]:
    csv.field_size_limit(sys.maxsize)  # a record with many filtered items is longer than the usual limit
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                yield {name: unguarded(cell) if cell else None for name, cell in row.items() if name is not None}
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path.name} is not a CSV in UTF-8: {error}.") from None


def _parquet_rows(path: Path) -> Iterator[Row]:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(1_000):
                yield from batch.to_pylist()
    except pyarrow.ArrowInvalid as error:
        raise InvalidInputError(f"{path.name} is not a Parquet file: {error}.") from None


def _session(row: Row, rows: list[Row], name: str) -> StoredSession:
    try:
        if len(rows) != int(row["events"]):
            raise InvalidInputError(
                f"The session {row['session']!r} should have {row['events']} rows in the table of answers, but has "
                f"{len(rows)}. Import both files of one export, as they were written."
            )
        study = {key: row[key] for key in STUDY_KEYS if row[key] is not None}
        record = {**json.loads(row["record"]), "events": [_event(each) for each in rows], "study": study}
        session = SESSION.validate_python(record)
    except (TypeError, ValueError, ValidationError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"{name}: the session {row['session']!r} cannot be read: {_short(error)}.") from None
    if session.id != row["session"] or [event.position for event in session.events] != [*range(1, len(rows) + 1)]:
        raise InvalidInputError(f"{name}: the session {row['session']!r} and its answers do not belong together.")
    return session


def _event(row: Row) -> dict[str, Any]:
    at = row["at"] if isinstance(row["at"], datetime) else datetime.fromisoformat(row["at"])
    regret = None if row["regret"] is None else float(row["regret"])
    return {
        "position": int(row["position"]),
        "event": json.loads(row["event"]),
        "question": row["question"],
        "regret": regret,
        "at": at,
    }


def _short(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"`{'.'.join(str(part) for part in first['loc'])}`: {first['msg']}"
    return str(error).rstrip(".")
