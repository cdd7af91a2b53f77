"""Another version of a catalogue takes over: no request is dropped, and none waits for it."""

import itertools
import threading
from dataclasses import replace

import pytest
import torch
from serving import answer, open_session, small_source
from waiting import wait_for

from rather import Belief, Catalog
from rather.server.problems import ProblemError


def relabelled(source, version, vectors=False):
    """The same things under other labels, and with other vectors if wanted."""
    labels = [f"Thing {row} v{version}" for row in range(len(source.catalog))]
    items = source.catalog.items * (1 + version * 2.0**-10 if vectors else 1)
    catalog = Catalog(items, source.catalog.ids, labels, features=source.catalog.features, name="thing")
    return catalog, source.belief


def versions_in(session):
    labels = [option["label"] for option in session["question"]["options"]]
    labels += [item["label"] for item in session["recommendations"]]
    return {label.rsplit(" ", 1)[1] for label in labels}


class Hammering(threading.Thread):
    """Opens sessions and answers until it is stopped; notes what it saw, and whatever no request may get."""

    def __init__(self, client, number):
        super().__init__(daemon=True)
        self.client, self.number, self.stopped = client, number, threading.Event()
        self.seen, self.wrong = [], []

    def run(self):
        for seed in itertools.count(self.number, 10):
            if self.stopped.is_set():
                return
            opened = self.client.post("/v1/sessions", json={"seed": seed, "strategy": "random"})
            if not self.note(opened.status_code, opened.json()):
                continue
            session = opened.json()
            for turn in range(3):
                answered = answer(self.client, session, turn % 2)
                if not self.note(answered.status_code, answered.json().get("session", answered.json())):
                    break
                session = answered.json()["session"]

    def note(self, status, body):
        versions = versions_in(body) if status in (200, 201) else set()
        if len(versions) == 1:
            self.seen += versions
            return True
        if body.get("code") != "stale-question":  # the items of its question have other labels now
            self.wrong.append((status, body))
        return False


@pytest.mark.parametrize("vectors", [False, True])
def test_no_request_is_dropped_by_a_switch(make_client, vectors):
    source = small_source()
    client = make_client(sources=[replace(source, catalog=relabelled(source, 0)[0])], prefetch=True)
    threads = [Hammering(client, number) for number in range(4)]
    for thread in threads:
        thread.start()
    for version in range(5):
        wait_for(lambda version=version: all(f"v{version}" in thread.seen for thread in threads))
        client.app.state.conversations.replace("things", relabelled(source, version + 1, vectors))
        assert versions_in(open_session(client)) == {f"v{version + 1}"}
    for thread in threads:
        thread.stopped.set()
    for thread in threads:
        thread.join()
        assert thread.wrong == []


def test_a_version_that_cannot_be_served_is_not_switched_to(make_client, source):
    client = make_client()
    before = client.app.state.conversations.catalogs.find("things")
    with pytest.raises(ProblemError, match="`k` must be at most 1"):
        client.app.state.conversations.replace("things", (Catalog([[1.0, 0.0]]), Belief.from_users(torch.eye(2))))
    assert client.app.state.conversations.catalogs.find("things") is before
    open_session(client)


def test_a_version_that_was_served_before_can_come_back(make_client, source):
    client = make_client()
    conversations = client.app.state.conversations
    first = conversations.catalogs.find("things")
    conversations.replace("things", relabelled(source, 1))
    conversations.replace("things", (first.catalog, first.belief))
    computed = len(conversations.states)
    open_session(client)
    open_session(client, seed=3, strategy="random")
    assert len(conversations.states) == computed + 1


def test_a_new_version_waits_for_no_request_and_takes_no_slot(make_client, source):
    client = make_client(workers=1, limits={"wait_seconds": 0.01})
    with client.app.state.conversations.states.gate.urgent():
        client.app.state.conversations.replace("things", relabelled(source, 1))
    assert versions_in(open_session(client)) == {"v1"}
