"""Draws docs/images/theme-*.png: the two themes of docs/guides/theme.md, on a desktop and on a phone.

Run: .venv/bin/python docs/images/draw_themes.py (needs Chromium; see tests/page)
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from views import beside, small_png

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "page"))

from browsing import PHONE, THEMES, Server, launch, press, wait_for_question  # noqa: E402 - found by the path above

HERE = Path(__file__).parent

# A bike in profile, in one colour, with wheels of one size.
BIKE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 220 140" fill="none" stroke-linecap="round">
<g stroke="#8a8f94" stroke-width="4"><circle cx="45" cy="{axle}" r="{wheel}"/>
<circle cx="155" cy="{axle}" r="{wheel}"/></g>
<g stroke="{colour}" stroke-width="7" stroke-linejoin="round">
<path d="M45 {axle} 78 38H140L155 {axle}M78 38 98 {axle}H45M98 {axle} 140 38"/></g>
<g stroke="#33383d" stroke-width="7"><path d="M64 26h26M78 38l-4-12M140 38l-5-20h16"/></g></svg>"""
COLOURS = {"red": "#c2382b", "blue": "#2b5fa8", "green": "#2f7d4f", "black": "#2a2d31", "white": "#d9d5cb"}
COLOURS["orange"] = "#d9782d"


def bike(route: Any) -> None:
    """The picture that an address such as /pictures/red-small.svg names."""
    colour, size = route.request.url.rsplit("?", 1)[-1].removesuffix(".svg").split("-")
    wheel = 26 if size == "small" else 38
    route.fulfill(body=BIKE.format(colour=COLOURS[colour], wheel=wheel, axle=120 - wheel), content_type="image/svg+xml")


def shot(browser: Browser, address: str, show: Callable[[Page], None], **options: Any) -> bytes:
    """What the page shows."""
    with browser.new_context(device_scale_factor=2, reduced_motion="reduce", **options) as context:
        page = context.new_page()
        page.route("**/assets/favicon*?*", bike)
        page.goto(address)
        wait_for_question(page, 1)
        show(page)
        page.wait_for_timeout(600)
        return page.screenshot()


def asked(page: Page) -> None:
    """The first question."""


def compared(page: Page) -> None:
    """The result after three answers, with the comparison open."""
    for number in (2, 3, 4):
        press(page, "1", number)
    page.get_by_role("button", name="See results").click()
    page.locator(".ranked > li").nth(4).wait_for()
    page.locator(".compare summary").click()
    page.locator(".compare").scroll_into_view_if_needed()


def draw(browser: Browser, theme: str, catalogue: str, then: Callable[[Page], None], **phone: Any) -> None:
    """The first question under a theme on a desktop, and what comes then on a phone."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), catalogue, theme=THEMES / f"{theme}.toml")
        try:
            address = f"{server.address}/?seed=3"
            desktop = shot(browser, address, asked, viewport={"width": 1180, "height": 860})
            side = shot(browser, address, then, **PHONE, **phone)
        finally:
            server.stop()
    small_png(beside(browser, desktop, side), HERE / f"theme-{theme}.png")


with sync_playwright() as playwright:
    chromium = launch(playwright)
    draw(chromium, "harbour", "bikes", compared, color_scheme="dark")
    draw(chromium, "matinee", "films", asked)
    chromium.close()
