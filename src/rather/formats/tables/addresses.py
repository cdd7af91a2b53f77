"""Addresses in the cells of a table: the page of an item, and its pictures."""

import re

from rather.formats.tables.cells import Cells

# From this share of addresses on, a column is taken for addresses: nobody has a taste for the others ("coming soon").
ADDRESS_SHARE = 0.5
# Distinct values that are looked at: a column of addresses starts with some.
VALUES_TRIED = 1_000

_WEB = re.compile(r"https?://[^\s/?#|\\]+[^\s|\\]*", re.IGNORECASE)
# Addresses have commas and semicolons of their own; between two of them, the second begins as one does.
_BETWEEN = re.compile(r"[|;,\s]+(?=https?://|/)", re.IGNORECASE)
_PICTURE_NAME = re.compile(r"image|img|photo|picture|poster|cover|thumb|bild|foto|imagen|imágen", re.IGNORECASE)
_PICTURE_FILE = re.compile(r"\.(jpe?g|png|webp|gif|svg|avif)([?#]|$)", re.IGNORECASE)


def addresses(text: str, separator: str | None = None) -> list[str]:
    """The addresses in a cell; several are separated as lists are: by bars, semicolons, commas or white space."""
    parts = text.split(separator) if separator else _BETWEEN.split(text)
    return [part for each in parts if (part := each.strip(" \t\r\n|;,"))]


def link(text: str) -> str | None:
    """The first address in a cell that leads to a page by http or https; None without one."""
    return next((address for address in addresses(text) if _WEB.fullmatch(address)), None)


def pictures(text: str, separator: str | None = None) -> list[str]:
    """The addresses of pictures in a cell: by http or https, or on the server that shows them (`/pictures/1.jpg`)."""
    found = dict.fromkeys(addresses(text, separator))
    return [address for address in found if _WEB.fullmatch(address) or re.fullmatch(r"/[^/\\\s]\S*", address)]


def holds_addresses(cells: Cells) -> bool:
    """Whether most values are addresses of http or https."""
    tried = cells.distinct[:VALUES_TRIED]
    return bool(tried) and sum(link(text) is not None for text in tried) >= ADDRESS_SHARE * len(tried)


def are_pictures(name: str, cells: Cells) -> bool:
    """Whether the addresses of a column are those of pictures, by its name or their endings."""
    if _PICTURE_NAME.search(name):
        return True
    found = [address for text in cells.distinct[:VALUES_TRIED] for address in addresses(text)]
    return sum(bool(_PICTURE_FILE.search(address)) for address in found) >= ADDRESS_SHARE * len(found)
