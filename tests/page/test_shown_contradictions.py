"""Answers that hardly fit together: shown with the result, and answered again."""

import pytest
from browsing import choices, poll, session_id


@pytest.fixture
def contradicting(server):
    """A conversation in which always the item is chosen that seemed worse, until that is noticed."""
    session = server.post("/v1/sessions", {"catalog": "things", "seed": 1})
    path = f"/v1/sessions/{session['id']}"
    for _ in range(20):
        ranked = [item["id"] for item in server.get(f"{path}/recommendations?limit=100")["recommendations"]]
        question = session["question"]
        worse = max(range(2), key=lambda index: ranked.index(question["options"][index]["id"]))
        session = server.post(f"{path}/answers", {"question": question["id"], "choice": worse})["session"]
        if server.get(f"{path}/contradictions")["contradictions"]:
            return session["id"]
    raise AssertionError("no contradiction in 20 answers")


def show_result(page):
    """The result, whether or not more could be asked."""
    page.locator(".asking, .results").first.wait_for()
    if page.locator(".results").count() == 0:
        page.get_by_role("button", name="See results").click()
    page.locator(".contradictions").wait_for()


def test_a_contradiction_is_shown_and_the_earlier_answer_revised(visit, server, contradicting, screen):
    found = server.get(f"/v1/sessions/{contradicting}/contradictions")["contradictions"][0]
    before = choices(server, contradicting)
    page = visit(f"/#/session/{contradicting}", **screen)
    show_result(page)
    box = page.locator(".contradictions")
    assert found["text"] in box.inner_text()
    assert "Both may be right." in box.inner_text()
    number = found["earlier_number"]
    box.get_by_role("button", name=f"Answer question {number} again").click()
    other = 1 - before[number - 1]
    assert box.locator(".chip").nth(before[number - 1]).get_attribute("aria-pressed") == "true"
    box.locator(".chip").nth(other).click()
    wanted = [*before[: number - 1], other, *before[number:]]
    poll(page, lambda: choices(server, contradicting) == wanted)
    poll(page, lambda: page.evaluate("document.activeElement.tagName") == "H1")
    assert session_id(page) == contradicting
    assert page.locator(".results").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_an_answer_can_be_left_out_in_another_language(visit, server, contradicting):
    found = server.get(f"/v1/sessions/{contradicting}/contradictions")["contradictions"][0]
    before = choices(server, contradicting)
    page = visit(f"/?language=de#/session/{contradicting}", locale="de-DE")
    page.locator(".asking, .results").first.wait_for()
    if page.locator(".results").count() == 0:
        page.get_by_role("button", name="Ergebnis").click()
    box = page.locator(".contradictions")
    box.get_by_role("button", name=f"Frage {found['number']} noch einmal beantworten").click()
    assert "Bei Frage" in box.inner_text()
    box.get_by_role("button", name="Nicht mitzählen").click()
    number = found["number"]
    poll(page, lambda: choices(server, contradicting) == [*before[: number - 1], "skip", *before[number:]])


def test_whoever_has_the_share_link_is_not_told(visit, server, contradicting):
    share = server.get(f"/v1/sessions/{contradicting}")["share"]
    page = visit(f"/shared/{share}")
    page.locator(".tastes").wait_for()
    assert page.locator(".contradictions").count() == 0
    assert not any("contradictions" in request.url for request in page.requests)
