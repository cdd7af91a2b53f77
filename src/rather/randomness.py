"""Random generators derived from a seed and a path of names, so that no global state is ever touched."""

import hashlib

import torch


def derive_seed(seed: int, *path: str | int) -> int:
    """A 63-bit seed that depends on every part of `path`."""
    text = "/".join([str(seed), *(str(part) for part in path)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def derive_generator(seed: int, *path: str | int) -> torch.Generator:
    """A generator for one purpose: `derive_generator(seed, "ask", 3)`."""
    return torch.Generator().manual_seed(derive_seed(seed, *path))
