"""A conversation with a person at a terminal."""

from collections.abc import Callable
from contextlib import nullcontext

from rich.console import Console
from rich.text import Text

from rather.cli.cards import choice_keys, choice_text, help_line, question_view, recommendations_view, show
from rather.cli.console import plain_console
from rather.cli.keys import BACKSPACE, read_key, single_keys, whole_lines
from rather.cli.progress import spinner
from rather.cli.terminal_contradictions import REVISE, Contradictions
from rather.cli.terminal_hints import hear, show_configuration
from rather.conversation.compared_facts import compared_facts
from rather.conversation.session import Session
from rather.conversation.wording import question_in, recommendations_in
from rather.languages import ENGLISH, count_text, message
from rather.model.questions import Question
from rather.model.responses import NONE, SAME, SKIP, Choice
from rather.nouns import plural

KEYS: dict[str, Choice] = {"0": NONE, "=": SAME, "?": SKIP}
CHANGE = ("c", "change something")  # of a product that is configured
UNDO = (BACKSPACE, "u")  # a line cannot hold a backspace
# More options than there are keys for are answered by lines.
MOST_KEYS = 9


def converse(session: Session, on_change: Callable[[], None], language: str = ENGLISH) -> None:
    """Ask until more questions would hardly help or the person quits; `on_change` is called after every change."""
    console = plain_console()
    number = session.policy.available  # must-haves leave fewer than there are
    items = f"{count_text(number, ENGLISH)} {plural(session.policy.catalog.name, number)}"
    count = message(language, "terminal.count", items=items, number=number)
    console.print(Text.assemble((count, "bold"), message(language, "terminal.welcome")))
    # Answers of several characters are typed as lines, in sight.
    with nullcontext() if session.policy.k > MOST_KEYS else single_keys():
        reason = _answered(console, session, on_change, language)
    finish(console, session, message(language, "terminal.you_asked") if reason is None else reason, language)
    if reason is not None and language == ENGLISH:  # what may be typed is English
        hear(console, session, on_change)


def _answered(console: Console, session: Session, on_change: Callable[[], None], language: str) -> str | None:
    """Ask until there is a reason to stop, which is returned, or the person quits."""
    contradictions = Contradictions(session, language)
    while (stop := session.stop) is None:
        contradictions.tell(console)
        with spinner(message(language, "terminal.choosing")):
            question = session.ask()
        answered = _one_answer(console, session, question, contradictions, on_change, language)
        if answered is None:
            return None
        if answered:
            on_change()
            _show_recommendations(console, session, language)
    return stop.said(language)


def _show_recommendations(console: Console, session: Session, language: str) -> None:
    regrets = session.expected_regret, session.policy.start_regret
    top = recommendations_in(session.recommend(5), session.policy.catalog, language)
    stands_for = session.stands_for(top, language=language)
    show(console, recommendations_view(top, *regrets, language=language, stands_for=stands_for))


def _one_answer(
    console: Console,
    session: Session,
    asked: Question,
    contradictions: Contradictions,
    on_change: Callable[[], None],
    language: str,
) -> bool | None:
    """Show a question and read keys until one is an answer or an undo.

    The question is the open one, or one whose answer is revised. False if the person changed a configuration instead,
    and has seen what is recommended since; None when they quit.
    """
    question = question_in(asked, session.policy.catalog, language)
    facts = compared_facts(question, session.policy.catalog, session.belief, language)
    # What may be typed is English.
    adjustable = session.policy.catalog.configurator is not None and language == ENGLISH
    help_keys = help_line(len(question), session.policy.response.extras, language, [CHANGE] if adjustable else [])
    show(console, question_view(question, facts, language), help_keys)
    while True:
        try:
            key = read_key(console, whole_lines=len(question) > MOST_KEYS)
        except (EOFError, KeyboardInterrupt):
            console.print()
            return None
        if key == "q":
            return None
        if key == REVISE and contradictions.told is not None:
            earlier = session.turns[contradictions.told.earlier - 1].question
            contradictions.told = None
            return _one_answer(console, session, earlier, contradictions, on_change, language)
        if adjustable and key == CHANGE[0]:
            _show_recommendations(console, session, language)
            show_configuration(console, session, heading="The first of them:")
            with whole_lines():
                hear(console, session, on_change, then="go on")
            return False
        if key in UNDO:
            if question.number < session.number:
                return True  # its answer stays
            if session.steps:
                session.undo()
                return True
            console.print(message(language, "terminal.nothing_to_undo"), style="red")
            continue
        choice = _choice(key, question, session)
        if choice is None:
            keys = choice_keys(len(question), language)
            console.print(message(language, "terminal.type", keys=keys), style="red")
            continue
        if question.number == session.number:
            session.tell(question.number, choice)
        else:
            session.revise(question.number, choice)
        console.print(Text(f"→ {choice_text(question, choice, language)}", style="bold green"))
        return True


def _choice(key: str, question: Question, session: Session) -> Choice | None:
    if key.isdecimal() and 1 <= int(key) <= len(question):
        return int(key) - 1
    choice = KEYS.get(key)
    return choice if choice is SKIP or choice in session.policy.response.extras else None


def finish(console: Console, session: Session, reason: str, language: str = ENGLISH) -> None:
    """Why asking stopped, and the recommendation."""
    done = "\n" + message(language, "terminal.done", count=len(session.turns))
    console.print(Text.assemble((done, "bold"), message(language, "terminal.because", reason=reason)))
    top = recommendations_in(session.recommend(5), session.policy.catalog, language)
    why = session.reasons(top, "you", language)
    regrets = session.expected_regret, session.policy.start_regret
    stands_for = session.stands_for(top, language=language)
    show(console, recommendations_view(top, *regrets, why, language, stands_for))
    show_configuration(console, session, language)
