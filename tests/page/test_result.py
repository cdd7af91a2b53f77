"""What one can do with the result: compare the best, save it, send it, print it."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import PHONE, press, session_id


@pytest.fixture
def ended(visit):
    """The page after one answer, with its results."""

    def show(path="/?catalog=things&seed=1", **options):
        page = visit(path, **options)
        press(page, "1", 2)
        page.get_by_role("button", name="See results").click()
        page.locator(".ranked > li").nth(8).wait_for()
        return page

    return show


def best_three(page, server):
    return server.get(f"/v1/sessions/{session_id(page)}/recommendations?limit=3")["recommendations"]


def test_the_best_three_stand_side_by_side_with_differences_marked(ended, server, screen):
    page = ended(**screen)
    page.get_by_text("Compare the best three").click()
    table = page.get_by_role("table")
    items = best_three(page, server)
    assert table.get_by_role("columnheader").all_inner_texts() == [item["label"] for item in items]
    facts = [{fact["name"]: fact["value"] for fact in item["facts"] if fact["name"] != "line"} for item in items]
    differing = [name for name in facts[0] if len({each[name] for each in facts}) > 1]
    for name in differing:
        assert table.get_by_role("rowheader", name=f"{name} (differs)", exact=True).count() == 1
    for row, name in enumerate(differing):
        cells = table.locator("tbody tr").nth(row).get_by_role("cell").all_inner_texts()
        assert cells == [each[name] for each in facts]
    left = [cell.bounding_box()["x"] for cell in table.locator("tbody tr").first.get_by_role("cell").all()]
    assert left == sorted(set(left))  # side by side, also on a phone
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_items_without_facts_cannot_be_compared(ended):
    page = ended("/?catalog=plain")
    assert page.get_by_text("Compare the best").count() == 0


def test_the_result_can_be_sent_by_email(ended, server):
    page = ended()
    address = page.get_by_role("link", name="Email").get_attribute("href")
    assert address.startswith("mailto:?")
    assert len(address) < 2000
    body = parse_qs(urlsplit(address).query)["body"][0]
    lines = body.split("\n")
    assert [line.partition(" (")[0] for line in lines[:3]] == [
        f"{rank}. {item['label']}" for rank, item in enumerate(best_three(page, server), 1)
    ]
    assert page.get_by_label("Share a read-only link").input_value() in lines


def test_the_result_can_be_saved(ended):
    page = ended()
    with page.expect_download() as started:
        page.get_by_role("button", name="Save as text").click()
    assert started.value.suggested_filename == "things.txt"
    text = Path(started.value.path()).read_text(encoding="utf-8")
    assert text.startswith("1. Thing ")
    assert "\n10. Thing " in text


def test_print_shows_the_list_in_the_light_without_buttons(ended):
    page = ended(color_scheme="dark")
    page.get_by_role("button", name="More like this").first.click()
    page.get_by_role("heading", name="What you said").wait_for()
    page.evaluate("window.print = () => { window.printed = true; }")
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("window.printed")
    page.emulate_media(media="print")
    assert page.locator("button:visible, input:visible, select:visible").count() == 0
    assert page.locator(".ranked > li:visible").count() == 9
    ink = page.locator("h1").evaluate("title => getComputedStyle(title).color.match(/\\d+/g).map(Number)")
    assert max(ink) < 60


def test_pictures_are_in_the_list(ended):
    page = ended("/?catalog=pictures&seed=1", **PHONE)
    shown = page.locator(".ranked .picture[src*=favicon]")  # the others are not there, and go once that is known
    shown.first.wait_for()
    box = shown.first.bounding_box()
    assert box["width"] == box["height"] == 56
