"""The report as one HTML page that loads nothing: for a browser, for print, for an e-mail."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from rather.controls import visible
from rather.insights.figures import Figure, figures
from rather.insights.page_text import (
    deciding_text,
    map_text,
    progress_text,
    segments_text,
    shares_text,
    wants_text,
    what_if_text,
    willingness_text,
    winners_text,
    worths_text,
)
from rather.insights.report import Insights, Wants
from rather.insights.tables import Cell, Table, find, tables
from rather.nouns import plural

# The policy of the page: nothing is loaded, nothing runs.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

# Rows of a table on the page; the CSV file has all.
MOST_ROWS = 30

# The columns of a table whose numbers are shares, where all are.
SHARES = range(100)

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
.numbers b { display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.groups { margin: 1rem 0; padding: 0; list-style: none; }
.groups li { margin: 0.4rem 0; }
.groups b { display: inline-block; min-width: 5.5rem; }
svg { display: block; width: 100%; height: auto; margin: 1.6rem 0 0.4rem; }
form.try { border: 1px solid #cbd2d9; border-radius: 6px; padding: 0.4rem 1rem 1rem; margin: 1.2rem 0; }
form.try label { display: block; margin: 0.8rem 0 0.2rem; font-weight: 600; }
form.try small { display: block; color: #52606d; font-size: 0.88rem; }
input, textarea { font: inherit; padding: 0.4rem 0.5rem; border: 1px solid #9aa5b1; border-radius: 4px; }
form.try input, form.try textarea { box-sizing: border-box; width: 100%; }
button { font: inherit; padding: 0.45rem 1.1rem; border: 0; border-radius: 4px; background: #1f5f8b; color: #fff;
  cursor: pointer; margin-top: 0.8rem; }
:focus-visible { outline: 3px solid #e0a47c; outline-offset: 2px; }
a { color: #1f5f8b; }
nav { display: flex; flex-wrap: wrap; gap: 0.4rem 1.2rem; align-items: center; font-size: 0.92rem; }
nav form { margin-left: auto; }
nav button { margin: 0; padding: 0; background: none; color: #1f5f8b; text-decoration: underline; }
.problem { border-left: 4px solid #b44d12; padding: 0.2rem 0 0.2rem 0.8rem; }
details { margin: 0.4rem 0 1rem; }
summary { cursor: pointer; color: #1f5f8b; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.25rem 0.8rem 0.25rem 0; border-bottom: 1px solid #e4e7eb; vertical-align: top; }
td.n, th.n { text-align: right; }
@media print {
  details::details-content { content-visibility: visible; }
  summary, nav, form, .csv { display: none; }
  h2, h3 { break-after: avoid; }
  svg, tr { break-inside: avoid; }
}
"""


@dataclass(frozen=True)
class Controls:
    """What the page of a server has that a file has not.

    Attributes:
        top: HTML above everything.
        form: HTML that asks which items to compare.
        csv: The address of a table as a CSV file, with `{name}` for its name.
        refresh: Seconds after which the browser loads the page again; None if never.
    """

    top: str
    form: str
    csv: str
    refresh: int | None = None


def page(insights: Insights, *, waiting: bool = False, controls: Controls | None = None) -> str:
    """The report as HTML.

    Args:
        insights: The report.
        waiting: Whether what people want is still being computed.
        controls: What a server adds. It also has to send a policy of its own, as the one of a file allows no form.
    """
    parts = _Parts(tables(insights), figures(insights), controls)
    title = f"What people want: {insights.catalog}"
    found = [
        "" if controls is None else controls.top,
        f"<h1>{_escaped(title)}</h1>",
        _note(f"Made on {insights.created_at}. Times are in UTC."),
        *_progress(insights, parts),
    ]
    if insights.wants is not None:
        found += _wants(insights.wants, insights.noun, parts)
    elif waiting:
        found += ["<h2>What people want</h2>", _paragraph("This is being computed. The page shows it when it is done.")]
    else:
        found += ["<h2>What people want</h2>", _paragraph("Nobody has answered a question yet.")]
    return document(title, "".join(found), _head(controls))


