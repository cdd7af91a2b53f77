"""A benchmark as tables for people."""

from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from rather.cli.console import plain_console
from rather.research.bench.machine import MUCH
from rather.research.bench.report import Report, Row, Times

LOOK: dict[str, Any] = {"box": box.SIMPLE_HEAD, "collapse_padding": True, "pad_edge": False}

LEGEND = (
    "scans: the time as a multiple of one scan; x greedy: how many times faster than greedy on all items; EVOI: of the "
    "question, valued over all items, as a share of the best found for the same belief (mean and worst run). "
    "“with norms” is the exact retriever, which stops early; “exact” ways search all items with it, others the "
    "shortlist where there is one."
)


def print_report(report: Report) -> None:
    """Everything that was measured, size by size, and what had to be reached."""
    console = plain_console()
    console.print(LEGEND, style="dim")
    for row in report.rows:
        console.print(_table(row))
        console.print(_notes(row), style="dim")
        console.print()
    if report.targets:
        console.print(_targets(report))
    for skipped in report.skipped:
        console.print(f"left out: {skipped}")
    others = "" if report.others is None else f", of which other programs used {report.others:.0%}"
    console.print(f"{report.seconds:.0f} s on {report.cores} cores{others}.", style="dim")
    if report.others is not None and report.others > MUCH:
        console.print("The machine was busy with other things: trust ratios more than times, and neither very much.")


def _table(row: Row) -> Table:
    table = Table(title=f"{row.n:,} items, {row.m} particles, k = {row.k}", title_justify="left", **LOOK)
    table.add_column("a question by", no_wrap=True)
    for name in ("ms", "quartiles", "scans", "x greedy", "EVOI %", "worst"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row(f"one scan of {row.k} directions", *_times(row.scan), "1.00", "", "", "")
    table.add_row("the same with norms", *_times(row.search), _number(row.search.median / row.scan.median), "", "", "")
    table.add_section()
    for cell in row.cells:
        faster = _number(cell.speedup)
        table.add_row(
            cell.name,
            *_times(cell.times),
            _number(cell.scans),
            faster,
            f"{100 * cell.evoi:.1f}",
            f"{100 * cell.worst_evoi:.1f}",
        )
    return table


def _times(times: Times) -> tuple[str, str]:
    spread = f"{_number(1000 * times.low)}–{_number(1000 * times.high)}" if times.runs > 1 else "one run"
    return _number(1000 * times.median), spread


def _number(value: float) -> str:
    """Three digits that count, or all of the whole number."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _notes(row: Row) -> str:
    opening = row.opening
    notes = [row.origin]
    if opening.kind == "shortlist":
        notes.append(
            f"shortlist of {opening.items:,} items built once in {opening.seconds:.1f} s, loses {opening.loss:.2%}"
        )
    notes.append(f"taking in an answer {_number(1000 * row.tell.median)} ms")
    if row.remembered is not None:
        stored = row.remembered.from_file
        from_file = "" if stored is None else f", {_number(1000 * stored.median)} ms from a file"
        notes.append(f"remembered first question {_number(1000 * row.remembered.in_process.median)} ms{from_file}")
    if row.throughput is not None:
        many = row.throughput
        notes.append(f"{many.users} simulated users: {_number(many.one_by_one)} questions/s one by one")
    if row.peak_bytes is not None:
        share = f" ({row.peak_bytes / row.catalog_bytes:.2f} times the catalogue)" if row.n >= 100_000 else ""
        notes.append(f"peak memory {row.peak_bytes / 1e6:,.0f} MB{share}")
    return "; ".join(notes)


def _targets(report: Report) -> Table:
    table = Table("what", "needed", "measured", "", title="Targets", title_justify="left", **LOOK)
    for target in report.targets:
        verdict = Text("reached") if target.reached else Text("missed", style="bold")
        table.add_row(target.what, target.needed, target.measured, verdict)
    return table
