"""Chromium and a server of small catalogues, where both can run; requests and console messages are recorded."""

from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from browsing import CHROMIUM, PHONE, THEMES, TIMEOUT_SECONDS, Server, Site, launch

try:
    from playwright.sync_api import sync_playwright
except ModuleNotFoundError:
    sync_playwright = None

NO_BROWSER = (
    "The page was not tested: it needs Chromium and Playwright (apt install chromium; pip install 'rather[dev]')"
)


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None or sync_playwright is None:
        pytest.skip(NO_BROWSER)
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def site():
    """Another site, which the server lets embed the page."""
    other = Site()
    yield other
    other.close()


@pytest.fixture(scope="session")
def server(browser, site, tmp_path_factory):
    names = ("things", "hostile", "pictures", "plain")
    serving = Server(tmp_path_factory.mktemp("page"), *names, origin=site.address)
    yield serving
    serving.stop()


@pytest.fixture(scope="session")
def shop(browser, site, tmp_path_factory):
    """The shop of the documentation: bikes with links and pictures, under its theme."""
    serving = Server(tmp_path_factory.mktemp("shop"), "bikes", origin=site.address, theme=THEMES / "harbour.toml")
    yield serving
    serving.stop()


@pytest.fixture(scope="session")
def builder(browser, tmp_path_factory):
    """Bicycles made to order, of which there are hundreds of millions."""
    serving = Server(tmp_path_factory.mktemp("builder"), "bicycle")
    yield serving
    serving.stop()


FAILED = pytest.StashKey[bool]()

# Chromium passes requests to the tests from the first route on, but tells the process of an open page so without
# waiting for it: a request that the page sends at that moment goes past the route. So one is there before the page.
UNUSED = "**/nothing-asks-for-this"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    item.stash[FAILED] = report.failed
    return report


@pytest.fixture
def visit(browser, server, request):
    """Open the page as somebody new: `visit(path, **options of the browser context)`.

    At the end no request may have gone to another host, and nothing may be in the console but failed requests, which
    some tests provoke. Where a test failed, what the page showed is printed.
    """
    with ExitStack() as closing:
        visits = []

        def open_page(path="/?catalog=things&seed=1", *, at=None, **options):
            context = closing.enter_context(browser.new_context(reduced_motion="reduce", **options))
            context.set_default_timeout(1000 * TIMEOUT_SECONDS)
            context.route(UNUSED, lambda route: route.abort())
            page = context.new_page()
            page.requests, page.errors = [], []
            page.on("request", lambda request: page.requests.append(request))
            page.on("pageerror", lambda error: page.errors.append(str(error)))
            page.on("console", lambda message: _record(page, message))
            visits.append((page, at or server.address))
            page.goto((at or server.address) + path)
            return page

        yield open_page
        if request.node.stash[FAILED]:
            for page, _ in visits:
                asked = [f"{sent.method} {urlsplit(sent.url).path}" for sent in page.requests]
                print(f"{page.url} asked for {asked} and showed:\n{page.locator('body').inner_text()}")
        for page, address in visits:
            hosts = {urlsplit(request.url).netloc for request in page.requests}
            assert hosts <= {urlsplit(address).netloc}, hosts
            assert page.errors == []


# Not the fault of the page: requests that tests let fail, and a font that a slow machine uses late.
EXPECTED = ("Failed to load resource", "was preloaded using link preload but not used")


def _record(page, message):
    if message.type in ("error", "warning") and not any(text in message.text for text in EXPECTED):
        page.errors.append(message.text)


@pytest.fixture(params=["desktop", "phone"])
def screen(request):
    return {} if request.param == "desktop" else PHONE


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    if any(NO_BROWSER in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(NO_BROWSER)
