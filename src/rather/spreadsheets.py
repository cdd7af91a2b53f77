"""Texts in spreadsheets: a cell that a person wrote is shown and never computed."""

# What makes a program take a text for a formula, or skip to one; full-width signs count in some of their languages.
FORMULA_SIGNS = "=+-@\t\r\n＝＋－＠"

# A leading apostrophe means "this is text" in every spreadsheet program.
TEXT_SIGN = "'"

# As RFC 4180 has it. With another one, the csv module leaves a lone carriage return unquoted: it would begin a row.
LINE_END = "\r\n"


def guarded(text: str) -> str:
    """A text as a cell that no spreadsheet program takes for a formula; `unguarded` gives the text back.

    >>> guarded("=1+1"), guarded("plain"), guarded("'quoted'")
    ("'=1+1", 'plain', "''quoted'")
    """
    return TEXT_SIGN + text if text.startswith((*FORMULA_SIGNS, TEXT_SIGN)) else text


def unguarded(cell: str) -> str:
    """The text of a cell that `guarded` made."""
    return cell.removeprefix(TEXT_SIGN)
