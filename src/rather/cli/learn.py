"""`rather learn`: vectors from ratings, or what people want from their answers."""

from typing import Any

import typer
from typer.core import TyperGroup

from rather.cli.command_help import Command
from rather.cli.learn_answers import learn_answers
from rather.cli.learn_ratings import learn_ratings


class LearnCommands(TyperGroup):
    """Takes what is not a command for a table of ratings: `rather learn ratings.csv` is `rather learn ratings …`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """See `click.Group.parse_args`."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["ratings", *args]
        return super().parse_args(ctx, args)


learn = typer.Typer(
    name="learn",
    cls=LearnCommands,
    help="Learn vectors from ratings, or what people want from their answers; every other command takes the file.",
    epilog="`rather learn ratings.csv` is short for `rather learn ratings ratings.csv`.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

learn.command("ratings", cls=Command)(learn_ratings)
learn.command("answers", cls=Command)(learn_answers)
