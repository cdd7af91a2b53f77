"""A benchmark as tables for the terminal."""

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from rather.cli.console import plain_console
from rather.research.bench.contest import AUTO
from rather.research.bench.machine import BUSY
from rather.research.bench.measurements import BenchReport, Goal, SizeMeasurement, Times
from rather.research.bench.soak import SoakReport

LOOK: dict[str, Any] = {"box": box.SIMPLE_HEAD, "collapse_padding": True, "pad_edge": False}

LEGEND = (
    "scans: the time as a multiple of one scan; x greedy: how many times faster than greedy on all items; EVOI: of the "
    "question, valued over all items, as a share of the best found for the same belief (mean and worst run). "
    "“with norms” is the exact retriever, which stops early; methods marked “exact” search all items with it, the "
    "others a shortlist if there is one."
)


def print_report(report: BenchReport) -> None:
    """Everything that was measured, size by size."""
    console = plain_console()
    console.print(LEGEND, style="dim")
    for size in report.sizes:
        console.print(_table(size))
        console.print(_notes(size), style="dim")
        console.print()
    console.print(goals_table(report.goals, "What the documentation aims at", "vectors"))
    for skipped in report.skipped:
        console.print(f"left out: {skipped}")
    console.print(busy_note(report.seconds, report.cores, report.others), style="dim")


def busy_note(seconds: float, cores: int, others: float | None) -> str:
    """How long a benchmark took, and what else the machine did."""
    note = (
        f"{seconds:.0f} s on {cores} cores{'' if others is None else f', of which other programs used {others:.0%}'}."
    )
    if others is not None and others > BUSY:
        note += "\nThe machine was busy with other things: trust ratios more than times, and neither very much."
    return note


def goals_table(goals: Sequence[Goal], title: str, origin: str) -> Table:
    """Goals beside what was measured; `origin` is what the first column shows."""
    table = Table(title=title, title_justify="left", **LOOK)
    for name, justify in ((origin, "left"), ("what", "left"), ("measured", "right"), ("aim", "right"), ("", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]  # literals, seen as plain text
    for goal in goals:
        reached = "reached" if goal.reached else "missed"
        table.add_row(goal.origin, goal.what, shown_number(goal.value), shown_number(goal.limit), reached)
    return table


def print_soak(report: SoakReport) -> None:
    """A soak, minute by minute, and what was checked."""
    title = f"{report.users} simulated users for {report.seconds / 60:g} min"
    table = Table(title=title, title_justify="left", **LOOK)
    for name in ("minute", "", "answers", "median ms", "p99 ms", "retries", "memory MB", "files"):
        table.add_column(name, justify="right", no_wrap=True)
    for number, minute in enumerate(report.minutes, start=1):
        numbers = (minute.answers, minute.median, minute.p99, minute.retries, minute.memory_mb, minute.descriptors)
        shown = ["?" if value is None else f"{value:,.0f}" for value in numbers]
        table.add_row(str(number), "disturbed" if minute.disturbed else "quiet", *shown)
    console = plain_console()
    console.print(table)
    counts = ", ".join(f"{kind} {count:,}" for kind, count in report.requests.items())
    console.print(f"requests: {counts}; {report.sessions:,} sessions compared")
    console.print(", ".join(f"{kind} {count}" for kind, count in report.disturbances.items()), highlight=False)
    spelled = ", ".join(f"{kind} {ms:,.0f}" for kind, ms in report.p99.items())
    console.print(f"p99, ms: {spelled}")
    for name, problem in report.checks.items():
        verdict = "not checked" if problem is None else problem or "as it must be"
        console.print(Text(f"{name}: {verdict}", style="red" if problem else ""))


def _table(size: SizeMeasurement) -> Table:
    table = Table(
        title=f"{size.name}: {size.n:,} items, {size.m} particles, k = {size.k}", title_justify="left", **LOOK
    )
    table.add_column("a question by", no_wrap=True)
    for name in ("ms", "quartiles", "scans", "x greedy", "EVOI %", "worst"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row(f"one scan of {size.k} directions", *_times(size.scan), "1.00", "", "", "")
    relative = shown_number(size.search.median / size.scan.median)
    table.add_row("the same with norms", *_times(size.search), relative, "", "", "")
    table.add_section()
    for method in size.methods:
        table.add_row(
            method.name,
            *_times(method.times),
            shown_number(method.scans),
            shown_number(method.speedup),
            f"{100 * method.evoi:.1f}",
            f"{100 * method.worst_evoi:.1f}",
        )
    return table


def _times(times: Times) -> tuple[str, str]:
    quartiles = f"{shown_number(1000 * times.low)}–{shown_number(1000 * times.high)}" if times.runs > 1 else "one run"
    return shown_number(1000 * times.median), quartiles


def shown_number(value: float) -> str:
    """Three digits that count, or all of the whole number."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _notes(size: SizeMeasurement) -> str:
    build = size.retriever
    notes = [size.origin]
    if build.kind == "shortlist":
        notes.append(f"shortlist of {build.items:,} items built once in {build.seconds:.1f} s, loses {build.loss:.2%}")
    if build.kind == "screening":
        lost = f"loses {build.loss:.1%}: only for a first look"
        notes.append(f"shortlist of {build.items:,} items built once in {build.seconds:.1f} s, {lost}")
    answer, question = size.answer, size.method(AUTO).times.median
    high = (
        f"upper quartile {shown_number(1000 * answer.high)} ms, {shown_number(answer.high / question)} times the next"
    )
    high += " question"
    times = f"median {shown_number(1000 * answer.median)} ms, {high}; at most {shown_number(1000 * answer.longest)} ms"
    notes.append(f"taking in an answer: {times}")
    shown = size.after_answer
    listed = (
        f"{shown_number(1000 * shown.recommendation.median)} ms, {shown_number(shown.recommendation_ratio)} questions"
    )
    stop = f"{shown_number(1000 * shown.stop.median)} ms, {shown_number(shown.stop_ratio)} questions"
    notes.append(f"after the next question: the list {listed}; the stopping rule {stop}")
    again = f"then {shown_number(1000 * size.opening.later.median)} ms"
    notes.append(f"opening a session {shown_number(1000 * size.opening.first)} ms once, {again}")
    if size.evoi_share is not None:
        mean, error = 100 * size.evoi_share.mean, 100 * size.evoi_share.error
        shares = f"{mean:.1f} ± {error:.1f} % of query iteration x20 on all items"
        notes.append(f"EVOI of auto with {size.evoi_share.users} users after one to three answers: {shares}")
    if size.cached is not None:
        stored = size.cached.from_file
        from_file = "" if stored is None else f", {shown_number(1000 * stored.median)} ms from a file"
        notes.append(f"cached first question {shown_number(1000 * size.cached.in_process.median)} ms{from_file}")
    if size.throughput is not None:
        rate = shown_number(size.throughput.questions_per_second)
        notes.append(f"{size.throughput.users} simulated users in turn: {rate} questions/s")
    if size.peak_bytes is not None:
        share = f" ({size.peak_bytes / size.catalog_bytes:.2f} times the catalogue)" if size.n >= 100_000 else ""
        notes.append(f"peak memory {size.peak_bytes / 1e6:,.0f} MB{share}")
    return "; ".join(notes)
