"""A published page asks, recommends and survives reloads without any server; nothing leaves the device."""

import json
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browsing import READY, THEMES, TIMEOUT_SECONDS, Site, answer_on, press, wait_for_change, wait_for_question
from catalogues import SHOP
from test_accessibility import violations

import rather
from rather.conversation.display_text import DisplayText
from rather.conversation.stopping import Stopping
from rather.insights.logs import logs_in
from rather.languages import LANGUAGES
from rather.publishing import Publication
from rather.publishing.page import PublishedPage
from rather.publishing.writing import write_file, write_folder
from rather.server.theme import Theme


class StaticHost:
    """A web host of files, and an address that takes what is posted to it."""

    def __init__(self, folder):
        self.posted = posted = []

        class Handler(SimpleHTTPRequestHandler):
            def do_POST(self):
                posted.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def packed(catalog, belief, name="films"):
    policy = rather.Policy(catalog, belief)
    display = DisplayText(2_000, (SHOP,), ("*",))
    return Publication(name, policy, display, LANGUAGES, Stopping.usual(policy.start_regret)).packed()


@pytest.fixture(scope="module")
def films():
    return packed(*rather.open("films"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("published")


@pytest.fixture(scope="module")
def host(browser, films, folder):
    """A host of the films, of the films with an address that collects, and of a shop."""
    serving = StaticHost(folder)
    write_folder(folder / "films", PublishedPage(LANGUAGES).folder(films))
    collecting = PublishedPage(LANGUAGES, collect=f"{serving.address}/answers")
    write_folder(folder / "collecting", collecting.folder(films))
    bikes = packed(*rather.open(THEMES / "bikes.csv"), "bikes")
    themed = PublishedPage(LANGUAGES, theme=Theme.from_file(THEMES / "harbour.toml"), image_hosts=(SHOP,))
    write_folder(folder / "bikes", themed.folder(bikes))
    write_file(folder / "quiz.html", PublishedPage(LANGUAGES).single_file(films))
    yield serving
    serving.close()


@pytest.fixture
def opened(browser, host):
    """Open an address as somebody new; requests and errors, also of the policy, are recorded."""
    contexts = []

    def open_page(address, **options):
        contexts.append(browser.new_context(reduced_motion="reduce", **options))
        contexts[-1].set_default_timeout(1000 * TIMEOUT_SECONDS)
        page = contexts[-1].new_page()
        page.requests, page.errors = [], []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        assert all(page.errors == [] for page in context.pages if hasattr(page, "errors"))
        context.close()


def finish(page):
    page.get_by_role("button", name="See results").click()
    page.locator(".ranked > li").nth(8).wait_for()
    page.locator(".tastes").wait_for()


def started(page):
    wait_for_question(page, 1)
    page.wait_for_load_state("networkidle")
    page.requests.clear()


def test_no_request_is_sent_after_loading(opened, host):
    page = opened(f"{host.address}/films/")
    started(page)
    for number in (2, 3, 4):
        press(page, "12"[number % 2], number)
    page.keyboard.press("Backspace")
    wait_for_question(page, 3)
    page.get_by_role("button", name="Must-haves").click()
    page.get_by_role("checkbox", name=re.compile("^comedy")).check()
    page.keyboard.press("Escape")
    finish(page)
    page.get_by_role("button", name="More like this").first.click()
    page.get_by_role("heading", name="What you said").wait_for()
    page.get_by_role("button", name="Show more").click()
    page.locator(".ranked > li").nth(12).wait_for()
    assert page.requests == []


def test_one_file_opens_from_a_disk(opened, host, folder):
    page = opened((folder / "quiz.html").as_uri())
    started(page)
    press(page, "1", 2)
    press(page, "2", 3)
    finish(page)
    assert page.requests == []
    page.reload()
    wait_for_question(page, 3)


def test_a_folder_that_is_opened_from_a_disk_says_what_it_needs(opened, host, folder):
    page = opened((folder / "films/index.html").as_uri())
    page.get_by_text("put it on a web host, or publish it as a single file").wait_for()
    page.errors.clear()  # the browser's, of the files that it does not read


@pytest.mark.parametrize("part", ["catalog.bin", "assets/engine-*"])
def test_a_part_that_does_not_load_is_a_problem_and_can_be_tried_again(opened, host, part):
    page = opened("about:blank")
    page.route(f"**/{part}", lambda route: route.fulfill(status=404, body="not found"))
    page.goto(f"{host.address}/films/")
    page.get_by_text("Part of this page could not be loaded").wait_for()
    assert not page.get_by_text("could not be loaded. Try to reload").count()
    page.unroute(f"**/{part}")
    page.get_by_role("button", name="Try again").click()
    wait_for_question(page, 1)
    page.errors.clear()  # the browser's, of the reply 404


@pytest.mark.parametrize("size", [0, 1_000])
def test_a_catalogue_that_arrived_in_part_is_a_problem(opened, host, films, size):
    page = opened("about:blank")
    page.route("**/catalog.bin", lambda route: route.fulfill(body=films[:size]))
    page.goto(f"{host.address}/films/")
    page.get_by_text("Part of this page could not be loaded").wait_for()
    page.errors.clear()


def test_an_engine_that_fails_is_started_again_with_all_answers(opened, host):
    page = opened(f"{host.address}/films/")
    started(page)
    press(page, "1", 2)
    press(page, "1", 3)
    (engine,) = page.workers
    engine.evaluate("() => setTimeout(() => { throw new Error('It has failed.'); })")
    page.wait_for_function("() => true")
    press(page, "1", 4)
    finish(page)
    assert page.get_by_text("3 answers").count()
    page.errors.clear()


def test_it_goes_on_without_a_connection_and_after_a_reload(opened, host):
    page = opened(f"{host.address}/films/")
    started(page)
    page.context.set_offline(True)
    press(page, "1", 2)
    press(page, "1", 3)
    titles = page.locator(".stage > .slate .title").all_inner_texts()
    page.context.set_offline(False)
    page.reload()
    wait_for_question(page, 3)
    assert page.locator(".stage > .slate .title").all_inner_texts() == titles


def test_two_windows_of_one_conversation_agree(opened, host):
    page = opened(f"{host.address}/films/")
    started(page)
    press(page, "1", 2)
    other = page.context.new_page()
    other.goto(page.url)
    press(other, "2", 3)
    page.keyboard.press("1")
    page.get_by_text("has moved on").wait_for()
    wait_for_question(page, 3)


def test_a_shared_link_shows_the_same_results_to_somebody_else(opened, host):
    page = opened(f"{host.address}/films/")
    started(page)
    press(page, "1", 2)
    press(page, "2", 3)
    finish(page)
    link = page.locator("#share-link").input_value()
    best = page.locator("#best").inner_text()
    reader = opened(link)
    reader.locator(".tastes").wait_for()
    assert reader.locator("#best").inner_text() == best
    assert reader.get_by_text("They chose it over").count() + reader.get_by_text("they chose").count() > 0
    assert reader.get_by_role("button", name="Keep going").count() == 0


def contradicting():
    """Answers of somebody with a taste for films, and one against it, as a published page stores them."""
    catalog, belief = rather.open("films")
    order = (catalog.vectors(range(len(catalog))) @ belief.particles[3]).argsort(descending=True).tolist()
    pairs = [*([order[index], order[-1 - index]] for index in range(4)), [order[1], order[-1]]]
    common = {"type": "answer", "id": "", "regret": None, "at": "2026-01-01T00:00:00.000Z"}
    asked = [{"kind": "items", "options": pair, "evoi": 0} for pair in pairs]
    return [{**common, "question": each, "choice": int(index == 4)} for index, each in enumerate(asked)]


def test_a_contradiction_is_shown_and_an_answer_revised(opened, host):
    page = opened(f"{host.address}/films/")
    started(page)
    press(page, "1", 2)
    key = page.evaluate("Object.keys(localStorage).find(key => key.startsWith('rather:conversation:'))")
    change = "([key, events]) => localStorage.setItem(key, JSON.stringify({...JSON.parse(localStorage[key]), events}))"
    page.evaluate(change, [key, contradicting()])
    page.reload()
    wait_for_question(page, 6)
    page.requests.clear()
    finish(page)
    box = page.locator(".contradictions")
    assert "In question 5 you chose" in box.inner_text()
    box.get_by_role("button", name="Answer question 5 again").click()
    box.locator(".chip").first.click()
    box.wait_for(state="detached")
    events = page.evaluate("key => JSON.parse(localStorage[key]).events", key)
    assert [event.get("choice", event["type"]) for event in events] == [0, 0, 0, 0, 1, "undo", 0]
    assert page.locator(".results").count() == 1
    assert page.requests == []


def test_a_link_that_nobody_wrote_is_no_conversation(opened, host):
    page = opened(f"{host.address}/films/#/shared/WzFd")
    page.get_by_text("No session is shared under this token.").wait_for()


@pytest.mark.parametrize(("language", "asked"), [("de", "Frage 1"), ("fr", "Question 1"), ("es", "Pregunta 1")])
def test_it_speaks_the_language_of_the_browser(opened, host, language, asked):
    page = opened(f"{host.address}/films/", locale=language)
    page.locator(READY).wait_for()
    assert page.locator("html").get_attribute("lang") == language
    assert page.locator(".eyebrow").inner_text() == asked


def test_the_theme_links_and_pictures_of_a_shop(opened, host):
    page = opened(f"{host.address}/bikes/")
    wait_for_question(page, 1)
    assert page.title() == "Harbour Bikes · bikes"
    logo = page.get_by_role("img", name="Harbour Bikes")
    assert logo.evaluate("image => image.complete && image.naturalWidth > 0")
    press(page, "1", 2)
    finish(page)
    assert page.locator("a[href^='http']").count() > 0
    page.errors.clear()  # pictures of a shop that does not exist


def test_everybody_can_read_it(opened, host):
    page = opened(f"{host.address}/collecting/")
    wait_for_question(page, 1)
    assert violations(page) == []


def test_it_can_be_embedded_in_another_site(opened, host, browser):
    site = Site()
    site.pages["/"] = f'<body><script src="{host.address}/films/embed.js" data-questions="2"></script></body>'
    page = opened(site.address)
    frame = page.frame_locator("iframe")
    page.evaluate("addEventListener('rather:finished', event => { window.done = event.detail; })")
    for _ in range(2):
        frame.locator(READY).wait_for()
        question = frame.locator(".asking").get_attribute("data-question")
        frame.locator(".option button").first.click()
        wait_for_change(frame, question)
    frame.locator(".results").wait_for()
    assert page.evaluate("window.done")["answers"] == 2
    site.close()
    page.errors.clear()  # the other site has no icon


def test_a_finished_conversation_is_collected_once_as_a_log_that_the_library_reads(opened, host, tmp_path):
    host.posted.clear()
    page = opened(f"{host.address}/collecting/")
    wait_for_question(page, 1)
    page.get_by_text("your answers are sent to").wait_for()
    press(page, "1", 2)
    press(page, "0", 3)
    with page.expect_response("**/answers"):
        finish(page)
    page.get_by_role("button", name="Keep going").click()
    answer_on(page, "1")
    finish(page)
    assert len(host.posted) == 1
    path = tmp_path / "collected.jsonl"
    path.write_text(host.posted[0] + "\n", encoding="utf-8")
    assert len(list(logs_in(path))) == 1
    session = rather.Session.from_json(host.posted[0], *rather.open("films"))
    assert [turn.answer for turn in session.turns] == [0, rather.NONE]
    assert session.carried_over is None


def test_on_paper_nobody_reads_that_answers_are_sent(opened, host):
    page = opened(f"{host.address}/collecting/")
    started(page)
    press(page, "1", 2)
    finish(page)
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Do not send them").is_visible()
    assert not page.get_by_text("your answers are sent").is_visible()


def test_who_refuses_sends_nothing(opened, host):
    host.posted.clear()
    page = opened(f"{host.address}/collecting/")
    wait_for_question(page, 1)
    page.get_by_role("button", name="Do not send them").click()
    page.get_by_text("Your answers are not sent.").wait_for()
    page.wait_for_load_state("networkidle")
    page.requests.clear()
    press(page, "1", 2)
    finish(page)
    assert page.requests == []
    assert host.posted == []


def test_the_policy_is_never_broken(opened, host):
    page = opened(f"{host.address}/films/")
    page.evaluate(
        """() => {
            window.refused = [];
            addEventListener("securitypolicyviolation", event => refused.push(event.violatedDirective));
        }"""
    )
    wait_for_question(page, 1)
    press(page, "1", 2)
    finish(page)
    assert page.evaluate("window.refused") == []
    assert json.loads(page.locator('meta[name="rather-published"]').get_attribute("content"))["collect"] is None
