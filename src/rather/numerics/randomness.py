"""Random generators derived from a seed and a path of names, so that no global state is ever touched."""

import hashlib

import torch
from torch import Tensor


def derive_seed(seed: int, *path: str | int) -> int:
    """A 63-bit seed that depends on every part of `path`."""
    text = "/".join([str(seed), *(str(part) for part in path)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def derive_generator(seed: int, *path: str | int) -> torch.Generator:
    """A generator for one purpose: `derive_generator(seed, "ask", 3)`."""
    return torch.Generator().manual_seed(derive_seed(seed, *path))


def systematic_rows(log_weights: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """`count` rows drawn with one shared uniform offset: each appears `count * w` times, rounded up or down."""
    offset = torch.rand((), generator=generator, dtype=torch.float64)
    positions = (torch.arange(count, dtype=torch.float64) + offset) / count
    cumulative = log_weights.double().exp().cumsum(dim=0)
    # right=True passes over rows without weight even when the offset is 0.
    rows = torch.searchsorted(cumulative / cumulative[-1], positions, right=True)
    return rows.clamp_max(len(log_weights) - 1)
