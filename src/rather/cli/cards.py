"""Questions and recommendations as they look in a terminal."""

from collections.abc import Sequence

from rich import box
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from rather.conversation.compared_facts import ComparedFact
from rather.conversation.reasons import Reason
from rather.conversation.recommendations import match_text
from rather.languages import ENGLISH, message, percent
from rather.model.questions import Option, Question, Recommendation
from rather.model.responses import Answer, Choice

CARD_WIDTH = 38
BAR_WIDTH = 16
MOST_FACTS = 8

ANSWER_KEYS = {Answer.NONE: "terminal.none", Answer.SAME: "terminal.same", Answer.SKIP: "terminal.skipped"}


def question_view(question: Question, facts: Sequence[ComparedFact], language: str = ENGLISH) -> RenderableType:
    """Items as numbered cards, side by side where the terminal is wide enough; attributes as a sentence and a list."""
    if question.kind == "attributes":
        return Group(
            _sentence(question, language), *(_line(number, option) for number, option in enumerate(question.options, 1))
        )
    shown = facts_to_show(facts)
    cards = [_card(index, option, shown) for index, option in enumerate(question.options)]
    said = {"number": question.number, "lead": question.lead, "start": question.start}
    return Group(Text("\n" + message(language, "terminal.question", **said), style="bold"), Columns(cards))


def _sentence(question: Question, language: str) -> Text:
    sentence = Text("\n" + message(language, "terminal.sentence", number=question.number), style="bold")
    for piece in question.words:
        sentence.append(piece.text, style="bold cyan" if piece.stressed else "not bold")
    return sentence


def _line(number: int, option: Option) -> Text:
    return Text.assemble((f"  {number}  ", "bold"), (option.label, "cyan"))


def facts_to_show(facts: Sequence[ComparedFact]) -> list[ComparedFact]:
    """The facts that fit on a card: those in which the options differ, or all where they differ in none."""
    short = [fact for fact in facts if fact.is_short and fact.name != "line"]
    return ([fact for fact in short if fact.differs] or short)[:MOST_FACTS]


def _card(index: int, option: Option, shown: Sequence[ComparedFact]) -> Panel:
    line = option.facts.get("line")
    lines = [Text.assemble((f"{fact.name}  ", "dim"), fact.values[index] or "–") for fact in shown]
    if line:
        lines += [Text(""), Text(line, style="italic")]
    heading = Text(option.label, style="bold cyan")
    return Panel(Group(heading, *lines), title=Text(f" {index + 1} ", style="bold"), box=box.ROUNDED, width=CARD_WIDTH)


def choice_text(question: Question, choice: Choice, language: str = ENGLISH) -> str:
    """What was answered, in words."""
    return message(language, ANSWER_KEYS[choice]) if isinstance(choice, Answer) else question.options[choice].named


def recommendations_view(
    top: Sequence[Recommendation],
    regret: float,
    start_regret: float,
    reasons: Sequence[Sequence[Reason]] = (),
    language: str = ENGLISH,
    stands_for: Sequence[str] = (),
) -> RenderableType:
    """The best items so far, how well each matches and why, and what is still to gain by further answers.

    Args:
        top: The items.
        regret: What stopping now is expected to lose.
        start_regret: What stopping before the first answer would have lost.
        reasons: Those of each item, if they are shown.
        language: The language of the texts.
        stands_for: For whom each item is on the list, in words.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", justify="right", style="dim")
    heading = message(language, "terminal.recommended")
    # Not cut: what tells items apart is often at the end of what they are called, such as a year.
    table.add_column(heading, style="bold", overflow="fold", max_width=36)
    table.add_column(message(language, "terminal.match"))
    for rank, item in enumerate(top, start=1):
        filled = round(item.match * BAR_WIDTH)
        bar = Text("█" * filled, style="green").append("░" * (BAR_WIDTH - filled), style="dim")
        table.add_row(
            str(rank),
            Text(item.label),
            bar.append(f" {match_text(item, language)}", style="default"),
        )
        if rank <= len(stands_for) and stands_for[rank - 1]:
            table.add_row("", Text(stands_for[rank - 1], style="not bold dim"), "")
    share = regret / start_regret if start_regret > 0 else 0.0
    note = Text(message(language, "terminal.still", share=percent(share, language)) + "\n")
    why = zip(top, reasons, strict=False)
    return Group(table, *(_because(item, found, language) for item, found in why if found), note)


def _because(item: Recommendation, reasons: Sequence[Reason], language: str) -> RenderableType:
    """Why an item is recommended, one reason per line."""
    lines = [Text(f"  • {reason.text}") for reason in reasons]
    return Group(Text(message(language, "terminal.why", label=item.label), style="bold"), *lines, Text(""))


def help_line(
    k: int, offered: Sequence[Answer], language: str = ENGLISH, further: Sequence[tuple[str, str]] = ()
) -> Text:
    """The keys a person may press, which are those of the page, and further ones with what they do."""
    keys = [(choice_keys(k, language), "choose")]
    keys += [("0", "none")] * (Answer.NONE in offered)
    keys += [("=", "same")] * (Answer.SAME in offered)
    keys += [("?", "skip"), (message(language, "terminal.backspace"), "undo"), ("q", "quit")]
    text = Text()
    said = [(key, message(language, f"terminal.{meaning}")) for key, meaning in keys]
    said[-1:-1] = further  # before the key that quits
    for key, meaning in said:
        text.append(key, style="bold yellow").append(f" {meaning}   ", style="dim")
    return text


def choice_keys(k: int, language: str = ENGLISH) -> str:
    """The keys of k options: "1 or 2", "1 to 5"."""
    return message(language, "terminal.two_keys" if k == 2 else "terminal.several_keys", k=k)


def show(console: Console, *views: RenderableType) -> None:
    """Print views one below the other."""
    for view in views:
        console.print(view)
