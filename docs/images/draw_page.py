"""Draws docs/images/page.png, the page on a desktop and on a phone: real questions of `rather serve films`.

Run: .venv/bin/python docs/images/draw_page.py (needs Chromium; see tests/page)
"""

import base64
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "page"))

from browsing import PHONE, Server, launch, press, titles, wait_for_question  # noqa: E402 - found by the path above

# Somebody who likes science fiction, the most first.
LIKES = ("Blade Runner", "2001: A Space Odyssey", "Alien", "Akira", "The Matrix", "Metropolis", "Star Wars")

# The two views on one ground.
FRAME = """
<style>
  body {{ margin: 0; width: 1440px; height: 860px; position: relative; background: #dfe2ea; }}
  img {{ position: absolute; box-shadow: 0 24px 60px -20px rgb(20 23 60 / 45%); }}
  .desktop {{ left: 36px; top: 36px; height: 788px; border-radius: 14px; }}
  .phone {{ right: 36px; bottom: 36px; height: 640px; border-radius: 26px; border: 5px solid #05060a; }}
</style>
<img class="desktop" src="data:image/png;base64,{desktop}">
<img class="phone" src="data:image/png;base64,{phone}">
"""


def shot(browser: Browser, address: str, answers: int, **options: Any) -> str:
    """The page after so many answers, as base64."""
    with browser.new_context(device_scale_factor=2, reduced_motion="reduce", **options) as context:
        page = context.new_page()
        page.goto(address)
        wait_for_question(page, 1)
        for number in range(2, 2 + answers):
            liked = [LIKES.index(title) if title in LIKES else len(LIKES) for title in titles(page)]
            press(page, str(1 + liked.index(min(liked))), number)
        page.wait_for_timeout(600)
        return base64.b64encode(page.screenshot()).decode()


with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    server = Server(Path(folder), "films")
    try:
        browser = launch(playwright)
        desktop = shot(browser, server.address, 4, viewport={"width": 1180, "height": 890})
        phone = shot(browser, server.address, 2, color_scheme="dark", **PHONE)
        page = browser.new_page(viewport={"width": 1440, "height": 860}, device_scale_factor=1.3)
        page.set_content(FRAME.format(desktop=desktop, phone=phone))
        page.wait_for_timeout(300)
        page.screenshot(path=Path(__file__).with_name("page.png"))
        browser.close()
    finally:
        server.stop()
