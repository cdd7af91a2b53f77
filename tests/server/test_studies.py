"""Taking part in a study over HTTP: arms, quotas, tasks, the end."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from serving import answer, open_session, small_source
from starlette.testclient import TestClient

from rather import Catalog, Task
from rather.errors import InvalidInputError
from rather.server import Settings, create_app
from rather.server.conversations.participating import ACTIVE_MINUTES
from rather.server.exports.columns import ANSWERS, RESPONDENTS, answers_of
from rather.server.exports.reading import read_folder
from rather.server.exports.writing import write_folder
from rather.server.sessions.records import now
from rather.server.sessions.sql_store import SqlStore
from rather.server.studies import Arm, End, Study

DONE = "https://panel.example.org/done?id={respondent}"
AWAY = "https://panel.example.org/full?id={respondent}"
TWO = (Arm("a"), Arm("b", settings={"strategy": "random", "k": 3}, seeds="own"))


def study(**changes):
    return Study(**{"name": "spring", "minimum": 3, "maximum": 4, **changes})


def store_of(client):
    return client.app.state.conversations.store


def stored(client, session):
    return store_of(client).load(session["id"])


def taken_part(client, choice=0, **request):
    """A session with all its answers."""
    session = open_session(client, **request)
    while not session["study"]["finished"]:
        session = answer(client, session, choice).json()["session"]
    return session


def refused(client, code, status=409, **request):
    response = client.post("/v1/sessions", json=request)
    assert (response.status_code, response.json()["code"]) == (status, code)
    return response.json()


def test_a_session_is_noted_with_the_study_and_an_arm(make_client):
    client = make_client(study=study(arms=TWO))
    sessions = [open_session(client, respondent=f"p{number}", source="mail") for number in range(6)]
    found = [stored(client, session) for session in sessions]
    assert {each.study["campaign"] for each in found} == {"spring"}
    assert {each.study["source"] for each in found} == {"mail"}
    assert [each.study["respondent"] for each in found] == [f"p{number}" for number in range(6)]
    assert Counter(each.study["arm"] for each in found) == {"a": 3, "b": 3}
    for session, each in zip(sessions, found, strict=True):
        assert (session["k"], session["strategy"]) == {"a": (2, "auto"), "b": (3, "random")}[each.study["arm"]]
    seeds = {arm: {each.request["seed"] for each in found if each.study["arm"] == arm} for arm in "ab"}
    assert (len(seeds["a"]), len(seeds["b"])) == (1, 3)
    assert "arm" not in sessions[0]["study"]


def test_there_are_as_many_questions_as_the_study_says(make_client):
    client = make_client(study=study(end=End(text={"": "Thank you."}, redirect=DONE)))
    session = open_session(client, respondent="a b")
    for number in range(4):
        assert session["answers"] == number
        if session["study"]["finished"]:
            break
        assert (session["study"]["redirect"], session["study"]["text"]) == (None, None)
        session = answer(client, session).json()["session"]
    assert 3 <= session["answers"] <= 4
    assert session["study"] == {
        "minimum": 3,
        "maximum": 4,
        "finished": True,
        "results": True,
        "automatic": False,
        "text": "Thank you.",
        "redirect": "https://panel.example.org/done?id=a%20b",
    }
    assert session["question"] is None
    answered = client.get(f"/v1/sessions/{session['id']}").json()
    assert (answered["study"]["finished"], answered["question"]) == (True, None)
    following = f"{session['answers'] + 1}-{session['version']}"
    rejected = client.post(f"/v1/sessions/{session['id']}/answers", json={"question": following, "choice": 0})
    assert (rejected.status_code, rejected.json()["code"]) == (409, "study-finished")


def test_the_minimum_holds_even_where_nothing_is_left_to_gain(make_client):
    free = taken_part(make_client(study=study(minimum=1, maximum=20)))
    assert free["answers"] < 20
    least = free["answers"] + 2
    assert taken_part(make_client(study=study(minimum=least, maximum=20)))["answers"] >= least


def test_tasks_are_asked_and_hold_outs_are_predicted_and_teach_nothing(make_client):
    tasks = (Task(2, ("thing-3", "thing-4", "thing-5"), holdout=True), Task(3, ("thing-1", "thing-2")))
    client = make_client(study=study(tasks=tasks, minimum=3, maximum=3))
    session = answer(client, open_session(client)).json()["session"]
    assert [option["id"] for option in session["question"]["options"]] == ["thing-3", "thing-4", "thing-5"]
    before = session["expected_regret"]
    session = answer(client, session, 2).json()["session"]
    assert session["expected_regret"] == before
    assert [option["id"] for option in session["question"]["options"]] == ["thing-1", "thing-2"]
    session = answer(client, session).json()["session"]
    found = stored(client, session)
    predicted = found.events[1].event["predicted"]
    assert sum(predicted) == pytest.approx(1)
    assert found.summary["holdouts"]["answered"] == 1
    rows = [{column.name: column.cell(row) for column in ANSWERS} for row in answers_of(found)]
    assert [row["task"] for row in rows] == [None, "holdout", "fixed"]
    assert rows[1]["hit"] == (predicted.index(max(predicted)) == 2)
    respondent = {column.name: column.cell(found) for column in RESPONDENTS}
    assert respondent["holdouts"] == 1
    assert respondent["holdout_hits"] == found.summary["holdouts"]["hits"]


def test_the_history_and_undo_work_with_tasks(make_client):
    client = make_client(study=study(tasks=(Task(2, ("thing-3", "thing-4"), holdout=True),)))
    session = answer(client, open_session(client)).json()["session"]
    asked = session["question"]["options"]
    session = answer(client, session, 1).json()["session"]
    undone = client.post(f"/v1/sessions/{session['id']}/undo", json={}).json()
    assert undone["question"]["options"] == asked
    session = answer(client, undone, 0).json()["session"]
    again = client.get(f"/v1/sessions/{session['id']}").json()
    assert again == session
    history = client.get(f"/v1/sessions/{session['id']}/history").json()
    assert [turn["undone"] for turn in history["turns"]] == [False, True, False]


def test_a_study_survives_a_restart(make_client):
    tasks = (Task(2, ("thing-3", "thing-4"), holdout=True),)
    first = make_client(study=study(tasks=tasks))
    session = answer(first, open_session(first)).json()["session"]
    second = make_client(study=study(tasks=tasks))
    assert second.get(f"/v1/sessions/{session['id']}").json() == session
    session = answer(second, session, 1).json()["session"]
    assert stored(second, session).events[1].event["task"] == "holdout"
    without = make_client()
    assert without.get(f"/v1/sessions/{session['id']}").json()["study"] is None


@pytest.mark.parametrize(
    "given", [{"k": 3}, {"seed": 5}, {"strategy": "random"}, {"questions": 2}, {"arm": "a"}, {"filters": []}]
)
def test_a_link_changes_nothing_that_the_study_decides(make_client, given):
    problem = refused(make_client(study=study(arms=TWO)), "invalid-request", 422, **given)
    assert next(iter(given)) in problem["detail"]


def test_a_respondent_goes_no_way_of_their_own(make_client):
    client = make_client(study=study())
    session = open_session(client)
    hint = {"says": "more-like", "item": "thing-1"}
    for response in (
        client.post(f"/v1/sessions/{session['id']}/hints", json=hint),
        client.put(f"/v1/sessions/{session['id']}/filters", json={"filters": []}),
    ):
        assert (response.status_code, response.json()["code"]) == (409, "not-in-a-study")


def test_the_campaign_is_the_name_of_the_study(make_client):
    client = make_client(study=study())
    assert stored(client, open_session(client, campaign="spring")).study["campaign"] == "spring"
    refused(client, "invalid-request", 422, campaign="autumn")


def test_a_respondent_is_needed_where_the_study_says_so(make_client):
    client = make_client(study=study(needs_respondent=True))
    refused(client, "respondent-missing", 422)
    open_session(client, respondent="p1")


def test_a_study_is_open_from_when_to_when_it_says(make_client):
    hour = timedelta(hours=1)
    end = End(closed={"": "Sorry.", "de": "Leider."}, away=AWAY)
    early = make_client(study=study(opens=now() + hour, end=end))
    late = make_client(study=study(closes=now() - hour, end=end))
    open_session(make_client(study=study(opens=now() - hour, closes=now() + hour)))
    for client, code in ((early, "study-not-open"), (late, "study-closed")):
        problem = refused(client, code, respondent="ä")
        assert problem["detail"] == "Sorry."
        assert problem["redirect"] == "https://panel.example.org/full?id=%C3%A4"
    assert refused(late, "study-closed", language="de")["detail"] == "Leider."


def test_a_session_that_was_opened_in_time_may_be_finished_later(make_client):
    session = open_session(make_client(study=study()))
    late = make_client(study=study(closes=now() - timedelta(hours=1)))
    assert answer(late, session).status_code == 200


def test_once_means_once_and_never_shows_the_first_session(make_client):
    client = make_client(study=study(once=True, end=End(away=AWAY)))
    session = open_session(client, respondent="p1")
    problem = refused(client, "already-taken-part", respondent="p1")
    assert session["id"] not in str(problem)
    assert problem["redirect"].endswith("id=p1")
    open_session(client, respondent="p2")
    open_session(client)
    open_session(client)


def test_once_holds_when_both_come_at_once(make_client, any_database):
    client = make_client(database=any_database, study=study(once=True))
    with ThreadPoolExecutor(8) as people:
        codes = list(people.map(lambda _: client.post("/v1/sessions", json={"respondent": "p1"}).status_code, range(8)))
    assert Counter(codes) == {201: 1, 409: 7}


def test_quotas_hold_when_everybody_comes_at_once(make_client, any_database):
    arms = (Arm("a", quota=5), Arm("b", quota=9), Arm("c"))
    client = make_client(database=any_database, study=study(arms=arms, quota=20), limits={"wait_seconds": 120.0})
    with ThreadPoolExecutor(32) as people:
        responses = list(people.map(lambda _: client.post("/v1/sessions", json={}), range(32)))
    assert Counter(response.status_code for response in responses) == {201: 20, 409: 12}
    counts = store_of(client).taken("spring", now() - timedelta(minutes=ACTIVE_MINUTES))
    assert sum(counts.values()) == 20
    assert counts["a"] == 5
    assert counts["b"] <= 9
    assert refused(client, "study-full")["detail"] == "This study has enough respondents."


def test_whoever_left_makes_room_and_whoever_finished_does_not(make_client, any_database):
    client = make_client(database=any_database, study=study(quota=2))
    taken_part(client)
    left = open_session(client)
    refused(client, "study-full")
    store = store_of(client)
    later = now() + timedelta(seconds=1)
    assert store.taken("spring", later) == {"all": 1}  # as if both were long ago
    client.delete(f"/v1/sessions/{left['id']}")
    open_session(client)
    refused(client, "study-full")


def test_arms_are_balanced_although_sixty_come_at_once(make_client, any_database):
    client = make_client(database=any_database, study=study(arms=TWO), limits={"wait_seconds": 120.0})

    def take_part(person):
        return taken_part(client, person % 2, respondent=f"pupil-{person}")["id"]

    with ThreadPoolExecutor(60) as people:
        ids = list(people.map(take_part, range(60)))
    found = [store_of(client).load(id) for id in ids]
    assert Counter(each.study["arm"] for each in found) == {"a": 30, "b": 30}
    assert {each.study["respondent"] for each in found} == {f"pupil-{person}" for person in range(60)}
    assert all(each.summary["stop"] is not None for each in found)


def test_a_repeated_request_opens_one_session_and_takes_one_place(make_client):
    client = make_client(study=study(quota=1))
    headers = {"Idempotency-Key": "0123456789abcdef"}
    first, second = (client.post("/v1/sessions", json={}, headers=headers) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]


def test_other_catalogues_of_the_server_are_asked_about_as_ever(make_client):
    sources = [small_source(), small_source("others")]
    client = make_client(sources=sources, study=study(catalog="others"))
    assert open_session(client, catalog="things", k=3)["study"] is None
    assert open_session(client)["catalog"] == "others"
    assert open_session(client, catalog="others")["study"] is not None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"catalog": "nothing"}, "`catalog` must be one of things, got 'nothing'"),
        ({"tasks": (Task(1, ("thing-1", "thing-99")),)}, "question 1 is about 'thing-99'"),
        ({"tasks": (Task(1, tuple(f"thing-{row}" for row in range(11))),)}, "at most 10 items"),
        ({"arms": (Arm("a", settings={"k": 11}),)}, "The arm 'a' of the study: `k` must be at most 10"),
        ({"arms": (Arm("a", settings={"strategy": "exhaustive-search"}),)}, "`strategy` must be one of"),
        ({"maximum": 201}, "at most 200"),
    ],
)
def test_a_study_that_cannot_be_held_is_reported_at_the_start(make_client, changes, said):
    with pytest.raises(InvalidInputError) as caught:
        make_client(study=study(**changes))
    assert said in str(caught.value)


def test_ids_that_are_numbers_may_be_written_as_texts(tmp_path):
    source = small_source()
    catalog = Catalog(source.catalog.vectors(list(range(24))))
    settings = Settings(database=f"sqlite:///{tmp_path / 'x.db'}", study=study(tasks=(Task(1, ("3", 4)),)))
    app = create_app({"rows": (catalog, source.belief)}, settings)
    with TestClient(app) as client:
        assert [option["id"] for option in open_session(client)["question"]["options"]] == [3, 4]


def test_an_item_that_is_written_in_two_ways_is_not_compared_with_itself(tmp_path):
    source = small_source()
    catalog = Catalog(source.catalog.vectors(list(range(24))))
    settings = Settings(database=f"sqlite:///{tmp_path / 'x.db'}", study=study(tasks=(Task(1, ("3", 3)),)))
    with pytest.raises(InvalidInputError, match=r"The task at question 1 compares an item with itself: \[3, 3\]"):
        create_app({"rows": (catalog, source.belief)}, settings)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_an_export_brings_the_sessions_of_a_study_back(make_client, tmp_path, format):
    tasks = (Task(2, ("thing-3", "thing-4"), holdout=True), Task(3, ("thing-1", "thing-2", "thing-6")))
    client = make_client(study=study(arms=TWO, tasks=tasks))
    for number in range(6):
        taken_part(client, number % 2, respondent=f"={number}", source="mail")
    open_session(client)
    exported = list(store_of(client).stream())
    write_folder(iter(exported), tmp_path / "export", format)
    assert list(read_folder(tmp_path / "export")) == exported
    copy = SqlStore(f"sqlite:///{tmp_path / 'copy.db'}")
    assert copy.restore(list(read_folder(tmp_path / "export")), "imported") == 7
    assert list(copy.stream()) == exported
    assert copy.taken("spring", now()) == store_of(client).taken("spring", now())
    copy.close()
