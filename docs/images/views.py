"""Two views of the page on one ground, as a small PNG."""

import base64
import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

FRAME = """
<style>
  body {{ margin: 0; width: 1440px; height: 860px; position: relative; background: #dfe2ea; }}
  img {{ position: absolute; }}
  .desktop {{ left: 36px; top: 36px; height: 788px; border-radius: 14px; }}
  .phone {{ right: 36px; bottom: 36px; height: 640px; border-radius: 26px; border: 5px solid #05060a; }}
</style>
<img class="desktop" src="data:image/png;base64,{desktop}">
<img class="phone" src="data:image/png;base64,{phone}">
"""

# As many as a palette has room for: with fewer, small spots of colour fade.
COLOURS = 255


def beside(browser: Browser, desktop: bytes, phone: bytes) -> bytes:
    """The page on a desktop and, before it, on a phone."""
    page = browser.new_page(viewport={"width": 1440, "height": 860}, device_scale_factor=1.0)
    page.set_content(FRAME.format(desktop=_text(desktop), phone=_text(phone)))
    page.wait_for_timeout(300)
    drawn = page.screenshot()
    page.close()
    return drawn


def small_png(drawn: bytes, path: Path) -> None:
    """Write a picture with a palette, which takes a third of the bytes."""
    picture = Image.open(io.BytesIO(drawn)).convert("RGB")
    picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)


def _text(png: bytes) -> str:
    return base64.b64encode(png).decode()
