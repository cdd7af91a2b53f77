import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch

from rather import Catalog
from rather.errors import InvalidInputError, UnknownNameError
from rather.model.items import TensorItems
from worlds import normal

ITEMS = [[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]]


def test_items_are_rows_and_ids_are_rows_by_default():
    catalog = Catalog(ITEMS)
    assert (len(catalog), catalog.dimensions) == (3, 2)
    assert list(catalog.ids) == [0, 1, 2]
    assert catalog.row(2) == 2


def test_a_row_is_found_by_its_id():
    assert Catalog(ITEMS, ids=["a", "b", "c"]).row("b") == 1


@pytest.mark.parametrize(
    ("text", "row"), [("b", 1), ("12", 0), ("-3", 2), ("--3", None), ("\u00b2", None), ("9" * 5_000, None), ("", None)]
)
def test_a_row_is_found_by_its_id_as_people_write_it(text, row):
    assert Catalog(ITEMS, ids=[12, "b", -3]).find_written(text) == row


def test_an_unknown_id_is_rejected_in_the_catalogues_own_words():
    with pytest.raises(UnknownNameError, match="No film has the id 'd'"):
        Catalog(ITEMS, ids=["a", "b", "c"], name="film").row("d")


def test_labels_are_the_ids_unless_given():
    assert [Catalog(ITEMS).label(row) for row in range(3)] == ["0", "1", "2"]
    assert [Catalog(ITEMS, ids=["a", "b", "c"]).label(row) for row in range(3)] == ["a", "b", "c"]
    assert Catalog(ITEMS, ids=["a", "b", "c"], labels=["A", "B", "C"]).label(1) == "B"


def test_facts_are_kept_for_each_item_and_may_be_absent():
    facts = [{"year": "1942"}, {}, {"year": "1994"}]
    assert [Catalog(ITEMS, facts=facts).facts_of(row) for row in range(3)] == facts
    assert Catalog(ITEMS).facts_of(0) == {}


def test_vectors_are_reached_by_row_in_any_shape_of_rows():
    items = normal(7, 3)
    catalog = Catalog(items)
    assert torch.equal(catalog.vectors(4), items[4])
    assert torch.equal(catalog.vectors((4, 0)), items[[4, 0]])
    pairs = torch.tensor([[1, 2], [6, 1]])
    assert torch.equal(catalog.vectors(pairs), torch.stack([items[[1, 2]], items[[6, 1]]]))
    assert catalog.vectors([]).shape == (0, 3)


@pytest.mark.parametrize(("n", "rows"), [(5, range(5)), (15, range(15)), (16, range(0, 16, 2)), (80, range(0, 80, 10))])
def test_a_sample_is_evenly_spaced_and_between_count_and_twice_as_many(n, rows):
    items = normal(n, 2)
    assert torch.equal(Catalog(items).sample(8), items[list(rows)])


def test_feature_ranges_are_over_all_items():
    low, high, spread = Catalog([[1.0, 0.0], [5.0, 2.0], [3.0, 4.0]]).feature_ranges
    assert low.tolist() == [1, 0]
    assert high.tolist() == [5, 4]
    assert spread.tolist() == pytest.approx([(8 / 3) ** 0.5] * 2)


COLUMNS = {
    "list": ["a", "b", "c"],
    "tuple": ("a", "b", "c"),
    "array": np.array(["a", "b", "c"]),
    "pandas column": pd.Series(["a", "b", "c"]),
    "polars column": pl.Series(["a", "b", "c"]),
}


@pytest.mark.parametrize("ids", COLUMNS.values(), ids=COLUMNS)
def test_ids_of_every_library_give_the_same_catalogue(ids):
    catalog = Catalog(ITEMS, ids=ids)
    assert catalog.row("c") == 2
    assert catalog.label(2) == "c"
    assert catalog.content_hash == Catalog(ITEMS, ids=["a", "b", "c"]).content_hash


@pytest.mark.parametrize("ids", [[7, 8, 9], np.array([7, 8, 9]), pd.Series([7, 8, 9])])
def test_whole_numbers_as_ids_are_plain_numbers(ids):
    catalog = Catalog(ITEMS, ids=ids)
    assert catalog.ids == [7, 8, 9]
    assert all(type(id) is int for id in catalog.ids)


