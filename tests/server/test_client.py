"""The Python client behaves as the local session does."""

import json
import subprocess
import sys
import threading
import urllib.request
from contextlib import contextmanager

import pytest
from serving import bike_source, by_name, free_port, small_source
from test_sessions import local

import rather
from rather.client import Client, ServiceError, _Http
from rather.errors import InvalidInputError, StaleQuestionError, UnknownNameError
from rather.server import Limits, Settings, create_app
from rather.server.running import Server, listen


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with served(tmp_path_factory.mktemp("client"), small_source()) as address:
        yield address


@contextmanager
def served(folder, *sources):
    """A server in a thread of this process."""
    import uvicorn

    settings = Settings(database=f"sqlite:///{folder / 'sessions.db'}", limits=Limits(requests_per_minute=100_000))
    app = create_app(by_name(*sources), settings)
    listener, ready = listen("127.0.0.1", 0), threading.Event()
    server = Server(uvicorn.Config(app, log_config=None, ws="none"), app, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    assert ready.wait(30)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()
    listener.close()


def test_it_asks_and_recommends_what_the_local_session_does(url, source):
    ours = local(source)
    with rather.Client(url, "things") as client:
        for choice in (0, rather.NONE, 1):
            question, asked = ours.ask(), client.ask()
            assert client.ask() == asked
            assert asked.number == question.number
            assert [(o.id, o.label, dict(o.facts)) for o in sorted(asked.options, key=lambda o: o.id)] == [
                (o.id, o.label, dict(o.facts)) for o in sorted(question.options, key=lambda o: o.id)
            ]
            ours.tell(question, choice)
            client.tell(asked, choice)
            assert client.stop == ours.stop
            assert client.expected_regret == pytest.approx(ours.expected_regret)
        for mine, theirs in zip(ours.recommend(7), client.recommend(7), strict=True):
            assert (theirs.id, theirs.label) == (mine.id, mine.label)
            assert theirs.expected_utility == pytest.approx(mine.expected_utility, abs=1e-5)
        assert client.undo().number == ours.undo().number == client.number == 3
        assert client.start_regret == pytest.approx(ours.policy.start_regret)


def test_whoever_has_the_share_link_sees_the_session(url):
    with Client(url, "things") as client:
        client.tell(client.ask(), 0)
        assert client.share_url.startswith(f"{url}/shared/")
        assert client.id not in client.share_url
        shared = f"{url}/v1/shared/{client.share_url.rpartition('/')[2]}"
        with urllib.request.urlopen(client.share_url) as page, urllib.request.urlopen(shared) as session:
            assert b"<title>" in page.read()
            assert json.load(session)["answers"] == 1


def test_it_finds_contradictions_and_revises_as_the_local_session_does(url, source):
    ours = local(source)
    with rather.Client(url, "things") as client:
        for _ in range(8):
            question, asked = ours.ask(), client.ask()
            worst = int((question.vectors @ ours.belief.mean).argmin())
            ids = [option.id for option in asked.options]
            ours.tell(question, worst)
            client.tell(asked, ids.index(question.options[worst].id))
        assert [vars(each) for each in client.contradictions()] == [vars(each) for each in ours.contradictions()]
        client.revise(3, "skip")
        ours.revise(3, "skip")
        assert client.expected_regret == pytest.approx(ours.expected_regret)
        with pytest.raises(InvalidInputError, match="answered"):
            client.revise(9, 0)


def test_it_can_tell_by_number_and_go_on_later(url):
    client = Client(url, k=3)
    client.tell(1, 2)
    again = Client(url, session=client.id)
    assert again.ask() == client.ask()
    again.tell(2, "skip")
    client.refresh()
    assert client.number == 3
    for each in (client, again):
        each.close()


def test_it_says_what_has_changed_in_the_catalogue():
    assert connected({"catalog_changes": ["A price has changed."]}).catalog_changes == ("A price has changed.",)
    assert connected({}).catalog_changes == ()  # an older server


def connected(state):
    """A client with a session that a server has sent."""
    client = Client.__new__(Client)
    client._state = state
    return client


def test_its_log_is_the_librarys(url, source):
    with Client(url) as client:
        client.tell(client.ask(), 0)
        ours = rather.Session.from_json(client.to_json(), source.catalog, source.belief)
        assert [option.label for option in ours.ask().options] == [option.label for option in client.ask().options]


def test_a_log_goes_on_in_another_session(url):
    with Client(url) as client, Client(url, "things", log=told(client).to_json()) as twin:
        assert twin.id != client.id
        assert twin.ask().options == client.ask().options
        assert twin.number == client.number == 2


def told(client):
    client.tell(client.ask(), 0)
    return client


def test_filters_narrow_what_is_asked_and_recommended(url):
    with Client(url) as client:
        client.set_filters([{"attribute": "price", "maximum": 50}])
        found = client.recommend(24)
        assert len(found) == 6
        assert {option.id for option in client.ask().options} <= {item.id for item in found}
        client.set_filters()
        assert len(client.recommend(24)) == 24


def test_what_the_person_has_is_left_out_and_a_text_is_no_list_of_ids(url):
    with Client(url) as client:
        first, second = client.recommend(2)
        assert first.id not in [item.id for item in client.recommend(24, exclude=[first.id])]
        with pytest.raises(InvalidInputError, match="`exclude` must be a list of ids"):
            client.recommend(2, exclude=str(second.id))


class LostResponses:
    """Lets every first response of a server be lost on its way."""

    def __init__(self, monkeypatch):
        self.sent = []
        self.once = _Http._once
        monkeypatch.setattr(_Http, "_once", lambda http, *request: self.send(http, *request))

    def send(self, http, *request):
        response = self.once(http, *request)
        if request not in self.sent:
            self.sent.append(request)
            raise ServiceError("The response was lost.")
        return response


def test_every_request_can_be_sent_again(url, monkeypatch):
    lost = LostResponses(monkeypatch)
    with Client(url) as client:
        for _ in range(3):
            client.tell(client.ask(), 0)
        assert client.undo().number == 3
        client.set_filters([{"attribute": "price", "maximum": 50}])
        with Client(url, log=client.to_json()) as twin:
            assert twin.number == 3
        client.delete()
        with pytest.raises(UnknownNameError):
            client.refresh()
    assert len(lost.sent) == 9
    monkeypatch.undo()


def test_mistakes_are_the_librarys_errors(url):
    with Client(url) as client:
        question = client.ask()
        with pytest.raises(StaleQuestionError, match="the open question is number 1"):
            client.tell(2, 0)
        client.tell(question, 0)
        client.tell(question, 0)  # the same answer: counted once
        assert client.number == 2
        with pytest.raises(StaleQuestionError, match="answered differently"):
            client.tell(question, 1)
        with pytest.raises(InvalidInputError, match="`choice` must be one of"):
            client.tell(client.ask(), 7)
        client.delete()
        with pytest.raises(UnknownNameError):
            client.refresh()
    with pytest.raises(UnknownNameError, match="It has: things"):
        Client(url, "nothing")
    with pytest.raises(InvalidInputError, match=r"body\.k"):
        Client(url, k=1)
    with pytest.raises(InvalidInputError, match="`url` must be an address"):
        Client("localhost:8000")
    with pytest.raises(InvalidInputError, match="neither `catalog` nor settings"):
        Client(url, "things", session="x")
    with pytest.raises(InvalidInputError, match="`log` has its own settings: do not pass k"):
        Client(url, log="{}", k=3)


def test_a_server_that_cannot_be_reached_is_reported():
    with pytest.raises(ServiceError, match="No answer from"):
        Client(f"http://127.0.0.1:{free_port()}", patience=0.2)


def test_it_needs_neither_torch_nor_the_server(url):
    code = f"import sys, rather; rather.Client({url!r}).close(); print({{'torch', 'fastapi'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_client_gives_hints(url):
    with Client(url, k=2) as client:
        client.tell(client.ask(), 0)
        best = client.recommend(1)[0]
        client.hint(rather.MoreLike(best.id))
        column, toward, text = best.wishes[0]
        client.hint(rather.LikeBut(best.id, column, toward))
        assert (client.hints, client.number) == (2, 2)
        assert text
        client.undo()
        assert client.hints == 1
        with pytest.raises(InvalidInputError, match="attribute"):
            client.hint(rather.Want("purple"))


def test_the_client_adjusts_configurations(tmp_path):
    with served(tmp_path, bike_source()) as url, Client(url) as client:
        found = client.adjust("steel/rim/48/blue/no", {"frame": "carbon", "size": 52, "lights": True})
        assert found["item"]["id"].startswith("carbon/d")
        assert found["item"]["id"].endswith("/52/blue/yes")
        assert client.adjusted is None
        client.hint(rather.Adjust(found["start"]["id"], found["item"]["id"]))
        assert client.adjusted.id == found["item"]["id"]
        with pytest.raises(InvalidInputError, match="never 'wood'"):
            client.adjust("steel/rim/48/blue/no", {"frame": "wood"})
