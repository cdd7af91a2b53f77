"""A drawn plan says what is asked, by whom it is reached and what is recommended, and nothing in a label is markup."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import rather
from rather.planning.drawing import LETTERS, drawn_tree, percent, plan_svg
from rather.planning.page import plan_html
from worlds import normal

NASTY = "<script>alert(\"1\")</script> & 'quotes'"


@pytest.fixture(scope="module")
def drawn():
    labels = [NASTY, *(f"item {row}" for row in range(1, 8))]
    catalog = rather.Catalog(normal(8, 3), labels=labels)
    policy = rather.Policy(catalog, rather.Belief.from_users(normal(40, 3, seed=1)))
    return rather.plan(policy, questions=2, people=300, least_share=0), catalog


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_everything_of_the_tree_is_drawn(drawn):
    plan, catalog = drawn
    found = texts(plan_svg(plan, catalog, least_share=0))
    assert sum(text.startswith("★") for text in found) == sum(not node.items for node in plan.root.walk())
    assert sum(text.startswith("or ") for text in found) == sum(bool(node.items) for node in plan.root.walk())


def test_shares_and_what_is_left_out_add_up(drawn):
    plan, catalog = drawn

    def check(node):
        if node.options:
            assert sum(child.share for child in node.children) + node.left_out == pytest.approx(node.share, abs=1e-4)
            for child in node.children:
                check(child)

    check(drawn_tree(plan, catalog, least_share=0.1))
    assert len(plan_svg(plan, catalog, least_share=0.1)) < len(plan_svg(plan, catalog, least_share=0))


def test_configurations_with_one_label_are_told_apart():
    catalog, belief = rather.open("bicycle")
    rows = {}
    for row in range(0, len(catalog), len(catalog) // 500):
        rows.setdefault(catalog.label(row), []).append(row)
    alike = next(each for each in rows.values() if len(each) > 1)[:2]
    plan = rather.plan(rather.Policy(catalog, belief), questions=1, people=100, least_share=0)
    root = replace(plan.root, items=tuple(catalog.ids[row] for row in alike))
    first, second = drawn_tree(replace(plan, root=root), catalog).options
    assert first != second
    assert first.startswith(catalog.label(alike[0]))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open, self.seen, self.text = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_well_formed_self_contained_and_escaped(drawn):
    plan, catalog = drawn
    page, tags = plan_html(plan, catalog), Tags()
    tags.feed(page)
    assert not tags.open
    assert "script" not in tags.seen
    assert "://" not in page
    items = {item for node in plan.root.walk() for item in (*node.items, node.recommended)}
    assert (NASTY in "".join(tags.text)) == (0 in items)
    assert page.count("<details") == sum(bool(node.items) for node in plan.root.walk())


def test_the_drawing_escapes_labels(drawn):
    plan, catalog = drawn
    assert "<script" not in plan_svg(plan, catalog, least_share=0)


def test_long_answers_are_cut_so_that_their_share_stays_in_the_box():
    catalog = rather.Catalog(normal(8, 3), labels=[f"{row} with a name that is much too long" for row in range(8)])
    policy = rather.Policy(catalog, rather.Belief.from_users(normal(40, 3, seed=1)))
    svg = plan_svg(rather.plan(policy, questions=1, people=300, least_share=0), catalog, least_share=0)
    bold = [text for text in ElementTree.fromstring(svg).iter() if text.get("font-weight") == "bold"]
    cut = [text.text for text in bold if "…" in text.text]
    assert cut
    for text in cut:
        assert text.endswith("%")
        assert len(text) <= LETTERS


@pytest.mark.parametrize(("share", "text"), [(1.0, "100 %"), (0.124, "12 %"), (0.004, "under 1 %"), (0.0, "0 %")])
def test_shares_are_read_as_percentages(share, text):
    assert percent(share) == text
