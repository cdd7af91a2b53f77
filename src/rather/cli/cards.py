"""Questions and recommendations as they look in a terminal."""

from collections.abc import Sequence

from rich import box
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from rather.model.questions import Option, Question, Recommendation
from rather.model.responses import Answer, Choice

CARD_WIDTH = 38
BAR_WIDTH = 16
MOST_FACTS = 8

ANSWER_TEXTS = {
    Answer.NONE: "none of these",
    Answer.SAME: "about the same",
    Answer.SKIP: "skipped",
}


def question_view(question: Question) -> RenderableType:
    """Items as numbered cards, side by side where the terminal is wide enough; attributes as a sentence and a list."""
    if question.kind == "attributes":
        return Group(_sentence(question), *(_line(number, option) for number, option in enumerate(question.options, 1)))
    shown = facts_to_show(question.options)
    cards = [_card(number, option, shown) for number, option in enumerate(question.options, start=1)]
    return Group(Text(f"\nQuestion {question.number}: {question.lead}…", style="bold"), Columns(cards))


def _sentence(question: Question) -> Text:
    sentence = Text(f"\nQuestion {question.number}: ", style="bold")
    for piece in question.words:
        sentence.append(piece.text, style="bold cyan" if piece.stressed else "not bold")
    return sentence


def _line(number: int, option: Option) -> Text:
    return Text.assemble((f"  {number}  ", "bold"), (option.label, "cyan"))


def facts_to_show(options: Sequence[Option]) -> list[str]:
    """Names of the facts that fit on a card: all if they are few, otherwise those in which the options differ."""
    names = list(dict.fromkeys(name for option in options for name in option.facts if name != "line"))
    if len(names) <= MOST_FACTS:
        return names
    differing = [name for name in names if len({option.facts.get(name) for option in options}) > 1]
    return differing[:MOST_FACTS]


def _card(number: int, option: Option, shown: Sequence[str]) -> Panel:
    line = option.facts.get("line")
    lines = [Text.assemble((f"{name}  ", "dim"), option.facts[name]) for name in shown if name in option.facts]
    if line:
        lines += [Text(""), Text(line, style="italic")]
    heading = Text(option.label, style="bold cyan")
    return Panel(Group(heading, *lines), title=Text(f" {number} ", style="bold"), box=box.ROUNDED, width=CARD_WIDTH)


def choice_text(question: Question, choice: Choice) -> str:
    """What was answered, in words."""
    return ANSWER_TEXTS[choice] if isinstance(choice, Answer) else question.options[choice].label


def recommendations_view(top: Sequence[Recommendation], regret: float, start_regret: float) -> RenderableType:
    """The best items so far, the chance that each is the very best one, and the expected cost of stopping now."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", justify="right", style="dim")
    table.add_column("We would recommend now", style="bold", no_wrap=True, overflow="ellipsis", max_width=36)
    table.add_column("chance to be your best", no_wrap=True)
    table.add_column("expected utility", justify="right")
    for rank, item in enumerate(top, start=1):
        filled = round(item.probability_best * BAR_WIDTH)
        bar = Text("█" * filled, style="green").append("░" * (BAR_WIDTH - filled), style="dim")
        table.add_row(
            str(rank),
            Text(item.label),
            bar.append(f" {item.probability_best:4.0%}", style="default"),
            f"{item.expected_utility:.2f} ± {item.spread:.2f}",
        )
    share = regret / start_regret if start_regret > 0 else 0.0
    note = Text(f"Expected regret of stopping now: {regret:.3f} ({share:.0%} of the initial regret)\n")
    return Group(table, note)


def help_line(k: int, offered: Sequence[Answer]) -> Text:
    """The keys a person may press."""
    keys = [(f"1..{k}", "choose")]
    keys += [("n", "none of these")] * (Answer.NONE in offered)
    keys += [("s", "about the same")] * (Answer.SAME in offered)
    keys += [("?", "don't know"), ("u", "undo"), ("q", "quit")]
    text = Text()
    for key, meaning in keys:
        text.append(key, style="bold yellow").append(f" {meaning}   ", style="dim")
    return text


def show(console: Console, *views: RenderableType) -> None:
    """Print views one below the other."""
    for view in views:
        console.print(view)
