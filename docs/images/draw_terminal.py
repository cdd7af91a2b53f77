"""Draws docs/images/terminal.svg, the README's picture: two real questions of `rather ask films`.

Run: .venv/bin/python docs/images/draw_terminal.py
"""

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

import rather
from rather.cli.cards import choice_text, help_line, question_view, recommendations_view, show
from rather.conversation.compared_facts import compared_facts
from rather.simulation import draw_users

# The first question and a late one are shown.
SHOWN = (1, 6)


def draw(path: Path) -> None:
    """Hold a conversation with a simulated user and write what a terminal shows of it."""
    catalog, belief = rather.open("films")
    policy = rather.Policy(catalog, belief, seed=4)
    session = rather.Session(policy)
    user = rather.SimulatedUser(draw_users(belief, 1, seed=4)[0], policy.response, seed=4)
    console = Console(record=True, width=84, highlight=False, force_terminal=True, file=io.StringIO())
    console.print("[bold]$ rather ask films[/bold]")
    while session.number <= max(SHOWN):
        question = session.ask()
        facts = compared_facts(question, catalog, session.belief)
        choice = user.answer(question)
        session.tell(question, choice)
        if question.number in SHOWN:
            view = recommendations_view(session.recommend(3), session.expected_regret, policy.start_regret)
            answer = Text(f"→ {choice_text(question, choice)}", style="bold green")
            show(
                console, question_view(question, facts), help_line(len(question), policy.response.extras), answer, view
            )
    picture = console.export_svg(title="rather", unique_id="rather")
    picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)  # no fonts from other hosts
    path.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    draw(Path(__file__).with_name("terminal.svg"))
