"""`rather research`: studies of one's own catalogue."""

import typer

from rather.cli.command_help import Command
from rather.cli.first_questions import first_questions
from rather.cli.holdout import holdout
from rather.cli.interactions import interactions
from rather.cli.utilities import utilities

research = typer.Typer(
    name="research",
    help="Study a catalogue of your own: first questions by strategy, columns held out, pairs of columns, utilities.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

for command in (first_questions, holdout, interactions, utilities):
    research.command(cls=Command)(command)
