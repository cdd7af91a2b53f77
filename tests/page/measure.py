"""Measures the time from an answer to the next question on the page: `python tests/page/measure.py --help`."""

import argparse
import random
import statistics
import tempfile
from pathlib import Path

from browsing import READY, Server, answer_on, launch
from playwright.sync_api import sync_playwright

# In the page itself: from the key's own time stamp to the change of the question, and to the frame that shows it.
WATCH = """() => {
    window.times = [];
    let pressed = 0;
    addEventListener("keydown", event => { pressed = event.timeStamp; }, true);
    let question = document.querySelector(".asking").dataset.question;
    new MutationObserver(() => {
        const now = document.querySelector(".asking")?.dataset.question;
        if (now === undefined || now === question) return;
        question = now;
        const from = pressed, changed = performance.now() - from;
        requestAnimationFrame(() => requestAnimationFrame(() => {
            window.times.push([changed, performance.now() - from]);
        }));
    }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-question"] });
}"""


def main():
    """Answer some conversations about films, with a pause to read, and print how long the next question took."""
    options = argparse.ArgumentParser(description=main.__doc__)
    options.add_argument("--sessions", type=int, default=4, help="conversations (default 4)")
    options.add_argument("--answers", type=int, default=6, help="answers in each (default 6)")
    options.add_argument("--think", type=float, default=2.0, help="seconds to read a question (default 2)")
    options.add_argument("--catalog", default="films", help="what to ask about (default films)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder), given.catalog)
        try:
            browser = launch(playwright)
            times = [time for seed in range(given.sessions) for time in converse(browser, server, seed, given)]
            browser.close()
        finally:
            server.stop()
    for name, values in zip(("in the document", "on the screen"), zip(*times, strict=True), strict=True):
        ordered = sorted(values)
        high = ordered[int(0.9 * (len(ordered) - 1))]
        print(f"{name}: median {statistics.median(ordered):.0f} ms, 90% within {high:.0f} ms, {len(ordered)} answers")


def converse(browser, server, seed, given):
    """The times of one conversation, in milliseconds."""
    chance = random.Random(seed)
    page = browser.new_page()
    page.goto(f"{server.address}/?seed={seed}")
    page.locator(READY).wait_for()
    page.evaluate(WATCH)
    for _ in range(given.answers):
        page.locator(READY).wait_for()
        page.wait_for_timeout(1000 * given.think)
        answer_on(page, chance.choice("12"))
        if page.locator(".results").count():
            break
    times = page.evaluate("window.times")
    page.close()
    return times


if __name__ == "__main__":
    main()
