"""Shortlists of large catalogues, remembered: building one takes as long as a hundred questions."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import torch

from rather.caching.storage import user_cache
from rather.conversation.keys import shortlist_key
from rather.model.belief import Belief
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistReport, ShortlistSettings


def recalled_shortlist(exact: ExactRetriever, belief: Belief) -> ShortlistRetriever:
    """The shortlist of all items for a belief: the remembered one, else it is built and remembered."""
    kept, settings = user_cache(), ShortlistSettings()
    key = None if kept is None else shortlist_key(exact.catalog, belief, settings)
    if kept is None or key is None:
        return ShortlistRetriever.build(exact, belief, None, settings)
    found = kept.get(key)
    shortlist = None if found is None else _read(found, exact, belief, settings)
    if shortlist is None:
        shortlist = ShortlistRetriever.build(exact, belief, None, settings)
        kept.put(key, _written(shortlist))
    return shortlist


def _written(shortlist: ShortlistRetriever) -> bytes:
    head = json.dumps(asdict(shortlist.report)).encode()
    return head + b"\n" + shortlist.rows.numpy().astype("<i8").tobytes()


def _read(
    content: bytes, exact: ExactRetriever, belief: Belief, settings: ShortlistSettings
) -> ShortlistRetriever | None:
    head, _, rows = content.partition(b"\n")
    try:
        report = ShortlistReport(**json.loads(head))
        indices = torch.from_numpy(np.frombuffer(rows, dtype="<i8").astype(np.int64))
    except (TypeError, ValueError):
        return None
    if len(indices) != report.items or int(indices.max()) >= len(exact.catalog):
        return None
    return ShortlistRetriever(exact, indices, belief, None, settings, report, exact.catalog.vectors(indices))
