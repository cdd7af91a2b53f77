"""A server that learns from the answers it stores."""

import shutil
from dataclasses import replace
from datetime import timedelta
from threading import Event, Thread, current_thread

import pytest
from serving import answer, by_name, open_session
from starlette.testclient import TestClient

import rather
from cars import CARS
from rather.formats.prior_files import learnt_prior, load_prior
from rather.server import Settings, create_app
from rather.server.computing.priors import MOST_EARLIER
from rather.server.learning import Learning, PriorFolder
from rather.server.sessions.records import now

PEOPLE = 60


def want_warmth(client, source, seed=0, answers=4):
    """A conversation of somebody who takes the warmer one of two things each time."""
    session = open_session(client, catalog="things", seed=seed)
    for _ in range(answers):
        rows = [source.catalog.row(option["id"]) for option in session["question"]["options"]]
        warmth = source.catalog.vectors(rows)[:, 0].tolist()
        response = answer(client, session, warmth.index(max(warmth)))
        assert response.status_code in (200, 201), response.text
        session = client.get(f"/v1/sessions/{session['id']}").json()
    return session


def belief_of(client, id):
    return client.app.state.conversations.load(id).session.policy.prior.content_hash


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("learning")


def learning_in(folder):
    """Settings of a server that learns only when it is told to."""
    return Settings(
        database=f"sqlite:///{folder / 'sessions.db'}",
        prefetch=False,
        watch=False,
        learn=100_000,
        learnt=folder / "learnt",
    )


@pytest.fixture(scope="module")
def app(folder, source):
    settings = learning_in(folder)
    return create_app(by_name(source), settings)


@pytest.fixture(scope="module")
def learnt(app, source):
    """A client, a conversation that began before anything was learnt, and what came of learning."""
    with TestClient(app) as client:
        for number in range(PEOPLE):
            want_warmth(client, source, seed=number)
        running = open_session(client, catalog="things")
        yield client, running, app.state.learning.learn("things")


def test_a_prior_that_is_clearly_better_is_switched_to(learnt, source, folder):
    client, _, outcome = learnt
    assert (outcome.outcome, outcome.version, outcome.conversations) == ("switched", 1, PEOPLE)
    assert outcome.measured.gain > 2 * outcome.measured.error
    started = client.app.state.conversations.load(open_session(client, catalog="things")["id"])
    warmth, *others = started.session.policy.prior.mean.tolist()
    assert warmth > 0.3
    assert warmth > 2 * max(abs(other) for other in others)
    assert (folder / "learnt" / "things" / "00001.npz").exists()


def test_a_running_conversation_keeps_the_belief_that_it_began_with(learnt, source):
    client, running, _ = learnt
    assert belief_of(client, running["id"]) == source.belief.content_hash
    assert answer(client, running).status_code in (200, 201)
    assert belief_of(client, running["id"]) == source.belief.content_hash
    assert belief_of(client, open_session(client, catalog="things")["id"]) != source.belief.content_hash


def test_after_a_restart_both_go_on(learnt, app, source):
    client, running, _ = learnt
    newer = open_session(client, catalog="things")["id"]
    expected = belief_of(client, newer)
    with TestClient(create_app(by_name(source), app.state.settings)) as again:
        assert belief_of(again, newer) == expected
        assert belief_of(again, running["id"]) == source.belief.content_hash
        assert belief_of(again, open_session(again, catalog="things")["id"]) == expected


def test_nothing_about_a_person_is_in_the_file(learnt, folder):
    _, running, _ = learnt
    kept = load_prior(folder / "learnt" / "things" / "00001.npz")
    assert kept.prior.centres.shape[0] < PEOPLE
    assert set(kept.about) == {
        "people", "answers", "segments", "temperature", "size of utilities",
        "degrees of freedom", "seed", "sweeps", "held out", "learnt at",
    }  # fmt: skip
    assert running["id"] not in repr(kept.about)


def test_one_that_is_not_clearly_better_is_not_used(learnt, app, folder):
    client, _, _ = learnt
    before = belief_of(client, open_session(client, catalog="things")["id"])
    assert app.state.learning.learn("things").outcome == "kept"
    assert belief_of(client, open_session(client, catalog="things")["id"]) == before
    assert len(list((folder / "learnt" / "things").glob("*.npz"))) == 1


