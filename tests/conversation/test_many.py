import threading

import pytest
import torch

from rather import ExactRetriever, Logistic, Session, ask_many
from rather.conversation import many
from rather.conversation.many import SharedScans
from rather.errors import NoQuestionLeftError
from rather.retrieval import Found, choose_retriever
from worlds import normal, world


@pytest.fixture
def shared(monkeypatch):
    monkeypatch.setattr(many, "SHARED_FROM", 0)


class Counting(ExactRetriever):
    """Notes how many directions each search is for."""

    searches: list[int]

    def top(self, directions, count, allowed=None) -> Found:
        self.searches.append(len(directions))
        return super().top(directions, count, allowed)


def sessions(count=9, retriever=None, n=700, **parts):
    """People who have answered differently so far, one of whom just skips."""
    small = world(n=n, m=60, d=5, smooth=True)
    retriever = retriever or ExactRetriever(small.catalog)
    made = []
    for place in range(count):
        session = Session(
            small.catalog, small.belief, seed=place % 4, response=Logistic(0.3), retriever=retriever, **parts
        )
        for answer in ("skip",) if place == 0 else [place % 2, place // 2 % 2][: place % 3]:
            session.tell(session.ask(), answer)
        made.append(session)
    return made


def same(questions, others):
    assert [question.slate for question in questions] == [question.slate for question in others]
    assert [question.number for question in questions] == [question.number for question in others]
    assert [q.evoi for q in questions] == pytest.approx([q.evoi for q in others], rel=1e-5, abs=1e-6)


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("strategy", ["auto", "query-iteration", "cont-alter", "greedy", "random"])
@pytest.mark.parametrize("k", [2, 3])
def test_many_are_asked_what_each_would_be_asked(strategy, k):
    parts = {"k": k, "strategy": strategy}
    same(ask_many(sessions(**parts)), [session.ask() for session in sessions(**parts)])


@pytest.mark.usefixtures("shared")
def test_filters_hold_for_whom_they_are_made():
    masks = [torch.arange(700) % 2 == place % 2 for place in range(4)]
    batch, alone = ([s.restricted(mask) for s, mask in zip(sessions(4), masks, strict=True)] for _ in range(2))
    asked = ask_many(batch)
    same(asked, [session.ask() for session in alone])
    assert all(mask[list(question.slate)].all() for mask, question in zip(masks, asked, strict=True))


def test_on_a_shortlist_many_are_asked_what_each_would_be_asked():
    small = world(n=700, m=60, d=5, smooth=True)
    retriever = choose_retriever(small.catalog, small.belief, "shortlist")
    same(ask_many(sessions(retriever=retriever)), [s.ask() for s in sessions(retriever=retriever)])


@pytest.mark.usefixtures("shared")
def test_one_scan_serves_all_who_are_under_way():
    catalog = world(n=700, m=60, d=5).catalog
    counting = Counting(catalog)
    object.__setattr__(counting, "searches", [])
    alone = sessions(8, counting, strategy="rand-user-top-item")
    counting.searches.clear()
    for session in alone:
        session.fork().ask()
    one_by_one = len(counting.searches)
    directions = sum(counting.searches)
    counting.searches.clear()
    ask_many(alone)
    assert sum(counting.searches) == directions
    assert len(counting.searches) < one_by_one / 2


def test_searches_of_a_kind_are_one_and_each_gets_its_own():
    catalog, directions = world(n=300, d=4).catalog, normal(6, 4, seed=5)
    counting = Counting(catalog)
    object.__setattr__(counting, "searches", [])
    scans, found = SharedScans(counting, 3), {}

    def search(place):
        with scans.member():
            found[place] = scans.top(directions[2 * place : 2 * place + 2], 3)

    workers = [threading.Thread(target=search, args=(place,)) for place in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert counting.searches == [6]
    expected = ExactRetriever(catalog).top(directions, 3)
    for place in range(3):
        assert torch.equal(found[place].rows, expected.rows[2 * place : 2 * place + 2])
        assert torch.equal(found[place].vectors, expected.vectors[2 * place : 2 * place + 2])


@pytest.mark.usefixtures("shared")
def test_an_error_of_one_leaves_the_others_their_questions():
    small = world(n=3, m=20, d=3)
    retriever = ExactRetriever(small.catalog)
    made = [Session(small.catalog, small.belief, retriever=retriever, seed=seed) for seed in range(4)]
    for _ in range(3):
        made[1].tell(made[1].ask(), "skip")
    with pytest.raises(NoQuestionLeftError):
        ask_many(made)
    assert all(made[place]._open is not None for place in (0, 2, 3))


@pytest.mark.usefixtures("shared")
def test_an_error_of_the_search_reaches_everybody():
    class Broken(ExactRetriever):
        def top(self, directions, count, allowed=None):
            raise OSError("the disk is gone")

    small = world(n=700, m=60, d=5)
    made = [Session(small.catalog, small.belief, seed=seed) for seed in range(3)]
    for session, broken in zip(made, [Broken(small.catalog)] * 3, strict=True):
        session.retriever = broken
    with pytest.raises(OSError, match="the disk is gone"):
        ask_many(made)


def test_people_in_the_same_place_are_asked_once(monkeypatch, tmp_path):
    monkeypatch.setenv("RATHER_CACHE", str(tmp_path / "cache"))
    chosen, compute = [], Session._choose
    monkeypatch.setattr(Session, "_choose", lambda session: chosen.append(1) or compute(session))
    small = world(n=60, m=40, d=4)
    made = [Session(small.catalog, small.belief) for _ in range(20)]
    questions = ask_many(made)
    assert len(chosen) == 1
    assert len({question.slate for question in questions}) == 1


def test_nobody_is_nobody():
    assert ask_many([]) == []


def test_threads_of_the_host_stay_as_they_were():
    before = torch.get_num_threads()
    ask_many(sessions(3))
    assert torch.get_num_threads() == before
