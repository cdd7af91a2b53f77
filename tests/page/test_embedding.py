"""The conversation inside another site."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browsing import READY, TIMEOUT_SECONDS, Site, choices, poll, wait_for_change

EXAMPLE = Path(__file__).parents[2] / "docs" / "guides" / "embed-example.html"


@pytest.fixture
def host(browser, server):
    """Open a page of another site that embeds ours, like the example in the documentation."""
    contexts = []

    def open_host(site, attributes='data-catalog="things"'):
        text = EXAMPLE.read_text(encoding="utf-8").replace("http://localhost:8000", server.address)
        site.pages["/"] = text.replace('data-catalog="films"', attributes)
        contexts.append(browser.new_context(reduced_motion="reduce"))
        contexts[-1].set_default_timeout(1000 * TIMEOUT_SECONDS)
        page = contexts[-1].new_page()
        page.requests, page.said = [], []
        page.on("request", lambda request: page.requests.append(request))
        page.on("console", lambda message: page.said.append(message.text))
        page.goto(site.address)
        return page

    yield open_host
    for context in contexts:
        context.close()


def test_the_example_asks_and_hears_the_end(host, site, server):
    page = host(site, 'data-catalog="things" data-questions="2"')
    frame = page.frame_locator("iframe")
    frame.locator(".eyebrow", has_text="Question 1").wait_for()
    page.evaluate("addEventListener('rather:done', event => { window.done = event.detail; })")
    for _ in range(2):
        frame.locator(READY).wait_for()
        question = frame.locator(".asking").get_attribute("data-question")
        frame.locator(".option button").first.click()
        wait_for_change(frame, question)
    frame.locator(".results").wait_for()
    page.get_by_text(re.compile("^Thing ")).wait_for()
    done = page.evaluate("window.done")
    assert done["answers"] == 2
    assert choices(server, done["session"]) == [0, 0]
    stored = server.get(f"/v1/sessions/{done['session']}")
    assert done["recommendations"] == stored["recommendations"]
    assert page.locator("#told").inner_text() == stored["recommendations"][0]["label"]
    hosts = {urlsplit(request.url).netloc for request in page.requests}
    assert hosts == {urlsplit(site.address).netloc, urlsplit(server.address).netloc}


def test_the_frame_is_as_high_as_its_content(host, site):
    page = host(site)
    frame = page.frame_locator("iframe")
    frame.locator(READY).wait_for()

    def fits():
        inner = frame.locator("#page").bounding_box()["height"]
        return abs(inner - page.locator("iframe").bounding_box()["height"]) <= 2

    for width in (1200, 420):
        page.set_viewport_size({"width": width, "height": 800})
        poll(page, fits)


def test_a_reload_of_the_host_goes_on_with_the_conversation(host, site):
    page = host(site)
    frame = page.frame_locator("iframe")
    frame.locator(READY).wait_for()
    frame.locator(".option button").first.click()
    frame.locator(".eyebrow", has_text="Question 2").wait_for()
    page.reload()
    frame.locator(".eyebrow", has_text="Question 2").wait_for()


def test_a_site_that_is_not_allowed_shows_nothing(host):
    stranger = Site()
    try:
        page = host(stranger)
        poll(page, lambda: any("frame-ancestors" in text for text in page.said))  # the browser says that it refused
        assert page.frame_locator("iframe").locator("#page").count() == 0
    finally:
        stranger.close()


def test_two_conversations_in_one_page_stay_apart(host, site, server):
    page = host(site)
    script = f'<script src="{server.address}/embed.js" data-catalog="plain"></script>'
    site.pages["/"] = site.pages["/"].replace("<p ", script + "<p ")
    page.reload()
    for index in (0, 1):
        frame = page.frame_locator("iframe").nth(index)
        frame.locator(READY).wait_for()
        for _ in range(index):
            frame.locator(".option button").first.click()
            frame.locator(".eyebrow", has_text="Question 2").wait_for()
    page.reload()
    page.frame_locator("iframe").nth(0).locator(".eyebrow", has_text="Question 1").wait_for()
    page.frame_locator("iframe").nth(1).locator(".eyebrow", has_text="Question 2").wait_for()
