"""The end of a conversation, sharing it, and going on."""

import re
from contextlib import suppress

import pytest
from browsing import READY, answer_on, choices, poll, press, session_id, wait_for_question

END = ".results"
ROWS = ".ranked .pick-title"


def answer_to_the_end(page, key="1", most=40):
    for _ in range(most):
        page.locator(f"{READY}, {END}").first.wait_for()
        if page.locator(END).count():
            return
        answer_on(page, key)
    raise AssertionError(f"The page still asks after {most} answers.")


def test_the_conversation_ends_by_itself(visit, server):
    page = visit()
    answer_to_the_end(page)
    stored = server.get(f"/v1/sessions/{session_id(page)}")
    assert stored["stop"]["code"] in ("regret", "cost", "probability")
    page.get_by_text("That is enough to go on").wait_for()
    best = page.get_by_role("heading", level=1)
    assert best.inner_text() == stored["recommendations"][0]["label"]
    assert best.evaluate("heading => heading === document.activeElement")
    ranked = server.get(f"/v1/sessions/{session_id(page)}/recommendations?limit=10")["recommendations"]
    rows = page.locator(ROWS)
    rows.nth(8).wait_for()
    assert rows.all_inner_texts() == [item["label"] for item in ranked[1:]]
    page.get_by_role("button", name="Show more").click()
    rows.nth(18).wait_for()
    assert rows.count() == 19


def hold_first(page, address):
    """Hold the first request to `address` back; gives the list it will be in, and a function that lets it through."""
    held = []

    def handle(route):
        if held:
            route.continue_()
        else:
            held.append(route)

    def release():
        with suppress(Exception):  # the page may have cancelled the request
            held[0].continue_()
        page.wait_for_timeout(300)

    page.route(address, handle)
    return held, release


def test_an_old_part_of_the_ranking_does_not_replace_a_newer_one(visit):
    page = visit()
    press(page, "1", 2)
    page.get_by_role("button", name="See results").click()
    page.locator(ROWS).nth(8).wait_for()
    held, release = hold_first(page, "**/recommendations?*")
    more = page.get_by_role("button", name="Show more")
    more.click()
    poll(page, lambda: held)
    for rows in (19, 29):
        more.click()
        page.locator(ROWS).nth(rows - 1).wait_for()
    release()
    assert page.locator(ROWS).count() == 29


@pytest.mark.parametrize("part", ["recommendations?*", "profile"])
def test_results_of_an_earlier_answer_do_not_replace_those_of_a_later_one(visit, server, part):
    page = visit("/?catalog=things&questions=1")
    wait_for_question(page, 1)
    held, release = hold_first(page, f"**/sessions/*/{part}")
    page.keyboard.press("1")
    page.locator(END).wait_for()
    poll(page, lambda: held)
    twin = visit(f"/?catalog=things#/session/{session_id(page)}")
    twin.get_by_role("button", name="Keep going").click()
    press(twin, "2", 3)
    page.get_by_role("button", name="Undo the last answer").click()  # which it no longer is
    page.get_by_text("moved on in another window").wait_for()
    page.locator(ROWS).nth(8).wait_for()
    page.locator(".tastes").wait_for()
    shown = page.locator(END).inner_text()
    release()
    assert page.locator(END).inner_text() == shown
    ranked = server.get(f"/v1/sessions/{session_id(page)}/recommendations?limit=10")["recommendations"]
    assert page.locator(ROWS).all_inner_texts() == [item["label"] for item in ranked[1:]]


def test_the_last_question_is_called_so(visit):
    page = visit("/?catalog=things&questions=1")
    answer_to_the_end(page)
    page.get_by_text("That was the last question · 1 answer").wait_for()


def test_the_taste_profile_shows_what_the_api_says(visit, server):
    page = visit()
    press(page, "1", 2)
    page.get_by_role("button", name="See results").click()
    page.locator(".tastes li").first.wait_for()
    tastes = server.get(f"/v1/sessions/{session_id(page)}/profile")["tastes"]
    assert page.locator(".tastes .feature").all_inner_texts() == [taste["feature"] for taste in tastes]
    for row, taste in enumerate(tastes):
        side = "more" if taste["weight"] >= 0 else "less"
        assert page.locator(".tastes svg").nth(row).get_attribute("aria-label").startswith(side)


def test_a_catalogue_without_names_has_no_profile(visit):
    page = visit("/?catalog=plain")
    press(page, "1", 2)
    page.get_by_role("button", name="See results").click()
    page.locator(".ranked > li").nth(8).wait_for()
    assert page.locator(".tastes").count() == 0


def test_keep_going(visit, server):
    page = visit()
    answer_to_the_end(page)
    id = session_id(page)
    count = len(choices(server, id))
    page.get_by_role("button", name="Keep going").click()
    press(page, "2", count + 2)
    assert len(choices(server, id)) == count + 1
    page.reload()
    wait_for_question(page, count + 2)
    page.get_by_role("button", name="See results").click()
    page.locator(END).wait_for()


def test_undo_at_the_end_asks_again(visit, server):
    page = visit()
    answer_to_the_end(page)
    count = len(choices(server, session_id(page)))
    page.get_by_role("button", name="Undo the last answer").click()
    wait_for_question(page, count)
    assert len(choices(server, session_id(page))) == count - 1


def test_start_again(visit, server):
    page = visit()
    press(page, "1", 2)
    before = session_id(page)
    page.get_by_role("button", name="See results").click()
    page.get_by_role("button", name="Start again").click()
    wait_for_question(page, 1)
    assert session_id(page) != before
    page.go_back()
    wait_for_question(page, 2)
    assert session_id(page) == before
    assert choices(server, before) == [0]


def test_a_shared_link_is_read_only(visit, server):
    page = visit()
    press(page, "1", 2)
    press(page, "2", 3)
    page.get_by_role("button", name="See results").click()
    page.locator(".ranked > li").nth(8).wait_for()
    link = page.get_by_label("Share a read-only link").input_value()
    id = session_id(page)
    assert id not in link

    guest = visit(link.removeprefix(server.address))
    guest.locator(".ranked > li").nth(8).wait_for()
    assert guest.locator("h1").inner_text() == page.locator("h1").inner_text()
    guest.get_by_text("A shared list · 2 answers").wait_for()
    assert guest.get_by_role("button", name=re.compile("Keep going|Undo|Start again")).count() == 0
    guest.get_by_text("They chose").first.wait_for()
    assert guest.get_by_text("You chose").count() == 0
    guest.keyboard.press("1")
    guest.keyboard.press("Backspace")
    guest.wait_for_timeout(300)
    assert choices(server, id) == [0, 1]
    assert {request.method for request in guest.requests} == {"GET"}
    assert id not in guest.content()

    guest.get_by_role("button", name="Try it yourself").click()
    wait_for_question(guest, 1)
    assert session_id(guest) != id


def test_the_link_can_be_copied(visit, server):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    press(page, "1", 2)
    page.get_by_role("button", name="See results").click()
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    token = server.get(f"/v1/sessions/{session_id(page)}")["share"]
    assert page.evaluate("navigator.clipboard.readText()") == f"{server.address}/shared/{token}"
