"""Saying it oneself: buttons on recommendations, sentences below the taste profile, and what was said."""

from browsing import READY, poll, press, session_id

NOTED = ".said li"


def end(page):
    press(page, "1", 2)
    page.get_by_role("button", name="See results").click()
    page.locator(".tastes").wait_for()


def hints(server, page):
    said = server.get(f"/v1/sessions/{session_id(page)}/history")["hints"]
    return [hint["text"] for hint in said if not hint["undone"]]


def test_more_like_this_and_back(visit, server):
    page = visit()
    end(page)
    label = page.locator(".ranked .pick-title").nth(1).inner_text()
    page.get_by_role("button", name=f"More like this: {label}", exact=True).click()
    page.locator(NOTED, has_text=f"More like {label}").wait_for()
    assert hints(server, page) == [f"More like {label}"]
    assert page.locator(".results").count() == 1
    page.locator(".said").get_by_role("button", name="Undo").click()
    page.locator(NOTED).wait_for(state="detached")
    assert hints(server, page) == []
    assert page.locator(".results").count() == 1


def test_like_this_but_otherwise(visit, server):
    page = visit()
    end(page)
    best = page.get_by_role("heading", level=1).inner_text()
    wish = server.get(f"/v1/sessions/{session_id(page)}")["recommendations"][0]["wishes"][0]["text"]
    page.locator(".best .chip", has_text=wish).click()
    page.locator(NOTED).wait_for()
    assert hints(server, page) == [f"Like {best}, but {wish}"]


def test_wanting_and_not_caring(visit, server):
    page = visit()
    end(page)
    for label, choice in (("I want", "quiet"), ("I don’t care about", "warm")):
        sentence = page.locator("form.sentence", has_text=label)
        sentence.get_by_label(label).select_option(choice)
        sentence.get_by_role("button", name="Say it").click()
        page.locator(NOTED, has_text=choice).wait_for()
    assert [text.rsplit(" ", 1)[1] for text in hints(server, page)] == ["quiet", "warm"]


def test_hints_by_keyboard_beside_a_question(visit, server):
    page = visit()
    press(page, "1", 2)
    before = page.locator(".asking").get_attribute("data-question")
    page.locator(".steering summary").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator(f'.asking:not([data-question="{before}"]) {READY}').wait_for()
    page.locator(".eyebrow", has_text="Question 2").wait_for()
    assert len(hints(server, page)) == 1
    page.get_by_role("button", name="Undo").click()
    poll(page, lambda: hints(server, page) == [])
    page.locator(".eyebrow", has_text="Question 2").wait_for()


def test_a_reader_sees_what_was_said_but_cannot_say_anything(visit):
    page = visit()
    end(page)
    page.locator(".best .chip").first.click()
    page.locator(NOTED).wait_for()
    page.goto(page.get_by_label("Share a read-only link").input_value())
    page.locator(NOTED).wait_for()
    assert page.locator(".chip, .say-it").count() == 0
    assert page.get_by_role("heading", name="What they said").count() == 1


def test_a_hint_that_is_sent_twice_counts_once(visit, server):
    page = visit()
    end(page)
    failed = []

    def lose_the_first_reply(route):
        if failed:
            route.continue_()
        else:
            failed.append(route.fetch())
            route.abort()

    page.route("**/hints", lose_the_first_reply)
    page.locator(".best .chip").first.click()
    page.locator(NOTED).wait_for()
    assert len(hints(server, page)) == 1
