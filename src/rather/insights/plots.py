"""Plots as SVG, to stand inside a page or as files by themselves: nothing is loaded, and all texts are escaped."""

import math
from collections.abc import Sequence
from html import escape

from rather.controls import visible
from rather.insights.estimates import Estimate
from rather.insights.taste_map import Point, TasteMap

WIDTH, RIGHT, MOST_LABEL = 720, 56, 270
TITLE = 34
BAR, GAP = 20, 9
INK, MUTED, LINE = "#1f2933", "#616e7c", "#d5dae0"
BLUE, PALE, WARM = "#1f5f8b", "#8fb8d6", "#e0a47c"
PERSON = "#b44d12"
LONGEST, LONGEST_TITLE = 34, 84


def bars(
    labels: Sequence[str],
    found: Sequence[Estimate],
    *,
    title: str,
    percent: bool = False,
    texts: Sequence[str] = (),
    second: Sequence[Estimate] = (),
    legend: tuple[str, str] = ("", ""),
    span: tuple[float, float] = (0.0, 0.0),
) -> str:
    """Horizontal bars with their intervals; from 0 to the left where a number is negative.

    Args:
        labels: What each bar is about.
        found: Their lengths.
        title: What the plot shows.
        percent: Whether the numbers are shares.
        texts: What to write behind each bar; by default its number.
        second: Another number for each label, drawn below the first in another colour.
        legend: What the two colours mean.
        span: Numbers that the scale holds at least, so that several plots can have the same.
    """
    low, high = span_of([*found, *second], span)
    room = min(MOST_LABEL, 24 + max((round(7.4 * min(len(label), LONGEST)) for label in labels), default=0))
    texts = texts or [_number(each.value, percent) for each in found]
    right = max(RIGHT, 16 + max((round(7.4 * len(text)) for text in texts), default=0))
    axis = _Axis(low, high if high > low else low + 1, room, WIDTH - right)
    top, row = TITLE + (22 if second else 0), (BAR + GAP) * (2 if second else 1)
    height = _bars_height(len(labels) + len(second), top)
    parts = [_vertical(axis(0), top - 2, height - 2, LINE)]
    if second:
        parts.append(_legend(legend, room, TITLE + 6))
    for index, label in enumerate(labels):
        upper = top + GAP / 2 + index * row
        parts.append(_text(room - 10, upper + (row - GAP) / 2, label, "end"))
        parts += _bar(axis, found[index], upper, texts[index], PALE if found[index].value >= 0 else WARM)
        if second:
            parts += _bar(axis, second[index], upper + BAR + 2, _number(second[index].value, percent), LINE)
    return _svg(WIDTH, height, title, parts)


def stacked(panels: Sequence[tuple[str, Sequence[str], Sequence[Estimate], Sequence[str]]]) -> str:
    """Several plots of `bars` below each other, as a file by itself: of each its title, labels, numbers and texts."""
    parts, top = [], 0
    for title, labels, found, texts in panels:
        inner, height = bars(labels, found, title=title, texts=texts), _bars_height(len(labels))
        parts.append(inner.replace("<svg ", f'<svg y="{top}" width="{WIDTH}" height="{height}" ', 1))
        top += height + 20
    return _svg(WIDTH, top, ", ".join(title for title, *_ in panels), parts, headed=False)


def _bars_height(rows: int, top: int = TITLE) -> int:
    return top + (BAR + GAP) * rows + 4


def span_of(found: Sequence[Estimate], least: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float]:
    """From the lowest to the highest end of all intervals, and at least so much."""
    return min([least[0], *(each.low for each in found)]), max([least[1], *(each.high for each in found)])