def test_what_another_server_learnt_is_used(learnt, app, source, folder, tmp_path):
    client, _, _ = learnt
    settings = replace(app.state.settings, learnt=tmp_path / "learnt")
    with TestClient(create_app(by_name(source), settings)) as other:
        assert other.app.state.learning.check() == []
        shutil.copytree(folder / "learnt", tmp_path / "learnt")
        other.app.state.learning.check()
        expected = belief_of(client, open_session(client, catalog="things")["id"])
        assert belief_of(other, open_session(other, catalog="things")["id"]) == expected


def test_a_folder_of_priors_keeps_catalogues_apart_and_numbers_in_order(source, tmp_path):
    folder, prior = PriorFolder(tmp_path / "learnt"), source.belief.prior
    learnt = [learnt_prior(prior, source.catalog, {"number": number}) for number in range(MOST_EARLIER + 2)]
    names = ["my cars", "my_cars", "my.cars", "..", "../cars"]
    assert [folder.add(name, learnt[0]) for name in names] == [1] * len(names)
    assert {path.parent.parent for path in tmp_path.rglob("*.npz")} == {tmp_path / "learnt"}
    (tmp_path / "learnt" / "my_cars" / "\u00b2.npz").touch()
    (tmp_path / "learnt" / "my_cars" / "00001.npz").rename(tmp_path / "learnt" / "my_cars" / "99999.npz")
    assert [folder.add("my_cars", each) for each in learnt[1:]] == list(range(100_000, 100_001 + MOST_EARLIER))
    assert [each.about["number"] for each in folder.versions("my_cars")] == list(range(2, MOST_EARLIER + 2))


def test_few_conversations_are_not_learnt_from(make_client, tmp_path):
    client = make_client(learn=100_000, learnt=tmp_path / "learnt")
    assert client.app.state.learning.learn("things").outcome == "too few"
    assert not (tmp_path / "learnt").exists()


def test_it_is_time_after_a_day_or_after_so_many_conversations(make_client, source, tmp_path):
    client = make_client(learn=100_000, learnt=tmp_path / "learnt")
    conversations, priors = client.app.state.conversations, client.app.state.priors
    time = [now()]

    def learning(every):
        return Learning(conversations, priors, PriorFolder(tmp_path / "learnt"), every, clock=lambda: time[0])

    daily, by_number = learning(None), learning(3)
    assert len(daily.check()) == 1
    assert daily.check() == []
    time[0] += timedelta(hours=25)
    assert len(daily.check()) == 1
    time[0] = now()
    assert by_number.check() == []
    for _ in range(3):
        want_warmth(client, source, answers=1)
    time[0] = now()
    assert len(by_number.check()) == 1
    assert by_number.check() == []


@pytest.mark.parametrize("learn", ["weekly", 3, 0])
def test_other_settings_are_rejected(learn):
    with pytest.raises(ValueError, match="learn"):
        Settings(learn=learn)


def test_a_prior_that_is_switched_to_during_a_reload_leaves_the_new_items(tmp_path, monkeypatch):
    path = tmp_path / "cars.csv"
    path.write_text(CARS)
    opened = rather.open(path)
    settings = learning_in(tmp_path)
    with TestClient(create_app({"cars": opened}, settings, files={"cars": path})) as client:
        state = client.app.state
        state.learning.close()  # the server's own first look at the folder would find the prior, too
        prior = replace(opened.belief.prior, centres=opened.belief.prior.centres + 0.1)
        PriorFolder(tmp_path / "learnt").add("cars", learnt_prior(prior, opened.catalog))
        replace_version, names = state.conversations.replace, []
        learning, has_come, is_reloaded = Thread(target=state.learning.check), Event(), Event()

        def replace_in_turns(*arguments):
            names.append(current_thread().name)
            if current_thread() is learning:
                has_come.set()
                is_reloaded.wait(10)
            else:
                learning.start()
                has_come.wait(1)  # if it may come before the new items are served
            return replace_version(*arguments)

        monkeypatch.setattr(state.conversations, "replace", replace_in_turns)
        path.write_text(CARS.replace("18000", "17500"))
        assert [each.outcome for each in state.reloading.reload()] == ["switched"]
        is_reloaded.set()
        learning.join()
        assert len(names) == 2
        served = state.conversations.catalogs.find("cars")
        assert served.catalog.content_hash == rather.open(path).catalog.content_hash
        assert served.belief.content_hash != rather.open(path).belief.content_hash
