"""Decide what every column of a table is: from its settings, and for the rest from its name and values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rather.errors import InvalidInputError
from rather.formats.tables.addresses import link, pictures
from rather.formats.tables.amounts import in_other_currency
from rather.formats.tables.cells import LARGEST_NUMBER, MISSING, Cells
from rather.formats.tables.column_kinds import (
    AMOUNTS,
    DIRECTED,
    USABLE,
    ColumnKind,
    Direction,
    Finding,
    Role,
    Worth,
    choose_id,
    choose_label,
    find_kind,
    is_unique,
    label_template,
    names_rows,
    ranking_alike,
    saying_the_same,
    usual_role,
)
from rather.formats.tables.naming import name_and_unit, noun_of_file, pretty_name, shortened, spoken_name
from rather.formats.tables.parsing import plain_number
from rather.formats.tables.raw import RawTable
from rather.formats.tables.reading import read_table
from rather.formats.tables.settings import ColumnSettings, TableSettings, load_settings, suggestion
from rather.formats.tables.spellings import merge_spellings
from rather.formats.tables.stock import out_of_stock
from rather.formats.tables.table_columns import InspectedTable, TableColumn, label_columns

# Values that are named in a remark.
EXAMPLES = 3


def inspect_table(
    source: Any,
    settings: TableSettings | Mapping[str, Any] | str | Path | None = None,
    *,
    ignore: Sequence[str] = (),
    most_megabytes: float | None = None,
    strict: bool = False,
) -> InspectedTable:
    """Read a table and decide what its columns are; see `encode_table` for the arguments."""
    if isinstance(source, str | Path) and Path(source).suffix.lower() == ".toml":
        raise InvalidInputError(f"This needs a table; {Path(source).name} is a product space or holds settings.")
    given = load_settings(settings, Path(source) if isinstance(source, str | Path) else None)
    limit = given.most_megabytes if most_megabytes is None else most_megabytes
    raw = read_table(source, delimiter=given.delimiter, encoding=given.encoding, most_megabytes=limit, strict=strict)
    ignored = [ignore] if isinstance(ignore, str) else list(ignore)
    for name in ignored:
        if name not in raw.columns:
            raise InvalidInputError(f"`ignore`: {raw.source} has no column {name!r}{suggestion(name, [*raw.columns])}")
    return inspect_columns(raw, given.ignoring(ignored), strict=strict)


def inspect_columns(raw: RawTable, settings: TableSettings | None = None, *, strict: bool = False) -> InspectedTable:
    """Decide what every column is. A column that cannot be used as it is says why in its `problem`.

    Args:
        raw: The table as it was read.
        settings: What its owner decided.
        strict: Whether a value that cannot be read is a problem; otherwise it counts as missing.
    """
    settings = settings or TableSettings()
    _reject_unknown_columns(raw, settings)
    cells, found = _kinds(raw, settings)
    stock = _stock(raw, cells, found)
    sold_out = np.any([gone for gone, _ in stock.values()], axis=0) if stock else np.zeros(len(raw), dtype=bool)
    if sold_out.any():
        _reject_empty_stock(raw, list(stock), len(raw) - int(sold_out.sum()))
        raw = raw.selected(~sold_out)
        cells, found = _kinds(raw, settings)
        found |= {name: finding for name, (_, finding) in stock.items()}
    undecided = any(settings.column(name).role is None for name in found)
    for name, (other, rank) in ranking_alike(found, cells).items() if undecided else ():
        if settings.column(name).role is None:
            note = f"ranks the rows as {other!r} does (rank correlation {rank:.2f}), so it is only shown"
            found[name] = replace(found[name], role=Role.SHOW, note=note)
    for name, other in saying_the_same(found, cells).items() if undecided else ():
        if settings.column(name).role is None:
            found[name] = replace(found[name], role=Role.SHOW, note=f"says the same as {other}, so it is only shown")
    id = _id(found, cells, raw, settings)
    label = _label(found, cells, raw, settings)
    shown_first = label_columns(label, cells)
    for name in shown_first:
        others = any(finding.role is Role.USE for other, finding in found.items() if other != name)
        if others and names_rows(name) and found[name].role is Role.USE and settings.column(name) == ColumnSettings():
            found[name] = replace(found[name], role=Role.SHOW, note="names the rows, so it is only shown")
    columns = [_column(raw, name, found[name], cells[name], settings, name in shown_first, strict) for name in cells]
    named = _with_distinct_names(columns, settings)
    return InspectedTable(raw, named, id, label, settings.name or _noun(raw), settings, int(sold_out.sum()))


def _kinds(raw: RawTable, settings: TableSettings) -> tuple[dict[str, Cells], dict[str, Finding]]:
    missing = MISSING if settings.missing is None else settings.missing
    cells = {
        name: Cells(array, (*missing, *(settings.column(name).missing or ()))) for name, array in raw.columns.items()
    }
    return cells, {name: _overruled(find_kind(name, cells[name]), settings.column(name)) for name in cells}


def _stock(
    raw: RawTable, cells: Mapping[str, Cells], found: Mapping[str, Finding]
) -> dict[str, tuple[npt.NDArray[np.bool_], Finding]]:
    """For each column of stock `(n,)` which rows cannot be had, and the column with a remark that says how many."""
    stock = {}
    for name, finding in found.items():
        if finding.kind is ColumnKind.STOCK and finding.role is not Role.IGNORE:
            gone = out_of_stock(spoken_name(name), cells[name])
            count = int(gone.sum())
            note = f"{count:,} of {len(raw):,} rows are out of stock and left out" if count else ""
            stock[name] = gone, replace(finding, note=note)
    return stock


def _reject_empty_stock(raw: RawTable, names: Sequence[str], left: int) -> None:
    if left < 2:
        raise InvalidInputError(
            f"{raw.source} must have at least two rows in stock to choose from; by column {names[0]!r} it has "
            f'{left or "none"}. If that column means something else, set its kind to "category" in the settings.'
        )


def _noun(raw: RawTable) -> str:
    return (noun_of_file(raw.path.stem) if raw.path else None) or "item"


def _reject_unknown_columns(raw: RawTable, settings: TableSettings) -> None:
    for name in settings.columns:
        if name not in raw.columns and name not in raw.skipped:
            known = list(raw.columns)
            settings.reject(("columns", name), f"{raw.source} has no column {name!r}{suggestion(name, known)}")
    for name in (name for pair in settings.interactions or () for name in pair):
        if name not in raw.columns and name not in raw.skipped:
            problem = f"{raw.source} has no column {name!r}{suggestion(name, list(raw.columns))}"
            settings.reject(("table", "interactions"), f"`interactions`: {problem}")


def _overruled(found: Finding, given: ColumnSettings) -> Finding:
    """What was found, overruled by the settings of the column."""
    if given.kind is not None:
        role = given.role or usual_role(given.kind)
        if found.kind is given.kind and given.role is None:
            role = found.role
        return Finding(given.kind, role, found.note if found.kind is given.kind else "")
    return found if given.role is None else replace(found, role=given.role)


def _id(found: Mapping[str, Finding], cells: Mapping[str, Cells], raw: RawTable, settings: TableSettings) -> str | None:
    named = [name for name in found if settings.column(name).kind is ColumnKind.ID]
    if settings.id is None and not named:
        return choose_id(found, cells)
    id = settings.id if settings.id is not None else named[0]
    if id not in cells:
        settings.reject(("table", "id"), f"{raw.source} has no column {id!r}{suggestion(id, list(cells))}")
    if settings.id is None and not is_unique(cells[id]):
        return choose_id(found, cells)
    if not is_unique(cells[id]):
        codes = cells[id].codes
        first = int(np.argmax(codes < 0)) if (codes < 0).any() else _first_repeat(codes)
        what = "is empty" if codes[first] < 0 else f"holds {cells[id].distinct[codes[first]]!r} again"
        settings.reject(
            ("table", "id"), f"`id` must name a column of distinct values, but {raw.location(first, id)} {what}."
        )
    return id


def _first_repeat(codes: npt.NDArray[np.int64]) -> int:
    _, first = np.unique(codes, return_index=True)
    again = np.ones(len(codes), dtype=bool)
    again[first] = False
    return int(again.argmax())


def _label(
    found: Mapping[str, Finding], cells: Mapping[str, Cells], raw: RawTable, settings: TableSettings
) -> str | None:
    if settings.label is not None:
        for name in label_columns(settings.label, cells) or [settings.label]:
            if name not in cells:
                settings.reject(
                    ("table", "label"), f"{raw.source} has no column {name!r}{suggestion(name, list(cells))}"
                )
        return settings.label
    named = next((name for name in found if settings.column(name).kind is ColumnKind.LABEL), None)
    if named is not None:
        return named
    wanted = {name: finding for name, finding in found.items() if settings.column(name).role is not Role.IGNORE}
    free = {name: finding for name, finding in wanted.items() if settings.column(name).kind is None}
    label = choose_label(free, cells)
    return None if label is None else label_template(label, wanted, cells)


def _column(
    raw: RawTable, name: str, found: Finding, cells: Cells, settings: TableSettings, is_label: bool, strict: bool
) -> TableColumn:
    given = settings.column(name)
    kind, role, note = found.kind, found.role, found.note
    if is_label and given.kind is None and kind is ColumnKind.TEXT:
        kind, role, note = ColumnKind.LABEL, given.role or Role.SHOW, ""
    if role is Role.USE and not strict and (nothing := _nothing_to_learn(cells)):
        role, note = Role.IGNORE, nothing  # as on the day when all that is left is blue
    if role is Role.USE and kind not in USABLE:
        settings.reject(
            ("columns", name, "role"), f"column {name!r} holds {kind}, which can be shown but not learned from."
        )
    if given.direction not in (None, Direction.DEPENDS) and kind not in DIRECTED:
        settings.reject(("columns", name, "direction"), f"column {name!r} holds {kind}, which has no direction.")
    if given.buckets is not None and kind not in (*AMOUNTS, ColumnKind.DATE):
        settings.reject(
            ("columns", name, "buckets"), f"column {name!r} holds {kind}; only numbers and dates have buckets."
        )
    display_name, unit = name_and_unit(name) if kind in AMOUNTS else (pretty_name(name), "")
    if unit == "%" and given.unit is None and _are_shares(cells.numbers.values):
        display_name, unit = pretty_name(name), ""  # 0.73 is no per cent
    written = cells.numbers.unit if kind in AMOUNTS else ""
    if given.unit is None and written and unit.startswith("per "):
        display_name = pretty_name(name)  # a "price per night" in €
    if given.unit is not None or written:
        unit = written if given.unit is None else given.unit
    separator = (given.separator or cells.tag_separator or "|") if kind is ColumnKind.TAGS else None
    separator = given.separator if kind is ColumnKind.IMAGE else separator
    problem = _problem(raw, name, kind, cells, settings, strict) if role is Role.USE else ""
    repairs = [_unread_text(cells, kind)] if role is not Role.IGNORE and kind in READINGS and not problem else []
    if role is not Role.IGNORE and kind in (ColumnKind.LINK, ColumnKind.IMAGE):
        repairs = [_no_address_text(cells, kind, given.separator)]
    cells, merged = (cells, {}) if role is Role.IGNORE else merge_spellings(cells, kind, separator)
    repairs += [_merged_text(merged)]
    return TableColumn(
        name,
        given.name or display_name,
        kind,
        role,
        cells,
        unit,
        given.direction or Direction.DEPENDS,
        given.buckets,
        separator,
        note,
        problem,
        given.phrase,
        given.worth or Worth.CURVE,
        tuple(filter(None, repairs)),
        settings.name or _noun(raw),
    )


def _nothing_to_learn(cells: Cells) -> str:
    if not cells.present.any():
        return "no values at all"
    same = len(cells.distinct) == 1 and bool(cells.present.all())
    return f"the same in all rows ({cells.distinct[0]:.40})" if same else ""


def _are_shares(values: npt.NDArray[np.float64]) -> bool:
    known = values[~np.isnan(values)]
    return bool(len(known) and known.min() >= 0 and known.max() <= 1)


# How a column of each kind is read, and what its values should be.
READINGS = {
    ColumnKind.NUMBER: ("numbers", "a number"),
    ColumnKind.PRICE: ("numbers", "a number"),
    ColumnKind.DEGREE: ("numbers", "a number"),
    ColumnKind.YES_NO: ("flags", "yes or no"),
    ColumnKind.DATE: ("dates", "a date"),
}
PLURALS = {"a number": "numbers", "a date": "dates"}


def _unread_text(cells: Cells, kind: ColumnKind) -> str:
    """What is said about the values that could not be read; "" if all could."""
    name, wanted = READINGS[kind]
    reading = getattr(cells, name)
    unread = cells.unread(reading)
    foreign = Counter({text: count for text, count in unread.items() if in_other_currency(text, reading.unit)})
    texts = [_in_other_currency_text(foreign, reading.unit), _not_wanted_text(unread - foreign, wanted)]
    return "; ".join(filter(None, texts))


def _in_other_currency_text(foreign: Counter[str], unit: str) -> str:
    if not foreign:
        return ""
    total = foreign.total()
    are, count = ("1 value is", "counts") if total == 1 else (f"{total:,} values are", "count")
    return f"{are} in a currency other than {unit} and {count} as missing: {_quoted(foreign)}"


def _not_wanted_text(unread: Counter[str], wanted: str) -> str:
    if not unread:
        return ""
    total = unread.total()
    verb = (
        f"1 value is not {wanted} and counts"
        if total == 1
        else f"{total:,} values are not {PLURALS.get(wanted, wanted)} and count"
    )
    return f"{verb} as missing: {_quoted(unread)}"


def _quoted(texts: Counter[str]) -> str:
    return _some([f"{shortened(text, 30)!r}" for text, _ in texts.most_common()])


def _no_address_text(cells: Cells, kind: ColumnKind, separator: str | None) -> str:
    """What is said about values that are not addresses; "" if all are."""
    found = (bool(link(text) if kind is ColumnKind.LINK else pictures(text, separator)) for text in cells.distinct)
    wrong = [
        (text, count) for text, count, ok in zip(cells.distinct, cells.counts.tolist(), found, strict=True) if not ok
    ]
    if not wrong:
        return ""
    total = sum(count for _, count in wrong)
    verb = (
        "1 value is not an http or https address" if total == 1 else f"{total:,} values are not http or https addresses"
    )
    return f"{verb}: {_some([f'{shortened(text, 30)!r}' for text, _ in wrong])}"


def _merged_text(merged: Mapping[str, list[str]]) -> str:
    """What is said about spellings that were merged; "" if none were."""
    if not merged:
        return ""
    noun = "1 value has" if len(merged) == 1 else f"{len(merged):,} values have"
    examples = [f"{value!r} (also {', '.join(map(repr, others[:2]))})" for value, others in merged.items()]
    return f"{noun} several spellings, read as one: {_some(examples)}"


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:EXAMPLES]) + (f" and {len(texts) - EXAMPLES:,} more" if len(texts) > EXAMPLES else "")


def _problem(raw: RawTable, name: str, kind: ColumnKind, cells: Cells, settings: TableSettings, strict: bool) -> str:
    """Why a column cannot be learned from as this kind, where, and what to do about it; "" if it can."""
    file = settings.source if settings.lines else raw.path.with_suffix(".toml").name if raw.path else "`settings`"
    fix = f'Correct it, or in {file} under [columns."{name}"] add it to `missing` or set role = "ignore"'
    if not cells.present.any():
        return f"Column {name!r} of {raw.source} has no values; there is nothing to learn from it."
    if len(cells.distinct) == 1 and cells.present.all():
        return f"Column {name!r} of {raw.source} is the same in all rows; there is nothing to learn from it."
    if kind in READINGS:
        attribute, wanted = READINGS[kind]
        reading = getattr(cells, attribute)
        if (row := reading.unreadable) is not None and (strict or reading.share == 0):
            text = shortened(cells.distinct[int(cells.codes[row])])
            if wanted == "a number" and (plain_number(text) is not None or text in ("inf", "-inf")):
                wanted = f"a number up to {LARGEST_NUMBER:g}"
            return f'{raw.location(row, name)} holds {text!r}, which is not {wanted}. {fix} or kind = "category".'
    if kind is ColumnKind.CATEGORY and len(cells.distinct) > 20 and cells.counts.max() < 2:
        return (
            f"Column {name!r} of {raw.source} has {len(cells.distinct):,} different values, none of them twice: as a "
            f'category it says nothing about another {settings.name or _noun(raw)}. Set kind = "text" in {file}.'
        )
    return ""


def _with_distinct_names(columns: Sequence[TableColumn], settings: TableSettings) -> tuple[TableColumn, ...]:
    """No two columns may read the same; where inferred names do, the names in the table are used."""
    seen: dict[str, int] = {}
    for column in columns:
        seen[column.display_name.casefold()] = seen.get(column.display_name.casefold(), 0) + 1
    result = []
    for column in columns:
        if seen[column.display_name.casefold()] > 1 and column.display_name != column.name:
            if settings.column(column.name).name is not None:
                settings.reject(
                    ("columns", column.name, "name"), f"another column is called {column.display_name!r} too."
                )
            column = replace(column, display_name=pretty_name(column.name))
        result.append(column)
    return tuple(result)


def reject_problems(inspected: InspectedTable) -> None:
    """Raise the problem of the first column that is to be learned from and cannot be."""
    for column in inspected.columns:
        if column.problem:
            raise InvalidInputError(column.problem)