def curve(
    numbers: Sequence[float],
    values: Sequence[str],
    found: Sequence[Estimate],
    *,
    title: str,
    span: tuple[float, float] = (0.0, 0.0),
) -> str:
    """A line over the values of a number, with its interval as a band; `span` as of `bars`."""
    left, right, bottom, height = 60, WIDTH - 44, 226, 262
    across = _Axis(numbers[0], numbers[-1], left, right)
    low, high = span_of(found, span)
    down = _Axis(low, high if high > low else low + 1, bottom - 6, TITLE + 10)
    positions = [across(x) for x in numbers]
    upper = [f"{x:.1f},{down(each.high):.1f}" for x, each in zip(positions, found, strict=True)]
    lower = [f"{x:.1f},{down(each.low):.1f}" for x, each in zip(positions, found, strict=True)]
    middle = [f"{x:.1f},{down(each.value):.1f}" for x, each in zip(positions, found, strict=True)]
    parts = []
    for tick in _ticks(low, high):
        parts.append(_horizontal(left, right, down(tick), MUTED if tick == 0 else LINE))
        parts.append(_text(left - 8, down(tick), _short(tick), "end", MUTED, 12))
    parts += [
        f'<polygon points="{" ".join([*upper, *reversed(lower)])}" fill="{PALE}" opacity="0.45"/>',
        f'<polyline points="{" ".join(middle)}" fill="none" stroke="{BLUE}" stroke-width="2.5"/>',
    ]
    last = -math.inf
    for x, each, value in zip(positions, found, values, strict=True):
        parts.append(f'<circle cx="{x:.1f}" cy="{down(each.value):.1f}" r="3.5" fill="{BLUE}"/>')
        if x - last >= 8 * len(value) + 10:
            parts.append(_text(x, bottom + 16, value, "middle", MUTED, 12))
            last = x
    return _svg(WIDTH, height, title, parts)


def columns(labels: Sequence[str], counts: Sequence[int], *, title: str, under: str) -> str:
    """Upright bars of counts, for days and question numbers, with what they are counted by written under them."""
    left, right, bottom, height = 52, WIDTH - 16, 214, 262
    most = max([1, *counts])
    up = _Axis(0, most, bottom, TITLE + 22)
    room = (right - left) / max(1, len(counts))
    width = min(room * 0.8, 64)
    parts = []
    for tick in _ticks(0, most):
        if tick == int(tick):
            parts.append(_horizontal(left, right, up(tick), MUTED if tick == 0 else LINE))
            parts.append(_text(left - 8, up(tick), f"{tick:,.0f}", "end", MUTED, 12))
    widest = 9 * max((len(f"{count:,}") for count in counts), default=1)
    every = max(1, math.ceil((8 * max((len(label) for label in labels), default=1) + 8) / room))
    for index, (label, count) in enumerate(zip(labels, counts, strict=True)):
        middle = left + (index + 0.5) * room
        parts.append(
            f'<rect x="{middle - width / 2:.1f}" y="{up(count):.1f}" width="{width:.1f}" '
            f'height="{bottom - up(count):.1f}" fill="{PALE}"/>'
        )
        if index % every == 0:
            parts.append(_text(middle, bottom + 15, label, "middle", MUTED, 12))
        if room >= widest and count:
            parts.append(_text(middle, up(count) - 9, f"{count:,}", "middle", INK, 12))
    parts.append(_text((left + right) / 2, bottom + 36, under, "middle", MUTED, 12))
    return _svg(WIDTH, height, title, parts)


def map_plot(found: TasteMap, *, title: str) -> str:
    """Items as dots, the winners with their names; people as ticks on a circle; columns as lines from the middle."""
    centre, radius, height = (WIDTH / 2, TITLE + 292), 264, TITLE + 584
    parts = [f'<circle cx="{centre[0]}" cy="{centre[1]}" r="{radius}" fill="none" stroke="{LINE}"/>']

    def place(point: Point, scale: float) -> tuple[float, float]:
        return centre[0] + point.x * radius * scale, centre[1] - point.y * radius * scale

    for item in found.items:
        x, y = place(item, 0.94)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="#7b8794" opacity="0.4"/>')
    for person in found.people:
        (x, y), (far_x, far_y) = place(person, 1.012), place(person, 1.05)
        parts.append(
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{far_x:.1f}" y2="{far_y:.1f}" stroke="{PERSON}" opacity="0.5"/>'
        )
    labels = _Labels()
    for arrow in found.columns:
        x, y = place(arrow, 0.8)
        parts.append(
            f'<line x1="{centre[0]}" y1="{centre[1]}" x2="{x:.1f}" y2="{y:.1f}" stroke="{BLUE}" stroke-width="1.5"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{BLUE}"/>'
        )
        labels.add(x, y, arrow.label, BLUE)
    for item in found.winners:
        x, y = place(item, 0.94)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{INK}" stroke="#fff"/>')
        labels.add(x, y, item.label, INK)
    return _svg(WIDTH, height, title, [*parts, *labels.written])


