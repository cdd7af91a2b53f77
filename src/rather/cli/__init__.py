"""The command line. Commands live in modules of their own and import the core only when they run."""

import typer

from rather import __version__
from rather.cli import (
    ask,
    bench,
    data,
    demo,
    holdout,
    inspect,
    learn,
    partial,
    reproduce,
    serve,
    simulate,
    strategies,
    vectors,
)
from rather.cli.command_help import Command

app = typer.Typer(
    name="rather",
    help="Ask a few questions, then recommend: would you rather…?",
    epilog="Start with: rather demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rather {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Ask a few questions, then recommend: would you rather…?"""


COMMANDS = (
    demo.demo,
    ask.ask,
    serve.serve,
    inspect.inspect,
    holdout.holdout,
    simulate.simulate,
    partial.partial,
    strategies.strategies,
    learn.learn,
    vectors.vectors,
    reproduce.reproduce,
    bench.bench,
)

for command in COMMANDS:
    app.command(cls=Command)(command)
app.add_typer(data.data)
