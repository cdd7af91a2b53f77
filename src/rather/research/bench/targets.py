"""What `auto` has to reach, and whether it does, by the rows that were measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rather.research.bench.contest import AUTO, AUTO_FIRST, CONT_FREE, GREEDY
from rather.research.bench.report import Row, Target

# Share of the EVOI that query iteration on the whole catalogue finds.
ENOUGH_EVOI = 0.995


def targets(rows: Sequence[Row]) -> tuple[Target, ...]:
    """Those that can be judged by these rows."""
    by_size = {(row.n, row.m, row.k): row for row in rows}
    found: list[Target] = []
    for size, most in (((1_000_000, 500, 5), 0.6), ((1_000_000, 500, 2), 0.5)):
        if size in by_size:
            found += _auto(by_size[size], most)
    if (1_000_000, 500, 5) in by_size:
        found += _cont_free(by_size[1_000_000, 500, 5])
    for k in (2, 5):
        if (1_682, 943, k) in by_size:
            found += _small(by_size[1_682, 943, k])
    found += _growth(by_size)
    found += [_memory(row) for row in rows if (row.n, row.d) == (1_000_000, 50) and row.peak_bytes is not None]
    found += [target for row in rows for target in _remembered(row)]
    return tuple(found)


def _name(row: Row) -> str:
    return f"({row.n:,}, {row.m}, {row.k})"


def _auto(row: Row, most: float) -> Iterator[Target]:
    auto = row.cell(AUTO)
    what = f"{_name(row)} {AUTO}"
    yield Target(what, f"at most {most} scans", f"{auto.scans:.2f} scans", auto.scans <= most)
    yield _evoi(what, auto.evoi_to_iteration, ENOUGH_EVOI, "query iteration on all items")


def _evoi(what: str, share: float | None, least: float, rival: str) -> Target:
    share = share or 0.0
    return Target(what, f"EVOI at least {least:.1%} of {rival}", f"{share:.1%}", share >= least - 1e-6)


def _cont_free(row: Row) -> Iterator[Target]:
    cell = row.cell(CONT_FREE)
    what = f"{_name(row)} {CONT_FREE}"
    yield Target(what, "at most 10 scans", f"{cell.scans:.1f} scans", cell.scans <= 10)
    yield Target(what, "at least 50 times faster than greedy", f"{cell.speedup:.0f} times", cell.speedup >= 50)


def _small(row: Row) -> Iterator[Target]:
    greedy = row.cell(GREEDY)
    for name in (AUTO_FIRST, AUTO):
        auto = row.cell(name)
        what, times = f"{_name(row)} {name}", (1000 * auto.times.median, 1000 * greedy.times.median)
        yield Target(what, f"faster than greedy, {times[1]:.1f} ms", f"{times[0]:.1f} ms", times[0] < times[1])
        yield _evoi(what, auto.evoi_to_greedy, 1.0, "greedy")


def _growth(by_size: dict[tuple[int, int, int], Row]) -> Iterator[Target]:
    ends = [by_size.get((n, 500, 2)) for n in (100_000, 10_000_000)]
    small, large = ends
    if small is not None and large is not None:
        growth = large.cell(AUTO).times.median / small.cell(AUTO).times.median
        what = f"{AUTO}, from 100,000 to 10,000,000 items"
        yield Target(what, "less than 3 times the time", f"{growth:.2f} times", growth < 3)


def _remembered(row: Row) -> Iterator[Target]:
    if row.remembered is None:
        return
    for where, times in (("in the process", row.remembered.in_process), ("from a file", row.remembered.from_file)):
        if times is not None:
            spent = 1000 * times.median
            yield Target(f"{_name(row)} remembered {where}", "under 1 ms", f"{spent:.2f} ms", spent < 1)


def _memory(row: Row) -> Target:
    assert row.peak_bytes is not None
    share = row.peak_bytes / row.catalog_bytes
    size = f"{row.peak_bytes / 1e6:.0f} MB"
    return Target(
        f"{_name(row)} peak memory", "under 2.5 times the catalogue", f"{share:.2f} times, {size}", share < 2.5
    )
