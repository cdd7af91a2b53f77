"""The report as one HTML page that loads nothing: for a browser, for print, for an e-mail."""

from collections.abc import Sequence
from html import escape

from rather.controls import visible
from rather.insights import plots
from rather.insights.estimates import Estimate
from rather.insights.page_text import (
    deciding_text,
    progress_text,
    segments_text,
    shares_text,
    wants_text,
    willingness_text,
    winners_text,
)
from rather.insights.part_worths import PartWorths
from rather.insights.progress import Progress
from rather.insights.report import Insights, Wants
from rather.insights.tables import Cell, Table, find, tables
from rather.nouns import plural

# The policy of the page: nothing is loaded, nothing runs.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

# Rows of a table on the page; the CSV file has all.
MOST_ROWS = 30
# Bars of a plot.
MOST_BARS = 15

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.55 system-ui, sans-serif; color: #1f2933; background: #fff; margin: 0 auto; max-width: 46rem;
  padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0.5rem 0; }
h2 { font-size: 1.35rem; margin: 2.6rem 0 0.4rem; border-top: 1px solid #cbd2d9; padding-top: 1.4rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 0.2rem; }
p { margin: 0.5rem 0; max-width: 40rem; }
.note { color: #52606d; font-size: 0.92rem; }
.numbers { display: flex; flex-wrap: wrap; gap: 0.8rem; margin: 1rem 0; padding: 0; list-style: none; }
.numbers li { border: 1px solid #cbd2d9; border-radius: 6px; padding: 0.6rem 1rem; min-width: 7rem; }
.numbers b { display: block; font-size: 1.5rem; line-height: 1.2; }
svg { width: 100%; height: auto; margin: 0.6rem 0; font-family: system-ui, sans-serif; }
details { margin: 0.4rem 0 1rem; }
summary { cursor: pointer; color: #1f5f8b; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.25rem 0.8rem 0.25rem 0; border-bottom: 1px solid #e4e7eb; vertical-align: top; }
td.n, th.n { text-align: right; }
@media print { details > * { display: block; } h2 { break-after: avoid; } svg, tr { break-inside: avoid; } }
"""


def page(insights: Insights, *, waiting: bool = False, refresh: int | None = None) -> str:
    """The report as HTML.

    Args:
        insights: The report.
        waiting: Whether what people want is still being computed.
        refresh: Seconds after which the browser loads the page again.
    """
    found = tables(insights)
    title = f"What people want: {insights.catalog}"
    again = "" if refresh is None else f'<meta http-equiv="refresh" content="{refresh}">'
    parts = [
        f"<h1>{_escaped(title)}</h1>",
        _note(f"Made on {insights.created_at}. Times are in UTC."),
        *_progress(insights.progress, found),
    ]
    if insights.wants is not None:
        parts += _wants(insights.wants, insights.noun, found)
    elif waiting:
        parts += ["<h2>What people want</h2>", _paragraph("This is being computed. The page shows it when it is done.")]
    else:
        parts += ["<h2>What people want</h2>", _paragraph("Nobody has answered a question yet.")]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">{again}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_escaped(title)}</title><style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _progress(progress: Progress, found: Sequence[Table]) -> list[str]:
    total = progress.total
    boxes = [("began", total.began), ("answered", total.answered), ("finished", total.finished)]
    numbers = "".join(f"<li><b>{count:,}</b>{name}</li>" for name, count in boxes)
    parts = ["<h2>How conversations went</h2>", f'<ul class="numbers">{numbers}</ul>', *_texts(progress_text(progress))]
    if progress.left_at:
        labels, counts = [str(number) for number in progress.left_at], list(progress.left_at.values())
        parts += ["<h3>Where people left</h3>", plots.columns(labels, counts, title="People who left, by question")]
        parts.append(_table(found, "left_at"))
    if progress.by_day:
        days = list(progress.by_day.items())[-60:]
        began = [counts.began for _, counts in days]
        parts += ["<h3>Conversations per day</h3>", plots.columns([day[5:] for day, _ in days], began, title="By day")]
        parts.append(_table(found, "by_day", newest=True))
    for name, own in (("campaign", progress.by_campaign), ("arm", progress.by_arm)):
        if own:
            parts += [f"<h3>By {name}</h3>", _table(found, f"by_{name}", opened=True)]
    return parts


def _wants(wants: Wants, noun: str, found: Sequence[Table]) -> list[str]:
    parts = ["<h2>What matters most</h2>", *_texts(wants_text(wants, noun))]
    if wants.importances:
        names = [each.column for each in wants.importances[:MOST_BARS]]
        lengths = [each.share for each in wants.importances[:MOST_BARS]]
        parts.append(plots.bars(names, lengths, title="How much each column decides", percent=True))
        parts.append(_table(found, "importances", shares=True))
        parts += ["<h2>What each value is worth</h2>", *_texts(_worths_intro(noun))]
        order = [each.column for each in wants.importances]
        for column in sorted(wants.part_worths, key=lambda each: order.index(each.column)):
            parts += _part_worths(column)
        parts.append(_table(found, "part_worths"))
    parts += _segments(wants, found)
    if wants.pricing is not None:
        parts += ["<h2>What people would pay</h2>", *_texts(willingness_text(wants.pricing))]
        if wants.pricing.willingness:
            top = sorted(wants.pricing.willingness, key=lambda each: -abs(each.amount.value))[:MOST_BARS]
            labels = [f"{each.column}: {each.value}" for each in top]
            texts = [_money(each.amount.value, wants.pricing.unit) for each in top]
            amounts = [each.amount for each in top]
            parts.append(plots.bars(labels, amounts, title="What people would pay", texts=texts))
            parts.append(_table(found, "willingness_to_pay"))
    parts += _shares(wants, found)
    parts += _winners(wants, noun, found)
    parts += _deciding(wants, found)
    parts += _map(wants, noun, found)
    return parts


def _worths_intro(noun: str) -> list[str]:
    return [
        f"A value above 0 makes {plural(noun)} more attractive than the average one, a value below 0 less. The numbers "
        "have no unit; compare them with each other. For features that one has or has not, the number compares having "
        "it with not having it.",
        "The thin lines and the pale bands show how sure the estimates are: the truth lies within them in 19 of 20 "
        "cases.",
    ]


def _part_worths(column: PartWorths) -> list[str]:
    heading = f"<h3>{_escaped(column.column)}</h3>"
    title = f"Part-worths of {column.column}"
    if column.numbers is not None and len(column.values) > 2:
        return [heading, plots.curve(column.numbers, column.values, column.worths, title=title)]
    pairs = list(zip(column.values, column.worths, strict=True))
    if column.numbers is None:
        pairs = sorted(pairs, key=lambda each: -each[1].value)
    shown = pairs if len(pairs) <= MOST_BARS else [*pairs[: MOST_BARS - 5], *pairs[-5:]]
    return [heading, plots.bars([value for value, _ in shown], [worth for _, worth in shown], title=title)]


def _segments(wants: Wants, found: Sequence[Table]) -> list[str]:
    parts = ["<h2>Groups of people</h2>", *_texts(segments_text(wants.segments))]
    if len(wants.segments) > 1:
        lengths, numbers = (
            [each.share for each in wants.segments],
            [f"Group {n + 1}" for n in range(len(wants.segments))],
        )
        items = "".join(
            f"<li><b>{number}</b>{_escaped(each.name)}</li>"
            for number, each in zip(numbers, wants.segments, strict=True)
        )
        parts += [f'<ul class="numbers">{items}</ul>', plots.bars(numbers, lengths, title="Segments", percent=True)]
        parts.append(_table(found, "segments", shares=True))
    return parts


def _shares(wants: Wants, found: Sequence[Table]) -> list[str]:
    if not wants.shares:
        return []
    parts = ["<h2>Which one people would choose</h2>", *_texts(shares_text(wants))]
    labels = [each.item for each in wants.shares]
    parts.append(plots.bars(labels, [each.first_choice for each in wants.shares], title="First choice", percent=True))
    parts.append(_table(found, "shares", shares=True))
    for each in wants.what_ifs:
        parts.append(f"<h3>What if {_escaped(each.change)}</h3>")
        parts.append(
            plots.bars(
                [share.item for share in each.changes],
                [share.first_choice for share in each.changes],
                title="Change of shares",
                texts=[f"{100 * share.first_choice.value:+.0f} points" for share in each.changes],
            )
        )
    if wants.what_ifs:
        parts.append(_table(found, "what_if", shares=True))
    return parts


def _winners(wants: Wants, noun: str, found: Sequence[Table]) -> list[str]:
    top = wants.winners.items[:MOST_BARS]
    return [
        f"<h2>Which {_escaped(plural(noun))} win</h2>",
        *_texts(winners_text(wants.winners, noun)),
        plots.bars([each.item for each in top], [each.best for each in top], title="Winners", percent=True),
        _table(found, "winners", shares=True),
        _table(found, "dead_stock", title=f"{plural(noun).capitalize()} that are in nobody's best five"),
    ]


def _deciding(wants: Wants, found: Sequence[Table]) -> list[str]:
    if not wants.deciding.steps:
        return []
    steps = wants.deciding.steps[:20]
    left = [Estimate(each.regret, each.regret, each.regret) for each in steps]
    labels = [f"after question {each.number}" for each in steps]
    parts = ["<h2>Which questions decided</h2>", *_texts(deciding_text(wants.deciding))]
    parts.append(plots.bars(labels, left, title="Expected loss that is left", percent=True))
    parts.append(_table(found, "questions_by_number", shares=True))
    parts.append(_table(found, "questions", title="Questions that helped most", shares=True))
    return parts


def _map(wants: Wants, noun: str, found: Sequence[Table]) -> list[str]:
    named = [each.item for each in wants.winners.items[:12]]
    text = (
        f"Each grey dot is one of your {plural(noun)}; those close together are alike. Blue lines point to where "
        f"something increases. Each orange tick on the rim is a person: the {plural(noun)} on that side suit them. "
        f"Black dots are the winners. The map shows {wants.map.explained:.0%} of the differences between your "
        f"{plural(noun)}; the rest does not fit into two dimensions."
    )
    plot = plots.map_plot(wants.map, named, title="Items and tastes")
    return [f"<h2>A map of {_escaped(plural(noun))} and tastes</h2>", _paragraph(text), plot, _table(found, "map")]


def _table(
    found: Sequence[Table],
    name: str,
    *,
    opened: bool = False,
    newest: bool = False,
    shares: bool = False,
    title: str = "The numbers",
) -> str:
    """A table that a click opens, cut to what a person reads."""
    table = find(found, name)
    if table is None:
        return ""
    rows = list(reversed(table.rows)) if newest else list(table.rows)
    more = f" (the first {MOST_ROWS} of {len(rows):,}; the CSV file has all)" if len(rows) > MOST_ROWS else ""
    first = rows[0] if rows else ()
    kinds = ["" if isinstance(cell, str) else ' class="n"' for cell in first]
    head = "".join(f"<th{kind}>{_escaped(cell)}</th>" for kind, cell in zip(kinds, table.headings, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{_cell(cell, shares)}</td>" for kind, cell in zip(kinds, row, strict=True))
        + "</tr>"
        for row in rows[:MOST_ROWS]
    )
    return (
        f"<details{' open' if opened else ''}><summary>{_escaped(title)}{more}</summary>"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></details>'
    )


def _cell(cell: Cell, shares: bool) -> str:
    if isinstance(cell, float):
        return f"{cell:.1%}" if shares else f"{cell:,.2f}" if abs(cell) < 1000 else f"{cell:,.0f}"
    return _escaped(cell) if isinstance(cell, str) else "" if cell is None else f"{cell:,}"


def _money(amount: float, unit: str) -> str:
    sign = "−" if amount < 0 else ""
    return f"{sign}{unit if len(unit) == 1 else ''}{abs(amount):,.0f}{'' if len(unit) < 2 else ' ' + unit}"


def _texts(texts: Sequence[str]) -> list[str]:
    return [_paragraph(text) for text in texts]


def _paragraph(text: str) -> str:
    return f"<p>{_escaped(text)}</p>"


def _note(text: str) -> str:
    return f'<p class="note">{_escaped(text)}</p>'


def _escaped(text: str) -> str:
    return escape(visible(text))