@pytest.mark.parametrize("items", [np.array(ITEMS), torch.tensor(ITEMS), pd.DataFrame(ITEMS)])
def test_equal_content_has_an_equal_hash_in_whichever_container(items):
    assert Catalog(items).content_hash == Catalog(ITEMS).content_hash


def test_the_hash_does_not_depend_on_memory_layout():
    items = normal(5, 4)
    assert Catalog(items.T.contiguous().T).content_hash == Catalog(items).content_hash


@pytest.mark.parametrize("ids", [None, list("abcdefghij")])
def test_nothing_depends_on_the_block_size(ids):
    items = normal(10, 3)
    whole, blocks = Catalog(items, ids), Catalog(TensorItems(items, block_rows=3), ids)
    assert blocks.content_hash == whole.content_hash
    assert blocks.largest_norm == pytest.approx(float(items.norm(dim=1).max()))
    assert torch.allclose(blocks.average, items.mean(dim=0))


def test_a_range_of_other_numbers_is_not_the_default_ids():
    assert Catalog(ITEMS, ids=range(7, 10)).content_hash == Catalog(ITEMS, ids=[7, 8, 9]).content_hash
    assert Catalog(ITEMS, ids=range(7, 10)).row(8) == 1


def test_the_default_ids_given_explicitly_hash_the_same():
    assert Catalog(ITEMS, ids=[0, 1, 2]).content_hash == Catalog(ITEMS).content_hash


def test_the_hash_tells_shapes_of_the_same_numbers_apart():
    assert Catalog(normal(3, 4)).content_hash != Catalog(normal(3, 4).view(4, 3)).content_hash


def test_the_hash_changes_with_a_vector_or_an_id_but_not_with_a_label():
    given = Catalog(ITEMS, ids=["a", "b", "c"])
    others = [
        Catalog([[1.0, 0.0], [0.0, 1.0], [3.0, 4.1]], ids=["a", "b", "c"]),
        Catalog(ITEMS, ids=["a", "b", "d"]),
        Catalog(ITEMS),
        Catalog(ITEMS[::-1], ids=["a", "b", "c"]),
    ]
    assert len({given.content_hash, *(other.content_hash for other in others)}) == 5
    assert Catalog(ITEMS, ids=["a", "b", "c"], labels=["x", "y", "z"]).content_hash == given.content_hash


def test_a_number_and_its_text_are_different_ids():
    assert Catalog(ITEMS, ids=[7, 8, 9]).content_hash != Catalog(ITEMS, ids=["7", "8", "9"]).content_hash


def test_duplicate_ids_are_rejected_with_their_rows():
    with pytest.raises(InvalidInputError, match="`ids` must be distinct, but 'a' is in rows 0 and 2"):
        Catalog(ITEMS, ids=["a", "b", "a"])


def test_ids_of_another_type_are_rejected():
    with pytest.raises(InvalidInputError, match="`ids` must be texts or integers"):
        Catalog(ITEMS, ids=[["a"], ["b"], ["c"]])


@pytest.mark.parametrize("items", [np.zeros((0, 3)), np.zeros((3, 0))])
def test_an_empty_catalogue_is_rejected(items):
    with pytest.raises(InvalidInputError, match="`items` must hold at least one item and one dimension"):
        Catalog(items)


@pytest.mark.parametrize("column", ["ids", "labels", "facts"])
def test_a_column_of_the_wrong_length_is_rejected(column):
    with pytest.raises(InvalidInputError, match=f"`{column}` must have 3 entries to match `items`, got 2"):
        Catalog(ITEMS, **{column: [{}, {}] if column == "facts" else ["a", "b"]})


def test_features_must_match_the_dimensions():
    assert Catalog(ITEMS, features=["funny", "dark"]).features == ["funny", "dark"]
    with pytest.raises(InvalidInputError, match="`features` must have 2 entries"):
        Catalog(ITEMS, features=["funny"])


def test_items_that_are_not_finite_are_rejected_with_their_index():
    with pytest.raises(InvalidInputError, match=r"`items` must be finite, but entry \[1, 0\] is nan"):
        Catalog([[1.0, 0.0], [float("nan"), 1.0]])
