"""Measures a published page beside a served one in one run: `python tests/page/measure_published.py cars.csv`."""

import argparse
import random
import statistics
import tempfile
from pathlib import Path

from browsing import READY, Server, answer_on, launch
from playwright.sync_api import sync_playwright
from test_published import StaticHost, packed

import rather
from rather.languages import LANGUAGES
from rather.publishing.page import PublishedPage
from rather.publishing.writing import write_folder

ENGINE = "performance.getEntriesByName('rather:answer').map(entry => entry.duration)"
ROUND_TRIPS = """performance.getEntriesByType('resource').filter(entry => entry.name.endsWith('/answers'))
    .map(entry => entry.duration)"""


def main():
    """Print how long the next question takes after an answer: on the engine's own clock, and from a server and back."""
    options = argparse.ArgumentParser(description=main.__doc__)
    options.add_argument("catalog", nargs="?", default="films", help="what to publish (default films)")
    options.add_argument("--sessions", type=int, default=4, help="conversations (default 4)")
    options.add_argument("--answers", type=int, default=8, help="answers in each (default 8)")
    options.add_argument("--think", type=float, default=0.0, help="seconds to read a question (default 0)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_folder(folder / "site", PublishedPage(LANGUAGES).folder(packed(*rather.open(given.catalog))))
        host, server, browser = StaticHost(folder / "site"), Server(folder, given.catalog), launch(playwright)
        engine, round_trips = [], []
        for seed in range(given.sessions):  # by turns, under the same load
            engine += converse(browser, host.address, ENGINE, seed, given)
            round_trips += converse(browser, server.address, ROUND_TRIPS, seed, given)
        browser.close()
        server.stop()
        host.close()
    for title, times in (("engine", engine), ("round trip to the server", round_trips)):
        high = sorted(times)[int(0.9 * (len(times) - 1))]
        print(f"{title}: median {statistics.median(times):.0f} ms, 90% within {high:.0f} ms, {len(times)} answers")


def converse(browser, address, clock, seed, given):
    """The times of one conversation by this clock, in milliseconds."""
    chance = random.Random(seed)
    page = browser.new_page()
    page.goto(f"{address}/?seed={seed}&questions={given.answers + 1}")
    page.locator(READY).wait_for()
    for _ in range(given.answers):
        page.wait_for_timeout(1000 * given.think)
        answer_on(page, chance.choice("12"))
        if page.locator(".results").count():
            break
    times = page.evaluate(clock)
    page.close()
    return times


if __name__ == "__main__":
    main()
