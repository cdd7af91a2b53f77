"""A session as a JSON text and back. No pickle: settings are plain numbers, the rest is replayed.

Version 2 holds with each answer all that was shown (see `records`), so that a conversation outlives changes of its
catalogue. Logs of version 1 hold rows only: they load as long as the catalogue is the same.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rather.caching.storage import Cache
from rather.conversation.allowed_items import allowed_gone, dump_allowed, load_allowed
from rather.conversation.carrying import (
    CarriedOver,
    attributes_gone,
    facts_changed,
    items_now,
    validate_same_vectors,
)
from rather.conversation.held_events import held_events
from rather.conversation.hint_records import hint_of_record
from rather.conversation.objective_records import dump_objectives, load_objectives
from rather.conversation.policy import Policy
from rather.conversation.reading_cost import ReadingCost
from rather.conversation.records import (
    answer_record,
    damaged,
    located,
    logged_question,
    question_of,
    question_record,
)
from rather.conversation.session import Session
from rather.conversation.stopping import Stopping
from rather.conversation.tasks import dump_tasks, load_tasks
from rather.errors import CatalogChangedError, InvalidInputError, RatherError
from rather.model.attributes import attributes_hash
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.hints import Hint
from rather.model.personal_noise import PersonalNoise
from rather.model.questions import Question
from rather.model.rejuvenation import Rejuvenation
from rather.model.responses import Logistic, Noiseless, ResponseModel, as_choice
from rather.strategies.clock import check_interrupt

VERSION = 2

Built = TypeVar("Built")

# What a log calls the strategies for attributes.
LOGGED_STRATEGIES = {
    "auto": "auto-partial",
    "greedy": "greedy-partial",
    "random": "random-partial",
    "exhaustive-search": "exhaustive-partial",
}

RESPONSES: dict[str, type[Logistic] | type[Noiseless] | type[PersonalNoise]] = {
    "logistic": Logistic,
    "noiseless": Noiseless,
    "personal": PersonalNoise,
}


def dump(session: Session) -> str:
    """See `Session.to_json`."""
    return json.dumps(as_data(session), indent=1)


def as_data(session: Session) -> dict[str, Any]:
    """A log as plain data."""
    settings = dump_settings(session.policy, session.stopping, session.translations.spaces)
    return {**settings, "events": list(session.events), "open": dump_open(session)}


def dump_settings(
    policy: Policy, stopping: Stopping, spaces: Mapping[str, Any] | None = None, *, list_ids: bool = True
) -> dict[str, Any]:
    """All of a log that does not change with the answers.

    Args:
        policy: Of the session.
        stopping: Of the session.
        spaces: Descriptions of the spaces that events were written in, besides that of the policy's catalogue.
        list_ids: Whether to list the ids of allowed items, for the day when the rows have changed.
    """
    catalog = policy.catalog
    return {
        "rather": VERSION,
        "catalog": catalog.content_hash,
        "name": catalog.name,
        "space": catalog.space_hash,
        "spaces": {**(spaces or {}), catalog.space_hash: catalog.space_description},
        "belief": policy.prior.content_hash,
        "k": policy.k,
        "seed": policy.seed,
        "strategy": policy.strategy if isinstance(policy.strategy, str) else None,
        **({} if policy.plan is None else {"plan": policy.plan.key}),
        **_dump_attributes(policy),
        **dump_objectives(policy),
        **dump_tasks(policy.tasks),
        "response": _dump_response(policy.response),
        "stopping": _dump_stopping(stopping),
        "rejuvenation": policy.rejuvenation and _dump_rejuvenation(policy.rejuvenation),
        **dump_allowed(policy.allowed, catalog, list_ids=list_ids),
    }


def dump_open(session: Session) -> dict[str, Any] | None:
    """The open question, if it has been asked."""
    question = session.open_question
    return None if question is None else question_record(question, session.policy.catalog)


def load(text: str, catalog: Catalog, belief: Belief, *, cache: Cache | None = None, **parts: Any) -> Session:
    """See `Session.from_json`."""
    return load_data(parse(text), catalog, belief, cache=cache, **parts)


def load_data(
    log: dict[str, Any], catalog: Catalog, belief: Belief, *, cache: Cache | None = None, **parts: Any
) -> Session:
    """See `Session.from_json`; the log as plain data."""
    try:
        return _loaded(log, catalog, belief, cache, parts)
    except RatherError:
        raise
    except (AttributeError, LookupError, OverflowError, TypeError) as error:
        raise InvalidInputError(
            f"This session log is damaged: something in it is not what the library writes ({error})."
        ) from error


def _loaded(
    log: dict[str, Any], catalog: Catalog, belief: Belief, cache: Cache | None, parts: dict[str, Any]
) -> Session:
    policy, stopping = load_settings(log, catalog, belief, **parts)
    log = upgraded(log, policy)
    session = Session(policy, stopping, cache=cache, spaces=spaces_of(log, catalog))
    for event in log["events"]:
        replay(event, session)
    if not has_changed(log, catalog, belief):
        if log["open"] is not None:
            load_open(log["open"], session)
        return session
    session.carried_over = _carry_over(log, session)
    return session


def has_changed(log: Mapping[str, Any], catalog: Catalog, belief: Belief) -> bool:
    """Whether the catalogue or the belief is another one than those that a log was written with."""
    return catalog_changed(log, catalog) or log["belief"] != belief.content_hash or open_changed(log["open"], catalog)


def spaces_of(log: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    """The descriptions of the spaces that the events of a log were written in, and of the last one.

    Equal vectors mean the same, even if the features have other names now.
    """
    shown = [record.get("shown") for record in (*log["events"], log["open"]) if isinstance(record, dict)]
    used = [log["space"], *(each.get("space") for each in shown if isinstance(each, dict))]
    kept = {space: described for space, described in log["spaces"].items() if space in used}
    same = {log["space"]: catalog.space_description} if log["catalog"] == catalog.content_hash else {}
    return {**kept, **same}


def load_settings(log: dict[str, Any], catalog: Catalog, belief: Belief, **parts: Any) -> tuple[Policy, Stopping]:
    """What `dump_settings` wrote, as a policy and a stopping rule about the catalogue as it is now."""
    changed = catalog_changed(log, catalog)
    if changed and log["rather"] == 1:
        raise CatalogChangedError(
            f"This log belongs to another catalogue (its hash is {log['catalog']}, the given one's "
            f"{catalog.content_hash}), and a log of version 1 holds only the rows of what was shown."
        )
    if "strategy" not in parts:
        if log["strategy"] is None:
            raise InvalidInputError("This session had a strategy of its own: pass it as `strategy`.")
        parts["strategy"] = log["strategy"]
    if log.get("plan") is not None and "plan" not in parts:
        raise InvalidInputError(
            "This session followed a plan: pass it as `plan` (in the terminal: --plan), or None to go on without it."
        )
    if "response" not in parts:
        parts["response"] = load_response(log["response"])
    if "allowed" not in parts:
        parts["allowed"] = load_allowed(log, catalog, changed=changed)
    parts.setdefault("tasks", load_tasks(log))
    policy = Policy(
        catalog,
        belief,
        log["k"],
        log["seed"],
        rejuvenation=None if log["rejuvenation"] is None else _built(Rejuvenation, log["rejuvenation"]),
        **{**_load_attributes(log, parts), **load_objectives(log, parts), **parts},
    )
    return policy, _built(Stopping, log["stopping"])


def replay(event: dict[str, Any], session: Session) -> None:
    """Do again what an event of a log says was done."""
    check_interrupt()
    if isinstance(event, dict) and "undo" in event:
        session.withdraw()
        return
    if isinstance(event, dict) and "hint" in event:
        hint = hint_of_record(event, len(session.hints) + 1, session.policy.catalog, session.translations)
        session.record_hint(hint, event)
        return
    asked = question_of(event, session.policy, session.number, session.translations)
    if "answer" not in event or event.get("tell") != asked.number:
        raise damaged(event)
    session.record(asked, as_choice(event["answer"]), event if "shown" in event else None)


def load_open(record: dict[str, Any], session: Session) -> None:
    """Make the question that `dump_open` returned the open one."""
    session.reopen(question_of(record, session.policy, session.number, session.translations))


def upgraded(log: dict[str, Any], policy: Policy) -> dict[str, Any]:
    """A log of version 1 about the policy's catalogue, with all that was shown added: a log of version 2."""
    if log["rather"] != 1:
        return log
    catalog = policy.catalog
    open = log["open"]
    if open is not None:
        open = question_record(question_of(open, policy, len(held_events(log["events"])) + 1), catalog)
    return {
        **log,
        "rather": VERSION,
        "name": catalog.name,
        "space": catalog.space_hash,
        "spaces": {catalog.space_hash: catalog.space_description},
        **dump_allowed(policy.allowed, catalog),
        "events": [event if "undo" in event else _with_shown(event, policy) for event in log["events"]],
        "open": open,
    }


