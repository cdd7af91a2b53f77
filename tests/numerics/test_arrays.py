import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch

from rather.errors import InvalidInputError
from rather.numerics.arrays import as_floats, as_mask

ROWS = [[1.0, 2.5], [-3.0, 4.0], [0.0, 1e-3]]


def read_only() -> np.ndarray:
    array = np.array(ROWS, dtype=np.float32)
    array.flags.writeable = False
    return array


ACCEPTED = {
    "nested list": ROWS,
    "nested tuple": tuple(map(tuple, ROWS)),
    "float64 array": np.array(ROWS),
    "float32 array": np.array(ROWS, dtype=np.float32),
    "big-endian array": np.array(ROWS, dtype=">f4"),
    "read-only array": read_only(),
    "Fortran-ordered array": np.asfortranarray(np.array(ROWS, dtype=np.float32)),
    "reversed view": np.array(ROWS[::-1], dtype=np.float32)[::-1],
    "torch tensor": torch.tensor(ROWS),
    "float64 tensor": torch.tensor(ROWS, dtype=torch.float64),
    "tensor with a gradient": torch.tensor(ROWS, requires_grad=True),
    "pandas frame": pd.DataFrame(ROWS, columns=["a", "b"]),
    "polars frame": pl.DataFrame(ROWS, schema=["a", "b"], orient="row"),
    "list of tensors": [torch.tensor(row) for row in ROWS],
}


@pytest.mark.parametrize("value", ACCEPTED.values(), ids=ACCEPTED)
def test_arrays_of_every_library_become_the_same_tensor(value):
    tensor = as_floats(value, "items", rank=2)
    assert tensor.dtype == torch.float32
    assert not tensor.requires_grad
    assert torch.equal(tensor, torch.tensor(ROWS))


@pytest.mark.parametrize("kind", [np.int64, np.bool_, np.float16])
def test_other_numbers_are_converted(kind):
    assert as_floats(np.ones((2, 2), dtype=kind), "items", rank=2).tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_float32_array_is_not_copied():
    array = np.zeros((3, 2), dtype=np.float32)
    assert as_floats(array, "items", rank=2).data_ptr() == array.ctypes.data


def test_a_float32_tensor_is_not_copied():
    tensor = torch.zeros(3, 2, dtype=torch.float32)
    assert as_floats(tensor, "items", rank=2).data_ptr() == tensor.data_ptr()


def test_a_memory_map_stays_mapped(tmp_path):
    np.save(tmp_path / "items.npy", np.array(ROWS, dtype=np.float32))
    mapped = np.load(tmp_path / "items.npy", mmap_mode="r")
    assert as_floats(mapped, "items", rank=2).data_ptr() == mapped.ctypes.data


def test_a_reversed_memory_map_is_read_in_its_order(tmp_path):
    np.save(tmp_path / "items.npy", np.array(ROWS, dtype=np.float32))
    reversed_map = np.load(tmp_path / "items.npy", mmap_mode="r")[::-1]
    assert torch.equal(as_floats(reversed_map, "items", rank=2), torch.tensor(ROWS[::-1]))


@pytest.mark.parametrize(("bad", "shown"), [(np.nan, "nan"), (None, "nan"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_an_entry_that_is_not_finite_is_named_by_its_index(bad, shown):
    value = np.zeros((4, 3), dtype=object)
    value[2, 1] = bad
    with pytest.raises(InvalidInputError, match=rf"`items` must be finite, but entry \[2, 1\] is {shown} \(1 such"):
        as_floats(value, "items", rank=2)


def test_a_number_past_float32_is_rejected_with_an_error_not_a_warning():
    with pytest.raises(InvalidInputError, match=r"entry \[0, 1\] is inf"):
        as_floats(np.array([[0.0, 1e300]]), "items", rank=2)


def test_infinities_of_both_signs_are_counted():
    with pytest.raises(InvalidInputError, match=r"entry \[0\] is inf \(2 such entries\)"):
        as_floats([np.inf, 0.0, -np.inf], "mean", rank=1)


def test_large_finite_numbers_are_accepted():
    assert as_floats(np.full((100, 2), 3e38), "items", rank=2).isfinite().all()


@pytest.mark.parametrize(("value", "shape"), [([1.0, 2.0], r"\(2,\)"), ([[[1.0]]], r"\(1, 1, 1\)"), (3.0, r"\(\)")])
def test_the_wrong_rank_is_rejected_with_the_shape(value, shape):
    with pytest.raises(InvalidInputError, match=f"`items` must have 2 dimensions, got shape {shape}"):
        as_floats(value, "items", rank=2)


@pytest.mark.parametrize(
    "value",
    [[[1.0, 2.0], [3.0]], [["a", "b"]], pd.DataFrame({"title": ["Alien"]}), np.array([[1 + 2j]])],
    ids=["ragged", "texts", "text column", "complex"],
)
def test_what_is_not_a_table_of_numbers_is_rejected(value):
    with pytest.raises(InvalidInputError, match="`items` must be a rectangular array of numbers"):
        as_floats(value, "items", rank=2)


def test_a_complex_tensor_is_rejected():
    with pytest.raises(InvalidInputError, match="`items` must be a rectangular array of numbers"):
        as_floats(torch.tensor([[1 + 2j]]), "items", rank=2)


YEARS = [1942, 1979, 1994]

MASKS = {
    "list": [False, True, True],
    "array": np.array([False, True, True]),
    "tensor": torch.tensor([False, True, True]),
    "pandas comparison": pd.DataFrame({"year": YEARS})["year"] > 1950,
    "polars comparison": pl.DataFrame({"year": YEARS})["year"] > 1950,
}


@pytest.mark.parametrize("value", MASKS.values(), ids=MASKS)
def test_masks_of_every_library_are_accepted(value):
    assert as_mask(value, "allowed", 3).tolist() == [False, True, True]


@pytest.mark.parametrize("value", [np.array([True, False]), torch.tensor([True, False])])
def test_a_mask_does_not_follow_later_changes_of_the_callers(value):
    mask = as_mask(value, "allowed", 2)
    value[0] = False
    assert mask.tolist() == [True, False]


@pytest.mark.parametrize(
    "value", [[True], [0, 1, 1], [[True, False, True]], ["a", "b", "c"], [[True], [True, False], []]]
)
def test_what_is_not_a_mask_is_rejected_with_what_was_needed(value):
    with pytest.raises(InvalidInputError, match=r"`allowed` must be a boolean mask of shape \(3,\), got"):
        as_mask(value, "allowed", 3)


def test_a_mask_that_allows_nothing_is_rejected():
    with pytest.raises(InvalidInputError, match="`allowed` must allow at least one of the 3 items"):
        as_mask([False, False, False], "allowed", 3)
