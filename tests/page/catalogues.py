"""Catalogues to open the page on, and a server of them.

Started by `python catalogues.py PORT DATABASE ORIGIN THEME STUDY NAME...`; a name may be that of a file.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import torch

from rather.formats.opening import Source, open_source
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.server import Limits, Settings, Study, Theme, create_app
from rather.server.http.pages import STATIC
from rather.server.running import listen, run

BIKES = Path(__file__).parents[2] / "docs" / "guides" / "themes" / "bikes.csv"
SHOP = "https://harbour.example"  # which their links lead to
ADMIN_TOKEN = "the admin token of the tests"

# Each would do something that a test notices if any part of it were taken for HTML, a script or a style.
ATTACKS = (
    "<script>window.attacked = 1</script>",
    "<img src=x onerror='window.attacked = 2'>",
    "\"'><svg onload=window.attacked=3>",
    "<iframe src='https://evil.example/'></iframe>",
    "</title></h2></button><h1 class=injected>",
    "<style>body { display: none }</style>",
    "<a href='javascript:window.attacked=4'>",
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "‮drawkcab",
    "&lt;b&gt; &amp; &#x3C;b&#x3E;",
    "x" * 3000,
    "a\u0000b\u0007c",
)


FEATURES = ("warm", "quiet", "fast", "bright", "rare")


def things(name="things", items=120):
    """Something with a number, a category, tags and a line; quick to ask about, and for more than five questions."""
    facts = [
        {
            "colour": ("red", "green", "blue")[row % 3],
            "tags": ", ".join(("big", "loud", "old")[: 1 + row % 3]),
            "price": f"{10 * row} €",
            "line": f"A thing that somebody made on day {row} and never gave a name to.",
        }
        for row in range(items)
    ]
    return _source(name, items, "thing", labels=[f"Thing {row}" for row in range(items)], facts=facts)


def hostile():
    """Texts that attack, wherever a catalogue can put a text."""
    texts = [ATTACKS[row % len(ATTACKS)] for row in range(36)]
    facts = [
        {
            f"<b onmouseover=window.attacked=5>{row % 4}": text,
            "image": "javascript:window.attacked=6" if row % 2 else "https://evil.example/pixel.png",
            "line": f"{text} {text}",
            "kind": ATTACKS[row % 3],
        }
        for row, text in enumerate(texts)
    ]
    features = ["<i>warm</i>", "<script>quiet</script>", "fast", "</svg>", "&amp;"]
    labels = [f"{text} {row}" for row, text in enumerate(texts)]
    links = ["javascript:window.attacked=7", "https://evil.example/", f"{SHOP}@evil.example/"] * 12
    return _source("hostile", 36, "<u>thing", labels=labels, facts=facts, features=features, links=links)


def pictures():
    """Items with a picture of this server, and with one that is not there."""
    icon = next((STATIC / "assets").glob("favicon-*.svg")).name
    facts = [{"image": "/assets/" + (icon if row % 2 else "missing.png")} for row in range(12)]
    return _source("pictures", 12, "picture", facts=facts)


def bikes(address):
    """The table of the shop in the documentation, with pictures of the server at this address."""
    icon = next((STATIC / "assets").glob("favicon-*.svg")).name
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "bikes.csv")
        text = BIKES.read_text(encoding="utf-8").replace(f"{SHOP}/pictures/", f"{address}/assets/{icon}?")
        table.write_text(text, encoding="utf-8")
        return replace(open_source(str(table)), name="bikes")


def plain():
    """Nothing but vectors."""
    return _source("plain", 30, "item", features=None)


def _source(name, items, noun, *, labels=None, facts=None, features=FEATURES, links=None):
    generator = torch.Generator().manual_seed(1)
    vectors = torch.randn(items, len(FEATURES), generator=generator)
    catalog = Catalog(vectors, range(100, 100 + items), labels, facts=facts, features=features, name=noun, links=links)
    return Source(name, catalog, Belief.from_users(torch.randn(512, len(FEATURES), generator=generator)))


SOURCES = {
    "films": lambda: open_source("films"),
    "things": things,
    "hostile": hostile,
    "pictures": pictures,
    "plain": plain,
    "bicycle": lambda: open_source("bicycle"),
}


def main():
    """Serve the named catalogues until told to stop."""
    port, database, origin, theme, study, *names = sys.argv[1:]
    most = 1_000_000  # all tests come from one address
    limits = Limits(requests_per_minute=most, session_requests_per_minute=most, sessions_per_day=most)
    look = Theme.from_file(theme) if theme else None
    held = Study.from_file(study) if study else None
    address = f"http://127.0.0.1:{port}"
    shown = {"image_hosts": (address,), "link_hosts": (SHOP,)}
    served = {"theme": look, "study": held, "admin_token": ADMIN_TOKEN}
    settings = Settings(database=database, origins=(origin,), limits=limits, **served, **shown)
    others = {"bikes": lambda: bikes(address), **SOURCES}
    sources = [others[name]() if name in others else replace(open_source(name), name=Path(name).stem) for name in names]
    app = create_app({source.name: (source.catalog, source.belief) for source in sources}, settings)
    run(app, listen("127.0.0.1", int(port)), on_start=lambda: print("listening", flush=True))


if __name__ == "__main__":
    main()
