"""Plots as SVG text, to stand inside a page: nothing is loaded, and all texts are escaped."""

import math
from collections.abc import Sequence
from html import escape

from rather.insights.estimates import Estimate
from rather.insights.taste_map import TasteMap

WIDTH, LABELS, RIGHT = 720, 250, 70
BAR, GAP = 18, 8
INK, LINE, ACCENT, SOFT = "#1f2933", "#cbd2d9", "#1f5f8b", "#9fc3dd"
LONGEST = 34


def bars(
    labels: Sequence[str], found: Sequence[Estimate], *, title: str, percent: bool = False, texts: Sequence[str] = ()
) -> str:
    """Horizontal bars with their intervals; from 0 to the left where a number is negative.

    Args:
        labels: What each bar is about.
        found: Their lengths.
        title: What the plot shows, for those who cannot see it.
        percent: Whether the numbers are shares.
        texts: What to write behind each bar; by default its number.
    """
    low = min([0.0, *(each.low for each in found)])
    high = max([0.0, *(each.high for each in found)]) or 1.0
    axis = _Axis(low, high if high > low else low + 1, LABELS, WIDTH - RIGHT)
    parts = [f'<line x1="{axis(0):.1f}" x2="{axis(0):.1f}" y1="0" y2="{_height(found)}" stroke="{LINE}"/>']
    for index, (label, each) in enumerate(zip(labels, found, strict=True)):
        top = GAP / 2 + index * (BAR + GAP)
        middle = top + BAR / 2
        text = texts[index] if texts else f"{each.value:.0%}" if percent else f"{each.value:+.2f}"
        left, right = sorted((axis(0), axis(each.value)))
        parts += [
            _text(LABELS - 8, middle, label, "end"),
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(right - left, 0.5):.1f}" height="{BAR}" fill="{SOFT}"/>',
            _whisker(axis(each.low), axis(each.high), middle),
            _text(max(axis(each.high), axis(0)) + 6, middle, text, "start"),
        ]
    return _svg(WIDTH, _height(found), title, parts)


def curve(numbers: Sequence[float], values: Sequence[str], found: Sequence[Estimate], *, title: str) -> str:
    """A line over the values of a number, with its interval as a band."""
    height, bottom = 220, 190
    across = _Axis(numbers[0], numbers[-1], 50, WIDTH - 40)
    down = _Axis(min([0.0, *(each.low for each in found)]), max([0.0, *(each.high for each in found)]), bottom, 12)
    upper = [f"{across(x):.1f},{down(each.high):.1f}" for x, each in zip(numbers, found, strict=True)]
    lower = [f"{across(x):.1f},{down(each.low):.1f}" for x, each in zip(numbers, found, strict=True)]
    middle = [f"{across(x):.1f},{down(each.value):.1f}" for x, each in zip(numbers, found, strict=True)]
    zero = down(0)
    parts = [
        f'<polygon points="{" ".join([*upper, *reversed(lower)])}" fill="{SOFT}" opacity="0.5"/>',
        f'<line x1="50" x2="{WIDTH - 40}" y1="{zero:.1f}" y2="{zero:.1f}" stroke="{LINE}"/>',
        f'<polyline points="{" ".join(middle)}" fill="none" stroke="{ACCENT}" stroke-width="2.5"/>',
        _text(44, zero, "0", "end"),
    ]
    last = -math.inf
    for x, value in zip(numbers, values, strict=True):
        place = across(x)
        parts.append(f'<line x1="{place:.1f}" x2="{place:.1f}" y1="{bottom}" y2="{bottom + 5}" stroke="{INK}"/>')
        if place - last >= 8 * len(value) + 6:
            parts.append(_text(place, bottom + 18, value, "middle"))
            last = place
    return _svg(WIDTH, height, title, parts)