def _with_shown(event: dict[str, Any], policy: Policy) -> dict[str, Any]:
    if "answer" not in event:
        raise damaged(event)
    return answer_record(question_of(event, policy, number_of(event)), as_choice(event["answer"]), policy.catalog)


def _carry_over(log: Mapping[str, Any], session: Session) -> CarriedOver:
    """Check that the answers mean the same in the catalogue of now, and say what could not be carried over.

    Keeps the open question if what it shows is still there and as it was.
    """
    catalog, prior = session.policy.catalog, session.policy.prior
    asked = [turn.question for turn in session.turns]
    open = None
    if log["open"] is not None:
        open = question_of(log["open"], session.policy, session.number, session.translations)
    changed = catalog_changed(log, catalog) or open_changed(log["open"], catalog)
    shown = asked if open is None else [*asked, open]
    seen: list[Question | Hint] = [*shown, *session.hints]
    if changed and not catalog.space.is_named:
        validate_same_vectors(seen, catalog)
    dropped = False
    if open is not None:
        dropped = not open.is_current or any(items_now([open], catalog))
        if not dropped and (again := session.policy.shown_again(open)) is not None:
            session.reopen(again)
    gone, other = items_now(seen, catalog) if changed else ((), ())
    return CarriedOver(
        name=catalog.name,
        catalog_changed=changed,
        belief_changed=log["belief"] != prior.content_hash,
        items_gone=gone,
        items_changed=other,
        facts_changed=tuple(facts_changed(option, catalog) for option in other),
        attributes_gone=attributes_gone(shown),
        values_gone=session.translations.lost(log["events"]),
        allowed_gone=allowed_gone(log, catalog) if changed else 0,
        question_dropped=dropped,
    )


