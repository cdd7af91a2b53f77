"""Why a table may be rejected: every message, and what must then be true of it, checked without the code under test.

A fuzz test that lets any error pass would let a table be rejected for no reason at all.
"""

import ast
import codecs
import json
import math
import re
from datetime import date
from itertools import pairwise

QUOTED = r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
MISSING = {"", "na", "n/a", "#n/a", "nan", "null", "-", "--", "?", "unknown"}
LARGEST = 1e100


def assert_justified(error, table, settings=None):
    """The one rejection that the message claims applies to this mapping of columns, under these column settings."""
    message, columns = str(error), dict(zip(names(table), table.values(), strict=True))
    for pattern, applies in REJECTIONS.items():
        if match := re.match(pattern, message, re.DOTALL):
            assert applies(match, columns, settings or {}, table), message
            return
    raise AssertionError(f"a rejection that nobody expected: {message}")


def names(table):
    return [name.strip() or f"column {number}" for number, name in enumerate(table, start=1)]


def text_of(value):
    if isinstance(value, list | tuple):
        return "|".join(filter(None, map(text_of, value)))
    if isinstance(value, float) and math.isfinite(value) and value == round(value) and abs(value) < 1e15:
        return str(int(value))
    return "" if value is None else str(value).strip()


def present(values):
    """The texts of a column that are not missing. In a column of lists, an empty one is present."""
    given = [value for value in values if value is not None]
    if all(isinstance(value, list) for value in given):
        return [text_of(value) for value in given]
    return [text for text in map(text_of, given) if text.casefold() not in MISSING]


def cell(match, columns):
    """The row and column that a message names, as a text."""
    row, name = int(match["row"]), ast.literal_eval(match["column"])
    return text_of(columns[name][row - 1])


def holds_no_number(text):
    """Not in plain notation; a leading zero makes it a code."""
    return not re.fullmatch(r"[+-]?(0|[1-9]\d*)(\.\d*)?([eE][+-]?\d{1,3})?", text, re.ASCII)


