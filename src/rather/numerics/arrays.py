"""The edge where users' arrays (NumPy, torch, nested lists, DataFrames) become float32 tensors."""

import warnings
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rather.errors import InvalidInputError
from rather.nouns import counted

# Numbers checked in one batch.
BLOCK_ENTRIES = 2**21


def as_floats(value: Any, name: str, rank: int) -> Tensor:
    """A finite float32 tensor of the given rank, or an error that says which entry is wrong.

    A float32 tensor or array is not copied, nor is a memory map; read-only memory and reversed views are.

    Args:
        value: NumPy array, torch tensor, nested list, or a pandas or polars DataFrame.
        name: What to call it in an error message.
        rank: Number of dimensions it must have.
    """
    tensor = _to_tensor(value, name)
    if tensor.dim() != rank:
        raise InvalidInputError(f"`{name}` must have {counted(rank, 'dimension')}, got shape {tuple(tensor.shape)}.")
    _reject_non_finite(tensor, name)
    return tensor


def as_mask(value: Any, name: str, length: int) -> Tensor:
    """A boolean tensor `(length,)` with at least one true entry. Always a copy: the caller's may change later."""
    try:
        tensor = torch.from_numpy(np.asarray(value).copy())
    except (TypeError, ValueError):
        raise InvalidInputError(f"`{name}` must be a boolean mask of shape ({length},), got {value!r}.") from None
    if tensor.dtype != torch.bool or tuple(tensor.shape) != (length,):
        raise InvalidInputError(
            f"`{name}` must be a boolean mask of shape ({length},), "
            f"got {str(tensor.dtype).removeprefix('torch.')} of shape {tuple(tensor.shape)}."
        )
    if not tensor.any():
        raise InvalidInputError(f"`{name}` must allow at least one of the {length} items, but all entries are false.")
    return tensor


def tensor_view(array: NDArray[np.float32]) -> Tensor:
    """A tensor that shares the memory of an array, which may be read-only: nothing here writes to items."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return torch.from_numpy(array)


def _to_tensor(value: Any, name: str) -> Tensor:
    if isinstance(value, Tensor) and not value.is_complex():
        return value.detach().to(torch.float32)
    if hasattr(value, "to_numpy"):  # pandas and polars frames
        value = value.to_numpy()
    try:
        array = np.asarray(value)
        if np.iscomplexobj(array):
            raise TypeError("complex numbers have no order")
        with np.errstate(over="ignore"):  # too large for float32 becomes infinite, which is rejected below
            array = np.asarray(array, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"`{name}` must be a rectangular array of numbers: {error}.") from None
    backwards = any(stride < 0 for stride in array.strides)
    if isinstance(value, np.memmap) and not backwards:
        return tensor_view(array)
    if backwards or not array.flags.writeable:
        array = array.copy()  # torch cannot walk backwards, and warns when it wraps read-only memory
    return torch.from_numpy(array)


def _reject_non_finite(tensor: Tensor, name: str) -> None:
    if tensor.dim() == 0 or not tensor.numel():
        return
    # In blocks: torch turns all it sums into float64 first, which would take twice the memory of the items.
    # The sum is finite unless an entry is not (or the sum overflows): one cheap pass for the usual case.
    blocks = torch.split(tensor, max(1, BLOCK_ENTRIES * len(tensor) // tensor.numel()))
    if all(torch.isfinite(block.sum(dtype=torch.float64)) for block in blocks):
        return
    bad = (~torch.isfinite(tensor)).nonzero()
    if not len(bad):
        return
    position = ", ".join(str(int(index)) for index in bad[0])
    raise InvalidInputError(
        f"`{name}` must be finite, but entry [{position}] is {float(tensor[tuple(bad[0])])} "
        f"({counted(len(bad), 'such entry')}). Remove or fill them first."
    )
