from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import rather
from product_spaces import bicycle, expressions, product_spaces, random_things
from rather import Catalog, Extra, Option, ProductSpace, Total
from rather.errors import InvalidInputError
from rather.formats.spaces.encoding import encode_space
from rather.retrieval import choose_retriever, nearest_items, paths
from rather.retrieval.paths import PathRetriever, longest_paths, nearest_configurations
from rather.testing import check_retriever
from worlds import brute_force, normal


def filtered_spaces():
    """Small spaces, each with a filter that leaves a few configurations."""
    plain = bicycle(rules=[])
    joint = bicycle(interactions=[("frame", "size"), ("gears", "brakes")])
    for name, space, where in (
        ("no rules", plain, "frame == 'carbon' and gears == 8 and lights and size <= 50"),
        ("rules and totals", bicycle(), "price <= 600 and weight < 8.5"),
        ("joint worths", joint, "size == 56 and not rack and price < 800"),
        ("totals of any worth", bicycle(worth="curve"), "price <= 600 or weight < 8"),
    ):
        catalog = rather.open(space)[0]
        yield name, catalog, catalog.where(where)


def test_the_path_retriever_meets_the_contract():
    check_retriever(PathRetriever, filtered=filtered_spaces())


def test_the_path_retriever_meets_the_contract_in_batches_of_directions():
    check_retriever(lambda catalog: PathRetriever(catalog, batch_numbers=1), filtered=filtered_spaces())


def test_the_path_retriever_meets_the_contract_on_all_threads(monkeypatch):
    monkeypatch.setattr(paths, "PARALLEL_FROM", 0)
    check_retriever(lambda catalog: PathRetriever(catalog, batch_numbers=300), filtered=filtered_spaces())


class Forgetful(PathRetriever):
    def top(self, directions, count, allowed=None):
        return super().top(directions, count)


def test_a_retriever_of_product_spaces_that_forgets_the_rules_is_caught():
    with pytest.raises(AssertionError, match="only allowed items are found"):
        check_retriever(Forgetful, filtered=filtered_spaces())


