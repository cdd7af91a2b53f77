"""A table as a file again, with its settings beside it, so that reading it gives the same catalogue."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from rather.errors import InvalidInputError
from rather.formats.tables.raw import RawTable
from rather.formats.tables.reading import FORMATS
from rather.formats.tables.settings import spec_beside
from rather.formats.tables.settings_writing import spec_text
from rather.model.catalog import Catalog


def write_table(catalog: Catalog, path: str | Path) -> None:
    """Write the table of a catalogue as CSV, TSV or Parquet by the path's ending, and its settings as TOML beside it.

    Args:
        catalog: Made by `Catalog.from_table`.
        path: Where to; what is there is replaced.
    """
    path = Path(path)
    table = catalog.table
    if table is None:
        raise InvalidInputError("`catalog` must come from a table (Catalog.from_table) to be written as one.")
    form = FORMATS.get(path.suffix.lower())
    if form not in ("csv", "tsv", "parquet"):
        raise InvalidInputError(f"`path` must end in .csv, .tsv or .parquet, got {path.name!r}.")
    raw = table.examined.raw
    if form == "parquet":
        pq.write_table(pa.table(dict(raw.columns)), path)
    else:
        options = pa_csv.WriteOptions(delimiter="\t" if form == "tsv" else ",")
        pa_csv.write_csv(_texts(raw), path, options)
    spec = replace(table.spec, delimiter=None, encoding=None)  # those were of the file it was read from
    spec_beside(path).write_text(spec_text(spec, path.name), encoding="utf-8")


def _texts(raw: RawTable) -> pa.Table:
    """The columns as CSV can hold them: lists joined by bars, and no line without a character."""
    columns = {}
    for name, column in raw.columns.items():
        if pa.types.is_list(column.type):
            column = pc.binary_join(column, "|")
        if len(raw.columns) == 1:
            column = pc.fill_null(column.cast(pa.string()), "NA")
        columns[name] = column
    return pa.table(columns)
