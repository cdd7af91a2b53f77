"""Shortlists of large catalogues, remembered: building one takes as long as a hundred questions."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import torch

from rather.caching.storage import shared_memory
from rather.conversation.keys import shortlist_key
from rather.model.belief import Belief
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistPlan, ShortlistReport


def recalled_shortlist(exact: ExactRetriever, belief: Belief) -> ShortlistRetriever:
    """The shortlist of all items for a belief: the remembered one, else it is built and remembered."""
    kept, plan = shared_memory(), ShortlistPlan()
    key = None if kept is None else shortlist_key(exact.catalog, belief, plan)
    if kept is None or key is None:
        return ShortlistRetriever.build(exact, belief, None, plan)
    found = kept.get(key)
    shortlist = None if found is None else _read(found, exact, belief, plan)
    if shortlist is None:
        shortlist = ShortlistRetriever.build(exact, belief, None, plan)
        kept.put(key, _written(shortlist))
    return shortlist


def _written(shortlist: ShortlistRetriever) -> bytes:
    head = json.dumps(asdict(shortlist.report)).encode()
    return head + b"\n" + shortlist.rows.numpy().astype("<i8").tobytes()


def _read(content: bytes, exact: ExactRetriever, belief: Belief, plan: ShortlistPlan) -> ShortlistRetriever | None:
    head, _, rows = content.partition(b"\n")
    try:
        report = ShortlistReport(**json.loads(head))
        places = torch.from_numpy(np.frombuffer(rows, dtype="<i8").astype(np.int64))
    except (TypeError, ValueError):
        return None
    if len(places) != report.items or int(places.max()) >= len(exact.catalog):
        return None
    return ShortlistRetriever(exact, places, belief, None, plan, report, exact.catalog.items[places])
