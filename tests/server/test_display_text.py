"""Texts and pictures of a catalogue that are shown."""

import pytest
import torch
from serving import answer, open_session

from rather.conversation.display_text import DisplayText
from rather.formats.opening import Source
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Option

DISPLAY = DisplayText(20, ("https://images.example", "http://10.0.0.1:8080"), ("*",))


@pytest.mark.parametrize(
    "address",
    [
        "/pictures/1.png",
        "https://images.example/1.png",
        "https://IMAGES.example/1.png?size=2#x",
        "http://10.0.0.1:8080/1.png",
    ],
)
def test_pictures_of_this_server_and_of_named_hosts_are_shown(address):
    assert DISPLAY.allows(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "1.png",
        "https://evil.example/1.png",
        "http://images.example/1.png",
        "https://images.example:444/1.png",
        "https://images.example.evil.example/1.png",
        "https://images.example@evil.example/1.png",
        "https://evil.example@images.example/1.png",
        "https://[images.example/1.png",
        "//evil.example/1.png",
        "/\\evil.example/1.png",
        "/\t/evil.example/1.png",
        "\n//evil.example/1.png",
        " https://images.example/1.png",
        "https:images.example/1.png",
        "javascript:alert(1)",
        "data:image/png;base64,AAAA",
        "/" + "x" * 2_000,
    ],
)
def test_other_addresses_are_not(address):
    assert not DISPLAY.allows(address)


def test_the_pictures_that_may_be_shown_are():
    facts = {"poster": "/poster.png", "image": "https://evil.example/1.png", "photo": "/photo.png"}
    item = Option("Alien", facts, 1, images=("https://images.example/1.png", "javascript:alert(1)"))
    assert DISPLAY.images(item) == ["https://images.example/1.png", "/poster.png", "/photo.png"]
    assert DISPLAY.images(Option("Alien", {"year": "/1979"}, 1)) == []


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://shop.example/p/1?a=b#c", True),
        ("http://shop.example", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//shop.example/p", False),
        ("/p/1", False),
        ("https:/p/1", False),
        ("https://shop.example/\nx", False),
        ("https://shop.example\\x", False),
        ("https://[shop.example", False),
        ("https://shop.example/" + "x" * 2_000, False),
    ],
)
def test_a_link_leads_to_a_page_of_http_or_https(address, shown):
    assert DISPLAY.link(Option("Alien", {}, 1, link=address)) == (address if shown else None)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://shop.example/p/1", True),
        ("https://SHOP.example/p/1", True),
        ("http://shop.example/p/1", False),
        ("https://shop.example:444/p/1", False),
        ("https://shop.example@evil.example/p/1", False),
        ("https://evil.example@shop.example/p/1", False),
        ("https://evil.example/?https://shop.example", False),
    ],
)
def test_links_lead_to_hosts_that_the_owner_allows(address, shown):
    display = DisplayText(20, link_hosts=("https://shop.example",))
    assert display.link(Option("Alien", {}, 1, link=address)) == (address if shown else None)
    assert DisplayText(20).link(Option("Alien", {}, 1, link=address)) is None  # none unless the owner says so


def test_what_is_hidden_is_counted_by_host():
    display = DisplayText(20, ("https://images.example",), ("https://shop.example",))
    links = ["https://shop.example/1", "https://a.example/1", "https://a.example/2", None, "javascript:1"]
    assert display.hidden_links(links) == {"https://a.example": 2}
    assert display.hidden_images(["https://images.example/1", "https://b.example/1", "/1"]) == {"https://b.example": 1}


def test_long_texts_are_cut():
    assert DISPLAY.text("x" * 21) == "x" * 19 + "…"
    assert DISPLAY.text("x" * 20) == "x" * 20
    assert DISPLAY.text("\ud800") == "?"


def test_an_address_that_is_not_allowed_is_sent_to_nobody(make_client):
    generator = torch.Generator().manual_seed(0)
    ours, theirs = "https://images.example/1.png", "https://evil.example/pixel.png"
    facts = [{"image": theirs if row % 2 else ours, "kind": f"kind {row % 3}"} for row in range(16)]
    catalog = Catalog(torch.randn(16, 3, generator=generator), facts=facts)
    source = Source("pictures", catalog, Belief.from_users(torch.randn(32, 3, generator=generator)))
    for allowed in (False, True):
        client = make_client(sources=[source], image_hosts=("https://images.example",) if allowed else ())
        session = answer(client, open_session(client)).json()["session"]
        path = f"/v1/sessions/{session['id']}"
        for response in (client.get(path), client.get(f"{path}/recommendations"), client.get(f"{path}/history")):
            assert theirs not in response.text
            assert (ours in response.text) == allowed
