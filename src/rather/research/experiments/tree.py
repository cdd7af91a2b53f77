"""A whole conversation about attributes as a tree: the paper's Fig. 8, as text and as a drawing.

Entries of a spec's `parameters`: `depth` in questions, `top` recommended items shown at each node, `k` options, `p`
attributes each, `temperature`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from rather.conversation.policy import Policy
from rather.model.belief import Belief
from rather.model.questions import Question
from rather.model.responses import Logistic
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.jobs import job_of
from rather.research.experiments.population import draw
from rather.research.experiments.spec import ExperimentSpec
from rather.retrieval import ExactRetriever
from rather.strategies import strategy_named

BOX_WIDTH, LINE_HEIGHT, GAP, LETTERS = 190, 14, 12, 30


@dataclass(frozen=True)
class Node:
    """After some answers: what would be recommended, and the next question with a node for each answer.

    Attributes:
        answer: What was chosen last; "" at the root.
        share: Of all users, how many come here.
        recommended: Labels, best first.
        options: Of the next question; empty at a leaf.
        children: One for each option.
    """

    answer: str
    share: float
    recommended: Sequence[str]
    options: Sequence[str] = ()
    children: Sequence[Node] = ()


def jobs(spec: ExperimentSpec, files: Mapping[str, str]) -> list[Job]:
    """A job for each variant and method."""
    return [job_of(spec, variant, method, 0, files) for variant in spec.variants for method in variant.methods]


def work(job: Job) -> Outcome:
    """The tree as text and as SVG."""
    parameters = job.parameters
    start = draw(parameters["population"], job.files["vectors"], job.seed, 1)
    policy = Policy(
        start.catalog,
        start.belief,
        parameters["k"],
        job.seed,
        ask="attributes",
        p=parameters["p"],
        attribute_strategy=strategy_named(parameters["strategy"], "attributes", **parameters["settings"]),
        response=Logistic(parameters["temperature"]),
        retriever=ExactRetriever(start.catalog),
        rejuvenation=None,
    )
    root = grow(policy, parameters["depth"], parameters["top"])
    return {"text": tree_text(root), "svg": tree_svg(root)}


def grow(policy: Policy, depth: int, top: int) -> Node:
    """The tree of all conversations of `depth` questions, with the `top` items recommended at each node."""

    def node(belief: Belief, asked: tuple[Question, ...], answer: str, share: float) -> Node:
        rows = policy.search(belief)(belief.mean[None], top).rows[0].tolist()
        recommended = [policy.catalog.label(row) for row in rows]
        if len(asked) == depth:
            return Node(answer, share, recommended)
        question = policy.question(belief, asked)
        answers = belief.answering(policy.response).log_probabilities(question.vectors @ belief.particles.T)
        shares = answers.exp() @ belief.weights
        options = [" + ".join(option.attributes) for option in question.options]
        children = [
            node(policy.after(belief, question, choice), (*asked, question), option, share * float(shares[choice]))
            for choice, option in enumerate(options)
        ]
        return Node(answer, share, recommended, options, children)

    return node(policy.prior, (), "", 1.0)


def tree_text(root: Node) -> str:
    """The tree with a line for each node, indented by depth."""
    return "\n".join(_lines(root, 0))


def _lines(node: Node, depth: int) -> Iterator[str]:
    indent = "    " * depth
    reached = f"{node.answer} ({node.share:.0%} of users)" if node.answer else "everybody"
    yield f"{indent}{reached}: {'; '.join(node.recommended)}"
    if node.options:
        yield f"{indent}  → {' or '.join(node.options)}?"
    for child in node.children:
        yield from _lines(child, depth + 1)


def tree_svg(root: Node) -> str:
    """The tree from top to bottom, a box for each node: what was chosen, what would be recommended, what is next."""
    lines = 2 + len(root.recommended)
    height = lines * LINE_HEIGHT + 12
    leaves, depth = _leaves(root), _depth(root)
    width, total = leaves * (BOX_WIDTH + GAP) + GAP, depth * (height + 40) + 20
    parts = list(_drawn(root, GAP, 10, height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" width="{width}" height="{total}" '
        'font-family="sans-serif" font-size="11">'
        f'<rect width="{width}" height="{total}" fill="white"/>{"".join(parts)}</svg>\n'
    )


def _leaves(node: Node) -> int:
    return sum(map(_leaves, node.children)) or 1


def _depth(node: Node) -> int:
    return 1 + max(map(_depth, node.children), default=0)


def _drawn(node: Node, left: float, top: float, height: float) -> Iterator[str]:
    """The node over its children, who share the width from `left` in proportion to their leaves."""
    centre = left + (_leaves(node) * (BOX_WIDTH + GAP) - GAP) / 2
    x = left
    for child in node.children:
        middle = x + (_leaves(child) * (BOX_WIDTH + GAP) - GAP) / 2
        below = top + height + 40
        yield f'<path d="M{centre:.0f} {top + height:.0f} L{middle:.0f} {below:.0f}" stroke="#555" fill="none"/>'
        yield from _drawn(child, x, below, height)
        x += _leaves(child) * (BOX_WIDTH + GAP)
    corner = centre - BOX_WIDTH / 2
    box = f'x="{corner:.0f}" y="{top:.0f}" width="{BOX_WIDTH}" height="{height}"'
    yield f'<rect {box} rx="5" fill="white" stroke="#222"/>'
    heading = f"{node.answer} ({node.share:.0%})" if node.answer else "everybody"
    question = f"{' or '.join(node.options)}?" if node.options else ""
    texts = [(heading, "bold"), *((label, "normal") for label in node.recommended), (question, "italic")]
    for line, (text, kind) in enumerate(texts):
        style = {"bold": 'font-weight="bold"', "italic": 'font-style="italic"'}.get(kind, "")
        y = top + (line + 1) * LINE_HEIGHT
        short = text if len(text) <= LETTERS + 2 else f"{text[:LETTERS]}…"
        yield f'<text x="{centre:.0f}" y="{y:.0f}" text-anchor="middle" {style}>{escape(short)}</text>'
