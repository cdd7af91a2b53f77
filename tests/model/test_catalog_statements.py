"""What can be said of an item, and what a catalogue makes of it."""

import numpy as np
import pytest
import torch

from rather import Catalog, Statement
from rather.errors import InvalidInputError
from rather.model.statements import column_numbers, statements_hash


def test_named_dimensions_become_unit_statements():
    catalog = Catalog(torch.zeros(4, 3), features=["funny", "dark", "slow"])
    assert [(said.text, said.column) for said in catalog.statements] == [(name, name) for name in catalog.features]
    assert torch.equal(torch.stack([said.vector for said in catalog.statements]), torch.eye(3))


def test_statements_given_replace_those_of_the_dimensions():
    said = Statement("all-wheel drive", "drive", [0.5, -1.0], form="with")
    catalog = Catalog(torch.zeros(4, 2), features=["a", "b"], statements=[said])
    assert list(catalog.statements) == [said]


def test_a_catalogue_of_bare_vectors_has_no_statements():
    assert len(Catalog(torch.zeros(4, 2)).statements) == 0


def test_vectors_come_from_any_array():
    said = Statement("red", "colour", np.array([1, 0]))
    assert said.vector.dtype == torch.float32
    assert said.vector.tolist() == [1.0, 0.0]


def test_statements_about_one_column_contradict_each_other():
    red, blue, fast = (Statement(text, column, [0.0]) for text, column in [("red", "c"), ("blue", "c"), ("fast", "s")])
    assert red.contradicts(blue)
    assert not red.contradicts(fast)
    assert column_numbers([red, fast, blue]).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ([Statement("red", "colour", [1.0])], r"2 dimensions .* 'red' has 1"),
        ([Statement("red", "colour", [1.0, 0.0])] * 2, r"'red' about 'colour' occurs twice"),
        (["red"], r"rather.Statement objects, got str in place 0"),
    ],
)
def test_statements_that_do_not_fit_are_refused(statements, message):
    with pytest.raises(InvalidInputError, match=message):
        Catalog(torch.zeros(3, 2), statements=statements)


def test_a_statement_needs_words_and_a_known_form():
    with pytest.raises(InvalidInputError, match="must not be empty"):
        Statement(" ", "colour", [1.0])
    with pytest.raises(InvalidInputError, match="`form` must be one of"):
        Statement("red", "colour", [1.0], form="has")


def test_the_hash_depends_on_words_column_and_meaning():
    said = Statement("red", "colour", [1.0])
    hashes = {
        statements_hash([said]),
        statements_hash([Statement("blue", "colour", [1.0])]),
        statements_hash([Statement("red", "paint", [1.0])]),
        statements_hash([Statement("red", "colour", [2.0])]),
        statements_hash([]),
    }
    assert len(hashes) == 5
    assert statements_hash([said]) == statements_hash([Statement("red", "colour", torch.ones(1))])


def test_the_average_item():
    items = torch.randn(100, 3, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(Catalog(items).average, items.mean(dim=0), atol=1e-6)
