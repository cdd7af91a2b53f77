"""The attributes of an item, and what a catalogue makes of them."""

import numpy as np
import pytest
import torch

from rather import Attribute, Catalog
from rather.errors import InvalidInputError
from rather.model.attributes import attributes_hash, column_numbers


def test_named_dimensions_become_unit_attributes():
    catalog = Catalog(torch.zeros(4, 3), features=["funny", "dark", "slow"])
    assert [(attribute.text, attribute.column) for attribute in catalog.attributes] == [
        (name, name) for name in catalog.features
    ]
    assert torch.equal(torch.stack([attribute.vector for attribute in catalog.attributes]), torch.eye(3))


def test_attributes_given_replace_those_of_the_dimensions():
    attribute = Attribute("all-wheel drive", "drive", [0.5, -1.0], phrase="with **all-wheel drive**")
    catalog = Catalog(torch.zeros(4, 2), features=["a", "b"], attributes=[attribute])
    assert list(catalog.attributes) == [attribute]


def test_a_catalogue_of_bare_vectors_has_no_attributes():
    assert len(Catalog(torch.zeros(4, 2)).attributes) == 0


def test_vectors_come_from_any_array():
    attribute = Attribute("red", "colour", np.array([1, 0]))
    assert attribute.vector.dtype == torch.float32
    assert attribute.vector.tolist() == [1.0, 0.0]


def test_attributes_about_one_column_contradict_each_other():
    red, blue, fast = (Attribute(text, column, [0.0]) for text, column in [("red", "c"), ("blue", "c"), ("fast", "s")])
    assert red.column == blue.column
    assert red.column != fast.column
    assert column_numbers([red, fast, blue]).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ([Attribute("red", "colour", [1.0])], r"2 dimensions .* 'red' has 1"),
        ([Attribute("red", "colour", [1.0, 0.0])] * 2, r"'red' about 'colour' occurs twice"),
        (["red"], r"rather.Attribute objects, got str at index 0"),
    ],
)
def test_attributes_that_do_not_fit_are_rejected(attributes, message):
    with pytest.raises(InvalidInputError, match=message):
        Catalog(torch.zeros(3, 2), attributes=attributes)


def test_an_attribute_needs_words_and_a_phrase_with_its_value():
    with pytest.raises(InvalidInputError, match="must not be empty"):
        Attribute(" ", "colour", [1.0])
    with pytest.raises(InvalidInputError, match="`phrase` must have its value between two marks"):
        Attribute("red", "colour", [1.0], phrase="that is red")


def test_the_hash_depends_on_words_column_and_meaning():
    attribute = Attribute("red", "colour", [1.0])
    hashes = {
        attributes_hash([attribute]),
        attributes_hash([Attribute("blue", "colour", [1.0])]),
        attributes_hash([Attribute("red", "paint", [1.0])]),
        attributes_hash([Attribute("red", "colour", [2.0])]),
        attributes_hash([]),
    }
    assert len(hashes) == 5
    assert attributes_hash([attribute]) == attributes_hash([Attribute("red", "colour", torch.ones(1))])


def test_the_average_item():
    items = torch.randn(100, 3, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(Catalog(items).average, items.mean(dim=0), atol=1e-6)