class _Labels:
    """Writes labels beside points, left or right, and leaves out those that would lie over another."""

    def __init__(self) -> None:
        self._taken: list[tuple[float, float, float]] = []
        self.written: list[str] = []

    def add(self, x: float, y: float, label: str, fill: str) -> None:
        width = 7.2 * min(len(label), LONGEST) + 8
        for left, anchor, at in ((x + 8, "start", x + 8), (x - 8 - width, "end", x - 8)):
            free = all(
                abs(y - other_y) > 15 or left + width < start or left > end for start, end, other_y in self._taken
            )
            if free and left > 0 and left + width < WIDTH:
                self._taken.append((left, left + width, y))
                self.written.append(_text(at, y, label, anchor, fill, 12, halo=True))
                return


class _Axis:
    """Maps numbers from a range to a range of pixels."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self._low, self._size = low, (high - low) or 1.0
        self._start, self._length = start, end - start

    def __call__(self, value: float) -> float:
        return self._start + self._length * (value - self._low) / self._size


def _bar(axis: _Axis, each: Estimate, top: float, text: str, fill: str) -> list[str]:
    left, right = sorted((axis(0), axis(each.value)))
    middle = top + BAR / 2
    parts = [
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(right - left, 0.5):.1f}" height="{BAR}" rx="2" fill="{fill}"/>'
    ]
    if each.high > each.low:
        ends = "".join(_vertical(axis(x), middle - 4, middle + 4, INK) for x in (each.low, each.high))
        parts.append(_horizontal(axis(each.low), axis(each.high), middle, INK) + ends)
    parts.append(_text(max(axis(each.high), axis(0)) + 8, middle, text, "start"))
    return parts


def _legend(names: tuple[str, str], x: float, y: float) -> str:
    parts, at = [], x
    for name, fill in zip(names, (PALE, LINE), strict=True):
        parts.append(f'<rect x="{at:.1f}" y="{y - 6}" width="12" height="12" rx="2" fill="{fill}"/>')
        parts.append(_text(at + 18, y, name, "start", MUTED, 12))
        at += 40 + 7 * len(name)
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers in a range, about four of them; 0 is one of them if it is in the range."""
    size = (high - low) or 1.0
    unit = 10.0 ** math.floor(math.log10(size / 3))
    step = next(unit * factor for factor in (1, 2, 5, 10) if size / (unit * factor) <= 4.5)
    return [round(step * index, 10) for index in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _number(value: float, percent: bool) -> str:
    return f"{value:.0%}" if percent else signed(value, 2)


def signed(value: float, digits: int) -> str:
    """A number with its sign, a true minus, and none for what is rounded to 0."""
    text = f"{abs(value):,.{digits}f}"
    return text if float(text.replace(",", "")) == 0 else f"{'+' if value > 0 else '−'}{text}"


def _short(tick: float) -> str:
    return f"{tick:g}".replace("-", "−")


def _horizontal(left: float, right: float, y: float, stroke: str) -> str:
    return f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{stroke}"/>'


def _vertical(x: float, top: float, bottom: float, stroke: str) -> str:
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" stroke="{stroke}"/>'


def _text(
    x: float,
    y: float,
    text: str,
    anchor: str,
    fill: str = INK,
    size: int = 13,
    *,
    halo: bool = False,
    weight: int = 400,
) -> str:
    most = LONGEST_TITLE if weight != 400 else LONGEST
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    around = ' stroke="#fff" stroke-width="3" paint-order="stroke" stroke-linejoin="round"' if halo else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" dy="0.35em" text-anchor="{anchor}" font-size="{size}" fill="{fill}"{bold}'
        f"{around}>{escape(visible(short))}</text>"
    )


def _svg(width: int, height: int, title: str, parts: Sequence[str], *, headed: bool = True) -> str:
    heading = _text(0, 12, title, "start", INK, 15, weight=600) if headed else ""
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(visible(title))}" '
        f'font-family="system-ui, sans-serif" xmlns="http://www.w3.org/2000/svg">{heading}{"".join(parts)}</svg>'
    )
