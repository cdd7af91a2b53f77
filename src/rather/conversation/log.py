"""A session as a JSON text and back. No pickle: settings are plain numbers, the rest is replayed."""

import base64
import dataclasses
import json
import math
import zlib
from collections.abc import Callable, Mapping, Sized
from typing import Any, TypeGuard, TypeVar

import numpy as np
import torch
from torch import Tensor

from rather.conversation.policy import about
from rather.conversation.reading_cost import ReadingCost
from rather.conversation.session import Session
from rather.conversation.stopping import Stopping
from rather.errors import InvalidInputError
from rather.model.attributes import attributes_hash
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Question
from rather.model.rejuvenation import Rejuvenation
from rather.model.responses import Logistic, Noiseless, ResponseModel, as_choice

VERSION = 1

Built = TypeVar("Built")

RESPONSES: dict[str, type[Logistic] | type[Noiseless]] = {"logistic": Logistic, "noiseless": Noiseless}


def dump(session: Session) -> str:
    """See `Session.to_json`."""
    log = {**dump_settings(session), "events": session.events, "open": dump_open(session)}
    return json.dumps(log, indent=1)


def dump_settings(session: Session) -> dict[str, Any]:
    """All of a log that does not change with the answers."""
    return {
        "rather": VERSION,
        "catalog": session.catalog.content_hash,
        "belief": session.prior.content_hash,
        "k": session.k,
        "seed": session.seed,
        "strategy": session.strategy_name,
        **_dump_attributes(session),
        "response": _dump_response(session.response),
        "stopping": dataclasses.asdict(session.stopping),
        "rejuvenation": session.rejuvenation and dataclasses.asdict(session.rejuvenation),
        "allowed": None if session.allowed is None else _pack(session.allowed),
    }


def dump_open(session: Session) -> dict[str, Any] | None:
    """The open question, if it has been asked."""
    asked = session._open
    return None if asked is None else {**about(asked), "evoi": asked.evoi}


def load_open(record: dict[str, Any], session: Session) -> None:
    """Make the question that `dump_open` returned the open one."""
    session._open = question_of(record, session)


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
    parts = {**_load_attributes(log, catalog, parts), **parts}
    session = Session(
        catalog,
        belief,
        log["k"],
        log["seed"],
        stopping=_built(Stopping, log["stopping"]),
        allowed=None if log["allowed"] is None else _unpack(log["allowed"], len(catalog)),
        rejuvenation=None if log["rejuvenation"] is None else _built(Rejuvenation, log["rejuvenation"]),
        **parts,
    )
    for event in log["events"]:
        replay(event, session)
    if log["open"] is not None:
        load_open(log["open"], session)
    return session


def replay(event: dict[str, Any], session: Session) -> None:
    """Do again what an event of a log says was done."""
    if isinstance(event, dict) and "undo" in event:
        session.undo()
        return
    asked = question_of(event, session)
    if "answer" not in event or event.get("tell") != asked.number:
        raise _damaged(event)
    session._record(asked, as_choice(event["answer"]))


def question_of(asked: Any, session: Session) -> Question:
    """The question that an event of a log answers, or that is open, as it looks when it is the open one."""
    if not isinstance(asked, dict):
        raise _damaged(asked)
    evoi = asked.get("evoi", 0.0)
    if not isinstance(evoi, float | int) or not math.isfinite(evoi):
        raise _damaged(asked)
    if "attributes" in asked:
        items = asked["attributes"]
        if not isinstance(items, list) or not all(_are_places(item, session.catalog.attributes) for item in items):
            raise _damaged(asked)
        if not len(items) == len({frozenset(item) for item in items}) == session.k:
            raise _damaged(asked)
        return session.attribute_question(items, evoi)
    rows = asked.get("items")
    if not _are_places(rows, session.catalog) or len(rows) != session.k:
        raise _damaged(asked)
    return session.question(rows, evoi)


def _are_places(places: Any, of: Sized) -> TypeGuard[list[int]]:
    """Whether these are different places of a sequence, at least one."""
    if not isinstance(places, list) or not places or not all(type(place) is int for place in places):
        return False
    return len(set(places)) == len(places) and all(place in range(len(of)) for place in places)


def _dump_attributes(session: Session) -> dict[str, Any]:
    """How questions about attributes are asked, if they are; a log about items alone is the same without."""
    if session.ask_kind == "items":
        return {"ask": "items"}
    return {
        "ask": session.ask_kind,
        "p": session.p,
        "partial_strategy": session.partial_strategy_name,
        "effort": {"card": session.reading_cost.card, "statement": session.reading_cost.attribute},
        "statements": attributes_hash(session.catalog.attributes),
    }


def _load_attributes(log: dict[str, Any], catalog: Catalog, given: Mapping[str, Any]) -> dict[str, Any]:
    if log.get("ask", "items") == "items":
        return {}
    if missing := sorted({"p", "partial_strategy", "effort", "statements"} - log.keys()):
        raise InvalidInputError(f"This session log is incomplete: it lacks {', '.join(missing)}.")
    if log["statements"] != attributes_hash(catalog.attributes):
        raise InvalidInputError("This log belongs to another catalogue: its items have other attributes.")
    if log["partial_strategy"] is None and "partial_strategy" not in given:
        raise InvalidInputError("This session had a strategy of its own for attributes: pass it as `partial_strategy`.")
    reading_cost = _built(lambda card, statement: ReadingCost(card, statement), log["effort"])
    return {"ask": log["ask"], "p": log["p"], "reading_cost": reading_cost, "partial_strategy": log["partial_strategy"]}


def _built(kind: Callable[..., Built], settings: Any) -> Built:
    try:
        return kind(**settings)
    except TypeError:
        raise _damaged(settings) from None


def _damaged(part: Any) -> InvalidInputError:
    return InvalidInputError(f"This session log is damaged; it has {json.dumps(part)} where that cannot stand.")


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
    known: dict[str, Callable[..., ResponseModel]] = {**RESPONSES}
    kind = known.get(settings.get("model", "")) if isinstance(settings, dict) else None
    if kind is None:
        raise _damaged(settings)
    return _built(kind, {name: setting for name, setting in settings.items() if name != "model"})


def _pack(mask: Tensor) -> str:
    return base64.b64encode(zlib.compress(np.packbits(mask.numpy()).tobytes())).decode()


def _unpack(text: str, length: int) -> Tensor:
    try:
        # One byte more than there can be, so that a few kilobytes from outside cannot unpack to gigabytes.
        unpacked = zlib.decompressobj().decompress(base64.b64decode(text), -(-length // 8) + 1)
        bits = np.frombuffer(unpacked, dtype=np.uint8)
    except (TypeError, ValueError, zlib.error):
        raise _damaged(text) from None
    if len(bits) != -(-length // 8):
        raise _damaged(text)
    return torch.from_numpy(np.unpackbits(bits, count=length).astype(bool))
