"""`rather study`: describe a study, and check it."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rather.cli.command_help import Command
from rather.cli.console import say
from rather.cli.json_output import print_json
from rather.cli.options import Json, Strict
from rather.cli.study_compare import compare
from rather.errors import InvalidInputError
from rather.extras import require_extra
from rather.nouns import counted

if TYPE_CHECKING:
    from rather.server.studies import Study

study = typer.Typer(
    name="study",
    help="Studies: arms, quotas, tasks, and what came of them.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

StudyFile = Annotated[Path, typer.Argument(metavar="FILE", help="A TOML file with a study.")]


@study.command(cls=Command)
def new(file: StudyFile = Path("study.toml")) -> None:
    """Write an example of a study, to be edited.

    It says what can be set. A file that exists is left alone.

    Examples:
        rather study new
        rather study new spring.toml
    """
    text = files("rather.server").joinpath("studies/example.toml").read_text(encoding="utf-8")
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise InvalidInputError(f"{str(file)!r} exists already. Name another file, or delete it first.") from None
    except OSError as error:
        raise InvalidInputError(f"Cannot write {str(file)!r}: {error.strerror or error}.") from None
    say(f"wrote {file}. Edit it, then: rather study check {file} --catalog cars.csv")


@study.command(cls=Command)
def check(
    file: StudyFile,
    catalog: Annotated[
        str | None, typer.Option(help="What it is about: a table (cars.csv), vectors, or 'films'.")
    ] = None,
    json_output: Json = False,
    strict: Strict = False,
) -> None:
    """Check a study and print what it says.

    With its catalogue, also that all items of its tasks are there and that its arms can ask about it.

    Examples:
        rather study check study.toml
        rather study check study.toml --catalog cars.csv
    """
    require_extra("serve", "`rather study check`")
    from rather.server.studies import Study

    held = Study.from_file(file)
    if catalog is not None:
        _check_catalog(held, catalog, strict)
    said = _described(held)
    if json_output:
        print_json(said)
        return
    for name, value in said.items():
        if name not in ("arms", "tasks"):
            say(f"{name}: {value if value is not None else 'no limit'}")
    for arm in said["arms"]:
        settings = "".join(f", {name} {value}" for name, value in arm["settings"].items())
        quota = "" if arm["quota"] is None else f", at most {arm['quota']:,}"
        say(f"arm {arm['name']}: weight {arm['weight']}{quota}{settings}, {arm['seeds']} seeds")
    for task in said["tasks"]:
        say(f"question {task['question']}: {task['kind']} task about {', '.join(map(str, task['items']))}")


def _check_catalog(held: "Study", catalog: str, strict: bool) -> None:
    from rather.cli.progress import open_with_progress
    from rather.server import Settings
    from rather.server.computing.catalogs import ServedCatalogs
    from rather.server.computing.gate import Gate
    from rather.server.conversations.participating import validated_catalog

    settings = Settings()
    opened = open_with_progress(catalog, strict=strict)
    gate = Gate(1, settings.limits.wait_seconds)
    served = ServedCatalogs({Path(catalog).stem or catalog: (opened.catalog, opened.belief)}, settings, gate)
    found = validated_catalog(held, served, settings.limits)
    say(f"{found.name}: {counted(len(found.catalog), found.catalog.name)}; the study is ready to run", stderr=True)


def _described(held: "Study") -> dict[str, Any]:
    return {
        "name": held.name,
        "catalog": held.catalog or "the only one that is served",
        "questions": f"{held.minimum} to {held.maximum}" if held.minimum < held.maximum else f"{held.minimum}",
        "quota": held.quota,
        "opens": None if held.opens is None else f"{held.opens.isoformat()}Z",
        "closes": None if held.closes is None else f"{held.closes.isoformat()}Z",
        "respondents": f"{'needed' if held.needs_respondent else 'optional'}{', once each' * held.once}",
        "redirect": held.end.redirect or "none",
        "arms": [
            {
                "name": arm.name,
                "weight": arm.weight,
                "quota": arm.quota,
                "settings": dict(arm.settings),
                "seeds": arm.seeds,
            }
            for arm in held.arms
        ],
        "tasks": [
            {"question": task.number, "kind": "hold-out" if task.holdout else "fixed", "items": list(task.items)}
            for task in held.tasks
        ],
    }


study.command(cls=Command)(compare)
