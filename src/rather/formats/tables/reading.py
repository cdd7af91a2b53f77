"""A table from a file or a DataFrame: columns of text, numbers, booleans, dates or lists, with nothing decided yet.

What is read as text stays text here. What it means (a number, a date, a list of tags) is decided by `column_kinds`, in
the same way for every format.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rather.errors import InvalidInputError
from rather.formats.tables.delimited import read_delimited
from rather.formats.tables.frames import from_arrow, read_frame
from rather.formats.tables.jsonlines import read_json
from rather.formats.tables.raw import RawTable, first_line, reject_duplicate_names

# A table is held in memory as text and as vectors, several times its size on disk.
MOST_MEGABYTES = 512

FORMATS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
TABLE_ENDINGS = tuple(FORMATS)


def read_table(
    source: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    most_megabytes: float | None = None,
    strict: bool = False,
) -> RawTable:
    """Read a table from a file or from memory.

    Args:
        source: Path of a CSV, TSV, Parquet or JSON lines file; a pandas or polars DataFrame; an Arrow table; or a
            mapping of column names to lists.
        delimiter: The delimiter of a CSV file, by default detected.
        encoding: The encoding of a CSV or JSON lines file, by default detected.
        most_megabytes: Larger files are rejected; by default `MOST_MEGABYTES`.
        strict: Whether to reject a file that is not UTF-8 when no encoding is given.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        limit = MOST_MEGABYTES if most_megabytes is None else most_megabytes
        raw = _read_file(path, delimiter, encoding, limit, strict)
    else:
        raw = read_frame(source)
    return _checked(_with_names(raw))


def _read_file(path: Path, delimiter: str | None, encoding: str | None, limit: float, strict: bool) -> RawTable:
    form = FORMATS.get(path.suffix.lower())
    if not path.exists():
        raise InvalidInputError(f"There is no file {str(path)!r}.")
    if path.is_dir():
        raise InvalidInputError(f"{str(path)!r} is a folder; name the table's file in it.")
    if form is None:
        raise InvalidInputError(f"`source` {path.name!r} must end in the format of a table: {', '.join(FORMATS)}.")
    try:
        reject_size(path, path.stat().st_size, limit)
        if form == "parquet":
            return _read_parquet(path, limit)
        if form == "json":
            return read_json(path, encoding, strict=strict)
        delimiter = "\t" if form == "tsv" and delimiter is None else delimiter
        return read_delimited(path, delimiter, encoding, strict=strict)
    except OSError as error:
        raise InvalidInputError(f"{path.name} cannot be read: {error}.") from None


def reject_size(path: Path, size: int, limit: float) -> None:
    """Raise if a file of `size` bytes exceeds the limit in megabytes."""
    megabytes = size / 1e6
    if megabytes <= limit:
        return
    raise InvalidInputError(
        f"{path.name} holds {megabytes:,.0f} MB, more than the limit of {limit:,.0f} MB. "
        f"Put `most_megabytes = {int(megabytes) + 1}` under [table] in {path.with_suffix('.toml').name} "
        f"(or pass `most_megabytes`) if memory allows several times that, "
        f"or keep only the rows and columns that are needed, best as Parquet."
    )


def _read_parquet(path: Path, limit: float) -> RawTable:
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            raise InvalidInputError(f"{path.name} is not a Parquet file (it does not start with 'PAR1').")
    try:
        metadata = pq.read_metadata(path)
        reject_size(path, sum(metadata.row_group(g).total_byte_size for g in range(metadata.num_row_groups)), limit)
        table = pq.read_table(path)
    except pa.ArrowException as error:
        raise InvalidInputError(f"{path.name} is damaged: {first_line(error)}.") from None
    return from_arrow(table, path.name, path)


def _with_names(raw: RawTable) -> RawTable:
    """The table with white space around names removed and nameless columns numbered, as those of a CSV are."""
    names = [name.strip() or f"column {number}" for number, name in enumerate(raw.columns, start=1)]
    reject_duplicate_names(names, raw.source)
    return replace(raw, columns=dict(zip(names, raw.columns.values(), strict=True)))


def _checked(raw: RawTable) -> RawTable:
    if not raw.columns:
        reason = "; ".join(f"{name!r} {why}" for name, why in raw.skipped.items())
        raise InvalidInputError(f"{raw.source} has no columns that can be read{': ' * bool(reason)}{reason}.")
    lengths = {name: len(column) for name, column in raw.columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInputError(f"The columns of {raw.source} must have the same length, got {lengths}.")
    if len(raw) < 2:
        found = "only a header and no rows" if len(raw) == 0 else "only one row"
        raise InvalidInputError(f"{raw.source} must have at least two rows to choose from; it has {found}.")
    return raw
