"""Tables in memory: pandas and polars DataFrames, Arrow tables, mappings of columns."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rather.errors import InvalidInputError
from rather.formats.tables.raw import RawTable, column_of, first_line, reject_duplicate_names, trimmed


def read_frame(source: Any) -> RawTable:
    """Read a table from memory."""
    library = type(source).__module__.split(".")[0]
    try:
        if library == "pandas" and hasattr(source, "columns"):
            return _from_pandas(source)
        if isinstance(source, pa.Table):
            return from_arrow(source, "the Arrow table")
        if hasattr(source, "__arrow_c_stream__") and hasattr(source, "columns"):
            return from_arrow(pa.table(source), f"the {library} DataFrame")
        if isinstance(source, Mapping):
            return RawTable("the table", {str(name): column_of(list(values)) for name, values in source.items()})
    except (pa.ArrowException, TypeError, ValueError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"Cannot read this {library} table: {first_line(error)}.") from None
    hint = " Call collect() on it first." if hasattr(source, "collect") else ""
    raise InvalidInputError(
        "`source` must be a path, a pandas or polars DataFrame, an Arrow table, a mapping of column names to lists, or "
        f"a matrix of item vectors, got {type(source).__name__}.{hint}"
    )


def _from_pandas(frame: Any) -> RawTable:
    if type(frame.index).__name__ != "RangeIndex":
        frame = frame.reset_index()
    names = [str(name) for name in frame.columns]
    reject_duplicate_names(names, "the pandas DataFrame")
    columns: dict[str, pa.Array] = {}
    skipped: dict[str, str] = {}
    for index, name in enumerate(names):
        series = frame.iloc[:, index]
        try:
            _take(name, pa.Array.from_pandas(series), columns, skipped)
        except (pa.ArrowException, TypeError, ValueError):  # a column of mixed objects
            columns[name] = column_of([None if value != value else value for value in series.tolist()])
    return RawTable("the pandas DataFrame", columns, skipped=skipped)


def from_arrow(table: pa.Table, source: str, path: Path | None = None) -> RawTable:
    """The columns of an Arrow table; the fields of structs become columns with a dot in their name."""
    while any(pa.types.is_struct(column.type) for column in table.schema):
        table = table.flatten()
    reject_duplicate_names(table.column_names, source)
    columns: dict[str, pa.Array] = {}
    skipped: dict[str, str] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        _take(name, column, columns, skipped)
    return RawTable(source, columns, path, skipped)


def _take(name: str, column: Any, columns: dict[str, pa.Array], skipped: dict[str, str]) -> None:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    plain = _plain(column)
    if plain is None:
        skipped[name] = f"holds {column.type}, which is neither text, number, date nor list"
    else:
        columns[name] = plain


def _plain(array: Any) -> pa.Array | None:
    """The array as one of the few types a `RawTable` holds, or None."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _plain(array.dictionary_decode())
    if pa.types.is_boolean(kind):
        return array
    if pa.types.is_integer(kind):
        return array.cast(pa.string() if kind == pa.uint64() else pa.int64())
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        if kind in (pa.float16(), pa.float32()):
            # Through text, so that 0.1 in single precision is 0.1 and not 0.10000000149.
            array = array.cast(pa.float32()).cast(pa.string())
        floats = array.cast(pa.float64())
        return pc.if_else(pc.is_nan(floats), None, floats)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return array.cast(pa.date32(), safe=False)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return trimmed(array.cast(pa.string()))
    if pa.types.is_null(kind):
        return array.cast(pa.string())
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        if pa.types.is_nested(kind.value_type) or pa.types.is_binary(kind.value_type):
            return None
        return column_of(array.to_pylist())
    return None
