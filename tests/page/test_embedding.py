"""The conversation inside another site."""

import csv
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browsing import READY, TIMEOUT_SECONDS, Site, choices, poll, wait_for_change
from test_accessibility import violations

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
BIKES = GUIDES / "themes" / "bikes.csv"
EXAMPLE = GUIDES / "embed-example.html"


@pytest.fixture
def host(browser, server):
    """Open a page of another site that embeds ours, like the example in the documentation."""
    contexts = []

    def open_host(site, attributes='data-catalog="things"', at=server):
        text = EXAMPLE.read_text(encoding="utf-8").replace("http://localhost:8000", at.address)
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
    page.evaluate("addEventListener('rather:finished', event => { window.done = event.detail; })")
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


def test_a_site_that_is_not_allowed_reads_why(host):
    stranger = Site()
    try:
        page = host(stranger)
        frame = page.frame_locator("iframe")
        frame.get_by_role("heading", name="These questions cannot be shown here").wait_for()
        assert f"--origin {stranger.address}" in frame.locator("main").inner_text()
        assert frame.locator("button, a, input, form").count() == 0  # nothing to be tricked into
    finally:
        stranger.close()


def test_a_site_that_lies_about_its_name_shows_nothing(host, site):
    stranger = Site()
    try:
        page = host(stranger, f'data-catalog="things" data-title="{site.address}"')
        page.evaluate(
            "site => { frames[0].location = document.querySelector('iframe').src.replace("
            "/parent=[^&]*/, 'parent=' + encodeURIComponent(site)); }",
            site.address,
        )
        poll(page, lambda: any("frame-ancestors" in text for text in page.said))  # the browser says that it refused
        assert page.frame_locator("iframe").locator("#page").count() == 0
    finally:
        stranger.close()


def test_the_page_hears_what_happens_with_ids(host, site, server):
    page = host(site, 'data-catalog="things" data-questions="1" data-seed="3"')
    frame = page.frame_locator("iframe")
    page.add_init_script(
        """
        window.heard = [];
        for (const name of ["started", "answered", "finished"])
            addEventListener(`rather:${name}`, event => window.heard.push([name, event.detail]));
        """
    )
    page.reload()
    frame.locator(READY).wait_for()
    first = page.evaluate("window.heard[0]")
    asked = server.get(f"/v1/sessions/{first[1]['session']}")["question"]
    frame.locator(".option .title button").nth(1).click()
    frame.locator(".results").wait_for()
    poll(page, lambda: page.evaluate("window.heard.length") == 3)
    (_, started), (_, answered), (_, finished) = heard = page.evaluate("window.heard")
    assert [name for name, _ in heard] == ["started", "answered", "finished"]
    assert started["catalog"] == "things"
    assert started["session"] == answered["session"] == finished["session"]
    assert answered["question"] == asked["id"]
    assert (answered["choice"], answered["item"]) == (1, asked["options"][1]["id"])
    history = server.get(f"/v1/sessions/{answered['session']}/history")
    assert answered["answer"] == history["turns"][0]["answer"]
    assert finished["share"] == started["share"]


def test_settings_on_the_tag_reach_the_session(host, site, server):
    page = host(site, 'data-catalog="things" data-k="3" data-strategy="random" data-mode="dark" data-seed="5"')
    frame = page.frame_locator("iframe")
    page.evaluate("addEventListener('rather:started', event => { window.started = event.detail; })")
    frame.locator('.slate[data-k="3"]').wait_for()
    assert frame.locator("html").get_attribute("data-mode") == "dark"
    page.reload()
    frame.locator(READY).wait_for()
    assert frame.locator(".option").count() == 3


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


def test_must_haves_on_the_tag_hold_and_nothing_sold_out_appears(host, site, shop):
    page = host(site, "data-where='price < 1000' data-questions='2'", at=shop)
    frame = page.frame_locator("iframe")
    page.evaluate("addEventListener('rather:finished', event => { window.done = event.detail; })")
    frame.locator(READY).wait_for()
    for _ in range(2):
        question = frame.locator(".asking").get_attribute("data-question")
        frame.locator(".option .title button").first.click()
        wait_for_change(frame, question)
    poll(page, lambda: page.evaluate("window.done"))
    ranked = shop.get(f"/v1/sessions/{page.evaluate('window.done.session')}/recommendations?limit=100")
    with BIKES.open(encoding="utf-8", newline="") as table:
        bikes = {row["name"]: row for row in csv.DictReader(table)}
    wanted = {name for name, row in bikes.items() if row["stock"] != "0" and float(row["price"].split()[0]) < 1000}
    assert {item["label"] for item in ranked["recommendations"]} == wanted
    assert ranked["total"] == len(wanted) < len(bikes)


def test_the_button_of_the_owner_reports_the_item(host, site, shop):
    page = host(site, "data-questions='1'", at=shop)
    frame = page.frame_locator("iframe")
    page.evaluate("addEventListener('rather:action', event => { window.action = event.detail; })")
    frame.locator(READY).wait_for()
    frame.locator(".option .title button").first.click()
    frame.locator(".results").wait_for()
    frame.locator(".ranked > li").nth(3).wait_for()
    frame.locator(".ranked > li").nth(1).get_by_role("button", name="Add to cart").click()
    frame.get_by_role("button", name="In your cart").wait_for()
    assert violations(page.frames[1]) == []
    poll(page, lambda: page.evaluate("window.action"))
    action = page.evaluate("window.action")
    third = shop.get(f"/v1/sessions/{action['session']}/recommendations?limit=3")["recommendations"][2]
    assert (action["item"], action["rank"], action["link"]) == (third["id"], 3, third["link"])
    assert action["link"].startswith("https://harbour.example/bikes/")
