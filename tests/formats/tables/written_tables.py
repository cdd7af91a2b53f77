"""An encoded table as files: in another format, with everything that was decided about it as settings beside it."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from rather.formats.tables.settings import settings_path
from rather.formats.tables.settings_writing import settings_text


def write_out(table, path):
    """Write it as CSV, TSV or Parquet by the path's ending."""
    raw = table.inspected.raw
    if path.suffix == ".parquet":
        pq.write_table(pa.table(dict(raw.columns)), path)
    else:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        pa_csv.write_csv(_as_texts(raw), path, pa_csv.WriteOptions(delimiter=delimiter))
    settings = replace(table.settings, delimiter=None, encoding=None)  # those were of the original file
    settings_path(path).write_text(settings_text(settings, path.name), encoding="utf-8")


def _as_texts(raw):
    """The columns as CSV can hold them: lists joined by bars, and no empty line."""
    columns = {}
    for name, column in raw.columns.items():
        if pa.types.is_list(column.type):
            column = pc.binary_join(column, "|")
        columns[name] = pc.fill_null(column.cast(pa.string()), "NA") if len(raw.columns) == 1 else column
    return pa.table(columns)
