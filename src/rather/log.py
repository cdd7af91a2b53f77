"""A session as a JSON text and back. No pickle: settings are plain numbers, the rest is replayed."""

import base64
import dataclasses
import json
import zlib
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rather.belief import Belief
from rather.catalog import Catalog
from rather.errors import InvalidInputError
from rather.rejuvenation import Rejuvenation
from rather.responses import Answer, Logistic, Noiseless, ResponseModel
from rather.session import Session
from rather.stopping import Stopping

VERSION = 1

RESPONSES: dict[str, type[Logistic] | type[Noiseless]] = {"logistic": Logistic, "noiseless": Noiseless}


def dump(session: Session) -> str:
    """See `Session.to_json`."""
    asked = session._open
    return json.dumps(
        {
            "rather": VERSION,
            "catalog": session.catalog.content_hash,
            "belief": session.prior.content_hash,
            "k": session.k,
            "seed": session.seed,
            "strategy": session.strategy_name,
            "response": _dump_response(session.response),
            "stopping": dataclasses.asdict(session.stopping),
            "rejuvenation": session.rejuvenation and dataclasses.asdict(session.rejuvenation),
            "allowed": None if session.allowed is None else _pack(session.allowed),
            "events": session.events,
            "open": None if asked is None else {"items": list(asked.slate), "evoi": asked.evoi},
        },
        indent=1,
    )


def load(text: str, catalog: Catalog, belief: Belief, **parts: Any) -> Session:
    """See `Session.from_json`."""
    log = _parse(text)
    for name, ours, noun in (
        ("catalog", catalog.content_hash, "catalogue"),
        ("belief", belief.content_hash, "starting belief"),
    ):
        if log[name] != ours:
            raise InvalidInputError(
                f"This log belongs to another {noun} (its hash is {log[name]}, the given one's {ours})."
            )
    if "strategy" not in parts:
        if log["strategy"] is None:
            raise InvalidInputError("This session had a strategy of its own: pass it as `strategy`.")
        parts["strategy"] = log["strategy"]
    if "response" not in parts:
        parts["response"] = _load_response(log["response"])
    renew = log["rejuvenation"]
    session = Session(
        catalog,
        belief,
        log["k"],
        log["seed"],
        stopping=Stopping(**log["stopping"]),
        allowed=None if log["allowed"] is None else _unpack(log["allowed"], len(catalog)),
        rejuvenation=Rejuvenation(**renew) if renew else None,
        **parts,
    )
    for event in log["events"]:
        _replay(event, session)
    if log["open"] is not None:
        session._open = session.question(log["open"]["items"], log["open"]["evoi"])
    return session


def _replay(event: dict[str, Any], session: Session) -> None:
    if "undo" in event:
        session.undo()
        return
    answer = event["answer"]
    asked = session.question(event["items"], event.get("evoi", 0.0))
    session._record(asked, Answer(answer) if isinstance(answer, str) else answer)


def _parse(text: str) -> dict[str, Any]:
    try:
        log = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"This is not a session log: {error}.") from None
    if not isinstance(log, dict) or log.get("rather") != VERSION:
        raise InvalidInputError(f"This is not a session log of version {VERSION}.")
    needed = {"catalog", "belief", "k", "seed", "strategy", "response", "stopping", "rejuvenation", "allowed"}
    if missing := sorted((needed | {"events", "open"}) - log.keys()):
        raise InvalidInputError(f"This session log is incomplete: it lacks {', '.join(missing)}.")
    return log


def _dump_response(response: ResponseModel) -> dict[str, Any] | None:
    for name, kind in RESPONSES.items():
        if type(response) is kind:
            return {"model": name, **dataclasses.asdict(response)}
    return None


def _load_response(settings: dict[str, Any] | None) -> ResponseModel:
    if settings is None:
        raise InvalidInputError("This session had a response model of its own: pass it as `response`.")
    fields = dict(settings)
    return RESPONSES[fields.pop("model")](**fields)


def _pack(mask: Tensor) -> str:
    return base64.b64encode(zlib.compress(np.packbits(mask.numpy()).tobytes())).decode()


def _unpack(text: str, length: int) -> Tensor:
    bits = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    return torch.from_numpy(np.unpackbits(bits, count=length).astype(bool))
