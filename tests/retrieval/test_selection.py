import threading
import time

import pytest
import torch

from rather import Belief, Catalog, ExactRetriever, Policy
from rather.errors import UnknownNameError
from rather.retrieval import ScreeningRetriever, ShortlistRetriever, choose_retriever
from rather.retrieval.selection import RetrieverCache
from worlds import normal


def learnt(n=2000, d=3) -> tuple[Catalog, Belief]:
    lengths = torch.rand(n, 1, generator=torch.Generator().manual_seed(4)).clamp_min(1e-3).pow(-0.4)
    return Catalog(normal(n, d) * lengths), Belief.from_users(normal(50, d, seed=1))


def test_a_small_catalogue_is_searched_exactly():
    catalog, belief = learnt()
    assert isinstance(choose_retriever(catalog, belief), ExactRetriever)
    assert isinstance(choose_retriever(catalog, belief, shortlist_from=2001), ExactRetriever)
    assert isinstance(choose_retriever(catalog, belief, shortlist_from=2000), ShortlistRetriever)
    assert isinstance(Policy(catalog, belief).retriever, ExactRetriever)


def test_a_large_catalogue_gets_one_shortlist_for_all_its_sessions():
    catalog, belief = learnt(n=50_000)
    shortlist = Policy(catalog, belief).retriever
    assert isinstance(shortlist, ShortlistRetriever)
    assert Policy(catalog, belief, seed=3).retriever is shortlist


def test_another_belief_or_catalogue_gets_another_retriever():
    catalog, belief = learnt()
    retriever = choose_retriever(catalog, belief, "shortlist")
    assert choose_retriever(catalog, belief, "shortlist") is retriever
    other = Belief.from_users(normal(50, 3, seed=2))
    assert choose_retriever(catalog, other, "shortlist").population is other
    assert choose_retriever(Catalog(catalog.items), belief, "shortlist") is not retriever


def test_threads_that_need_a_retriever_at_the_same_time_share_one_build():
    catalog, builds = learnt(n=50)[0], []
    cache, results = RetrieverCache(), []

    def build():
        builds.append(1)
        time.sleep(0.05)  # long enough for the other threads to arrive
        return ExactRetriever(catalog)

    def get():
        results.append(cache.get_or_build(catalog, ("exact", "belief"), build))

    workers = [threading.Thread(target=get) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert builds == [1]
    assert len(results) == 4
    assert len(set(map(id, results))) == 1


def test_the_oldest_retrievers_of_a_catalogue_are_dropped():
    catalog, builds = learnt(n=50)[0], []
    cache = RetrieverCache(max_per_catalog=2)

    def get(name):
        cache.get_or_build(catalog, ("exact", name), lambda: builds.append(name) or ExactRetriever(catalog))

    for name in ("first", "second", "first", "third", "second", "first"):
        get(name)
    assert builds == ["first", "second", "third", "first"]


def test_a_shortlist_that_loses_too_much_is_all_that_is_searched_only_by_name():
    items = torch.nn.functional.normalize(normal(20_000, 24), dim=1)
    catalog, belief = Catalog(items), Belief.from_users(normal(60, 24, seed=1))
    assert isinstance(choose_retriever(catalog, belief, shortlist_from=1000), ScreeningRetriever)
    by_name = choose_retriever(catalog, belief, "shortlist")
    assert isinstance(by_name, ShortlistRetriever)
    assert not by_name.report.trusted


def test_exact_searches_can_be_chosen_by_name():
    catalog, belief = learnt()
    assert isinstance(choose_retriever(catalog, belief, "exact", shortlist_from=1000), ExactRetriever)
    assert isinstance(Policy(catalog, belief, retriever="exact").retriever, ExactRetriever)


def test_an_unknown_kind_is_rejected_with_the_known_ones():
    catalog, belief = learnt(n=50)
    with pytest.raises(UnknownNameError, match=r"No retriever is called 'fast'. There are: auto, exact, shortlist"):
        choose_retriever(catalog, belief, "fast")
