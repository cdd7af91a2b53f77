"""Shortlists of large catalogues in a cache: building one takes as long as a hundred questions."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from rather.caching import Cache
from rather.caching.keys import digest, plain, versions
from rather.model.belief import Belief
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistReport, ShortlistSettings


def cached_shortlist(
    exact: ExactRetriever,
    belief: Belief,
    cache: Cache,
    settings: ShortlistSettings = ShortlistSettings(),  # noqa: B008 - immutable
) -> ShortlistRetriever:
    """The shortlist of all items for a belief: from the cache, else it is built and put there."""
    key = digest("shortlist", versions(), exact.catalog.content_hash, belief_key(belief), plain(settings))
    content = cache.get(key)
    shortlist = None if content is None else _read(content, exact, belief, settings)
    if shortlist is None:
        shortlist = ShortlistRetriever.build(exact, belief, None, settings)
        cache.put(key, _written(shortlist))
    return shortlist


def belief_key(belief: Belief) -> list[Any]:
    """A belief and the density it comes from, as part of a key."""
    return [belief.content_hash, None if belief.prior is None else belief.prior.content_hash]


def _written(shortlist: ShortlistRetriever) -> bytes:
    head = json.dumps(asdict(shortlist.report)).encode()
    return head + b"\n" + shortlist.rows.numpy().astype("<i8").tobytes()


def _read(
    content: bytes, exact: ExactRetriever, belief: Belief, settings: ShortlistSettings
) -> ShortlistRetriever | None:
    """The shortlist that was written; None if it cannot be one of this catalogue."""
    head, _, rows = content.partition(b"\n")
    try:
        report = ShortlistReport(**json.loads(head))
        indices = torch.from_numpy(np.frombuffer(rows, dtype="<i8").astype(np.int64))
    except (TypeError, ValueError):
        return None
    if len(indices) != report.items or int(indices.max()) >= len(exact.catalog):
        return None
    return ShortlistRetriever(exact, indices, belief, None, settings, report, exact.catalog.vectors(indices))
