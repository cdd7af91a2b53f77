"""A plan as a page: one HTML file without anything from elsewhere, with branches that open and close."""

from __future__ import annotations

from collections.abc import Iterator

from rather.conversation.plans import Plan
from rather.model.catalog import Catalog
from rather.nouns import counted
from rather.planning.drawing import DrawnNode, drawn_tree, escaped, percent

# Branches that more people come to are open at first.
OPEN = 0.2

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1b2430; background: #fff; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }
details { border-left: 2px solid #c5d2e0; margin: .3rem 0 .3rem .6rem; padding-left: .8rem; }
summary { cursor: pointer; padding: .15rem 0; }
summary:focus-visible { outline: 2px solid #1a5fb4; }
.answer { font-weight: 600; }
.share { color: #46586b; font-variant-numeric: tabular-nums; }
.question { display: block; }
.leaf { border-left: 2px solid #8bc08b; margin: .3rem 0 .3rem .6rem; padding: .15rem 0 .15rem .8rem; }
.recommended { color: #14532d; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .2rem .8rem .2rem 0; text-align: right; }
th:first-child, td:first-child { text-align: left; }
"""


def plan_html(plan: Plan, catalog: Catalog) -> str:
    """The page.

    Args:
        plan: The plan.
        catalog: That it was made for.
    """
    root = drawn_tree(plan, catalog)
    asked = sum(node.is_question for node in plan.root.walk())
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>The planned questions</title><style>{STYLE}</style></head><body>"
        f"<h1>The planned questions</h1><p>{counted(asked, 'question')} in all; each person is asked at most "
        f"{plan.questions}. In bold is what a person answered; the percentage is how many of all people come this way; "
        "★ is what would be recommended to them if they left here; and below it is what they are asked next. Click on "
        f"a line to open or close it.</p>{''.join(_branch(root))}{_regrets(plan)}</body></html>\n"
    )


def _regrets(plan: Plan) -> str:
    regret = plan.regret
    rows = "".join(
        f"<tr><td>{number}</td><td>{planned:.3f}</td><td>{myopic:.3f}</td></tr>"
        for number, (planned, myopic) in enumerate(zip(regret.planned_fresh, regret.myopic_fresh, strict=True))
    )
    return (
        "<h2>What it is worth</h2><p>Expected regret (what the recommendation loses against a person’s own best) of "
        f"those who leave after so many questions, for people it was not planned for.</p><table><tr><th>questions</th>"
        f"<th>planned</th><th>one by one</th></tr>{rows}</table>"
    )


def _branch(node: DrawnNode) -> Iterator[str]:
    reached = f'<span class="answer">{escaped(node.answer or "Everybody")}</span> '
    reached += f'<span class="share">({percent(node.share)})</span>'
    recommended = f'<span class="recommended">★ {escaped(node.recommended)}</span>'
    if not node.options:
        yield f'<div class="leaf">{reached} {recommended}</div>'
        return
    question = " <em>or</em> ".join(map(escaped, node.options))
    opened = " open" if node.share >= OPEN else ""
    yield f'<details{opened}><summary>{reached} {recommended}<span class="question">{question}?</span></summary>'
    for child in node.children:
        yield from _branch(child)
    yield "</details>"
