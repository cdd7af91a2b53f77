"""A product space equals the table of its valid configurations."""

import itertools

import pytest
import torch
from hypothesis import given

import rather
from product_spaces import bicycle, product_spaces, rows_of, valid_rows
from rather.errors import NeedsListError
from rather.formats.spaces.encoding import encode_space
from rather.formats.tables.encoded_table import encode_table


def enumerated(space):
    """The table of all valid configurations as a catalogue."""
    return rather.open(space.table(), settings=space.table_settings)


@given(product_spaces())
def test_the_table_of_a_space_holds_every_valid_configuration_once(space):
    assert sorted(rows_of(space.table()), key=str) == sorted(valid_rows(space), key=str)


@given(product_spaces())
def test_vectors_and_prior_are_those_of_the_table_to_the_last_bit(space):
    catalog, belief = rather.open(space)
    listed, same_belief = enumerated(space)
    assert (len(catalog), catalog.dimensions) == (len(listed), listed.dimensions)
    assert torch.equal(catalog.vectors(list(range(len(catalog)))), listed.items)
    assert torch.equal(belief.particles, same_belief.particles)
    assert list(catalog.features) == list(listed.features)


@given(product_spaces())
def test_attributes_columns_and_facts_are_those_of_the_table(space):
    catalog, listed = rather.open(space)[0], enumerated(space)[0]
    assert catalog.attributes == listed.attributes
    assert (catalog.together == listed.together).all()
    assert [column.name for column in catalog.columns] == [column.name for column in listed.columns]
    for row in {0, len(catalog) // 2, len(catalog) - 1}:
        facts, expected = catalog.facts_of(row), listed.facts_of(row)
        assert {name: facts[name] for name in expected} == expected  # a table says nothing that is always the same
        for column, same in zip(catalog.columns, listed.columns, strict=True):
            assert (column.text(row), column.share_below(row)) == (same.text(row), same.share_below(row))
            assert list(column.attributes(row)) == list(same.attributes(row))
        wishes, expected_wishes = catalog.comparatives_of(row), listed.comparatives_of(row)
        assert [wish.text for wish in wishes] == [wish.text for wish in expected_wishes]
        for wish, same_wish in zip(wishes, expected_wishes, strict=True):
            assert torch.allclose(wish.step, same_wish.step, atol=1e-5)


@given(product_spaces(most=200))
def test_what_can_be_said_together_is_that_of_the_table(space):
    catalog, listed = rather.open(space)[0], enumerated(space)[0]
    for said in itertools.islice(itertools.combinations(range(len(catalog.attributes)), 3), 200):
        assert catalog.combinable(said) == listed.combinable(said)


@pytest.mark.parametrize("strategy", ["auto", "greedy", "random"])
def test_questions_about_three_attributes_are_those_of_the_table(strategy):
    space = bicycle(rules=[*bicycle().rules, "lights implies not rack or gears == 8"])
    asked = []
    for catalog, belief in (rather.open(space), enumerated(space)):
        session = rather.Session(rather.Policy(catalog, belief, ask="attributes", p=3, attribute_strategy=strategy))
        for choice in (0, 1, 1):
            question = session.ask()
            asked.append((question.text, pytest.approx(question.evoi, abs=1e-5)))
            session.tell(question, choice)
    assert asked[:3] == asked[3:]


@given(product_spaces())
def test_what_is_known_of_all_items_is_that_of_the_table(space):
    storage, listed = rather.open(space)[0].storage, enumerated(space)[0].storage
    assert storage.largest_norm == pytest.approx(listed.largest_norm, abs=1e-5)
    assert torch.allclose(storage.average, listed.average, atol=1e-5)
    for own, expected in zip(storage.feature_ranges, listed.feature_ranges, strict=True):
        assert torch.allclose(own, expected, atol=1e-5)


@given(product_spaces())
def test_an_id_leads_to_its_row_and_says_what_is_chosen(space):
    catalog = rather.open(space)[0]
    decisions = [[str(cell) for cell in space.table()[each.name]] for each in space.decisions]
    for row in range(len(catalog)):
        assert catalog.find(catalog.ids[row]) == row
    assert len(set(catalog.ids)) == len(set(zip(*decisions, strict=True)))


def test_a_space_of_more_rows_than_a_table_may_have_says_that_it_needs_a_list():
    with pytest.raises(NeedsListError, match="1,626"):
        bicycle().table(most_rows=1_625)


@pytest.mark.parametrize("worth", ["line", "curve"])
@pytest.mark.parametrize("pairs", [[], [("frame", "size"), ("gears", "brakes")]])
def test_a_bicycle_equals_its_table(worth, pairs):
    space = bicycle(worth=worth, interactions=pairs)
    encoded, listed = encode_space(space), encode_table(space.table(), space.table_settings)
    vectors = encoded.catalog.vectors(list(range(1_626)))
    assert torch.equal(vectors, listed.catalog.items)
    assert encoded.table.scale == listed.scale