def document(title: str, body: str, head: str = "") -> str:
    """An HTML page in the style of the report."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{head}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_escaped(title)}</title><style>{STYLE}</style></head><body>{body}</body></html>\n"
    )


def _head(controls: Controls | None) -> str:
    if controls is None:
        return f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    return "" if controls.refresh is None else f'<meta http-equiv="refresh" content="{controls.refresh}">'


@dataclass(frozen=True)
class _Parts:
    """The plots and tables of a report, as HTML by their names."""

    tables: Sequence[Table] = field(repr=False)
    plots: Sequence[Figure] = field(repr=False)
    controls: Controls | None

    def figure(self, name: str) -> str:
        """A plot; nothing where the report has none."""
        return "".join(plot.svg for plot in self.plots if plot.name == name)

    def figures(self, table: str) -> str:
        """All plots of a table."""
        return "".join(plot.svg for plot in self.plots if plot.table == table)

    def table(
        self,
        name: str,
        *,
        opened: bool = False,
        newest: bool = False,
        title: str = "The numbers",
        percent: Sequence[int] = (),
    ) -> str:
        """A table that a click opens, cut to what a person reads; nothing where the report has none.

        Args:
            name: Of the table.
            opened: Whether it is open from the start.
            newest: Whether the last row comes first.
            title: What to click on.
            percent: The columns whose numbers are shares.
        """
        table = find(self.tables, name)
        if table is None:
            return ""
        rows = table.rows[::-1] if newest else table.rows
        more = f" (the first {MOST_ROWS} of {len(rows):,}; the CSV file has all)" if len(rows) > MOST_ROWS else ""
        kinds = ["" if isinstance(cell, str) else ' class="n"' for cell in rows[0]]
        head = "".join(f"<th{kind}>{_escaped(cell)}</th>" for kind, cell in zip(kinds, table.headings, strict=True))
        body = "".join(f"<tr>{_cells(row, kinds, percent)}</tr>" for row in rows[:MOST_ROWS])
        return (
            f"<details{' open' if opened else ''}><summary>{_escaped(title)}{more}</summary>"
            f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
            f"{self.csv(name, 'Download as CSV')}</details>"
        )

    def csv(self, name: str, text: str) -> str:
        """A link to a table as a CSV file; nothing in a file, which has nothing beside it."""
        if self.controls is None:
            return ""
        address = escape(self.controls.csv.replace("{name}", name))
        return f'<p class="csv"><a href="{address}" download>{_escaped(text)}</a></p>'


def _progress(insights: Insights, parts: _Parts) -> list[str]:
    progress = insights.progress
    total = progress.total
    boxes = [("began", total.began), ("answered", total.answered), ("finished", total.finished)]
    numbers = "".join(f"<li><b>{count:,}</b>{name}</li>" for name, count in boxes)
    found = ["<h2>How conversations went</h2>", f'<ul class="numbers">{numbers}</ul>', *_texts(progress_text(progress))]
    found += [parts.figure("left_at"), parts.table("left_at", percent=(3,))]
    found += [parts.figure("by_day"), parts.table("by_day", newest=True)]
    for name, own in (("campaign", progress.by_campaign), ("arm", progress.by_arm)):
        if own:
            found += [f"<h3>By {name}</h3>", parts.table(f"by_{name}", opened=True)]
            found.append(parts.table(f"left_at_by_{name}", title=f"Where people left, by {name}", percent=(4,)))
    return found


def _wants(wants: Wants, noun: str, parts: _Parts) -> list[str]:
    found = ["<h2>What matters most</h2>", *_texts(wants_text(wants, noun)), parts.figure("importances")]
    found.append(parts.table("importances", percent=SHARES))
    if wants.part_worths:
        found += ["<h2>What each value is worth</h2>", *_texts(worths_text(noun))]
        found += [parts.figures("part_worths"), parts.table("part_worths", percent=(5,))]
    found += _segments(wants, parts)
    if wants.pricing is not None:
        found += ["<h2>What people would pay</h2>", *_texts(willingness_text(wants.pricing))]
        found += [parts.figure("willingness_to_pay"), parts.table("willingness_to_pay")]
    found += _shares(wants, parts)
    many = plural(noun)
    found += [
        f"<h2>Which {_escaped(many)} win</h2>",
        *_texts(winners_text(wants.winners, noun)),
        parts.figure("winners"),
        parts.table("winners", percent=SHARES),
        parts.table("dead_stock", title=f"{many.capitalize()} that are in nobody’s best five"),
    ]
    if wants.deciding.steps:
        found += ["<h2>Which questions decided</h2>", *_texts(deciding_text(wants.deciding))]
        found += [parts.figure("questions_by_number"), parts.table("questions_by_number", percent=SHARES)]
        found.append(parts.table("questions", title="Questions that helped most", percent=SHARES))
    found += [f"<h2>A map of {_escaped(many)} and tastes</h2>", *_texts(map_text(wants.map, noun))]
    return [*found, parts.figure("map"), parts.table("map"), *_people(wants, parts)]


def _people(wants: Wants, parts: _Parts) -> list[str]:
    """Where to get tables of single respondents: they are not on the page, which may be shown to others."""
    links = [parts.csv("respondents", "Importances of each respondent")]
    links.append(parts.csv("respondent_part_worths", "Part-worths of each respondent"))
    return ["<h2>Each respondent</h2>", *links] if wants.part_worths and all(links) else []


def _segments(wants: Wants, parts: _Parts) -> list[str]:
    found = ["<h2>Groups of people</h2>", *_texts(segments_text(wants.segments))]
    if len(wants.segments) > 1:
        items = "".join(
            f"<li><b>Group {number}</b>{_escaped(each.name)}</li>" for number, each in enumerate(wants.segments, 1)
        )
        found += [f'<ul class="groups">{items}</ul>', parts.figure("segments")]
        found.append(parts.table("segments", percent=SHARES))
        found.append(parts.table("segment_differences", title="What sets the groups apart"))
    return found


def _shares(wants: Wants, parts: _Parts) -> list[str]:
    """Shares of preference, and what changes would do to them."""
    if not wants.shares:
        return []
    found = ['<h2 id="choose">Which one people would choose</h2>', *_texts(shares_text(wants))]
    found += ["" if parts.controls is None else parts.controls.form, parts.figure("shares")]
    found.append(parts.table("shares", percent=SHARES))
    if wants.what_ifs:
        found += ["<h3>What if</h3>", *_texts(what_if_text())]
        found += [parts.figures("what_if"), parts.table("what_if", percent=SHARES)]
    return found


def _cells(row: Sequence[Cell], kinds: Sequence[str], percent: Sequence[int]) -> str:
    cells = zip(kinds, row, strict=True)
    return "".join(f"<td{kind}>{_cell(cell, index in percent)}</td>" for index, (kind, cell) in enumerate(cells))


def _cell(cell: Cell, percent: bool) -> str:
    if isinstance(cell, float):
        text = f"{cell:.1%}" if percent else f"{cell:,.2f}" if abs(cell) < 1000 else f"{cell:,.0f}"
        return text.replace("-", "−")
    return _escaped(cell) if isinstance(cell, str) else "" if cell is None else f"{cell:,}"


def _texts(texts: Sequence[str]) -> list[str]:
    return [_paragraph(text) for text in texts]


def _paragraph(text: str) -> str:
    return f"<p>{_escaped(text)}</p>"


def _note(text: str) -> str:
    return f'<p class="note">{_escaped(text)}</p>'


def _escaped(text: str) -> str:
    return escape(visible(text))
