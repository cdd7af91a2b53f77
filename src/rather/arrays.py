"""The edge where users' arrays (NumPy, torch, nested lists, DataFrames) become float32 tensors."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from rather.errors import InvalidInputError


def as_floats(value: Any, name: str, rank: int) -> Tensor:
    """A finite float32 tensor of the given rank, or an error that says which entry is wrong.

    A float32 tensor or array is not copied.

    Args:
        value: NumPy array, torch tensor, nested list, or a pandas or polars DataFrame.
        name: What to call it in an error message.
        rank: Number of dimensions it must have.
    """
    tensor = _to_tensor(value, name)
    if tensor.dim() != rank:
        raise InvalidInputError(
            f"`{name}` must have {rank} dimension{'s' * (rank != 1)}, got shape {tuple(tensor.shape)}."
        )
    _refuse_non_finite(tensor, name)
    return tensor


def as_mask(value: Any, name: str, length: int) -> Tensor:
    """A boolean tensor `(length,)` with at least one true entry."""
    tensor = torch.as_tensor(np.asarray(value))
    if tensor.dtype != torch.bool or tuple(tensor.shape) != (length,):
        raise InvalidInputError(
            f"`{name}` must be a boolean mask of shape ({length},), "
            f"got {str(tensor.dtype).removeprefix('torch.')} of shape {tuple(tensor.shape)}."
        )
    return tensor


def _to_tensor(value: Any, name: str) -> Tensor:
    if isinstance(value, Tensor):
        return value.detach().to(torch.float32)
    if hasattr(value, "to_numpy"):  # pandas and polars frames
        value = value.to_numpy()
    try:
        array = np.asarray(value, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"`{name}` must be a rectangular array of numbers: {error}.") from None
    if not array.flags.writeable and not isinstance(array, np.memmap):
        array = array.copy()  # torch warns when it wraps read-only memory
    return torch.from_numpy(array)


def _refuse_non_finite(tensor: Tensor, name: str) -> None:
    # The sum is finite unless an entry is not (or the sum overflows): one cheap pass for the usual case.
    if torch.isfinite(tensor.sum(dtype=torch.float64)):
        return
    bad = (~torch.isfinite(tensor)).nonzero()
    place = ", ".join(str(int(index)) for index in bad[0])
    raise InvalidInputError(
        f"`{name}` must be finite, but entry [{place}] is {float(tensor[tuple(bad[0])])} "
        f"({len(bad)} such entr{'y' if len(bad) == 1 else 'ies'}). Remove or fill them first."
    )
