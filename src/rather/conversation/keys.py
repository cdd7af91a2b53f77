"""Keys of what is cached, by content: equal policies, beliefs and histories have equal keys, in whichever process."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import types
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

import rather
from rather import __version__
from rather.model.attributes import attributes_hash
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistSettings

if TYPE_CHECKING:
    from rather.conversation.policy import Policy

HOME = Path(rather.__file__).parent


@cache
def versions() -> tuple[str, str, str]:
    """Of this package, of torch and of this package's code: other ones may compute other numbers."""
    code = hashlib.blake2b(digest_size=16)
    for file in source_files():
        content = file.read_bytes()
        code.update(f"{file.relative_to(HOME).as_posix()} {len(content)}\n".encode() + content)
    return __version__, torch.__version__, code.hexdigest()


def source_files() -> list[Path]:
    """Every module of this package: a list of those that decide a question would miss the next one that moves.

    Hashing all 200 takes 8 ms, once in a process.
    """
    return sorted(HOME.rglob("*.py"))


class UnidentifiableError(Exception):
    """Something whose content cannot be seen, so that nothing about it may be cached."""


def digest(*parts: object) -> str:
    """A hash of plain parts."""
    try:
        text = json.dumps(parts, sort_keys=True)
    except TypeError as error:  # a number of another library, say
        raise UnidentifiableError(str(error)) from None
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def plain(setting: Any) -> Any:
    """A setting of this package as plain data that says all about it.

    Functions and classes are named, dataclasses taken apart. Raises `UnidentifiableError` for anything from elsewhere:
    its code may change under the same name.
    """
    if setting is None or isinstance(setting, bool | int | float | str):
        return setting
    if isinstance(setting, Enum):
        return [type(setting).__qualname__, setting.name]
    if isinstance(setting, tuple | list):
        return [plain(part) for part in setting]
    if isinstance(setting, types.FunctionType):
        return _named(setting)
    if dataclasses.is_dataclass(setting) and not isinstance(setting, type):
        fields = {field.name: plain(getattr(setting, field.name)) for field in dataclasses.fields(setting)}
        return [_named(type(setting)), fields]
    raise UnidentifiableError(repr(type(setting)))


def _named(made: Any) -> str:
    if not made.__module__.startswith("rather.") or "<" in made.__qualname__:
        raise UnidentifiableError(made.__qualname__)
    return f"{made.__module__}.{made.__qualname__}"


def tensor_hash(tensor: Tensor | None) -> str | None:
    """A hash of a tensor's numbers."""
    if tensor is None:
        return None
    return hashlib.blake2b(tensor.contiguous().numpy().tobytes(), digest_size=16).hexdigest()


def belief_key(belief: Belief) -> list[Any]:
    """A belief and the density it comes from."""
    return [belief.content_hash, None if belief.prior is None else belief.prior.content_hash]


def retriever_key(retriever: object) -> Any:
    """How a retriever finds: any exact one finds the same."""
    if type(retriever) is ExactRetriever:
        return "exact"
    if type(retriever) is ShortlistRetriever:
        made_for = [belief_key(retriever.population), tensor_hash(retriever.allowed)]
        return ["shortlist", plain(retriever.settings), *made_for]
    raise UnidentifiableError(repr(type(retriever)))


def shortlist_key(catalog: Catalog, belief: Belief, plan: ShortlistSettings) -> str | None:
    """The key of the shortlist of all items; None when it has none."""
    try:
        return digest("shortlist", versions(), catalog.content_hash, belief_key(belief), plain(plan))
    except UnidentifiableError:
        return None


def policy_key(policy: Policy) -> str:
    """The key of everything that questions and beliefs follow from, but for the answers.

    A time budget is not part of it: what is chosen in less time than that does not depend on it.
    """
    catalog, (strategy, attribute_strategy) = policy.catalog, policy.strategies
    parts = [
        catalog.content_hash,
        belief_key(policy.prior),
        policy.k,
        policy.seed,
        plain(_without_budget(strategy)),
        plain(policy.response),
        plain(policy.rejuvenation),
        retriever_key(policy.retriever),
        tensor_hash(policy.allowed),
        policy.ask,
    ]
    if policy.ask != "items":
        parts += [
            policy.p,
            plain(_without_budget(attribute_strategy)),
            plain(policy.reading_cost),
            attributes_hash(catalog.attributes),
            tensor_hash(catalog.together),
        ]
    return digest("policy", versions(), parts)


def history_key(key: str, answers: Iterable[Mapping[str, Any]]) -> str:
    """The key of a policy's state after these answers, given as records."""
    for answer in answers:
        key = digest(key, dict(answer))
    return key


def _without_budget(strategy: Any) -> Any:
    """The strategy with all the time it wants."""
    if dataclasses.is_dataclass(strategy) and not isinstance(strategy, type) and hasattr(strategy, "budget_ms"):
        return dataclasses.replace(strategy, budget_ms=None)
    return strategy
