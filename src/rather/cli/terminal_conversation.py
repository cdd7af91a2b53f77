"""A conversation with a person at a terminal."""

from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from rather.cli.cards import choice_text, help_line, question_view, recommendations_view, show
from rather.cli.console import plain_console
from rather.cli.progress import spinner
from rather.conversation.session import Session
from rather.model.questions import Question
from rather.model.responses import NONE, SAME, SKIP, Choice
from rather.nouns import counted

KEYS: dict[str, Choice] = {"n": NONE, "s": SAME, "?": SKIP}


def converse(session: Session, on_change: Callable[[], None]) -> None:
    """Ask until more questions would hardly help or the person quits; `on_change` is called after every change."""
    console = plain_console()
    count = counted(len(session.policy.catalog), session.policy.catalog.name)
    console.print(
        Text.assemble((f"{count}.", "bold"), " A few questions, then a recommendation. There are no wrong answers.")
    )
    reason = _reason(session)
    while reason is None:
        with spinner("choosing a question"):
            question = session.ask()
        show(console, question_view(question), help_line(len(question), session.policy.response.extras))
        if not _one_answer(console, session, question):
            reason = "you asked to"
            break
        on_change()
        show(console, recommendations_view(session.recommend(5), session.expected_regret, session.policy.start_regret))
        reason = _reason(session)
    finish(console, session, reason)


def _reason(session: Session) -> str | None:
    stop = session.stop
    return None if stop is None else stop.text


def _one_answer(console: Console, session: Session, question: Question) -> bool:
    """Read keys until one is an answer or an undo; False when the person quits."""
    while True:
        try:
            key = console.input(Text("> ", style="bold")).strip().lower()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return False
        if key == "q":
            return False
        if key == "u":
            if session.turns:
                session.undo()
                return True
            console.print("Nothing to undo yet.", style="red")
            continue
        choice = _choice(key, question, session)
        if choice is None:
            console.print(f"Please type 1 to {len(question)} or one of the letters above.", style="red")
            continue
        session.tell(question, choice)
        console.print(Text(f"→ {choice_text(question, choice)}", style="bold green"))
        return True


def _choice(key: str, question: Question, session: Session) -> Choice | None:
    if key.isdecimal() and 1 <= int(key) <= len(question):
        return int(key) - 1
    choice = KEYS.get(key)
    return choice if choice is SKIP or choice in session.policy.response.extras else None


def finish(console: Console, session: Session, reason: str) -> None:
    """Why asking stopped, and the recommendation."""
    done = f"\nDone after {counted(len(session.turns), 'answer')}"
    console.print(Text.assemble((done, "bold"), f": {reason}."))
    show(console, recommendations_view(session.recommend(5), session.expected_regret, session.policy.start_regret))
