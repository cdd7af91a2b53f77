"""What happens to an answer when the page is reloaded, the server dies, or somebody else was faster."""

import signal

import pytest
from browsing import Server, choices, poll, press, session_id, titles, wait_for_question

LOST = "The server cannot be reached."
BUSY = "The server is very busy."


@pytest.fixture
def own_server(browser, tmp_path):
    serving = Server(tmp_path, "things")
    yield serving
    serving.stop()


def test_reload_in_the_middle(visit, server):
    page = visit()
    press(page, "1", 2)
    press(page, "2", 3)
    before, id = titles(page), session_id(page)
    page.reload()
    wait_for_question(page, 3)
    assert session_id(page) == id
    assert titles(page) == before
    assert page.locator(".regret circle").count() == 3
    press(page, "1", 4)
    assert choices(server, id) == [0, 1, 0]


def test_server_restarted_in_the_middle(visit, own_server):
    page = visit("/", at=own_server.address)
    press(page, "1", 2)
    chosen, id = titles(page)[1], session_id(page)
    own_server.stop(signal.SIGKILL)
    page.keyboard.press("2")
    page.get_by_text(LOST).wait_for()
    page.get_by_text(f"Your answer, {chosen}, is safe.").wait_for()
    page.keyboard.press("1")  # one answer is on its way: another one does not count
    own_server.start()
    wait_for_question(page, 3)  # it tries again by itself
    page.get_by_text(LOST).wait_for(state="detached")
    assert choices(own_server, id) == [0, 1]


def test_an_answer_outlasts_a_reload_without_connection(visit, server):
    page = visit()
    press(page, "1", 2)
    id = session_id(page)
    page.route("**/v1/sessions/*/answers", lambda route: route.abort())
    page.keyboard.press("2")
    page.get_by_text(LOST).wait_for()
    page.unroute_all()
    page.reload()
    wait_for_question(page, 3)
    assert choices(server, id) == [0, 1]


def test_an_answer_whose_acknowledgement_is_lost_counts_once(visit, server):
    page = visit()
    wait_for_question(page, 1)
    sent = []

    def lose_the_first(route):
        sent.append(route.request.post_data)
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/v1/sessions/*/answers", lose_the_first)
    page.keyboard.press("1")
    wait_for_question(page, 2)
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert choices(server, session_id(page)) == [0]


def problem(code, detail):
    """A problem as the server would send it."""
    return {"code": code, "title": code, "detail": detail, "action": "Wait.", "status": 503, "type": "x"}


@pytest.fixture
def failing(visit):
    """A page at its first question whose answers get a 503 until `failing.over` is set."""
    page = visit()
    wait_for_question(page, 1)
    page.over, page.attempts = False, 0

    def fail(route):
        if page.over:
            route.continue_()
        else:
            page.attempts += 1
            body = problem(page.code, "Not now.")
            headers = {"Retry-After": page.retry_after}
            route.fulfill(status=503, json=body, headers=headers, content_type="application/problem+json")

    page.route("**/v1/sessions/*/answers", fail)
    page.code, page.retry_after = "busy", "1"
    return page


@pytest.mark.parametrize(
    ("code", "said"), [("busy", BUSY), ("storage-unavailable", "The server cannot save answers at the moment.")]
)
def test_a_server_that_cannot_now_is_asked_again(failing, server, code, said):
    failing.code = code
    failing.keyboard.press("2")
    failing.get_by_text(said).wait_for()
    failing.get_by_text("is safe.").wait_for()
    poll(failing, lambda: failing.attempts >= 2)
    failing.over = True
    wait_for_question(failing, 2)
    failing.get_by_text(said).wait_for(state="detached")
    assert choices(server, session_id(failing)) == [1]


def test_who_does_not_want_to_wait_can_try_now(failing, server):
    failing.retry_after = "60"  # longer than anybody waits here
    failing.keyboard.press("2")
    failing.get_by_text(BUSY).wait_for()
    failing.over = True
    failing.get_by_role("button", name="Try now").click()
    wait_for_question(failing, 2)
    assert failing.attempts == 1
    assert choices(server, session_id(failing)) == [1]


def test_a_slow_answer_shows_that_it_is_awaited(visit):
    page = visit()
    wait_for_question(page, 1)
    held = []
    page.route("**/v1/sessions/*/answers", lambda route: held.append(route))
    page.keyboard.press("1")
    page.locator(".slate[data-slow]").wait_for()
    # The answered question is not the heading of what stands for the next one.
    assert page.locator(".eyebrow").inner_text() == "Choosing the next question …"
    assert page.locator("h1").evaluate("heading => getComputedStyle(heading).color") == "rgba(0, 0, 0, 0)"
    poll(page, lambda: held)
    assert page.locator(".stage").get_attribute("aria-busy") == "true"
    held[0].continue_()
    wait_for_question(page, 2)
    assert page.locator(".slate[data-slow]").count() == 0


def test_a_conversation_that_went_on_elsewhere(visit, server):
    page = visit()
    wait_for_question(page, 1)
    id = session_id(page)
    twin = visit(f"/?catalog=things#/session/{id}")
    press(twin, "1", 2)
    page.keyboard.press("2")  # to a question that has been answered otherwise
    page.get_by_text("moved on in another window").wait_for()
    wait_for_question(page, 2)
    page.get_by_role("button", name="OK", exact=True).click()
    press(page, "1", 3)
    assert choices(server, id) == [0, 0]


@pytest.mark.parametrize("path", ["/#/session/nobody-knows-this", "/shared/nobody-knows-this"])
def test_a_conversation_that_is_gone(visit, path):
    page = visit(path)
    page.get_by_role("heading", name="This conversation is gone").wait_for()
    page.get_by_role("button", name="Start a new conversation").click()
    page.get_by_role("heading", name="What are you looking for?").wait_for()


def test_a_catalogue_that_is_not_there_is_explained(visit):
    page = visit("/?catalog=nothing")
    page.get_by_role("heading", name="Something went wrong").wait_for()
    page.get_by_text("It has: things").wait_for()


def test_half_an_acknowledgement_is_none(visit, server):
    page = visit()
    wait_for_question(page, 1)
    sent = []

    def break_the_first(route):
        sent.append(route.request)
        if len(sent) == 1:
            route.fulfill(status=200, body=route.fetch().text()[:100], content_type="application/json")
        else:
            route.continue_()

    page.route("**/v1/sessions/*/answers", break_the_first)
    page.keyboard.press("1")
    wait_for_question(page, 2)
    assert len(sent) == 2
    assert choices(server, session_id(page)) == [0]
