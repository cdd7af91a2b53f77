"""CSV and TSV files: find the delimiter, read every value as text, and say where a malformed file goes wrong."""

import codecs
import contextlib
import csv
import io
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv

from rather.errors import InvalidInputError
from rather.formats.tables.encodings import encoding_text, find_encoding
from rather.formats.tables.raw import RawTable, distinct_names, first_line, reject_duplicate_names, trimmed

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
HEAD_BYTES = 2**18
SKIPPED = "the lines before the header are not part of the table and were skipped"
SAME_NAME = "several columns are called {name!r}; all but the first have a number behind it now"
ROW_NOUN = "row {} below the header"

# First bytes of files that people rename or export by mistake, and what to do instead.
OTHER_FORMATS = {
    b"PK\x03\x04": "looks like a spreadsheet (.xlsx) or a ZIP archive: save the sheet as CSV, or unpack it",
    b"\xd0\xcf\x11\xe0": "looks like an old Excel file (.xls): save the sheet as CSV",
    b"\x1f\x8b": "is compressed with gzip: unpack it first",
    b"PAR1": "is a Parquet file: give it the ending .parquet",
    b"SQLite format 3": "is an SQLite database: export the table as CSV",
    b"%PDF": "is a PDF document: a table ends in .csv, .tsv, .parquet or .jsonl",
}


