"""Reading tables as they are published: Parquet, and CSV with any delimiter and encoding."""

import io
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from rather.errors import InvalidInputError


def read_table(
    path: Path,
    *,
    delimiter: str | None = None,
    names: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    encoding: str = "utf8",
) -> pa.Table:
    """The table in a file.

    Args:
        path: A `.parquet` file, or a text file with one row per line.
        delimiter: Between the fields of a text file; by default a tab in `.tsv`, else what its first line has
            most of. May be longer than one character, as in MovieLens-1M.
        names: Of the columns, for a text file without a header.
        columns: Which to read; by default all.
        encoding: Of a text file.
    """
    try:
        if path.suffix == ".parquet":
            return pq.read_table(path, columns=None if columns is None else list(columns))
        return _read_text(path, delimiter or _delimiter(path, encoding), names, columns, encoding)
    except FileNotFoundError:
        raise InvalidInputError(f"There is no file {path}.") from None
    except (pa.ArrowInvalid, pa.ArrowKeyError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"Cannot read {path}: {str(error).splitlines()[0].rstrip('.')}.") from None


def _delimiter(path: Path, encoding: str) -> str:
    """The delimiter of a text file: the first of comma, semicolon and tab that its first line has most of."""
    if path.suffix == ".tsv":
        return "\t"
    with path.open(encoding=encoding) as file:
        header = file.readline()
    return max(",;\t", key=header.count)


def _read_text(
    path: Path, delimiter: str, names: Sequence[str] | None, columns: Sequence[str] | None, encoding: str
) -> pa.Table:
    source: io.BytesIO | str = str(path)
    if len(delimiter) > 1:
        # Arrow accepts delimiters of one character only; the unit separator does not occur in ordinary text.
        source = io.BytesIO(path.read_bytes().replace(delimiter.encode(), b"\x1f"))
        delimiter = "\x1f"
    return pc.read_csv(
        source,
        read_options=pc.ReadOptions(column_names=names, encoding=encoding),
        parse_options=pc.ParseOptions(
            delimiter=delimiter,
            quote_char='"' if delimiter in ",;" else False,
            newlines_in_values=delimiter in ",;",
        ),
        convert_options=pc.ConvertOptions(include_columns=None if columns is None else list(columns)),
    )
