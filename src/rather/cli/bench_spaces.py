"""A benchmark of product spaces as tables for the terminal."""

from rich.table import Table

from rather.cli.bench_table import LOOK, busy_note, goals_table, shown_number
from rather.cli.console import plain_console
from rather.nouns import counted
from rather.research.bench.spaces import SpacesReport

LEGEND = (
    "All catalogues take turns. A question is the second one, for particles that nothing is known about yet. x table: "
    "its time over that for the table of the same columns, cut down. The gap of a search is 0 by construction: the "
    "longest path of a decision diagram is found, not approximated; it is checked where all configurations can be "
    "looked at."
)


def print_spaces(report: SpacesReport) -> None:
    """Everything that was measured."""
    console = plain_console()
    console.print(LEGEND, style="dim")
    console.print(_questions(report))
    console.print(_must_haves(report))
    searches = report.searches
    console.print(
        f"{searches.directions} searches for {searches.count} items among {searches.valid:,} valid configurations of "
        f"{searches.combinations:,} that were all looked at: gap {searches.gap:.1e}, {searches.misjudged} misjudged."
    )
    console.print(_evoi(report))
    if report.regret:
        console.print(_regret(report))
    for floor in report.floors:
        console.print(
            f"told {floor.bits:.1f} bits about each user, a recommendation of a laptop could leave "
            f"{100 * floor.share:.0f} % of it"
        )
    for each in report.memory:
        peak = "?" if each.peak_bytes is None else f"{each.peak_bytes / 1e6:,.0f} MB"
        console.print(f"peak memory for {each.n:,} items of {each.d} dimensions: {peak}")
    console.print(goals_table(report.goals, "What must be reached", "catalogue"))
    console.print(busy_note(report.seconds, report.cores, report.others), style="dim")


def _table(title: str, *columns: str, names: int = 1) -> Table:
    table = Table(title=title, title_justify="left", **LOOK)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < names else "right")
    return table


def _questions(report: SpacesReport) -> Table:
    table = _table("Questions", "about", "items", "dimensions", "k", "ms", "quartiles", "x table")
    for each in report.questions:
        quartiles = f"{shown_number(1000 * each.times.low)}–{shown_number(1000 * each.times.high)}"
        milliseconds = shown_number(1000 * each.times.median)
        ratio = shown_number(each.ratio)
        table.add_row(each.catalog, f"{each.n:,}", str(each.d), str(each.k), milliseconds, quartiles, ratio)
    return table


def _must_haves(report: SpacesReport) -> Table:
    table = _table("Must-haves about the laptop", "expression", "items", "edges", "ms to compile", "ms for a question")
    for each in report.must_haves:
        times = (shown_number(1000 * seconds) for seconds in (each.seconds, each.question))
        table.add_row(each.expression, f"{each.n:,}", f"{each.edges:,}", *times)
    return table


def _evoi(report: SpacesReport) -> Table:
    answers = len(report.evoi[0].by_answers)
    title = f"EVOI of auto, % of query iteration from {report.evoi[0].restarts} starts, after so many answers"
    table = _table(title, "space", "items", "all", "±", "beliefs", *(str(number) for number in range(answers)))
    for each in report.evoi:
        shares = each.shares
        found = (f"{100 * share:.1f}" for share in (shares.mean, shares.error))
        by_answers = (f"{100 * share:.1f}" for share in each.by_answers)
        table.add_row(each.catalog, f"{each.n:,}", *found, str(shares.users), *by_answers)
    return table


def _regret(report: SpacesReport) -> Table:
    first = report.regret[0]
    title = (
        f"Regret of {counted(first.users, 'user')} after {first.answers} answers, % of the start. Adjustments are the "
        "last answers"
    )
    table = _table(title, "space", "asked about, and adjusted", "first item", "±", "best of list", names=2)
    for each in report.regret:
        shares = (f"{100 * share:.1f}" for share in (each.share, each.error, each.list_share))
        table.add_row(each.catalog, each.setting.description, *shares)
    return table
