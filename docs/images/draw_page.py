"""Draws docs/images/page.png, the page on a desktop and on a phone: real questions of `rather serve films`.

Run: .venv/bin/python docs/images/draw_page.py (needs Chromium; see tests/page)
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from views import beside, small_png

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "page"))

from browsing import PHONE, Server, launch, press, titles, wait_for_question  # noqa: E402 - found by the path above

# Somebody who likes science fiction, the most first.
LIKES = ("Blade Runner", "2001: A Space Odyssey", "Alien", "Akira", "The Matrix", "Metropolis", "Star Wars")


def shot(browser: Browser, address: str, answers: int, **options: Any) -> bytes:
    """The page after so many answers."""
    with browser.new_context(device_scale_factor=2, reduced_motion="reduce", **options) as context:
        page = context.new_page()
        page.goto(address)
        wait_for_question(page, 1)
        for number in range(2, 2 + answers):
            liked = [LIKES.index(title) if title in LIKES else len(LIKES) for title in titles(page)]
            press(page, str(1 + liked.index(min(liked))), number)
        page.wait_for_timeout(600)
        return page.screenshot()


with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    server = Server(Path(folder), "films")
    try:
        browser = launch(playwright)
        desktop = shot(browser, server.address, 4, viewport={"width": 1180, "height": 890})
        phone = shot(browser, server.address, 2, color_scheme="dark", **PHONE)
        small_png(beside(browser, desktop, phone), Path(__file__).with_name("page.png"))
        browser.close()
    finally:
        server.stop()
