import copy
import pickle

import pytest
import torch

import rather
from product_spaces import bicycle
from rather.errors import NeedsListError
from rather.model.configured_items import ConfiguredItems

CATALOG = rather.open(bicycle(interactions=[("frame", "size")]))[0]
CONFIGURATIONS = CATALOG.storage.configurations
LISTED = CATALOG.items


def few(most_listed=10):
    """The same items, as those of a space that is too large to list."""
    return ConfiguredItems(CONFIGURATIONS, most_listed)


def test_vectors_are_reached_by_row_in_any_shape_of_rows():
    rows = torch.tensor([[5, 1_625, 0], [7, 7, 99]])
    assert torch.equal(few().vectors(rows), LISTED[rows])
    assert few().vectors(torch.tensor([], dtype=torch.long)).shape == (0, CATALOG.dimensions)


def test_averages_and_ranges_are_those_of_the_list():
    low, high, spread = few().feature_ranges
    assert torch.allclose(low, LISTED.min(dim=0).values, atol=1e-6)
    assert torch.allclose(high, LISTED.max(dim=0).values, atol=1e-6)
    assert torch.allclose(spread, LISTED.double().std(dim=0, correction=0).float(), atol=1e-5)
    assert torch.allclose(few().average, LISTED.mean(dim=0), atol=1e-5)


def test_the_largest_norm_of_what_is_not_listed_is_no_less_than_the_true_one_and_near_it():
    true = float(LISTED.norm(dim=1).max())
    assert true - 1e-5 <= few().largest_norm <= 1.2 * true
    assert ConfiguredItems(CONFIGURATIONS).largest_norm == pytest.approx(true)


def test_dimensions_that_several_decisions_add_to_are_those_of_totals_that_are_lines():
    assert CONFIGURATIONS.is_sum.sum() == 2
    assert [name for name, is_sum in zip(CATALOG.features, CONFIGURATIONS.is_sum, strict=True) if is_sum] == [
        "price",
        "weight",
    ]


def test_what_needs_every_item_says_that_it_needs_a_list():
    items = few()
    for needs in (lambda: items.tensor, lambda: items.norms, lambda: items.rows):
        with pytest.raises(NeedsListError, match="1,626 configurations"):
            needs()


def test_random_items_stand_for_all_where_there_are_many():
    rows = few().spaced_rows(200)
    assert len(rows) == 200
    assert rows.min() >= 0
    assert rows.max() < 1_626
    assert torch.equal(rows, few().spaced_rows(200))
    assert torch.allclose(few().vectors(rows).mean(dim=0), few().average, atol=5 * float(LISTED.std()) / 200**0.5)


def test_the_hash_is_that_of_the_choices_and_their_effects():
    assert CATALOG.content_hash == rather.open(bicycle(interactions=[("frame", "size")]))[0].content_hash
    others = [rather.open(bicycle())[0], rather.open(bicycle(interactions=[("frame", "size")], rules=[]))[0]]
    assert len({CATALOG.content_hash, *(other.content_hash for other in others)}) == 3


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda catalog: pickle.loads(pickle.dumps(catalog))])
def test_a_copied_catalogue_is_the_same(copied):
    own, twin = CATALOG, copied(CATALOG)
    assert twin.content_hash == own.content_hash
    for row in (0, 700, 1_625):
        assert (twin.ids[row], twin.label(row), twin.facts_of(row)) == (own.ids[row], own.label(row), own.facts_of(row))
        assert twin.find(own.ids[row]) == row
        assert [column.text(row) for column in twin.columns] == [column.text(row) for column in own.columns]
        assert [wish.text for wish in twin.comparatives_of(row)] == [wish.text for wish in own.comparatives_of(row)]
    assert twin.where("price < 700").every_row().tolist() == own.where("price < 700").every_row().tolist()
    assert torch.equal(twin.together, own.together)
