"""`rather data`: public data sets, and where they are on this machine."""

from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.command_help import Command
from rather.cli.console import say
from rather.cli.json_output import print_json
from rather.cli.options import From, Json

if TYPE_CHECKING:
    from rather.research.datasets import Dataset

data = typer.Typer(
    name="data",
    help="Public data sets: what there is, how to get it, where it is.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A data set; see `rather data list`.")]


@data.command("list", cls=Command)
def list_datasets(json_output: Json = False) -> None:
    """List the data sets and where they are on this machine.

    Example: rather data list
    """
    from rather.research.datasets import DATASETS

    folders = {name: _folder(dataset) for name, dataset in DATASETS.items()}
    if json_output:
        rows = [
            {"name": name, "title": dataset.title, "homepage": dataset.homepage, "folder": folders[name]}
            for name, dataset in DATASETS.items()
        ]
        print_json(rows)
        return
    from rich.table import Table
    from rich.text import Text

    from rather.cli.console import plain_console

    table = Table("name", "what it is", "here")
    for name, dataset in DATASETS.items():
        get = "rather data get …" if dataset.downloads else "--from a folder"
        here = Text(folders[name] or f"no ({get})", style="" if folders[name] else "dim")
        table.add_row(Text(name, style="bold"), dataset.title, here)
    plain_console().print(table)


@data.command(cls=Command)
def get(name: Name, source: From = None) -> None:
    """Download a data set from its publisher, or take it from a folder, into your data directory.

    Prints its terms and citation first and keeps them beside the files. A transfer that breaks off is resumed by the
    same command; a file that does not match the publisher's checksum is rejected.

    Examples:
        rather data get ml-100k
        rather data get ml-1m --from ~/downloads
    """
    from rather.cli.progress import byte_progress
    from rather.research.datasets import dataset_named
    from rather.research.datasets.download import get_dataset, terms

    dataset = dataset_named(name)
    say(terms(dataset), stderr=True)
    with byte_progress() as on_bytes:
        print(get_dataset(dataset, source, on_bytes))


@data.command(cls=Command)
def path(name: Name, source: From = None) -> None:
    """Print the folder a data set is in.

    Example: ls $(rather data path ml-100k)
    """
    from rather.research.datasets import find_dataset

    print(find_dataset(name, source).resolve())


def _folder(dataset: "Dataset") -> str | None:
    from rather.errors import MissingDataError
    from rather.research.datasets import find_dataset

    try:
        return str(find_dataset(dataset.name).resolve())
    except MissingDataError:
        return None
