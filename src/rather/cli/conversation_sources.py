"""Where commands read conversations from: a database, an export, or logs; and about which catalogue."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from rather.errors import InvalidInputError
from rather.nouns import counted

DATABASE_ENDINGS = (".db", ".sqlite", ".sqlite3")

ConversationSource = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="Conversations: a database (its URL, or a SQLite file), a folder that `rather export` wrote, a log "
        "(.json, .jsonl) that `rather ask --save` wrote, or a folder of logs.",
    ),
]
AboutCatalog = Annotated[
    str, typer.Option("--catalog", help="What they are about: a table (cars.csv), vectors, or 'films'.")
]
ServedName = Annotated[
    str | None,
    typer.Option(help="The name under which the catalogue was served.", show_default="the name of its file"),
]


def is_database(source: str) -> bool:
    """Whether it is the URL of a database, or a SQLite file."""
    return "://" in source or Path(source).suffix in DATABASE_ENDINGS


def is_export(source: str) -> bool:
    """Whether it is a folder that `rather export` wrote."""
    path = Path(source)
    return path.is_dir() and any(path.glob("respondents.*"))


def validate_name(name: str, names: Mapping[str, int], source: str) -> None:
    """Reject the name of a catalogue that no stored session is about; `names` has the number of sessions of each."""
    if name not in names:
        known = ", ".join(f"{each!r} ({counted(count, 'session')})" for each, count in names.items())
        raise InvalidInputError(
            f"{source} has no conversation about {name!r}. There are: {known or 'none'}. Name one by --name."
        )