def columns(labels: Sequence[str], counts: Sequence[int], *, title: str) -> str:
    """Upright bars of counts, for days and question numbers."""
    height, bottom = 200, 165
    most = max([1, *counts])
    room = (WIDTH - 40) / max(1, len(counts))
    parts = [f'<line x1="20" x2="{WIDTH - 20}" y1="{bottom}" y2="{bottom}" stroke="{LINE}"/>']
    every = max(1, math.ceil(len(counts) * 8 * max((len(label) for label in labels), default=1) / (WIDTH - 40)))
    for index, (label, count) in enumerate(zip(labels, counts, strict=True)):
        length = (bottom - 24) * count / most
        left = 20 + index * room
        parts.append(
            f'<rect x="{left + room * 0.1:.1f}" y="{bottom - length:.1f}" width="{room * 0.8:.1f}" '
            f'height="{length:.1f}" fill="{SOFT}"/>'
        )
        if index % every == 0:
            parts.append(_text(left + room / 2, bottom + 16, label, "middle"))
        if room >= 26:
            parts.append(_text(left + room / 2, bottom - length - 9, f"{count:,}", "middle"))
    return _svg(WIDTH, height, title, parts)


def map_plot(found: TasteMap, named: Sequence[str], *, title: str) -> str:
    """Items as dots, the named ones with their labels; people as ticks on a circle; columns as arrows."""
    size, centre, radius = 640, 320, 250
    parts = [f'<circle cx="{centre}" cy="{centre}" r="{radius}" fill="none" stroke="{LINE}"/>']
    for item in found.items:
        x, y = centre + item.x * radius * 0.92, centre - item.y * radius * 0.92
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="#7b8794" opacity="0.45"/>')
    for person in found.people:
        near, far = radius + 2, radius + 12
        parts.append(
            f'<line x1="{centre + person.x * near:.1f}" y1="{centre - person.y * near:.1f}" '
            f'x2="{centre + person.x * far:.1f}" y2="{centre - person.y * far:.1f}" stroke="#b44d12" opacity="0.5"/>'
        )
    taken: list[tuple[float, float]] = []
    for arrow in found.columns:
        x, y = centre + arrow.x * radius * 0.8, centre - arrow.y * radius * 0.8
        parts.append(
            f'<line x1="{centre}" y1="{centre}" x2="{x:.1f}" y2="{y:.1f}" stroke="{ACCENT}" stroke-width="1.5"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{ACCENT}"/>'
        )
        _labelled(parts, taken, x, y, arrow.label, ACCENT)
    for item in found.items:
        if item.label in named:
            x, y = centre + item.x * radius * 0.92, centre - item.y * radius * 0.92
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{INK}"/>')
            _labelled(parts, taken, x, y, item.label, INK)
    return _svg(size, size, title, parts)


def _labelled(parts: list[str], taken: list[tuple[float, float]], x: float, y: float, label: str, fill: str) -> None:
    """Write a label beside a point, unless another label stands there already."""
    if all(abs(y - other_y) > 14 or abs(x - other_x) > 120 for other_x, other_y in taken):
        taken.append((x, y))
        anchor, shift = ("start", 7) if x < 420 else ("end", -7)
        parts.append(_text(x + shift, y, label, anchor, fill))


class _Axis:
    """Maps numbers from a range to a range of pixels."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self._low, self._size = low, (high - low) or 1.0
        self._start, self._length = start, end - start

    def __call__(self, value: float) -> float:
        return self._start + self._length * (value - self._low) / self._size


def _height(found: Sequence[Estimate]) -> int:
    return len(found) * (BAR + GAP)


def _whisker(left: float, right: float, y: float) -> str:
    ends = "".join(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 4}" y2="{y + 4}"/>' for x in (left, right))
    return f'<g stroke="{INK}"><line x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}"/>{ends}</g>'


def _text(x: float, y: float, text: str, anchor: str, fill: str = INK) -> str:
    short = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" dy="0.35em" text-anchor="{anchor}" font-size="13" fill="{fill}">'
        f"{escape(short)}</text>"
    )


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )
