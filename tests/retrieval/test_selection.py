import threading

import pytest
import torch

from rather import Belief, Catalog, ExactRetriever, Session
from rather.errors import UnknownNameError
from rather.retrieval import ShortlistRetriever, choose_retriever, selection
from worlds import normal


@pytest.fixture
def small_is_large(monkeypatch):
    monkeypatch.setattr(selection, "SHORTLIST_FROM", 1000)


def learnt(n=2000, d=3) -> tuple[Catalog, Belief]:
    lengths = torch.rand(n, 1, generator=torch.Generator().manual_seed(4)).clamp_min(1e-3).pow(-0.4)
    return Catalog(normal(n, d) * lengths), Belief.from_users(normal(50, d, seed=1))


def test_a_small_catalogue_is_searched_exactly():
    catalog, belief = learnt()
    assert isinstance(choose_retriever(catalog, belief), ExactRetriever)
    assert isinstance(Session(catalog, belief).retriever, ExactRetriever)


@pytest.mark.usefixtures("small_is_large")
def test_a_large_catalogue_gets_a_shortlist_once_for_all_its_sessions():
    catalog, belief = learnt()
    session = Session(catalog, belief)
    assert isinstance(session.retriever, ShortlistRetriever)
    assert Session(catalog, belief, seed=3).retriever is session.retriever
    other = Belief.from_users(normal(50, 3, seed=2))
    assert Session(catalog, other).retriever is not session.retriever
    assert Session(Catalog(catalog.items), belief).retriever is not session.retriever


@pytest.mark.usefixtures("small_is_large")
def test_sessions_that_start_at_the_same_time_share_one_build(monkeypatch):
    catalog, belief = learnt()
    builds = []
    build = selection._build
    monkeypatch.setattr(selection, "_build", lambda *parts: builds.append(1) or build(*parts))
    workers = [threading.Thread(target=choose_retriever, args=(catalog, belief)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert builds == [1]


@pytest.mark.usefixtures("small_is_large")
def test_a_shortlist_that_loses_too_much_is_not_taken_by_itself():
    items = torch.nn.functional.normalize(normal(20_000, 24), dim=1)
    catalog, belief = Catalog(items), Belief.from_users(normal(60, 24, seed=1))
    assert isinstance(choose_retriever(catalog, belief), ExactRetriever)
    by_hand = choose_retriever(catalog, belief, "shortlist")
    assert isinstance(by_hand, ShortlistRetriever)
    assert not by_hand.report.trusted


@pytest.mark.usefixtures("small_is_large")
def test_exact_is_one_word_away():
    catalog, belief = learnt()
    assert isinstance(choose_retriever(catalog, belief, "exact"), ExactRetriever)
    assert isinstance(Session(catalog, belief, retriever="exact").retriever, ExactRetriever)


def test_retrievers_kept_are_bounded(monkeypatch):
    monkeypatch.setattr(selection, "MOST_KEPT", 2)
    catalog, _ = learnt(n=50)
    for seed in range(5):
        choose_retriever(catalog, Belief.from_users(normal(5, 3, seed=seed)), "exact")
    assert len(selection._kept[catalog]) == 2


def test_an_unknown_kind_is_refused_with_the_known_ones():
    catalog, belief = learnt(n=50)
    with pytest.raises(UnknownNameError, match=r"No retriever is called 'fast'. There are: auto, exact, shortlist"):
        choose_retriever(catalog, belief, "fast")
