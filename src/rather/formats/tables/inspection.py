"""Decide what every column of a table is: what was told, and for the rest what is found."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rather.errors import InvalidInputError
from rather.formats.tables.cells import MISSING, Cells
from rather.formats.tables.column_kinds import (
    DIRECTED,
    USABLE,
    ColumnKind,
    Direction,
    Finding,
    Form,
    Role,
    choose_id,
    choose_label,
    find_kind,
    is_unique,
    label_template,
    moving_together,
    usual_role,
)
from rather.formats.tables.naming import name_and_unit, noun_of_file, pretty_name
from rather.formats.tables.raw import RawTable
from rather.formats.tables.reading import read_table
from rather.formats.tables.settings import ColumnSpec, Spec, load_spec, suggestion
from rather.formats.tables.table_columns import Column, Examined, label_columns

# Beyond this, sums of squares leave the range of floating point numbers.
LARGEST_NUMBER = 1e100


def read_examined(
    source: Any,
    spec: Spec | Mapping[str, Any] | str | Path | None = None,
    *,
    ignore: Sequence[str] = (),
    most_megabytes: float | None = None,
) -> Examined:
    """Read a table and decide what its columns are; see `catalog_from_table`."""
    told = load_spec(spec, Path(source) if isinstance(source, str | Path) else None)
    limit = told.most_megabytes if most_megabytes is None else most_megabytes
    raw = read_table(source, delimiter=told.delimiter, encoding=told.encoding, most_megabytes=limit)
    ignored = [ignore] if isinstance(ignore, str) else list(ignore)
    for name in ignored:
        if name not in raw.columns:
            raise InvalidInputError(f"`ignore`: {raw.source} has no column {name!r}{suggestion(name, [*raw.columns])}")
    return examine(raw, told.ignoring(ignored))


def examine(raw: RawTable, told: Spec | None = None) -> Examined:
    """Decide what every column is. A column that cannot be used as it is carries its `problem`."""
    told = told or Spec()
    _reject_unknown_columns(raw, told)
    missing = MISSING if told.missing is None else told.missing
    cells = {name: Cells(array, (*missing, *(told.column(name).missing or ()))) for name, array in raw.columns.items()}
    found = {name: _with_told(find_kind(name, cells[name]), told.column(name), cells[name]) for name in cells}
    for name, (other, rank) in moving_together(found, cells).items():
        if told.column(name).role is None:
            note = f"says the same as {other!r} (rank correlation {rank:.2f}), so it is only shown"
            found[name] = replace(found[name], role=Role.SHOW, note=note)
    id = _id(found, cells, raw, told)
    label = _label(found, cells, raw, told)
    shown_first = label_columns(label, cells)
    columns = [_column(raw, name, found[name], cells[name], told, name in shown_first) for name in cells]
    named = _with_distinct_names(columns, told)
    return Examined(raw, named, id, label, told.name or _noun(raw), told)


def _noun(raw: RawTable) -> str:
    return (noun_of_file(raw.path.stem) if raw.path else None) or "item"


def _reject_unknown_columns(raw: RawTable, told: Spec) -> None:
    for name in told.columns:
        if name not in raw.columns and name not in raw.skipped:
            known = list(raw.columns)
            told.refuse(("columns", name), f"{raw.source} has no column {name!r}{suggestion(name, known)}")


def _with_told(found: Finding, told: ColumnSpec, cells: Cells) -> Finding:
    """What was found, overruled by what was told."""
    if told.kind is not None:
        role = told.role or usual_role(told.kind)
        if found.kind is told.kind and told.role is None:
            role = found.role
        return Finding(told.kind, role, found.note if found.kind is told.kind else "")
    if told.role is not None and found.problem and told.role is not Role.USE:
        return Finding(ColumnKind.TEXT, told.role, found.problem)
    return found if told.role is None else replace(found, role=told.role)


def _id(found: Mapping[str, Finding], cells: Mapping[str, Cells], raw: RawTable, told: Spec) -> str | None:
    named = [name for name in found if told.column(name).kind is ColumnKind.ID]
    if told.id is None and not named:
        return choose_id(found, cells)
    id = told.id if told.id is not None else named[0]
    if id not in cells:
        told.refuse(("table", "id"), f"{raw.source} has no column {id!r}{suggestion(id, list(cells))}")
    if told.id is None and not is_unique(cells[id]):
        return choose_id(found, cells)
    if not is_unique(cells[id]):
        codes = cells[id].codes
        first = int(np.argmax(codes < 0)) if (codes < 0).any() else _first_repeat(codes)
        what = "is empty" if codes[first] < 0 else f"holds {cells[id].distinct[codes[first]]!r} again"
        told.refuse(("table", "id"), f"`id` must name a column of distinct values, but {raw.place(first, id)} {what}.")
    return id


def _first_repeat(codes: npt.NDArray[np.int64]) -> int:
    _, first = np.unique(codes, return_index=True)
    again = np.ones(len(codes), dtype=bool)
    again[first] = False
    return int(again.argmax())


def _label(found: Mapping[str, Finding], cells: Mapping[str, Cells], raw: RawTable, told: Spec) -> str | None:
    if told.label is not None:
        for name in label_columns(told.label, cells) or [told.label]:
            if name not in cells:
                told.refuse(("table", "label"), f"{raw.source} has no column {name!r}{suggestion(name, list(cells))}")
        return told.label
    named = next((name for name in found if told.column(name).kind is ColumnKind.LABEL), None)
    if named is not None:
        return named
    wanted = {name: finding for name, finding in found.items() if told.column(name).role is not Role.IGNORE}
    free = {name: finding for name, finding in wanted.items() if told.column(name).kind is None}
    label = choose_label(free, cells)
    return None if label is None else label_template(label, wanted, cells)


def _column(raw: RawTable, name: str, found: Finding, cells: Cells, told: Spec, is_label: bool) -> Column:
    said = told.column(name)
    kind, role, note = found.kind, found.role, found.note
    if is_label and said.kind is None and kind is ColumnKind.TEXT:
        kind, role, note = ColumnKind.LABEL, said.role or Role.SHOW, ""
    if role is Role.USE and kind not in USABLE:
        told.refuse(
            ("columns", name, "role"), f"column {name!r} holds {kind}, which can be shown but not learned from."
        )
    if said.direction not in (None, Direction.DEPENDS) and kind not in DIRECTED:
        told.refuse(
            ("columns", name, "direction"), f"column {name!r} holds {kind}: neither more nor less of it exists."
        )
    if said.buckets is not None and kind not in (ColumnKind.NUMBER, ColumnKind.DATE):
        told.refuse(("columns", name, "buckets"), f"column {name!r} holds {kind}; only numbers and dates have buckets.")
    pretty, unit = name_and_unit(name) if kind is ColumnKind.NUMBER else (pretty_name(name), "")
    if said.unit is not None or (kind is ColumnKind.NUMBER and cells.numbers.unit):
        unit = cells.numbers.unit if said.unit is None else said.unit
    return Column(
        name,
        said.name or pretty,
        kind,
        role,
        cells,
        unit,
        said.direction or Direction.DEPENDS,
        said.buckets,
        (said.separator or cells.tag_separator or "|") if kind is ColumnKind.TAGS else None,
        note,
        _problem(raw, name, kind, cells, said, told) if role is Role.USE else "",
        said.form or Form.ALONE,
    )


def _problem(raw: RawTable, name: str, kind: ColumnKind, cells: Cells, said: ColumnSpec, told: Spec) -> str:
    """Why a column cannot be learned from as this kind, with the place and the ways out; "" if it can."""
    settings = told.source if told.lines else raw.path.with_suffix(".toml").name if raw.path else "`spec`"
    out = f'Correct it, or in {settings} under [columns."{name}"] add it to `missing`, or say role = "ignore"'
    if not cells.present.any():
        return f"Column {name!r} of {raw.source} has no values; there is nothing to learn from it."
    if len(cells.distinct) == 1 and cells.present.all():
        return f"Column {name!r} of {raw.source} is the same in all rows; there is nothing to learn from it."
    readings = {
        ColumnKind.NUMBER: "numbers",
        ColumnKind.DEGREE: "numbers",
        ColumnKind.YES_NO: "flags",
        ColumnKind.DATE: "dates",
    }
    if kind in readings:
        reading = getattr(cells, readings[kind])
        if (row := reading.unreadable) is not None:
            text = cells.distinct[int(cells.codes[row])]
            wanted = {"numbers": "a number", "flags": "yes or no", "dates": "a date"}[readings[kind]]
            return f'{raw.place(row, name)} holds {text!r:.60}, which is not {wanted}. {out} or kind = "category".'
        if readings[kind] == "numbers" and (np.abs(reading.values) > LARGEST_NUMBER).any():
            row = int(np.argmax(np.abs(np.nan_to_num(reading.values, posinf=np.inf)) > LARGEST_NUMBER))
            return f"{raw.place(row, name)} holds {reading.values[row]}, too large to reckon with. {out}."
    if kind is ColumnKind.CATEGORY and len(cells.distinct) > 20 and cells.counts.max() < 2:
        return (
            f"Column {name!r} of {raw.source} has {len(cells.distinct):,} different values, none of them twice: as a "
            f'category it says nothing about another {told.name or _noun(raw)}. Say kind = "text" in {settings}.'
        )
    return ""


def _with_distinct_names(columns: Sequence[Column], told: Spec) -> tuple[Column, ...]:
    """No two columns may read the same; where found names do, the raw ones stand."""
    seen: dict[str, int] = {}
    for column in columns:
        seen[column.pretty.casefold()] = seen.get(column.pretty.casefold(), 0) + 1
    result = []
    for column in columns:
        if seen[column.pretty.casefold()] > 1 and column.pretty != column.name:
            if told.column(column.name).name is not None:
                told.refuse(
                    ("columns", column.name, "name"), f"another column is called {column.pretty!r} as well as this one."
                )
            column = replace(column, pretty=column.name)
        result.append(column)
    return tuple(result)


def reject_problems(examined: Examined) -> None:
    """Raise the first problem of a column that is to be learned from."""
    for column in examined.columns:
        if column.problem:
            raise InvalidInputError(column.problem)
