"""The command line. Commands live in modules of their own and import the core only when they run."""

import typer

from rather import __version__
from rather.cli import (
    ask,
    bench,
    data,
    demo,
    export,
    insights,
    inspect,
    learn,
    mcp,
    plan,
    publish,
    reproduce,
    research,
    serve,
    simulate,
    strategies,
    study,
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


EVERYDAY = (
    demo.demo,
    ask.ask,
    serve.serve,
    inspect.inspect,
    vectors.vectors,
    plan.plan,
    publish.publish,
    mcp.mcp,
    insights.insights,
)
FOR_RESEARCH = (simulate.simulate, strategies.strategies, bench.bench, reproduce.reproduce)
PANEL = "Research"

for everyday in EVERYDAY:
    app.command(cls=Command)(everyday)
app.add_typer(learn.learn)
app.command(cls=Command)(export.export)
app.command("import", cls=Command)(export.import_)
app.add_typer(study.study)
for command in FOR_RESEARCH:
    app.command(cls=Command, rich_help_panel=PANEL)(command)
app.add_typer(research.research, rich_help_panel=PANEL)
app.add_typer(data.data, rich_help_panel=PANEL)
