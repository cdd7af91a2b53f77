"""Walks through decision diagrams: the fast ways to numbers, symbols and vectors against the plain ones."""

import pytest
import torch

import rather
from rather.formats.spaces.encoding import encode_space
from rather.retrieval import exact_retriever


@pytest.fixture(scope="module")
def space():
    """Rules, two totals and an interaction: symbols are not values, and some nodes lack edges."""
    return encode_space(
        rather.ProductSpace(
            "bag",
            [
                rather.Option("size", {"S": {"price": 0}, "M": {"price": 5}, "L": {"price": 9, "weight": 1}}),
                rather.Option("cloth", {"wool": {"weight": 2}, "silk": {"price": 20}, "hemp": {}}),
                rather.NumberRange("pockets", 0, 4, step=1, adds={"price": 2}),
                rather.Extra("strap", adds={"price": 3, "weight": 1}),
                rather.Extra("lock", adds={"price": 4}),
            ],
            [rather.Total("price", base=10), rather.Total("weight", base=1)],
            ["cloth == 'silk' implies not lock", "price <= 38", "size == 'S' implies pockets <= 2"],
            [("size", "cloth")],
        )
    )


def test_a_walk_by_numbers_finds_the_choices_and_what_they_settle(space):
    diagram = space.valid.compiled.diagram
    choices, symbols = diagram.walked(torch.arange(diagram.count))
    assert choices.tolist() == sorted(choices.tolist())  # lexicographic, and none of them twice
    assert len({tuple(row) for row in choices.tolist()}) == diagram.count
    assert torch.equal(symbols, diagram.symbols(choices))
    assert torch.equal(diagram.numbers(choices), torch.arange(diagram.count))


def test_traced_paths_have_the_numbers_and_symbols_of_their_choices(space):
    diagram = space.valid.compiled.diagram
    choices = diagram.choices(torch.arange(diagram.count))
    nodes, visited = torch.zeros(diagram.count, dtype=torch.long), []
    for layer, value in zip(diagram.layers, choices.unbind(dim=1), strict=True):
        visited.append(nodes)
        nodes = layer.child[nodes, value]
    symbols, numbers = diagram.traced(choices.unbind(dim=1), visited)
    assert torch.equal(symbols, diagram.symbols(choices))
    assert numbers.tolist() == list(range(diagram.count))


def test_a_vector_is_the_sum_of_the_effects_of_its_choices(space):
    configurations = space.configurations(space.valid.compiled)
    choices = configurations.diagram.choices(torch.arange(configurations.diagram.count))
    symbols = configurations.diagram.symbols(choices)
    expected = torch.zeros(len(choices), configurations.dimensions, dtype=torch.float64)
    for effects, symbol in zip(configurations.effects, symbols.unbind(dim=1), strict=True):
        expected += effects[symbol]
    assert torch.allclose(configurations.vectors(choices), expected.float(), atol=1e-6)
    assert space.catalog.vectors(torch.zeros(0, dtype=torch.long)).shape == (0, configurations.dimensions)


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_the_best_configurations_are_those_of_brute_force_where_many_are_equal(space, count):
    catalog = space.catalog
    generator = torch.Generator().manual_seed(count)
    directions = torch.randint(-1, 2, (30, catalog.dimensions), generator=generator).float()
    found = exact_retriever(catalog).top(directions, count)
    scores = (catalog.storage.tensor @ directions.T).T
    torch.testing.assert_close(found.scores, scores.topk(count, dim=1).values, atol=1e-4, rtol=0)
    torch.testing.assert_close(scores.gather(1, found.rows), found.scores, atol=1e-4, rtol=0)
    assert all(len(set(rows)) == count for rows in found.rows.tolist())
