"""Shortlists kept between processes."""

import torch

from rather import Belief, Catalog
from rather.caching import Cache
from rather.retrieval import ExactRetriever, ShortlistRetriever, choose_retriever
from worlds import normal


def test_a_shortlist_is_built_once_and_then_read(tmp_path, monkeypatch):
    lengths = torch.rand(2000, 1, generator=torch.Generator().manual_seed(4)).clamp_min(1e-3).pow(-0.4)
    items, belief = normal(2000, 3) * lengths, Belief.from_users(normal(50, 3, seed=1))
    built = choose_retriever(Catalog(items), belief, cache=Cache(tmp_path), shortlist_from=1000)
    monkeypatch.setattr(ShortlistRetriever, "build", None)
    read = choose_retriever(Catalog(items), belief, cache=Cache(tmp_path), shortlist_from=1000)
    assert isinstance(read, ShortlistRetriever)
    assert read.report == built.report
    assert torch.equal(read.rows, built.rows)
    found, expected = (each.top(normal(20, 3, seed=3), 4) for each in (read, built))
    assert torch.equal(found.rows, expected.rows)
    assert torch.equal(found.vectors, ExactRetriever(Catalog(items)).catalog.items[found.rows])


def test_a_damaged_shortlist_is_built_again(tmp_path):
    items, belief = normal(2000, 3), Belief.from_users(normal(50, 3, seed=1))
    first = choose_retriever(Catalog(items), belief, "shortlist", cache=Cache(tmp_path))
    [file] = (tmp_path / "entries").iterdir()
    for content in (b"", b"{}\n", b"[1]\n12345678", b"not json\n"):
        cache = Cache(tmp_path)
        cache.put(file.name, content)
        again = choose_retriever(Catalog(items), belief, "shortlist", cache=cache)
        assert torch.equal(again.rows, first.rows)


def test_without_a_cache_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("RATHER_CACHE", str(tmp_path))
    choose_retriever(Catalog(normal(2000, 3)), Belief.from_users(normal(50, 3, seed=1)), "shortlist")
    assert not list(tmp_path.iterdir())
