"""A configuration is changed by the person while questions are asked, which stay where they are."""

import re

from browsing import PHONE, READY, Server, choices, choose, press, session_id, wait_for_change, wait_for_question

FIRST = ".picks > li:first-child"
OWN = "As you adjusted it"

STUDY = """
name = "bicycles"
quota = 3
[questions]
minimum = 2
maximum = 3
"""


def second_question(visit, builder, path="/?seed=1", **options):
    """The second question, and beside it what is recommended first with all its choices open."""
    page = visit(path, at=builder.address, **options)
    page.locator(READY).wait_for()
    page.keyboard.press("1")
    page.locator(".eyebrow", has_text=re.compile(r"^(Question|Frage) 2$")).wait_for()
    page.locator(READY).wait_for()
    page.locator(".adjust summary").click()
    page.locator(".adjust select").first.wait_for()
    return page


def take(page, name="Take it"):
    """Take what is shown, and wait for the question that is chosen next."""
    before = page.locator(".asking").get_attribute("data-question")
    page.get_by_role("button", name=name, exact=True).click()
    wait_for_change(page, before)


def session(builder, page):
    return builder.get(f"/v1/sessions/{session_id(page)}")


def listed(page):
    return page.locator(".picks > li").evaluate_all("rows => rows.map(row => row.dataset.key)")


def test_only_the_first_can_be_changed_and_nothing_counts_before_it_is_taken(visit, builder):
    page = second_question(visit, builder)
    assert page.locator(".adjust").count() == page.locator(f"{FIRST} .adjust").count() == 1
    assert page.locator(".picks .steering").count() == page.locator(".picks > li").count() > 1
    before = listed(page)
    choose(page, "frame", "titanium")
    choose(page, "saddle", "leather")
    page.get_by_role("button", name="Leave it").click()
    page.locator(".outcome .becomes").wait_for(state="detached")
    assert session(builder, page)["hints"] == 0
    assert listed(page) == before


def test_what_is_taken_stands_first_and_the_question_is_chosen_again(visit, builder):
    page = second_question(visit, builder)
    choose(page, "frame", "titanium")
    take(page)
    wait_for_question(page, 2)
    now = session(builder, page)
    assert (now["answers"], now["hints"]) == (1, 1)
    own = now["adjusted"]["id"]
    assert own.split("/")[1] == "titanium"
    assert OWN in page.locator(FIRST).inner_text()
    assert page.get_by_text(OWN).count() == 1
    assert listed(page) == [own, *(item["id"] for item in now["recommendations"] if item["id"] != own)]
    assert page.evaluate("document.activeElement.id") == "picks-heading"
    assert page.locator(".adjust[open]").count() == 0
    page.locator(".adjust summary").click()
    page.locator(".adjust select").first.wait_for()
    assert page.get_by_label("frame", exact=True).input_value() == "titanium"


def test_undo_takes_it_back_and_asks_on(visit, builder):
    page = second_question(visit, builder)
    before = listed(page)
    choose(page, "frame", "titanium")
    take(page)
    page.get_by_text(OWN).wait_for()
    press(page, "Backspace", 2)
    page.get_by_text(OWN).wait_for(state="detached")
    now = session(builder, page)
    assert (now["answers"], now["hints"], now["adjusted"]) == (1, 0, None)
    assert listed(page) == before


def test_it_may_be_the_first_thing_that_is_said(visit, builder):
    page = visit("/?seed=1", at=builder.address)
    wait_for_question(page, 1)
    page.get_by_role("heading", name="A first guess").wait_for()
    page.locator(".adjust summary").click()
    choose(page, "frame", "titanium")
    take(page)
    wait_for_question(page, 1)
    page.get_by_role("heading", name="For you, so far").wait_for()
    page.get_by_role("button", name="See results").click()
    page.locator(".best", has_text=OWN).wait_for()
    assert page.locator("h1").inner_text().startswith("Titanium")


def test_keys_in_a_choice_answer_nothing_and_undo_nothing(visit, builder):
    page = second_question(visit, builder)
    page.get_by_label("gears", exact=True).focus()
    for key in ("2", "0", "=", "Backspace"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.matches('.adjust select')")
    page.locator(".adjust summary").focus()
    press(page, "1", 3)
    assert choices(builder, session_id(page)) == [0, 0]


def test_what_becomes_of_it_is_in_sight_and_hides_no_choice_with_the_focus(visit, builder, screen):
    page = second_question(visit, builder, **screen)
    first = page.locator(".adjust select").first
    first.focus()
    choose(page, "frame", "titanium")
    within = "node => node.getBoundingClientRect().top >= 0 && node.getBoundingClientRect().bottom <= innerHeight"
    assert page.get_by_role("button", name="Take it").evaluate(within)
    hidden = """() => document.activeElement.getBoundingClientRect().bottom
        > document.querySelector(".outcome").getBoundingClientRect().top"""
    for _ in range(page.locator(".adjust select").count() - 1):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('.adjust select')")
        assert not page.evaluate(hidden)


def test_it_works_by_keyboard_on_a_phone_and_in_german(visit, builder):
    page = second_question(visit, builder, "/?seed=1&language=de", **PHONE)
    page.get_by_label("Rahmen", exact=True).focus()
    page.keyboard.type("titanium")
    page.locator(".outcome .becomes").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    before = page.locator(".asking").get_attribute("data-question")
    page.get_by_role("button", name="Übernehmen").focus()
    page.keyboard.press("Enter")
    wait_for_change(page, before)
    page.locator(FIRST, has_text="Wie du es geändert hast").wait_for()
    assert page.locator(".eyebrow", has_text="Frage 2").count() == 1


def test_a_table_has_nothing_to_change(visit):
    page = visit()
    press(page, "1", 2)
    page.locator(".steering").first.wait_for()
    page.get_by_role("button", name="Must-haves").wait_for()  # whatever the page loads later is there
    assert page.locator(".adjust").count() == 0


def test_nobody_in_a_study_is_offered_a_change(visit, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    held = Server(tmp_path, "bicycle", study=path)
    try:
        page = visit("/?respondent=one", at=held.address)
        page.locator(READY).wait_for()
        page.keyboard.press("1")
        page.locator(".eyebrow", has_text="Question 2").wait_for()
        page.wait_for_load_state("networkidle")
        assert page.locator(".adjust, .picks").count() == 0
    finally:
        held.stop()