def catalog_changed(log: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether the settings of a log are about another version of the catalogue."""
    asks_attributes = log.get("ask", "items") != "items"
    return bool(
        log["catalog"] != catalog.content_hash
        or (asks_attributes and log.get("statements") != attributes_hash(catalog.attributes))
    )


def open_changed(record: Mapping[str, Any] | None, catalog: Catalog) -> bool:
    """Whether the record of an open question shows items otherwise than they are now.

    Their vectors may be the same: a label is not part of them, and prices beyond the last knot of a column share one.
    """
    if record is None:
        return False
    question = logged_question(record, 1)
    return question.kind == "items" and "shown" in record and any(items_now([located(question, catalog)], catalog))


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


def _load_attributes(log: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    if log.get("ask", "items") == "items":
        return {}
    if missing := sorted({"p", "partial_strategy", "effort", "statements"} - log.keys()):
        raise InvalidInputError(f"This session log is incomplete: it lacks {', '.join(missing)}.")
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
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise InvalidInputError(f"This is not a session log: {error}.") from None
    if not isinstance(log, dict) or log.get("rather") not in (1, VERSION):
        raise InvalidInputError(f"This is not a session log of version 1 or {VERSION}.")
    log = {"name": "item", "space": "", "spaces": {}, **log} if log["rather"] == 1 else log
    needed = {"catalog", "belief", "k", "seed", "strategy", "response", "stopping", "rejuvenation", "allowed"}
    if missing := sorted((needed | {"name", "space", "spaces", "events", "open"}) - log.keys()):
        raise InvalidInputError(f"This session log is incomplete: it lacks {', '.join(missing)}.")
    for part, kind in (("name", str), ("space", str), ("spaces", dict), ("events", list)):
        if not isinstance(log[part], kind):
            raise damaged(log[part])
    return log


def number_of(event: Mapping[str, Any]) -> int:
    """The number of the question that an event answers."""
    number = event.get("tell")
    if type(number) is not int:
        raise damaged(event)
    return number


def _dump_stopping(stopping: Stopping) -> dict[str, Any]:
    """Its bounds; the minimum, which was not one at first, only where there is one."""
    bounds = dataclasses.asdict(stopping)
    if stopping.minimum is None:
        del bounds["minimum"]
    return bounds


def _dump_rejuvenation(rejuvenation: Rejuvenation) -> dict[str, Any]:
    """Its settings; how many particles, which was not a setting at first, only where it is not the usual number."""
    settings = dataclasses.asdict(rejuvenation)
    if settings["max_particles"] == Rejuvenation.max_particles:
        del settings["max_particles"]
    return settings


def _dump_response(response: ResponseModel) -> dict[str, Any] | None:
    for name, kind in RESPONSES.items():
        if type(response) is kind:
            return {"model": name, **dataclasses.asdict(response)}
    return None


def load_response(settings: dict[str, Any] | None) -> ResponseModel:
    """The response model of a log; raises where it was one that a log cannot describe."""
    if settings is None:
        raise InvalidInputError("This session had a response model of its own: pass it as `response`.")
    known: dict[str, Callable[..., ResponseModel]] = {**RESPONSES}
    kind = known.get(settings.get("model", "")) if isinstance(settings, dict) else None
    if kind is None:
        raise damaged(settings)
    return _built(kind, {name: setting for name, setting in settings.items() if name != "model"})
