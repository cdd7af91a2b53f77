"""A session as a JSON text and back. No pickle: settings are plain numbers, the rest is replayed."""

import base64
import dataclasses
import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from rather.caching.storage import Cache
from rather.conversation.policy import Policy
from rather.conversation.reading_cost import ReadingCost
from rather.conversation.records import damaged, question_of, question_record
from rather.conversation.session import Session
from rather.conversation.stopping import Stopping
from rather.errors import InvalidInputError
from rather.model.attributes import attributes_hash
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.rejuvenation import Rejuvenation
from rather.model.responses import Logistic, Noiseless, ResponseModel, as_choice

VERSION = 1

Built = TypeVar("Built")

# What a log of version 1 calls the strategies for attributes.
LOGGED_STRATEGIES = {
    "auto": "auto-partial",
    "greedy": "greedy-partial",
    "random": "random-partial",
    "exhaustive-search": "exhaustive-partial",
}

RESPONSES: dict[str, type[Logistic] | type[Noiseless]] = {"logistic": Logistic, "noiseless": Noiseless}


def dump(session: Session) -> str:
    """See `Session.to_json`."""
    settings = dump_settings(session.policy, session.stopping)
    return json.dumps({**settings, "events": list(session.events), "open": dump_open(session)}, indent=1)


def dump_settings(policy: Policy, stopping: Stopping) -> dict[str, Any]:
    """All of a log that does not change with the answers."""
    return {
        "rather": VERSION,
        "catalog": policy.catalog.content_hash,
        "belief": policy.prior.content_hash,
        "k": policy.k,
        "seed": policy.seed,
        "strategy": policy.strategy if isinstance(policy.strategy, str) else None,
        **_dump_attributes(policy),
        "response": _dump_response(policy.response),
        "stopping": dataclasses.asdict(stopping),
        "rejuvenation": policy.rejuvenation and dataclasses.asdict(policy.rejuvenation),
        "allowed": None if policy.allowed is None else _pack(policy.allowed),
    }


def dump_open(session: Session) -> dict[str, Any] | None:
    """The open question, if it has been asked."""
    return None if session.open_question is None else question_record(session.open_question)


def load(text: str, catalog: Catalog, belief: Belief, *, cache: Cache | None = None, **parts: Any) -> Session:
    """See `Session.from_json`."""
    log = parse(text)
    policy, stopping = load_settings(log, catalog, belief, **parts)
    session = Session(policy, stopping, cache=cache)
    for event in log["events"]:
        replay(event, session)
    if log["open"] is not None:
        load_open(log["open"], session)
    return session


def load_settings(log: dict[str, Any], catalog: Catalog, belief: Belief, **parts: Any) -> tuple[Policy, Stopping]:
    """What `dump_settings` wrote, as a policy and a stopping rule."""
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
    policy = Policy(
        catalog,
        belief,
        log["k"],
        log["seed"],
        allowed=None if log["allowed"] is None else _unpack(log["allowed"], len(catalog)),
        rejuvenation=None if log["rejuvenation"] is None else _built(Rejuvenation, log["rejuvenation"]),
        **{**_load_attributes(log, catalog, parts), **parts},
    )
    return policy, _built(Stopping, log["stopping"])


def replay(event: dict[str, Any], session: Session) -> None:
    """Do again what an event of a log says was done."""
    if isinstance(event, dict) and "undo" in event:
        session.undo()
        return
    asked = question_of(event, session.policy, session.number)
    if "answer" not in event or event.get("tell") != asked.number:
        raise damaged(event)
    session.record(asked, as_choice(event["answer"]))


def load_open(record: dict[str, Any], session: Session) -> None:
    """Make the question that `dump_open` returned the open one."""
    session.reopen(question_of(record, session.policy, session.number))


def _dump_attributes(policy: Policy) -> dict[str, Any]:
    """How questions about attributes are asked, if they are; a log about items alone is the same without."""
    if policy.ask == "items":
        return {"ask": "items"}
    strategy, cost = policy.attribute_strategy, policy.reading_cost
    return {
        "ask": policy.ask,
        "p": policy.p,
        "partial_strategy": LOGGED_STRATEGIES.get(strategy, strategy) if isinstance(strategy, str) else None,
        "effort": {"card": cost.card, "statement": cost.attribute},
        "statements": attributes_hash(policy.catalog.attributes),
    }


def _load_attributes(log: dict[str, Any], catalog: Catalog, given: Mapping[str, Any]) -> dict[str, Any]:
    if log.get("ask", "items") == "items":
        return {}
    if missing := sorted({"p", "partial_strategy", "effort", "statements"} - log.keys()):
        raise InvalidInputError(f"This session log is incomplete: it lacks {', '.join(missing)}.")
    if log["statements"] != attributes_hash(catalog.attributes):
        raise InvalidInputError("This log belongs to another catalogue: its items have other attributes.")
    if log["partial_strategy"] is None and "attribute_strategy" not in given:
        raise InvalidInputError(
            "This session had a strategy of its own for attributes: pass it as `attribute_strategy`."
        )
    cost = _built(lambda card, statement: ReadingCost(card, statement), log["effort"])
    named = {logged: name for name, logged in LOGGED_STRATEGIES.items()}
    strategy = named.get(log["partial_strategy"], log["partial_strategy"])
    return {"ask": log["ask"], "p": log["p"], "reading_cost": cost, "attribute_strategy": strategy}


def _built(kind: Callable[..., Built], settings: Any) -> Built:
    try:
        return kind(**settings)
    except TypeError:
        raise damaged(settings) from None


def parse(text: str | bytes) -> dict[str, Any]:
    """A log as plain data, if it has all that a log must have."""
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
        raise damaged(settings)
    return _built(kind, {name: setting for name, setting in settings.items() if name != "model"})


def _pack(mask: Tensor) -> str:
    return base64.b64encode(zlib.compress(np.packbits(mask.numpy()).tobytes())).decode()


def _unpack(text: str, length: int) -> Tensor:
    try:
        # One byte more than there can be, so that a few kilobytes from outside cannot unpack to gigabytes.
        unpacked = zlib.decompressobj().decompress(base64.b64decode(text), -(-length // 8) + 1)
        bits = np.frombuffer(unpacked, dtype=np.uint8)
    except (TypeError, ValueError, zlib.error):
        raise damaged(text) from None
    if len(bits) != -(-length // 8):
        raise damaged(text)
    return torch.from_numpy(np.unpackbits(bits, count=length).astype(bool))
