"""A recommended configuration is changed by the person: what else changes, what it comes to, take it or leave it."""

import re

from browsing import PHONE, answer_on, choose, poll, press, session_id, wait_for_question

OUTCOME = ".outcome .becomes"


def result(visit, builder, path="/?seed=1", **options):
    """The result after a question, with all choices open."""
    page = visit(path, at=builder.address, **options)
    answer_on(page, "1")
    page.get_by_role("button", name=re.compile("^(See results|Ergebnis)$")).click()
    page.locator(".tastes").wait_for()
    page.locator(".adjust summary").click()
    page.locator(".adjust select").first.wait_for()
    return page


def session(builder, page):
    return builder.get(f"/v1/sessions/{session_id(page)}")


def looked(builder, page, wanted):
    item = session(builder, page)["recommendations"][0]["id"]
    listed = ",".join(f'{{"column":"{column}","value":"{value}"}}' for column, value in wanted.items())
    return builder.get(f"/v1/sessions/{session_id(page)}/adjustment?item={item}&wanted=[{listed}]".replace(" ", "%20"))


def test_cards_show_what_differs_and_labels_tell_them_apart(visit, builder):
    page = visit("/?seed=1", at=builder.address)
    wait_for_question(page, 1)
    for number in range(1, 4):
        labels = page.locator(".stage > .slate:not(.departing) .title").all_inner_texts()
        assert len(set(labels)) == 2
        for row in page.locator(".stage > .slate:not(.departing) .option").first.locator("dd").all():
            value, name = row.inner_text(), row.locator("xpath=../dt").inner_text()
            other = page.locator(".stage > .slate:not(.departing) .option").nth(1).locator("dl > div", has_text=name)
            assert other.locator("dd").inner_text() != value
        press(page, "1", number + 1)
    assert page.locator("h1").inner_text() == "Which bicycle would you rather ride?"


def test_what_else_must_change_is_said_with_the_rule_and_the_price(visit, builder):
    page = result(visit, builder)
    choose(page, "motor", "a hub")
    expected = looked(builder, page, {"motor": "a hub"})
    shown = page.locator(".outcome").inner_text()
    assert expected["forced"]
    for change in expected["forced"]:
        assert re.search(rf"{change['name']}: {change['before']}\s*→\s*{change['after']}", shown)
    for rule in expected["because"]:
        assert rule["text"] in shown
    price = next(total for total in expected["totals"] if total["name"] == "price")
    assert f"{price['after']} ({price['difference']})" in shown
    assert expected["item"]["match_text"].lower() in shown.lower()
    assert session(builder, page)["hints"] == 0


def test_several_changes_are_kept_together_and_left(visit, builder):
    page = result(visit, builder)
    before = page.locator("h1").inner_text()
    choose(page, "frame", "titanium")
    choose(page, "saddle", "leather")
    assert page.locator(".outcome h2 + ul").first.locator("li").count() == 2
    page.get_by_role("button", name="Leave it").click()
    page.locator(OUTCOME).wait_for(state="detached")
    assert page.get_by_label("frame", exact=True).input_value() != "titanium"
    assert page.locator("h1").inner_text() == before
    assert session(builder, page)["hints"] == 0


def test_what_is_taken_stands_first_until_it_is_taken_back(visit, builder):
    page = result(visit, builder)
    choose(page, "frame", "titanium")
    page.get_by_role("button", name="Take it").click()
    page.locator(".said li", has_text="frame: titanium").wait_for()
    page.get_by_text("As you adjusted it").wait_for()
    assert page.locator("h1").inner_text().startswith("Titanium")
    assert page.evaluate("document.activeElement.id") == "best"
    assert session(builder, page)["adjusted"]["id"].split("/")[1] == "titanium"
    link = page.get_by_label("Share a read-only link").input_value()
    reader = visit(link.removeprefix(builder.address), at=builder.address)
    reader.get_by_text("As they adjusted it").wait_for()
    assert reader.locator(".adjust").count() == 0
    page.locator(".said").get_by_role("button", name="Undo").click()
    page.locator(".said li").wait_for(state="detached")
    assert session(builder, page)["adjusted"] is None


def test_it_works_by_keyboard_on_a_phone_and_in_german(visit, builder):
    page = result(visit, builder, "/?seed=1&language=de", **PHONE)
    page.get_by_label("Rahmen", exact=True).focus()
    page.keyboard.type("titanium")
    page.locator(OUTCOME).wait_for()
    take = page.get_by_role("button", name="Übernehmen")
    take.focus()
    page.keyboard.press("Enter")
    page.locator(".said li", has_text="Rahmen: titanium").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]


def test_what_must_haves_forbid_is_explained(visit, builder):
    page = visit("/?seed=1", at=builder.address)
    press(page, "1", 2)
    page.get_by_role("button", name="Must-haves").click()
    price = page.locator("fieldset", has=page.locator("legend", has_text=re.compile("^price$")))
    price.get_by_label("at most").fill("100")
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("No bicycles match: loosen a filter.").wait_for()
    price.get_by_label("at most").fill("1000")
    page.get_by_role("button", name="Apply").click()
    page.locator("dialog[open]").wait_for(state="detached")
    page.get_by_role("button", name="See results").click()
    page.locator(".adjust summary").click()
    page.get_by_label("frame", exact=True).select_option("titanium")
    page.get_by_text("Nothing has this: frame: titanium.").wait_for()
    assert "price: at most €1,000 (your must-have)" in page.locator(".outcome").inner_text()
    assert page.get_by_role("button", name="Take it").count() == 0


def test_numbers_that_nobody_reads_are_said_roughly(visit, builder):
    page = visit("/?seed=1", at=builder.address)
    press(page, "1", 2)
    page.get_by_role("button", name="Must-haves").click()
    counts = page.locator(".values small").all_inner_texts()
    assert counts
    assert all(len(count) <= 6 for count in counts)
    assert any(count.endswith("M") for count in counts)
    poll(page, lambda: page.locator("dialog[open]").count() == 1)
