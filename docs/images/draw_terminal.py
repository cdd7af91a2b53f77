"""Draws docs/images/terminal.svg, the README's picture: two real questions of `rather ask films`.

Run: .venv/bin/python docs/images/draw_terminal.py
"""

import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from rather.cli.cards import choice_text, help_line, question_view, recommendations_view, show
from rather.simulation.users import Person
from rather.conversation.session import Session
from rather.simulation.conversations import draw_people
from rather.formats.opening import open_source

source = open_source("films")
session = Session(Policy(source.catalog, source.belief, seed=4))
person = Person(draw_people(source.belief, 1, seed=4)[0], session.response, seed=4)
console = Console(record=True, width=84, highlight=False, force_terminal=True)
console.print("[bold]$ rather ask films[/bold]")
for shown in range(6):
    question = session.ask()
    choice = person.answer(question)
    session.tell(question, choice)
    if shown in (0, 5):
        view = recommendations_view(session.recommend(3), session.expected_regret, session.start_regret)
        answer = Text(f"→ {choice_text(question, choice)}", style="bold green")
        show(console, question_view(question), help_line(len(question), session.response.extras), answer, view)
picture = console.export_svg(title="rather", unique_id="rather")
picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)  # fonts come from the reader, not from a host
Path(__file__).with_name("terminal.svg").write_text(picture, encoding="utf-8")
