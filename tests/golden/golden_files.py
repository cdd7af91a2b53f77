"""Recorded files: how they are written, read and compared with what the code says now."""

import hashlib
import json
import math
import platform
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

RECORDED = Path(__file__).parent / "recorded"

RELATIVE = 1e-4
"""Numbers are float32 sums over up to a thousand particles, some after sixty gradient or Markov steps. Adding the same
numbers up in another order moves them by 1e-7 to 1e-5; another question or answer moves them by 1e-2 and more."""

ABSOLUTE = 1e-5
"""EVOI and regret are differences of utilities of 1 to 10: near 0 only the rounding is left of them."""

DIGITS = 6
"""Significant digits that are recorded: well below `RELATIVE`."""


def write(name: str, content: Any) -> Path:
    """Write a file with a line for each turn or response, so that a change is seen line by line."""
    path = RECORDED / f"{name}.json"
    path.write_text(_text(rounded(content)) + "\n", encoding="utf-8")
    return path


def read(name: str) -> Any:
    """The content of a recorded file."""
    return json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))


def names(pattern: str) -> list[str]:
    """The recorded files whose names match."""
    return sorted(path.stem for path in RECORDED.glob(f"{pattern}.json"))


def rounded(content: Any) -> Any:
    """The content with a few significant digits of every float."""
    if isinstance(content, float):
        return float(f"{content:.{DIGITS}g}")
    if isinstance(content, dict):
        return {key: rounded(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [rounded(value) for value in content]
    return content


def _text(content: Any, indent: str = "", depth: int = 2) -> str:
    """JSON in which the outer lists of mappings have a line for each entry."""
    inner = indent + " "
    if depth and isinstance(content, dict) and any(map(_is_long, content.values())):
        lines = [f"{inner}{json.dumps(key)}: {_text(value, inner, depth)}" for key, value in content.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if depth and _is_long(content):
        return "[\n" + ",\n".join(inner + _text(value, inner, depth - 1) for value in content) + f"\n{indent}]"
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _is_long(content: Any) -> bool:
    return isinstance(content, list) and len(content) > 0 and all(isinstance(value, dict) for value in content)


# Where it was recorded


def environment() -> dict[str, str]:
    """What decides how sums are rounded here; `rounding` is a hash of what a few kernels compute."""
    generator = torch.Generator().manual_seed(0)
    hashed = hashlib.blake2b(digest_size=8)
    for n, d, m in ((300, 8, 60), (360, 25, 1000), (2, 38, 1000), (6, 4, 80)):
        items, users = torch.randn(n, d, generator=generator), torch.randn(d, m, generator=generator)
        utilities, covariance = items @ users, users @ users.T
        sums = (items @ users[:, 0], utilities.log_softmax(dim=0), utilities.sum(dim=1))
        for computed in (utilities, covariance, torch.linalg.cholesky(covariance), *sums):
            hashed.update(computed.contiguous().numpy().tobytes())
    return {
        "torch": torch.__version__,
        "machine": f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}",
        "rounding": hashed.hexdigest(),
    }


ELSEWHERE = "sums round otherwise here than where this was recorded"


@cache
def elsewhere() -> bool:
    """Whether sums round otherwise here than where the files were recorded."""
    return environment()["rounding"] != read("environment")["rounding"]


# Comparison


def assert_as_recorded(now: Any, recorded: Any) -> None:
    """Texts, whole numbers and the shape of the data are equal; floats are close.

    Where sums round otherwise (another processor or torch), one question in a hundred is another one: two slates were
    worth the same up to rounding. So there, and only there, a difference skips the test.
    """
    found = differences(json.loads(json.dumps(now)), recorded)
    if found and elsewhere():
        pytest.skip(f"{ELSEWHERE}: {found[0]}")
    assert not found, "\n".join(["not as recorded:", *found[:12], f"{len(found)} differences"])


def differences(now: Any, recorded: Any, path: str = "") -> list[str]:
    """Where two contents differ, in words."""
    if isinstance(now, dict) and isinstance(recorded, dict):
        return [
            found
            for key in dict.fromkeys([*recorded, *now])
            for found in differences(now.get(key, "absent"), recorded.get(key, "absent"), f"{path}.{key}")
        ]
    if isinstance(now, list) and isinstance(recorded, list) and len(now) == len(recorded):
        pairs = enumerate(zip(now, recorded, strict=True))
        return [found for index, pair in pairs for found in differences(*pair, f"{path}[{index}]")]
    return [] if _equal(now, recorded) else [f"{path or 'all'}: recorded {recorded!r}, now {now!r}"]


def _equal(now: Any, recorded: Any) -> bool:
    if isinstance(now, float) and isinstance(recorded, float):
        return math.isclose(now, recorded, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(now) is type(recorded) and now == recorded
