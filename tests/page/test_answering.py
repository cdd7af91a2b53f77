"""Somebody answers, by mouse, by keyboard and by touch."""

import re

import pytest
from browsing import PHONE, READY, choices, press, session_id, titles, wait_for_question


def test_answer_by_mouse(visit, server):
    page = visit()
    wait_for_question(page, 1)
    second = titles(page)[1]
    page.get_by_role("button", name=second, exact=True).click()
    wait_for_question(page, 2)
    assert choices(server, session_id(page)) == [1]
    page.get_by_role("button", name="Neither").click()
    wait_for_question(page, 3)
    assert choices(server, session_id(page)) == [1, "none"]


def test_the_whole_option_can_be_clicked(visit, server):
    page = visit()
    wait_for_question(page, 1)
    page.locator(".facts").first.click(position={"x": 5, "y": 5}, force=True)
    wait_for_question(page, 2)
    assert choices(server, session_id(page)) == [0]


def test_answer_by_keyboard(visit, server):
    page = visit()
    for number, key in enumerate("12=?0", start=2):
        press(page, key, number)
    assert choices(server, session_id(page)) == [0, 1, "same", "skip", "none"]


def test_answer_with_tab_and_enter(visit, server):
    page = visit()
    wait_for_question(page, 1)
    second = page.get_by_role("button", name=titles(page)[1], exact=True)
    second.focus()
    page.keyboard.press("Enter")
    wait_for_question(page, 2)
    assert choices(server, session_id(page)) == [1]
    # The focus stays at the same position in the slate, so that the next answer is as near.
    assert page.evaluate("document.activeElement.textContent") == titles(page)[1]


def test_answer_by_touch_on_a_phone(visit, server):
    page = visit(**PHONE)
    wait_for_question(page, 1)
    page.get_by_role("button", name=titles(page)[0], exact=True).tap()
    wait_for_question(page, 2)
    page.get_by_role("button", name="Skip").tap()
    wait_for_question(page, 3)
    assert choices(server, session_id(page)) == [0, "skip"]
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["viewport"]["width"]


def test_both_options_fit_on_a_phone(visit):
    page = visit(**PHONE)
    wait_for_question(page, 1)
    box = page.locator(".extras").bounding_box()
    assert box["y"] + box["height"] <= PHONE["viewport"]["height"]


def test_undo(visit, server):
    page = visit()
    wait_for_question(page, 1)
    first = titles(page)
    press(page, "1", 2)
    press(page, "2", 3)
    press(page, "Backspace", 2)
    page.get_by_role("button", name="Undo").click()
    wait_for_question(page, 1)
    assert titles(page) == first
    assert choices(server, session_id(page)) == []
    page.keyboard.press("Backspace")  # nothing is left to undo
    press(page, "2", 2)
    assert choices(server, session_id(page)) == [1]


def test_a_double_click_is_one_answer(visit, server):
    page = visit()
    wait_for_question(page, 1)
    page.locator(".option").first.dblclick()
    wait_for_question(page, 2)
    page.wait_for_timeout(300)
    assert choices(server, session_id(page)) == [0]


def test_a_held_key_is_one_answer(visit, server):
    page = visit()
    wait_for_question(page, 1)
    for _ in range(20):
        page.keyboard.down("1")  # the second and later ones are repeats
        page.wait_for_timeout(30)
    page.keyboard.up("1")
    wait_for_question(page, 2)
    assert choices(server, session_id(page)) == [0]


def test_number_keys_can_be_switched_off(visit, server):
    page = visit()
    wait_for_question(page, 1)
    page.get_by_role("button", name="Number keys: on").click()
    page.keyboard.press("1")
    page.wait_for_timeout(300)
    assert choices(server, session_id(page)) == []
    page.reload()
    wait_for_question(page, 1)
    page.get_by_role("button", name="Number keys: off").click()
    press(page, "1", 2)


def test_keys_in_a_field_are_no_answers(visit, server):
    page = visit()
    wait_for_question(page, 1)
    page.get_by_role("button", name="Must-haves").click()
    page.get_by_label("at least").fill("12")
    page.get_by_label("at least").press("Backspace")
    page.get_by_label("at least").press("2")
    page.keyboard.press("Escape")
    assert choices(server, session_id(page)) == []


@pytest.mark.parametrize("k", [3, 4])
def test_longer_slates(visit, server, k):
    page = visit(f"/?catalog=things&k={k}")
    wait_for_question(page, 1)
    assert len(titles(page)) == k
    press(page, str(k), 2)
    assert choices(server, session_id(page)) == [k - 1]
    page.get_by_role("button", name="None of these").wait_for()


