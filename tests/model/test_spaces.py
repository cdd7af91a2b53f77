"""Vectors of an earlier space say the same in the space of today, or the space says that they cannot."""

import json

import pytest
import torch

from rather import Catalog
from rather.errors import CatalogChangedError
from rather.model.spaces import NamedFeatures, UnnamedDimensions, space_hash
from worlds import normal


def test_the_space_of_a_catalogue_is_its_features_if_it_has_any():
    assert Catalog(normal(5, 3)).space == UnnamedDimensions(3)
    assert Catalog(normal(5, 2), features=["warm", "quiet"]).space == NamedFeatures(("warm", "quiet"))


@pytest.mark.parametrize("space", [UnnamedDimensions(3), NamedFeatures(("a", "b", "c"))])
def test_nothing_changes_in_the_same_space(space):
    vectors = normal(4, 3)
    described = json.loads(json.dumps(space.description))
    assert space.translation(described)(vectors) is vectors
    assert space_hash(described) == space_hash(space.description)


def test_features_may_come_in_another_order():
    translation = NamedFeatures(("c", "a", "b")).translation({"features": ["a", "b", "c"]})
    assert translation(torch.tensor([[1.0, 2.0, 3.0]])).tolist() == [[3.0, 1.0, 2.0]]


@pytest.mark.parametrize(
    ("now", "before", "message"),
    [
        (NamedFeatures(("a", "b")), {"features": ["a", "c"]}, "the feature 'c' is gone and the feature 'b' is new"),
        (NamedFeatures(("a",)), {"features": ["a", "b", "c"]}, "the features 'b', 'c' are gone"),
        (NamedFeatures(("a", "b")), {"dimensions": 2}, "2 dimensions without names became 2 named features"),
        (UnnamedDimensions(3), {"dimensions": 2}, "2 dimensions without names became 3"),
        (UnnamedDimensions(1), {"features": ["a"]}, "1 named features became 1"),
        (UnnamedDimensions(1), {}, "None dimensions"),
    ],
)
def test_another_meaning_is_named(now, before, message):
    with pytest.raises(CatalogChangedError, match=message):
        now.translation(before)