def is_float(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def holds_no_date(text):
    try:
        date.fromisoformat(text)
    except ValueError:
        return True
    return False


def is_too_large(match, columns, settings, table):
    return abs(float(re.sub(r"[^\d.eE+inf-]", "", cell(match, columns)))) > LARGEST


def is_no_number(match, columns, settings, table):
    """Neither in plain notation, nor in that of its column: beside 1,5 there can be no 1.0."""
    column = columns[ast.literal_eval(match["column"])]
    commas = any(re.search(r"\d,\d", text_of(value)) for value in column)
    return holds_no_number(cell(match, columns)) or (commas and "." in cell(match, columns))


def nothing_to_learn(match, columns, settings, table):
    """Each column that is named is constant, empty, or of a kind that cannot be learned from."""
    reasons = re.findall(rf"{QUOTED} is ([a-z/]+)(?:, (the same in all rows|no values at all))?", match["reasons"])
    assert len(reasons) == min(8, len(columns))
    for quoted, kind, why in reasons:
        values = present(columns[ast.literal_eval(quoted)])
        own = settings.get(ast.literal_eval(quoted), {})
        if why == "the same in all rows":
            assert len(set(values)) == 1
        elif why == "no values at all":
            assert values == []
        else:
            assert kind in ("text", "label", "id", "image", "link", "stock") or own.get("role") in ("show", "ignore")
    return True


def setting(name):
    """The offending setting was given for some column."""
    return lambda match, columns, settings, table: any(name in own for own in settings.values())


def wrong_buckets(match, columns, settings, table):
    given = [own["buckets"] for own in settings.values() if "buckets" in own]
    return any(not edges or any(b <= a for a, b in pairwise(edges)) for edges in given)


def unknown_column(match, columns, settings, table):
    return any(name not in columns for name in settings)


def same_name(match, columns, settings, table):
    return names(table).count(ast.literal_eval(match["name"])) >= 2


def constant_column(match, columns, settings, table):
    return len(set(present(columns[ast.literal_eval(match["column"])]))) <= 1


LOCATION = rf"row (?P<row>\d+) \(counted from 1\), column (?P<column>{QUOTED}) of the table holds"

REJECTIONS = {
    r"the table has no columns that can be read": lambda match, columns, settings, table: not columns,
    r"the table must have at least two rows .*only a header": lambda match, columns, settings, table: (
        max(map(len, table.values()), default=0) == 0
    ),
    r"the table must have at least two rows .*only one row": lambda match, columns, settings, table: (
        max(map(len, table.values())) == 1
    ),
    rf"Columns \d+ and \d+ of the table are both called (?P<name>{QUOTED})": same_name,
    rf"{LOCATION} .*, which is not a number up to 1e\+100": is_too_large,
    rf"{LOCATION} (?P<text>{QUOTED}), which is not a number": is_no_number,
    rf"{LOCATION} (?P<text>{QUOTED}), which is not a date": lambda match, columns, settings, table: holds_no_date(
        cell(match, columns)
    ),
    rf"{LOCATION} (?P<text>{QUOTED}), which is not yes or no": lambda match, columns, settings, table: (
        cell(match, columns).casefold() not in ("yes", "no", "true", "false", "0", "1")
    ),
    r"No column of the table can be learned from: (?P<reasons>.*?)(?: and \d+ more)?\. A table needs": nothing_to_learn,
    rf"Column (?P<column>{QUOTED}) of the table (is the same in all rows|has no values)": constant_column,
    r"`settings`: `buckets` must be a list of ascending numbers": wrong_buckets,
    r"`settings`: `(name|unit|separator)` must be a text": lambda match, columns, settings, table: any(
        match[1] in own and not own[match[1]].strip() for own in settings.values()
    ),
    r"`settings`: the table has no column": unknown_column,
    r"`settings`: another column is called": setting("name"),
    r"`settings`: column .* holds [a-z/]+, which has no direction": setting("direction"),
    r"`settings`: column .* holds [a-z/]+; only numbers and dates have buckets": setting("buckets"),
    r"`settings`: column .* holds [a-z/]+, which can be shown but not learned from": setting("role"),
}


def assert_file_justified(error, content: bytes, ending: str):
    """The rejection that the message claims applies to a file of this content."""
    message = str(error)
    for pattern, applies in FILE_REJECTIONS.items():
        if match := re.search(pattern, message, re.DOTALL):
            assert applies(match, content, ending), message
            return
    raise AssertionError(f"a rejection that nobody expected: {message}")


def is_not_utf8(match, content, ending):
    try:
        content.decode("utf-16" if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8")
    except UnicodeDecodeError:
        return True
    return False


def text_lines(content):
    return content.decode(errors="replace").splitlines()


def is_no_json(match, content, ending):
    text = content.decode(errors="replace").removeprefix("\ufeff")
    for part in [text] if text.lstrip().startswith("[") else filter(str.strip, text.split("\n")):
        try:
            json.loads(part)
        except (ValueError, RecursionError):
            return True
    return False


def has_fewer_rows_than_two(match, content, ending):
    """At most a header and one row, not counting lines without a value. A quoted value may hold line breaks."""
    if ending in (".jsonl", ".json"):
        return True
    lines = re.split(r"[\r\n]+", content.decode(errors="replace"))
    return b'"' in content or len([line for line in lines if re.sub(r"[\s,;|]", "", line)]) <= 2


FILE_REJECTIONS = {
    r"t\.parquet is not a Parquet file": lambda match, content, ending: not content.startswith(b"PAR1"),
    r"t\.parquet is damaged": lambda match, content, ending: content.startswith(b"PAR1"),
    r"is a binary file \(byte": lambda match, content, ending: b"\0" in content,
    r"looks like|is compressed|is a Parquet file|is an SQLite|is a PDF": lambda match, content, ending: True,
    r"holds a byte \(0x[0-9a-f]{2}\) that is not|is not encoded as": is_not_utf8,
    r"is empty: it has neither a header nor rows": lambda match, content, ending: (
        not content.decode(errors="replace").removeprefix("\ufeff").strip()
    ),
    r"has no header: its first \d+ rows are blank": lambda match, content, ending: (
        not re.search(r"[^\W_]", text_lines(content)[0]) if text_lines(content) else True
    ),
    r"must have at least two rows to choose from": has_fewer_rows_than_two,
    r"Columns \d+ and \d+ of t\.[a-z]+ are both called": lambda match, content, ending: True,
    r"has \d+ fields where the header has (\d+)": lambda match, content, ending: len(text_lines(content)) > 1,
    r"The first row of t\.\w+ holds numbers \((?P<names>[^)]+)\)": lambda match, content, ending: all(
        is_float(name) for name in match["names"].split(", ")
    ),
    r"has one column called .* when it is split at '\\t'": lambda match, content, ending: ending == ".tsv",
    r"cannot be read as delimited text": lambda match, content, ending: ending in (".csv", ".tsv"),
    r"is not JSON|Line \d+ of t\.\w+ cannot be read": is_no_json,
    r"Each line must hold an object|is empty: it holds no objects": lambda match, content, ending: (
        ending in (".jsonl", ".json")
    ),
    r"column .* holds \S+, too large to compute with": lambda match, content, ending: (
        re.search(rb"e\d{3}|inf", content, re.IGNORECASE) is not None
    ),
    r"column .* holds .*, which is not a (number|date)": lambda match, content, ending: True,
    r"No column of t\.\w+ can be learned from": lambda match, content, ending: True,
}
