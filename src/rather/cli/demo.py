"""`rather demo`: the first minute."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.options import Seed
from rather.extras import require_extra

if TYPE_CHECKING:
    from rather.conversation.session import Session


def demo(
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Stay in the terminal instead of opening the browser.")
    ] = False,
    seed: Seed = 0,
) -> None:
    """Answer questions about films right away, in the browser or in the terminal.

    In the browser, the page is served until you press Ctrl-C; in the terminal, q ends the questions.
    If standard input is not a terminal, a simulated user answers and the whole conversation is printed.

    Examples:
        rather demo
        rather demo --terminal --seed 7
    """
    if sys.stdin.isatty() and not terminal:
        from rather.cli.serve import serve

        require_extra("serve", "The page", "stay in the terminal: rather demo --terminal")
        serve(["films"], port=0, open_browser=True, quiet=True)
        return
    from rather.caching.storage import user_cache
    from rather.conversation.policy import Policy
    from rather.conversation.session import Session
    from rather.formats.opening import open

    session = Session(Policy(*open("films"), seed=seed), cache=user_cache())
    if sys.stdin.isatty():
        from rather.cli.terminal_conversation import converse

        converse(session, lambda: None)
    else:
        _play(session, seed)


def _play(session: "Session", seed: int) -> None:
    """A whole conversation with a user drawn from the belief, as it would look on the screen."""
    from rich.text import Text

    from rather.cli.cards import choice_text, question_view, recommendations_view, show
    from rather.cli.console import plain_console
    from rather.cli.terminal_conversation import finish
    from rather.conversation.compared_facts import compared_facts
    from rather.simulation.conversations import draw_users
    from rather.simulation.users import SimulatedUser

    console = plain_console()
    user = SimulatedUser(draw_users(session.policy.prior, 1, seed)[0], session.policy.response, seed)
    console.print("No terminal to answer at, so a simulated user does.", style="bold")
    while (stop := session.stop) is None:
        question = session.ask()
        facts = compared_facts(question, session.policy.catalog, session.belief)
        choice = user.answer(question)
        session.tell(question, choice)
        show(
            console,
            question_view(question, facts),
            Text(f"→ {choice_text(question, choice)}", style="bold green"),
            recommendations_view(session.recommend(3), session.expected_regret, session.policy.start_regret),
        )
    finish(console, session, stop.text)
    top = session.recommend(1)[0]
    console.print(f"This user's true regret with {top.label}: {user.regret(top.row, session.policy.catalog):.3f}")
