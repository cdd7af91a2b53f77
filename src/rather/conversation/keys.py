"""Names for settings by their content: equal settings have equal names, in whichever process."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import types
from collections.abc import Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from rather import __version__
from rather.model.attributes import attributes_hash
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistSettings

if TYPE_CHECKING:
    from rather.conversation.session import Session

# Whose files decide what is computed, besides those beside this folder.
FOLDERS = ("retrieval", "strategies", "strategies/partial")


@cache
def versions() -> tuple[str, str, str]:
    """Of this package, of torch and of the code that chooses questions: other ones may compute other numbers."""
    home = Path(__file__).parents[1]
    code = hashlib.blake2b(digest_size=16)
    for folder in (home, *(home / name for name in FOLDERS)):
        for file in sorted(folder.glob("*.py")):
            code.update(file.read_bytes())
    return __version__, torch.__version__, code.hexdigest()


class UnnameableError(Exception):
    """Something whose content cannot be seen, so that nothing may be remembered about it."""


def digest(*parts: object) -> str:
    """A hash of plain parts."""
    try:
        text = json.dumps(parts, sort_keys=True)
    except TypeError as error:  # a number of another library, say
        raise UnnameableError(str(error)) from None
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def plain(setting: Any) -> Any:
    """A setting of this package as plain data that says all about it.

    Functions and classes are named, dataclasses taken apart. Raises `UnnameableError` for anything from elsewhere: its
    code may change under the same name.
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
    raise UnnameableError(repr(type(setting)))


def _named(made: Any) -> str:
    if not made.__module__.startswith("rather.") or "<" in made.__qualname__:
        raise UnnameableError(made.__qualname__)
    return f"{made.__module__}.{made.__qualname__}"


def tensor_hash(tensor: Tensor | None) -> str | None:
    """A hash of a tensor's numbers."""
    if tensor is None:
        return None
    return hashlib.blake2b(tensor.contiguous().numpy().tobytes(), digest_size=16).hexdigest()


def belief_name(belief: Belief) -> list[Any]:
    """A belief before any answer, with the density it comes from."""
    if belief.evidence:
        raise UnnameableError("a belief after answers")
    return [belief.content_hash, None if belief.prior is None else belief.prior.content_hash]


def retriever_name(retriever: object) -> Any:
    """How a retriever finds: any exact one finds the same."""
    if type(retriever) is ExactRetriever:
        return "exact"
    if type(retriever) is ShortlistRetriever:
        made_for = [belief_name(retriever.population), tensor_hash(retriever.allowed)]
        return ["shortlist", plain(retriever.settings), *made_for]
    raise UnnameableError(repr(type(retriever)))


def shortlist_key(catalog: Catalog, belief: Belief, plan: ShortlistSettings) -> str | None:
    """The name of the shortlist of all items; None when it has none."""
    try:
        return digest("shortlist", versions(), catalog.content_hash, belief_name(belief), plain(plan))
    except UnnameableError:
        return None


def settings_key(session: Session, allowed: str | None) -> str:
    """The name of everything that a session's questions follow from, but for the answers.

    Args:
        session: Whose.
        allowed: A hash of the items that may be asked about.
    """
    parts = [
        session.catalog.content_hash,
        belief_name(session.prior),
        session.k,
        session.seed,
        plain(_without_budget(session.strategy)),
        plain(session.response),
        plain(session.rejuvenation),
        retriever_name(session.retriever),
        allowed,
        session.ask_kind,
    ]
    if session.ask_kind != "items":
        catalog = session.catalog
        parts += [
            session.p,
            plain(_without_budget(session.partial_strategy)),
            plain(session.reading_cost),
            attributes_hash(catalog.attributes),
            tensor_hash(catalog.together),
        ]
    return digest("session", versions(), parts)


def next_key(key: str, asked: dict[str, Any], answer: Any) -> str:
    """The name after one more answer."""
    return digest(key, asked, str(answer))


def path_key(first: str, answers: Sequence[tuple[dict[str, Any], Any]]) -> str:
    """The name after these answers to these questions."""
    for asked, answer in answers:
        first = next_key(first, asked, answer)
    return first


def _without_budget(strategy: Any) -> Any:
    """The strategy with all the time it wants: what is chosen in less than a budget does not depend on the budget."""
    if dataclasses.is_dataclass(strategy) and not isinstance(strategy, type) and budget_of(strategy) is not None:
        return dataclasses.replace(strategy, budget_ms=None)
    return strategy


def budget_of(strategy: Any) -> float | None:
    """Milliseconds that a strategy may take, if it is limited."""
    budget: float | None = getattr(strategy, "budget_ms", None)
    return budget