def test_questions_about_attributes(visit, server):
    page = visit("/?catalog=things&ask=attributes&p=2")
    wait_for_question(page, 1)
    question = server.get(f"/v1/sessions/{session_id(page)}")["question"]
    assert question["kind"] == "attributes"
    assert page.locator("h1").inner_text() == question["prompt"]
    assert titles(page) == [option["label"] for option in question["options"]]
    assert all(len(option["attributes"]) == 2 for option in question["options"])
    page.get_by_role("button", name=titles(page)[1], exact=True).click()
    wait_for_question(page, 2)
    assert choices(server, session_id(page)) == [1]
    items = server.get(f"/v1/sessions/{session_id(page)}")["recommendations"]
    said = next(item["reasons"][0]["text"] for item in items if item["reasons"])
    page.locator(".picks").get_by_text(said).wait_for()


def test_recommendations_follow_the_answers(visit, server):
    page = visit()
    wait_for_question(page, 1)
    page.get_by_role("heading", name="A first guess").wait_for()
    press(page, "1", 2)
    page.get_by_role("heading", name="For you, so far").wait_for()
    wanted = server.get(f"/v1/sessions/{session_id(page)}")["recommendations"]
    picks = page.locator(".picks > li")
    assert picks.count() == len(wanted)
    for row, item in enumerate(wanted):
        text = picks.nth(row).inner_text()
        assert item["label"] in text
        assert item["match_text"] in text.lower()
    reason = next(item["reasons"][0] for item in wanted if item["reasons"])
    assert reason["text"].lower() in page.locator(".picks").inner_text().lower()


def test_the_chart_says_how_regret_falls(visit, server):
    page = visit()
    for number in (2, 3):
        press(page, "1", number)
    stored = server.get(f"/v1/sessions/{session_id(page)}")
    left = round(100 * stored["expected_regret"] / stored["start_regret"])
    page.get_by_role("img", name=f"Expected regret after 2 answers: {left}% of what it was at the start").wait_for()
    assert page.locator(".regret circle").count() == 3


def test_a_new_question_is_announced(visit):
    page = visit()
    press(page, "1", 2)
    first, second = titles(page)
    page.get_by_role("status").filter(has_text=f"Question 2: {first} or {second}?").wait_for(state="attached")


def test_must_haves(visit, server):
    page = visit()
    press(page, "1", 2)
    page.get_by_role("button", name="Must-haves").click()
    page.get_by_role("checkbox", name=re.compile("^red")).check()
    page.get_by_label("at least").fill("100")
    page.get_by_role("button", name="Apply").click()
    page.locator("dialog[open]").wait_for(state="detached")
    page.get_by_role("button", name="Must-haves 2").wait_for()
    stored = server.get(f"/v1/sessions/{session_id(page)}")
    assert stored["answers"] == 1
    for item in stored["recommendations"]:
        facts = {fact["name"]: fact["value"] for fact in item["facts"]}
        assert facts["colour"] == "red"
        assert int(facts["price"].split()[0]) >= 100


def test_a_value_among_the_must_haves_has_one_outline(visit):
    page = visit()
    wait_for_question(page, 1)
    page.get_by_role("button", name="Must-haves").click()
    value = page.locator("dialog .values label", has_text="red")
    width = "element => getComputedStyle(element).borderTopWidth"
    assert [value.evaluate(width), value.locator("span").evaluate(width)] == ["0px", "1px"]


def test_impossible_must_haves_are_explained(visit):
    page = visit()
    wait_for_question(page, 1)
    page.get_by_role("button", name="Must-haves").click()
    page.get_by_label("at least").fill("100000")
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("alert").filter(has_text="No things match: loosen a filter.").wait_for()
    page.get_by_role("button", name="Clear all").click()
    page.locator(READY).wait_for()


def test_several_catalogues_can_be_chosen(visit, server):
    page = visit("/")
    page.get_by_role("heading", name="What are you looking for?").wait_for()
    page.get_by_role("button", name="things 120 things").click()
    wait_for_question(page, 1)
    assert server.get(f"/v1/sessions/{session_id(page)}")["catalog"] == "things"
    page.get_by_role("button", name="All catalogues").click()
    page.get_by_role("button", name="plain").click()
    wait_for_question(page, 1)
    page.go_back()
    page.get_by_role("heading", name="What are you looking for?").wait_for()


def test_pictures_are_shown_where_there_are_any(visit):
    page = visit("/?catalog=pictures")
    wait_for_question(page, 1)
    labels = titles(page)
    # Odd rows have a picture of this server; that of the others is missing and, once that is known, leaves no trace.
    page.wait_for_function(
        "![...document.querySelectorAll('.picture')].some((picture) => picture.src.includes('missing'))"
    )
    assert page.locator(".picture").count() == sum((int(label) - 100) % 2 for label in labels)
