"""The allowed items of a log: a mask over the rows, and the ids for the day when the rows have changed."""

import base64
import zlib
from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rather.conversation.records import damaged
from rather.errors import CatalogChangedError
from rather.model.allowed import Allowed, AllowedConfigurations, both_allowed
from rather.model.catalog import Catalog

# Ids of allowed (or of excluded) items that a log holds beside the mask: some 100 kB.
MOST_IDS = 10_000


def dump_allowed(allowed: Allowed | None, catalog: Catalog, *, list_ids: bool = True) -> dict[str, Any]:
    """The mask, and the ids of whichever are fewer: those that are allowed or those that are not.

    Ids that are the rows need not be listed, and more than `MOST_IDS` are not.

    Args:
        allowed: `(n,)` boolean, or rules, which are kept as they were written; None allows all.
        catalog: The items.
        list_ids: Whether ids are listed at all.
    """
    if allowed is None:
        return {"allowed": None, "allowed_ids": None}
    if isinstance(allowed, AllowedConfigurations):
        return {"allowed": list(allowed.expressions), "allowed_ids": None}
    listed: dict[str, Any] | None = None
    count = int(allowed.count_nonzero())
    if list_ids and not isinstance(catalog.ids, range) and min(count, len(catalog) - count) <= MOST_IDS:
        only = 2 * count <= len(catalog)
        rows = (allowed if only else ~allowed).nonzero()[:, 0].tolist()
        listed = {"only" if only else "except": [catalog.ids[row] for row in rows]}
    return {"allowed": _pack(allowed), "allowed_ids": listed}


def load_allowed(log: Mapping[str, Any], catalog: Catalog, *, changed: bool) -> Allowed | None:
    """What `dump_allowed` wrote, for the catalogue as it is now."""
    text = log["allowed"]
    if text is None:
        return None
    if isinstance(text, list):
        return _by_rules(text, catalog)
    if not changed:
        return _unpack(text, len(catalog))
    if (listed := _listed(log)) is not None:
        kind, ids = listed
        rows = [row for row in map(catalog.find, ids) if row is not None]
        mask = torch.full((len(catalog),), kind == "except")
        mask[rows] = kind == "only"
        return mask
    if not isinstance(catalog.ids, range):
        raise CatalogChangedError(
            f"What was allowed cannot be carried over: this log lists the ids of at most {MOST_IDS:,} items. "
            "Pass `allowed`, the items that may be asked about and recommended now."
        )
    bits = _bits(text, 2 * len(catalog) // 8 + 1)
    mask = torch.zeros(len(catalog), dtype=torch.bool)
    mask[: len(bits)] = bits[: len(mask)]
    return mask


def _by_rules(expressions: list[Any], catalog: Catalog) -> Allowed | None:
    if not expressions or not all(isinstance(each, str) for each in expressions):
        raise damaged(expressions)
    found = [catalog.where(each) for each in expressions]
    if not all(isinstance(each, AllowedConfigurations) for each in found):
        raise damaged(expressions)
    return reduce(both_allowed, found)


def allowed_gone(log: Mapping[str, Any], catalog: Catalog) -> int:
    """How many of the listed allowed items are no longer in the catalogue."""
    listed = _listed(log)
    if listed is None or listed[0] == "except":
        return 0
    return sum(catalog.find(id) is None for id in listed[1])


def _listed(log: Mapping[str, Any]) -> tuple[str, list[Any]] | None:
    listed = log.get("allowed_ids")
    if listed is None:
        return None
    if not isinstance(listed, dict) or len(listed) != 1 or not listed.keys() <= {"only", "except"}:
        raise damaged(listed)
    ((kind, ids),) = listed.items()
    if not isinstance(ids, list) or not all(type(id) in (str, int) for id in ids):
        raise damaged(listed)
    return kind, ids


def _pack(mask: Tensor) -> str:
    return base64.b64encode(zlib.compress(np.packbits(mask.numpy()).tobytes())).decode()


def _unpack(text: Any, length: int) -> Tensor:
    bits = _bits(text, -(-length // 8) + 1)
    if len(bits) != 8 * -(-length // 8):
        raise damaged(text)
    return bits[:length]


def _bits(text: Any, most: int) -> Tensor:
    """The bits of a mask, with up to seven more at the end.

    Unpacks at most this many bytes, so that a few kilobytes from outside cannot unpack to gigabytes.
    """
    try:
        unpacked = zlib.decompressobj().decompress(base64.b64decode(text), most)
        return torch.from_numpy(np.unpackbits(np.frombuffer(unpacked, dtype=np.uint8)).astype(bool))
    except (TypeError, ValueError, zlib.error):
        raise damaged(text) from None
