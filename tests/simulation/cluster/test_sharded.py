"""Shards on a cluster find what a scan of all items finds, or say that they cannot."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from rather import Belief, Catalog, ExactRetriever, Policy, Session
from rather.cluster import ClusterError, connected
from rather.errors import InvalidInputError, MissingExtraError
from rather.formats.vectors.vector_files import load_vectors
from rather.retrieval.sharded import (
    LARGE_MESSAGE,
    Part,
    ShardAnswer,
    ShardedRetriever,
    ShardSettings,
    merged,
    sample_of,
    split,
)
from worlds import brute_force, normal


def tied(n: int = 3000, d: int = 3, seed: int = 0) -> Catalog:
    """Items of small whole numbers: many are equal, and their scores are exact."""
    generator = torch.Generator().manual_seed(seed)
    return Catalog(torch.randint(-2, 3, (n, d), generator=generator).float())


def directions_of(d: int = 3, b: int = 12) -> torch.Tensor:
    return torch.randint(-3, 4, (b, d), generator=torch.Generator().manual_seed(1)).float()


def same(found, exact) -> bool:
    return all(torch.equal(getattr(found, name), getattr(exact, name)) for name in ("rows", "scores", "vectors"))


@pytest.mark.parametrize("count", [1, 2, 7, 40])
@pytest.mark.parametrize("shards", [1, 2, 3, 17])
def test_merging_the_parts_gives_the_best_of_all_items(shards, count):
    catalog, directions = tied(), directions_of()
    answers = []
    for part in split(catalog, shards):
        found = ExactRetriever(Catalog(catalog.items[part.start : part.start + part.rows])).top(directions, count)
        rows = found.rows.numpy() + part.start
        answers.append(ShardAnswer(part.start, part.sample, rows, found.vectors.numpy()))
    found = merged(directions, answers, count)
    assert torch.equal(found.rows, brute_force(directions, catalog.items, count))
    assert torch.equal(found.scores, (found.vectors * directions[:, None]).sum(dim=2))
    assert torch.equal(found.vectors, catalog.items[found.rows])


def test_parts_cover_every_row_once():
    for n, shards in ((7, 7), (7, 3), (1000, 8)):
        parts = split(Catalog(normal(n, 2)), shards)
        assert [row for part in parts for row in range(part.start, part.start + part.rows)] == list(range(n))
    with pytest.raises(InvalidInputError, match=r"`shards` must be 1\.\.7 for 7 items, got 8"):
        split(Catalog(normal(7, 2)), 8)


def test_other_items_have_another_sample():
    items = normal(100, 3).numpy()
    other = items.copy()
    other[99, 2] += 1
    assert len({sample_of(items), sample_of(other), sample_of(items[:99]), sample_of(items.reshape(150, 2))}) == 4


@pytest.fixture
def sharded(connection):
    with ShardedRetriever.start(tied(), ShardSettings(shards=2)) as retriever:
        yield retriever


def test_shards_find_what_exact_search_finds(sharded):
    catalog, directions = tied(), directions_of()
    few = torch.zeros(len(catalog), dtype=torch.bool)
    few[[5, 2900]] = True
    one_shard = torch.arange(len(catalog)) < 50
    for allowed, most in ((None, 40), (torch.arange(len(catalog)) % 7 == 2, 40), (few, 2), (one_shard, 40)):
        for count in {1, 2, most}:
            found = sharded.top(directions, count, allowed)
            assert same(found, ExactRetriever(catalog).top(directions, count, allowed))
    with pytest.raises(InvalidInputError, match=r"`count` must be 1\.\.2 "):
        sharded.top(directions, 3, few)
    many = torch.randint(-3, 4, (6000, 3), generator=torch.Generator().manual_seed(2)).float()
    assert many.numel() * 4 > LARGE_MESSAGE  # so it is not sent with the call
    assert same(sharded.top(many, 1), ExactRetriever(catalog).top(many, 1))


def test_a_memory_mapped_catalogue_is_mapped_by_each_shard_and_another_file_is_rejected(connection, tmp_path):
    path = tmp_path / "items.npy"
    items = tied(seed=4).items.numpy()
    np.save(path, items)
    catalog, directions = load_vectors(path).catalog(), directions_of()
    assert all(part.stored is not None for part in split(catalog, 2))
    with ShardedRetriever.start(catalog, ShardSettings(shards=2, threads=2)) as retriever:
        assert retriever._sent == ([], [])
        assert same(retriever.top(directions, 5), ExactRetriever(Catalog(items)).top(directions, 5))
    items = items.copy()
    catalog = load_vectors(path).catalog()
    parts = split(catalog, 1)
    np.save(path, items[::-1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rather.retrieval.sharded.split", lambda *_: parts)
        with pytest.raises(ClusterError, match="holds other items on this machine"):
            ShardedRetriever.start(catalog, ShardSettings(shards=1))


def test_a_node_lost_in_mid_question_costs_time_and_nothing_else(cluster, connection, third_node):
    catalog, belief = Catalog(normal(400, 4)), Belief.from_users(normal(20, 4, seed=3))
    settings = ShardSettings(shards=3, patience=120)
    with ShardedRetriever.start(catalog, settings) as retriever:
        calls = []

        class Losing:
            """Loses a node while its second search is under way."""

            def top(self, directions, count, allowed=None):
                calls.append(1)
                if len(calls) != 2:
                    return retriever.top(directions, count, allowed)
                answers = ShardedRetriever._answers

                def lose(self, *arguments):
                    cluster.remove_node(third_node, allow_graceful=False)
                    return answers(self, *arguments)

                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(ShardedRetriever, "_answers", lose)
                    return retriever.top(directions, count, allowed)

        def talk(retriever):
            session = Session(Policy(catalog, belief, strategy="greedy", retriever=retriever))
            session.tell(session.ask(), 0)
            return session.ask().slate, [found.row for found in session.recommend(5)]

        assert talk(Losing()) == talk(ExactRetriever(catalog))
        assert len(calls) > 5
        assert third_node not in cluster.list_all_nodes()


def test_a_shard_that_cannot_start_again_is_an_error_and_never_an_answer(cluster, connection, third_node):
    catalog, directions = tied(), directions_of()
    settings = ShardSettings(shards=1, resources={"third": 0.1}, patience=60)
    with ShardedRetriever.start(catalog, settings) as retriever:
        assert same(retriever.top(directions, 3), ExactRetriever(catalog).top(directions, 3))
        cluster.remove_node(third_node, allow_graceful=False)
        hurried = replace(retriever, settings=replace(settings, patience=1.0))

        def ask_on():
            while True:  # until the loss is noticed, what it still answers is right
                assert same(hurried.top(directions, 3), ExactRetriever(catalog).top(directions, 3))

        with pytest.raises(ClusterError, match=r"Shard 0 of 1 \(rows 0 to 2999\) did not answer"):
            ask_on()


def test_an_answer_of_another_shard_is_rejected(sharded):
    parts = (sharded.parts[0], Part(sharded.parts[1].start, sharded.parts[1].rows, None, "other"))
    with pytest.raises(ClusterError, match="Shard 1 answered for other rows"):
        replace(sharded, parts=parts).top(directions_of(), 1)


def test_without_a_connection_there_is_an_error(ray):
    if ray.is_initialized():
        pytest.fail("a test before this one left its connection open")
    with pytest.raises(ClusterError, match="Connect to a cluster first"):
        ShardedRetriever.start(tied())


def test_a_cluster_that_does_not_answer_is_named(ray):
    with pytest.raises(ClusterError, match=r"No Ray cluster answers at '127\.0\.0\.1:1': .*refused"):  # noqa: SIM117
        with connected("127.0.0.1:1"):
            pass


def test_without_ray_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rather\[cluster\]'"):
        ShardedRetriever.start(tied())
