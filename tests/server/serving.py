"""What the tests of the service share: a small catalogue, and the steps of a conversation over HTTP."""

import random
import socket
from contextlib import suppress

import torch

from rather.formats.opening import Source
from rather.formats.opening import open as open_anything
from rather.formats.spaces.definition import Extra, NumberRange, Option, ProductSpace, Total
from rather.model.belief import Belief
from rather.model.catalog import Catalog


def small_source(name="things", items=24, hostile=""):
    """Three qualities, a category, tags, a number; quick to ask about."""
    generator = torch.Generator().manual_seed(1)
    vectors = torch.randn(items, 3, generator=generator)
    catalog = Catalog(
        vectors,
        ids=[f"thing-{row}" for row in range(items)],
        labels=[f"{hostile}Thing {row}" for row in range(items)],
        facts=[
            {
                "colour": ("red", "green", "blue")[row % 3],
                "tags": ", ".join(("big", "loud", "old")[: 1 + row % 3]),
                "price": f"{10 * row} €",
                "note": f"{hostile}note {row}",
            }
            for row in range(items)
        ],
        features=["warm", "quiet", "fast"],
        name="thing",
    )
    users = torch.randn(32, 3, generator=generator)
    return Source(name, catalog, Belief.from_users(users))


def bike_source(name="bikes"):
    """Configurations, with rules."""
    space = ProductSpace(
        "bike",
        [
            Option("frame", {"steel": {}, "carbon": {"price": 900}, "titanium": {"price": 1400}}),
            Option("brakes", {"rim": {}, "disc": {"price": 100}, "drum": {"price": 40}}),
            NumberRange("size", 48, 56, step=4, unit="cm"),
            Option("colour", ["red", "blue"]),
            Extra("lights", adds={"price": 60}),
        ],
        totals=[Total("price", base=800, unit="€", direction="less")],
        rules=["frame == 'carbon' implies brakes != 'rim'", "brakes == 'disc' implies size >= 52", "price <= 2300"],
        verb="ride",
        label="{frame} bike",
    )
    opened = open_anything(space, particles=100)
    return Source(name, opened.catalog, opened.belief)


def by_name(*sources):
    """Catalogues as `create_app` takes them."""
    return {source.name: (source.catalog, source.belief) for source in sources}


def open_session(client, **request):
    response = client.post("/v1/sessions", json=request)
    assert response.status_code == 201, response.text
    return response.json()


def answer(client, session, choice=0, question=None):
    """The response to an answer to the open question, or to the one given."""
    body = {"question": question or session["question"]["id"], "choice": choice}
    return client.post(f"/v1/sessions/{session['id']}/answers", json=body)


def free_port():
    """A port below those of outgoing connections, one of which might take it before a server listens on it."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no port is free")
