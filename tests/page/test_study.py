"""A study in the browser: its progress, its end, and those who come too late."""

from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import PHONE, READY, Server, answer_on, press, session_id

HELD = """
name = "spring"
quota = 3
[questions]
minimum = {minimum}
maximum = 3
[[tasks]]
question = 2
items = [103, 107]
holdout = true
[end]
text = "Thank you, that was all."
results = {results}
redirect = "{site}/done?id={{respondent}}&from={{source}}"
automatic = {automatic}
full = "We have enough answers now."
away = "{site}/full?id={{respondent}}"
"""


@pytest.fixture
def held(browser, site, tmp_path):
    """Serves a study; whoever finishes is sent to another site."""
    site.pages["/done?id=p%201%26%3D%C3%A4&from=mail"] = "<title>The panel</title>"
    servers = []

    def hold(*, results="false", automatic="false", minimum=2):
        path = tmp_path / "study.toml"
        said = HELD.format(site=site.address, results=results, automatic=automatic, minimum=minimum)
        path.write_text(said, encoding="utf-8")
        servers.append(Server(tmp_path, "things", study=path))
        return servers[-1]

    yield hold
    for server in servers:
        server.stop()


def take_part(page, key="1"):
    """Answer until the end; gives what was said above each question."""
    said = []
    for _ in range(5):
        page.locator(f"{READY}, .study-end").first.wait_for()
        if page.locator(".study-end").count():
            return said
        said.append(page.locator(".eyebrow").inner_text())
        answer_on(page, key)
    raise AssertionError("The study does not end.")


LINK = "/?respondent=p%201%26%3D%C3%A4&source=mail"


def test_the_page_shows_how_far_one_is_and_the_question_alone(held, visit):
    server = held()
    page = visit(LINK, at=server.address)
    page.locator(READY).wait_for()
    assert page.locator("aside").count() == 0
    assert page.get_by_role("button", name="Must-haves").count() == 0
    assert page.get_by_role("progressbar").get_attribute("max") == "3"
    said = take_part(page)
    assert [text.lower() for text in said][:2] == ["question 1 of 2 to 3", "question 2 of 2 to 3"]
    assert [text.lower() for text in said][2:] in ([], ["question 3 of at most 3"])
    assert page.get_by_role("button", name="See results").count() == 0


def test_the_end_thanks_and_leads_on_with_the_respondent(held, visit, site):
    server = held()
    page = visit(LINK, at=server.address)
    take_part(page)
    heading = page.get_by_role("heading", level=1)
    assert heading.inner_text() == "Thank you, that was all."
    assert heading.evaluate("heading => heading === document.activeElement")
    address = urlsplit(page.get_by_role("link", name="Continue").get_attribute("href"))
    assert f"{address.scheme}://{address.netloc}" == site.address
    assert parse_qs(address.query) == {"id": ["p 1&=ä"], "from": ["mail"]}
    assert page.locator(".results").count() == 0
    page.reload()
    page.get_by_role("link", name="Continue").wait_for()
    stored = server.get(f"/v1/sessions/{session_id(page)}")
    assert stored["study"]["finished"]


def test_the_recommendations_may_follow_without_a_way_to_go_on_asking(held, visit):
    page = visit(LINK, at=held(results="true").address)
    take_part(page)
    page.locator(".results h1").wait_for()
    assert page.get_by_role("link", name="Continue").count() == 1
    for name in ("Keep going", "Start again", "More like this", "Say it"):
        assert page.get_by_role("button", name=name).count() == 0


def test_the_page_may_leave_by_itself(held, browser):
    server = held(automatic="true", minimum=3)
    with browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(server.address + LINK)
        press(page, "1", 2)
        press(page, "1", 3)
        page.locator(READY).wait_for()
        page.keyboard.press("1")
        page.wait_for_url("**/done?**")
        assert parse_qs(urlsplit(page.url).query)["id"] == ["p 1&=ä"]


def test_whoever_comes_too_late_reads_so(held, visit):
    server = held()
    for _ in range(3):
        server.post("/v1/sessions", {})
    page = visit(LINK, at=server.address, **PHONE)
    page.get_by_role("heading", name="We have enough answers now.").wait_for()
    assert page.get_by_role("button").count() == 0
    address = urlsplit(page.get_by_role("link", name="Continue").get_attribute("href"))
    assert (address.path, parse_qs(address.query)) == ("/full", {"id": ["p 1&=ä"]})
