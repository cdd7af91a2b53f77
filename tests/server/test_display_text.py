"""Texts and pictures of a catalogue that are shown."""

import pytest
import torch
from serving import answer, open_session

from rather.formats.opening import Source
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.server.http.display_text import DisplayText

DISPLAY = DisplayText(20, ("https://images.example", "http://10.0.0.1:8080"))


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


def test_the_first_picture_that_may_be_shown_is():
    facts = {"poster": "/poster.png", "image": "https://evil.example/1.png", "photo": "/photo.png"}
    assert DISPLAY.image(facts) == "/poster.png"
    assert DISPLAY.image({"year": "/1979"}) is None


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