@pytest.mark.parametrize("seed", range(8))
def test_what_a_bonus_forbids_is_never_found(seed):
    """For every direction other values are forbidden, often so many that no configuration is left."""
    catalog = rather.open(random_things(np.random.default_rng(seed), decisions=5, rules=9))[0]
    where, directions = catalog.storage.configurations, normal(40, catalog.dimensions, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    allowed = [torch.rand(layer.values, len(directions), generator=generator) < 0.6 for layer in where.diagram.layers]
    bonus = []
    for layer, values in zip(where.diagram.layers, allowed, strict=True):
        each = torch.zeros(layer.symbols, len(directions), dtype=torch.float64)
        for value in range(layer.values):
            each[layer.symbol[layer.exists[:, value], value]] = torch.where(values[value], 0.0, -torch.inf).double()
        bonus.append(each)
    found = longest_paths(where, directions, 1, bonus).scores[:, 0]
    rows = torch.arange(len(catalog))
    chosen = catalog.storage.diagram.choices(rows)
    kept = torch.stack([values[chosen[:, layer]] for layer, values in enumerate(allowed)]).all(dim=0)
    scores = torch.where(kept, catalog.vectors(rows).double() @ directions.double().T, -torch.inf)
    torch.testing.assert_close(found, scores.amax(dim=0), atol=1e-5, rtol=1e-5)
    assert 0 < (found == -torch.inf).sum() < len(found)


@given(product_spaces(most=500), st.integers(0, 99), st.sampled_from([1, 2, 3, 10]))
def test_the_best_configurations_are_those_of_a_scan(space, seed, count):
    catalog = rather.open(space)[0]
    count = min(count, len(catalog))
    directions = normal(4, catalog.dimensions, seed=seed)
    found = PathRetriever(catalog).top(directions, count)
    scores = directions.double() @ catalog.items.double().T
    best = scores.sort(dim=1, descending=True).values
    assert torch.allclose(found.scores.double(), best[:, :count], atol=1e-5)
    for line, rows, own in zip(scores, found.rows.tolist(), best, strict=True):
        # The same set, but for those that are as good as the last.
        last = own[count - 1]
        assert set((line > last + 1e-5).nonzero()[:, 0].tolist()) <= set(rows)
        assert all(line[row] >= last - 1e-5 for row in rows)
        assert len(set(rows)) == count


@given(product_spaces(most=300), st.data())
def test_filters_are_searched_as_a_mask_over_the_list_is(space, data):
    catalog, listed = rather.open(space)[0], rather.open(space.table(), settings=space.table_settings)[0]
    where = data.draw(expressions(space))
    mask = listed.where(where)
    if not mask.any():
        with pytest.raises(InvalidInputError, match="No thing satisfies"):
            catalog.where(where)
        return
    allowed = catalog.where(where)
    count = min(5, int(mask.sum()))
    directions = normal(3, catalog.dimensions)
    found = PathRetriever(catalog).top(directions, count, allowed)
    best = (directions @ listed.items.T)[:, mask].sort(dim=1, descending=True).values[:, :count]
    assert torch.allclose(found.scores, best, atol=1e-5)
    assert mask[found.rows].all()


def test_equally_good_configurations_are_found_in_the_order_of_their_rows():
    catalog = rather.open(bicycle())[0]  # its colours are worth nothing
    everything = catalog.items
    found = PathRetriever(catalog).top(normal(5, catalog.dimensions), 9)
    for rows in found.rows:
        for first, second in pairwise(rows):
            if torch.equal(everything[first], everything[second]):
                assert first < second
    zeros = PathRetriever(catalog).top(torch.zeros(1, catalog.dimensions), 5)
    assert zeros.rows.tolist() == [[0, 1, 2, 3, 4]]


def test_all_configurations_are_found_when_all_are_asked_for():
    catalog = rather.open(bicycle())[0]
    found = PathRetriever(catalog).top(normal(2, catalog.dimensions), len(catalog))
    assert all(sorted(rows) == list(range(len(catalog))) for rows in found.rows.tolist())


@pytest.mark.parametrize("count", [0, 1_627])
def test_more_configurations_than_there_are_cannot_be_found(count):
    catalog = rather.open(bicycle())[0]
    with pytest.raises(InvalidInputError):
        PathRetriever(catalog).top(normal(1, catalog.dimensions), count)


def test_bonuses_are_added_to_the_weights():
    encoded = encode_space(bicycle())
    configurations = encoded.configurations(encoded.valid.compiled)
    directions = normal(3, configurations.dimensions)
    generator = torch.Generator().manual_seed(0)
    bonus = [torch.randn(layer.symbols, generator=generator).double() for layer in configurations.diagram.layers]
    choices = configurations.diagram.choices(torch.arange(configurations.diagram.count))
    symbols = configurations.diagram.symbols(choices)
    added = sum(extra[symbol] for extra, symbol in zip(bonus, symbols.unbind(dim=1), strict=True))
    scores = directions.double() @ configurations.vectors(choices).double().T + added
    best = longest_paths(configurations, directions, 3, bonus).scores
    assert torch.allclose(best, scores.sort(dim=1, descending=True).values[:, :3], atol=1e-5)


@given(product_spaces(most=300, worths=("curve",)), st.integers(0, 99))
def test_the_nearest_configuration_is_that_of_the_list_where_no_total_is_a_line(space, seed):
    catalog = rather.open(space)[0]
    points = normal(5, catalog.dimensions, seed=seed)
    found = nearest_configurations(points, catalog.storage.configurations)
    nearest = torch.cdist(points.double(), catalog.items.double()).min(dim=1).values
    assert torch.allclose((points - found).double().norm(dim=1), nearest, atol=1e-5)


def test_the_nearest_configuration_is_a_valid_and_a_near_one_where_totals_are_lines():
    catalog = rather.open(bicycle())[0]
    points = catalog.items[::50] + 0.1 * normal(len(catalog.items[::50]), catalog.dimensions)
    found = nearest_items(points, catalog)
    distances = torch.cdist(found, catalog.items).min(dim=1).values
    assert (distances < 1e-3).all()
    nearest = nearest_items(points, Catalog(catalog.items))
    assert (points - found).norm(dim=1).mean() <= 1.05 * (points - nearest).norm(dim=1).mean()


def test_the_nearest_configuration_satisfies_the_filter():
    catalog = rather.open(bicycle(worth="curve"))[0]
    allowed = catalog.where("frame == 'carbon' and lights")
    kept = Catalog(catalog.vectors(allowed.every_row()))
    points = normal(6, catalog.dimensions)
    assert torch.allclose(nearest_items(points, catalog, allowed), nearest_items(points, kept), atol=1e-6)


@pytest.mark.parametrize("kind", ["auto", "exact"])
def test_a_product_space_is_searched_by_paths(kind):
    catalog, belief = rather.open(bicycle())
    assert isinstance(choose_retriever(catalog, belief, kind), PathRetriever)


def test_a_retriever_that_scans_lists_is_rejected_for_a_product_space():
    catalog, belief = rather.open(bicycle())
    with pytest.raises(InvalidInputError, match="'auto' or 'exact' for a product space, got 'shortlist'"):
        choose_retriever(catalog, belief, "shortlist")


def test_what_is_found_does_not_depend_on_the_batches():
    catalog = rather.open(bicycle())[0]
    directions = normal(20, catalog.dimensions)
    whole = PathRetriever(catalog).top(directions, 4)
    parts = replace(PathRetriever(catalog), batch_numbers=500).top(directions, 4)
    assert torch.equal(whole.rows, parts.rows)


def test_equal_totals_of_different_choices_are_found_in_the_order_of_their_rows():
    shown = [Extra(f"e{number}", adds={"price": 0.1 * (1 + number % 3)}, role="show") for number in range(8)]
    space = ProductSpace("thing", [*shown, Option("a", ["x", "y", "z"])], [Total("price", base=1)])
    catalog, listed = rather.open(space)[0], rather.open(space.table(), settings=space.table_settings)[0]
    directions = normal(40, catalog.dimensions)
    for count in (1, 5):
        found = PathRetriever(catalog).top(directions, count)
        assert torch.equal(found.rows, brute_force(directions, listed.items, count))
