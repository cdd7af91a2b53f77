"""Exported tables as bytes, piece by piece: nothing is held but the rows of one batch."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol

from rather.errors import InvalidInputError, RatherError
from rather.server.exports.columns import TABLES, Cell, Column, answers_of, dictionary
from rather.server.sessions.records import StoredSession
from rather.spreadsheets import LINE_END, guarded

Format = Literal["csv", "parquet"]
Table = Literal["answers", "respondents"]
TABLES_WRITTEN: tuple[Table, ...] = ("answers", "respondents")

# Sessions whose rows are written at a time: of 8 answers each, some 20 MB.
BATCH = 1_000


class Encoder(Protocol):
    """Makes a file of rows, piece by piece."""

    def encode(self, rows: Sequence[Any]) -> bytes:
        """These rows; with the beginning of the file at the first call."""
        ...

    def finish(self) -> bytes:
        """The end of the file."""
        ...


class CsvEncoder:
    """CSV in UTF-8, with texts that no spreadsheet program takes for formulas.

    Args:
        columns: Of the table.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._begun = False

    def encode(self, rows: Sequence[Any]) -> bytes:
        """See `Encoder.encode`."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator=LINE_END)
        if not self._begun:
            writer.writerow([column.name for column in self._columns])
            self._begun = True
        writer.writerows([_csv_cell(column.cell(row)) for column in self._columns] for row in rows)
        return text.getvalue().encode()

    def finish(self) -> bytes:
        """See `Encoder.finish`."""
        return b"" if self._begun else self.encode(())


class ParquetEncoder:
    """Parquet, with a row group for every batch.

    Args:
        columns: Of the table.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        import pyarrow
        import pyarrow.parquet

        self._columns = columns
        self._schema = pyarrow.schema([(column.name, _arrow_type(column)) for column in columns])
        self._sink = _Pieces()
        self._writer = pyarrow.parquet.ParquetWriter(self._sink, self._schema, compression="zstd")

    def encode(self, rows: Sequence[Any]) -> bytes:
        """See `Encoder.encode`."""
        import pyarrow

        cells = [[_clean(column.cell(row)) for row in rows] for column in self._columns]
        arrays = [pyarrow.array(each, field.type) for each, field in zip(cells, self._schema, strict=True)]
        self._writer.write_table(pyarrow.Table.from_arrays(arrays, schema=self._schema))
        return self._sink.take()

    def finish(self) -> bytes:
        """See `Encoder.finish`."""
        self._writer.close()
        return self._sink.take()


class _Pieces(io.RawIOBase):
    """A file that is written here and taken away piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        self._size += len(self._pieces[-1])
        return len(self._pieces[-1])

    def take(self) -> bytes:
        """What has been written since it was last taken."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


def encoder(table: Table, format: Format) -> Encoder:
    """The encoder of a table."""
    return CsvEncoder(TABLES[table]) if format == "csv" else ParquetEncoder(TABLES[table])


def rows_of(table: Table, sessions: Iterable[StoredSession]) -> list[Any]:
    """The rows of these sessions in a table."""
    return list(sessions) if table == "respondents" else [row for session in sessions for row in answers_of(session)]


def stream_table(
    sessions: Iterable[StoredSession], table: Table, format: Format, batch: int = BATCH
) -> Iterator[bytes]:
    """A table of all these sessions as a file, in pieces.

    Args:
        sessions: Read as the pieces are taken.
        table: "answers" or "respondents".
        format: "csv" or "parquet".
        batch: Sessions whose rows make a piece.
    """
    encode = encoder(table, format)
    for part in _batches(sessions, batch):
        if piece := encode.encode(rows_of(table, part)):
            yield piece
    yield encode.finish()


def write_folder(sessions: Iterable[StoredSession], folder: Path, format: Format, batch: int = BATCH) -> dict[str, int]:
    """Write both tables and their dictionary into a folder, in one pass; returns how many rows each table has.

    Each file appears once it is complete.

    Args:
        sessions: Read once, in batches.
        folder: Made if it is missing. Files of an earlier export in it are replaced.
        format: Of the tables; the dictionary is a CSV.
        batch: Sessions in memory at a time.
    """
    folder = _made(folder)
    encoders = {table: encoder(table, format) for table in TABLES_WRITTEN}
    counts: dict[str, int] = dict.fromkeys(TABLES_WRITTEN, 0)
    partial = {table: folder / f".{table}.{format}.partial" for table in TABLES_WRITTEN}
    files = {table: path.open("wb") for table, path in partial.items()}
    try:
        for part in _batches(sessions, batch):
            for table, file in files.items():
                rows = rows_of(table, part)
                file.write(encoders[table].encode(rows))
                counts[table] += len(rows)
        for table, file in files.items():
            file.write(encoders[table].finish())
            file.close()
            partial[table].replace(folder / f"{table}.{format}")
    finally:
        for table, file in files.items():
            file.close()
            partial[table].unlink(missing_ok=True)
    (folder / "dictionary.csv").write_text(dictionary_csv(), encoding="utf-8", newline="")
    return counts


def dictionary_csv() -> str:
    """What every column means, as CSV."""
    text = io.StringIO(newline="")
    rows = dictionary()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator=LINE_END)
    writer.writeheader()
    writer.writerows({name: guarded(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InvalidInputError(f"`--out` must be a folder, but {folder} is a file.") from None
    except OSError as error:
        raise RatherError(f"The folder {folder} cannot be made: {error.strerror}.") from None
    return folder


def _batches(sessions: Iterable[StoredSession], size: int) -> Iterator[list[StoredSession]]:
    remaining = iter(sessions)
    while part := list(islice(remaining, size)):
        yield part


def _csv_cell(value: Cell) -> str | int | float:
    value = _clean(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    return guarded(value) if isinstance(value, str) else value


def _clean(value: Cell) -> Cell:
    """A cell that UTF-8 can hold: half a character pair, which JSON may contain, becomes a question mark."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def _arrow_type(column: Column) -> Any:
    import pyarrow

    types = {
        "text": pyarrow.string(),
        "json": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "time": pyarrow.timestamp("us"),
    }
    return types[column.type]