def read_delimited(path: Path, delimiter: str | None, encoding: str | None, *, strict: bool = False) -> RawTable:
    """Read a CSV or TSV file with a header. Delimiter and encoding are detected unless given.

    Args:
        path: The file.
        delimiter: What separates its fields.
        encoding: Its encoding.
        strict: Whether a file that is not UTF-8 is rejected when no encoding is given.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    reject_binary(path, head, encoding)
    encoding = encoding or bom_encoding(head)
    repairs = []
    if encoding in (None, "utf-8-sig") and not strict and not _is_utf8(path):
        encoding = find_encoding(path.read_bytes())
        repairs.append(encoding_text(encoding))
    text = decoded_head(path, head, encoding)
    if not text.strip():
        raise InvalidInputError(f"{path.name} is empty: it has neither a header nor rows.")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\n\r'):
        raise InvalidInputError(f"`delimiter` must be a single character, got {delimiter!r}.")
    given = delimiter is not None
    delimiter = delimiter or find_delimiter(text)
    skipped = 0 if strict else _preamble(_rows(text, delimiter, 100))
    blank, names = _header(path, text, delimiter, given, skipped)
    if skipped:
        repairs.append(SKIPPED)
    if strict:
        reject_duplicate_names(names, path.name)
    names, again = distinct_names(names)
    repairs += [SAME_NAME.format(name=name) for name in again]
    if encoding in (None, "utf-8-sig") and strict and not _is_utf8(path):
        _explain_bytes(path, delimiter, names)
    if len(head) < HEAD_BYTES and len(_rows(text, delimiter, blank + 2)) <= blank + 1:
        columns = dict.fromkeys(names, pa.array([], pa.string()))  # Arrow cannot read a header without a line break
    else:
        table = _read(path, names, blank, delimiter, encoding)
        columns = {name: trimmed(column.combine_chunks()) for name, column in zip(names, table.columns, strict=True)}
    return RawTable(path.name, columns, path, row_noun=ROW_NOUN, repairs=tuple(repairs))


def reject_binary(path: Path, head: bytes, encoding: str | None) -> None:
    """Raise if the first bytes of a file are not those of a text file."""
    for magic, advice in OTHER_FORMATS.items():
        if head.startswith(magic):
            raise InvalidInputError(f"{path.name} {advice}.")
    if encoding is None and bom_encoding(head) is None and b"\0" in head:
        raise InvalidInputError(
            f"{path.name} is a binary file (byte {head.index(0):,} is zero), not text. If it is UTF-16, put "
            f'`encoding = "utf-16-le"` under [table] in {path.with_suffix(".toml").name}.'
        )


def bom_encoding(head: bytes) -> str | None:
    """The encoding given by a byte order mark, if there is one."""
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    return "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None


def decoded_head(path: Path, head: bytes, encoding: str | None) -> str:
    """The start of a file as text; wrong bytes are reported when the whole file is read."""
    try:
        whole = len(head) < HEAD_BYTES
        return codecs.getincrementaldecoder(encoding or "utf-8")(errors="replace").decode(head, final=whole)
    except (LookupError, UnicodeError, TypeError):
        raise InvalidInputError(
            f"`encoding` {encoding!r} does not exist; try 'utf-8', 'latin-1' or 'cp1252' for {path.name}."
        ) from None


def find_delimiter(text: str) -> str:
    """The delimiter that splits the header into several names and the first rows into as many fields."""
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        rows = _rows(text, delimiter, 100)
        widths = [len(row) for row in rows[_preamble(rows) :] if row]
        if len(widths) > 2 and len(text) >= HEAD_BYTES // 4:
            widths.pop()  # it may have been cut off
        if not widths or widths[0] < 2:
            continue
        score = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _rows(text: str, delimiter: str, count: int) -> list[list[str]]:
    """The first rows, up to one that cannot be read."""
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):
        rows.extend(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), count))
    return rows


def _preamble(rows: Sequence[Sequence[str]]) -> int:
    """How many rows before the header are not part of the table: a title, a date, blank ones."""
    widths = Counter(len(row) for row in rows if any(cell.strip() for cell in row))
    width = max(widths, key=lambda each: widths[each], default=0)
    first = next((index for index, row in enumerate(rows) if len(row) == width), 0)
    alone = all(sum(bool(cell.strip()) for cell in row) <= 1 for row in rows[:first])
    return first if width > 1 and alone and any(rows[:first]) and widths[width] > 2 else 0


def _header(path: Path, text: str, delimiter: str, given: bool, skipped: int) -> tuple[int, list[str]]:
    """How many lines come before the header, and the names of the columns; at least `skipped` lines do."""
    rows = _rows(text, delimiter, 100)
    if not rows or (len(rows) == 1 and len(text.encode()) >= HEAD_BYTES and "\n" not in text.rstrip("\r\n")):
        longest = max(len(name) for name in text.split("\n", 1)[0].split(delimiter))
        raise InvalidInputError(
            f"The header of {path.name} is too long: it must end within {HEAD_BYTES:,} bytes, and a name within "
            f"{csv.field_size_limit():,} (the longest has {longest:,}). Shorten the names, or leave columns out."
        )
    blank = next(
        (index for index, row in enumerate(rows) if index >= skipped and any(cell.strip() for cell in row)), None
    )
    if blank is None:
        raise InvalidInputError(f"{path.name} has no header: its first {len(rows)} rows are blank.")
    names = [cell.strip() or f"column {number}" for number, cell in enumerate(rows[blank], start=1)]
    if all(_is_number(name) for name in names):
        raise InvalidInputError(
            f"The first row of {path.name} holds numbers ({', '.join(names[:4])}); it must hold the columns' names."
        )
    others = [word for sign, word in DELIMITERS.items() if sign != delimiter and sign in names[0]]
    if given and len(names) == 1 and others:
        raise InvalidInputError(
            f"{path.name} has one column called {names[0]!r} when it is split at {delimiter!r}, "
            f"but its header holds {others[0]}: leave `delimiter` out, or correct it."
        )
    return blank, names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read(path: Path, names: list[str], blank: int, delimiter: str, encoding: str | None) -> pa.Table:
    wrong: list[pa_csv.InvalidRow] = []

    def collect(row: pa_csv.InvalidRow) -> str:
        wrong.append(row)
        return "error" if len(wrong) > 1 else "skip"

    size = path.stat().st_size
    try:
        table = pa_csv.read_csv(
            path,
            read_options=pa_csv.ReadOptions(
                use_threads=False,  # otherwise rows are not numbered
                block_size=min(max(2 * size + 2**16, 2**20), 2**27),  # a row must fit in a block
                column_names=names,
                skip_rows=blank,
                skip_rows_after_names=1,
                encoding="utf-8" if encoding in (None, "utf-8-sig") else encoding,
            ),
            parse_options=pa_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=collect
            ),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except UnicodeError as error:
        raise InvalidInputError(f"{path.name} is not encoded as {encoding}: {error}.") from None
    except pa.ArrowException as error:
        if not wrong:
            raise InvalidInputError(f"{path.name} cannot be read as delimited text: {first_line(error)}.") from None
    if wrong:
        _explain_row(path, wrong[0], delimiter)
    return table


def _explain_row(path: Path, row: "pa_csv.InvalidRow", delimiter: str) -> None:
    shown = row.text if len(row.text) <= 60 else row.text[:57] + "..."
    raise InvalidInputError(
        f"Row {row.number} of {path.name} (the header is row 1) has {row.actual_columns} fields where the header has "
        f"{row.expected_columns}: {shown!r}. A value that contains {DELIMITERS.get(delimiter, repr(delimiter))} or a "
        "line break must be in double quotes. Or the delimiter is another one: set `delimiter` under [table] in "
        f"{path.with_suffix('.toml').name}."
    )


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while part := file.read(2**24):
                decoder.decode(part)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _explain_bytes(path: Path, delimiter: str, names: list[str]) -> None:
    """Raise with the line and column of the first byte that is not UTF-8."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                fields = len((_rows(line[: error.start].decode(), delimiter, 1) or [[""]])[0])
                column = f"column {names[fields - 1]!r}, " if 1 <= fields <= len(names) else ""
                raise InvalidInputError(
                    f"Line {number} of {path.name}, {column}holds a byte (0x{line[error.start]:02x}) that is not "
                    f"UTF-8: {line.decode('latin-1').strip()[:60]!r}. Save the file as UTF-8, or put "
                    f'`encoding = "cp1252"` (or "latin-1") under [table] in {path.with_suffix(".toml").name}.'
                ) from None
