"""A plan as a picture: a tree from left to right, as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import wrap

from rather.controls import visible
from rather.conversation.plans import Plan, PlanNode
from rather.conversation.wording import attribute_option, item_names
from rather.model.catalog import Catalog
from rather.model.responses import Answer

BOX_WIDTH, LINE_HEIGHT, COLUMN_GAP, ROW_GAP, LETTERS = 270, 16, 50, 10, 34
MARGIN, LETTER_WIDTH = 20, 7

HEADING = (
    "Read from left to right. In bold: the answer, and how many of all people come this way. Below it: what they are "
    "asked next, or with a star what is recommended to them."
)

EXTRAS = {Answer.NONE: "none of these", Answer.SAME: "about the same"}


@dataclass(frozen=True, eq=False)
class DrawnNode:
    """A node in words.

    Attributes:
        answer: What was answered last; "" before the first question.
        share: Of all people who come here.
        recommended: Label of the item that is recommended to those who leave here.
        options: Labels of the next question; none where the plan ends.
        children: After each answer that is shown.
        left_out: Share of all people who give the answers that are not shown.
    """

    answer: str
    share: float
    recommended: str
    options: tuple[str, ...]
    children: tuple[DrawnNode, ...] = field(repr=False)
    left_out: float = 0.0


def drawn_tree(plan: Plan, catalog: Catalog, least_share: float = 0.0) -> DrawnNode:
    """The tree of a plan in words.

    Args:
        plan: The plan.
        catalog: That it was made for.
        least_share: Of all people who must come to a node for it to be shown.
    """

    def label(item: str | int) -> str:
        return visible(catalog.label(catalog.row(item)))

    def drawn(node: PlanNode, answer: str) -> DrawnNode:
        items = item_names(catalog, [catalog.row(item) for item in node.items])
        said = (attribute_option([catalog.attributes[index]]).label for index in node.attributes)
        options = tuple(visible(text) for text in (*(item.label for item in items), *said))
        answers = [*options, *(EXTRAS[extra] for extra in plan.extras)]
        pairs = list(zip(node.children, answers, strict=True)) if node.is_question else []
        shown = tuple(drawn(child, said) for child, said in pairs if child.share >= least_share)
        left_out = sum(child.share for child, _ in pairs if child.share < least_share)
        return DrawnNode(answer, node.share, label(node.recommended), options, shown, left_out)

    return drawn(plan.root, "")


def percent(share: float) -> str:
    """A share of people, as it is read."""
    if 0 < share < 0.01:
        return "under 1 %"
    return f"{100 * share:.0f} %"


def plan_svg(plan: Plan, catalog: Catalog, least_share: float = 0.01) -> str:
    """The tree from left to right: a box for each node, and in it what was answered and what is asked or recommended.

    Args:
        plan: The plan.
        catalog: That it was made for.
        least_share: Of all people who must come to a node for it to be drawn.
    """
    root = drawn_tree(plan, catalog, least_share)
    width = 2 * MARGIN + _depth(root) * (BOX_WIDTH + COLUMN_GAP) - COLUMN_GAP
    few = f" Answers given by fewer than {percent(least_share)} of all are not drawn." if _is_cut(root) else ""
    heading = wrap(HEADING + few, (width - 2 * MARGIN) // LETTER_WIDTH)
    top = MARGIN + (len(heading) + 1) * LINE_HEIGHT
    height = top + _height(root) + MARGIN
    lines = "".join(
        f'<text x="{MARGIN}" y="{MARGIN + number * LINE_HEIGHT}" fill="#444">{escaped(line)}</text>'
        for number, line in enumerate(heading)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" width="{width}" '
        f'height="{height:.0f}" font-family="sans-serif" font-size="12">'
        f'<rect width="{width}" height="{height:.0f}" fill="white"/>{lines}{"".join(_drawn(root, MARGIN, top))}</svg>\n'
    )


def escaped(text: str) -> str:
    """Text for XML and HTML, in elements and in attributes."""
    from html import escape

    return escape(text, quote=True)


def _lines(node: DrawnNode) -> list[tuple[str, str]]:
    """What a box says: a kind and a text for each line."""
    share = f" · {percent(node.share)}"
    heading = _short(node.answer, LETTERS - len(share)) + share if node.answer else "Everybody"
    if not node.options:
        return [("answer", heading), ("recommended", f"★ {_short(node.recommended)}")]
    first, *others = (_short(option) for option in node.options)
    asked = [first, *(f"or {other}" for other in others)]
    asked[-1] += "?"
    return [("answer", heading), *(("question", line) for line in asked)]


def _short(text: str, letters: int = LETTERS) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _box_height(node: DrawnNode) -> float:
    return len(_lines(node)) * LINE_HEIGHT + 12


def _height(node: DrawnNode) -> float:
    return max(_box_height(node) + ROW_GAP, sum(map(_height, node.children)))


def _depth(node: DrawnNode) -> int:
    return 1 + max(map(_depth, node.children), default=0)


def _is_cut(node: DrawnNode) -> bool:
    return node.left_out > 0 or any(map(_is_cut, node.children))


def _drawn(node: DrawnNode, left: float, top: float) -> Iterator[str]:
    """The node at the left of its children, who share its height."""
    middle, right = top + _height(node) / 2, left + BOX_WIDTH
    below = top + (_height(node) - sum(map(_height, node.children))) / 2
    for child in node.children:
        there, thick = below + _height(child) / 2, 1 + 8 * child.share
        bend = right + COLUMN_GAP / 2
        yield (
            f'<path d="M{right:.0f} {middle:.1f} C{bend:.0f} {middle:.1f} {bend:.0f} {there:.1f} '
            f'{right + COLUMN_GAP:.0f} {there:.1f}" stroke="#9ab" stroke-width="{thick:.1f}" fill="none"/>'
        )
        yield from _drawn(child, right + COLUMN_GAP, below)
        below += _height(child)
    yield from _box(node, left, middle)


def _box(node: DrawnNode, left: float, middle: float) -> Iterator[str]:
    height = _box_height(node)
    top = middle - height / 2
    fill = "#f4f8ff" if node.options else "#f2faf0"
    whole = [node.answer or "Everybody", " or ".join(node.options) or f"Recommended: {node.recommended}"]
    yield f"<g><title>{escaped(': '.join(whole))}</title>"
    yield (
        f'<rect x="{left:.0f}" y="{top:.1f}" width="{BOX_WIDTH}" height="{height:.0f}" rx="5" fill="{fill}" '
        'stroke="#456"/>'
    )
    for number, (kind, text) in enumerate(_lines(node), start=1):
        style = {"answer": 'font-weight="bold"', "question": "", "recommended": 'fill="#163"'}[kind]
        yield (f'<text x="{left + 8:.0f}" y="{top + number * LINE_HEIGHT + 1:.1f}" {style}>{escaped(text)}</text>')
    yield "</g>"
