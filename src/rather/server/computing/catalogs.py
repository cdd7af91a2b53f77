"""The catalogues of a server, and how a conversation about one of them starts: from a request or from a log."""

import copy
import itertools
import json
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any

from pydantic import ValidationError

from rather.caching.storage import user_cache
from rather.conversation.log import catalog_changed, dump_settings, load_data, load_settings, parse, upgraded
from rather.conversation.plans import PLANNED, Plan
from rather.conversation.policy import Policy
from rather.conversation.policy_settings import response_of_kind
from rather.conversation.session import Session
from rather.conversation.stopping import Stopping
from rather.errors import InvalidInputError, NoneAllowedError, RatherError
from rather.model.allowed import Allowed, count_allowed
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.catalog_filters import CatalogFilters
from rather.model.rejuvenation import Rejuvenation
from rather.nouns import counted, plural
from rather.retrieval import (
    ExactRetriever,
    PathRetriever,
    Retriever,
    ScreeningRetriever,
    ShortlistRetriever,
    choose_retriever,
)
from rather.server.computing.gate import Gate
from rather.server.problems import ProblemError, invalid_filter, invalid_log, invalid_request, out_of_memory
from rather.server.requests import Filter, Log, NewSession
from rather.server.settings import SERVED_FOR_ATTRIBUTES, Settings
from rather.server.studies import Study

# Policies that are cached for requests, and as many for stored sessions. Most people have the same few.
CACHED_POLICIES = 256


@dataclass(frozen=True, eq=False)
class ServedCatalog:
    """One version of a catalogue of a server, with what all conversations about it share. Makes sessions about it.

    Whoever has one can finish a request with it, although the server may have switched to the next version meanwhile.

    Attributes:
        name: In requests and addresses.
        catalog: What is asked about and recommended.
        belief: Where conversations start.
        settings: What the operator decided.
        gate: Admits what has to be computed before a conversation can start.
        version: Tells it from all others of this process.
        earlier: Beliefs that running conversations started from, by their hash.
    """

    name: str
    catalog: Catalog
    belief: Belief
    settings: Settings
    gate: Gate
    version: int = field(default_factory=itertools.count(1).__next__)
    earlier: Mapping[str, Belief] = field(default_factory=dict, repr=False)

    def next_version(
        self, catalog: Catalog, belief: Belief, earlier: Mapping[str, Belief] | None = None
    ) -> "ServedCatalog":
        """The same name and settings with other items, or another belief to start from.

        Their catalogue is a copy, which tells what was computed about this version even if it was served before.
        """
        return ServedCatalog(
            self.name, copy.copy(catalog), belief, self.settings, self.gate, earlier=dict(earlier or {})
        )

    def belief_of(self, settings: Mapping[str, Any]) -> Belief:
        """The belief that the session with these settings of a log started from; if it is unknown, that of today."""
        return self.earlier.get(settings["belief"], self.belief)

    @cached_property
    def retriever(self) -> Retriever:
        """Finds its best items. Making it may take minutes, for which the server prepares."""
        return choose_retriever(self.catalog, self.belief, self.settings.retriever, cache=user_cache())

    @property
    def retriever_text(self) -> str:
        """How items are found, for the log."""
        if isinstance(self.retriever, ExactRetriever | ScreeningRetriever | PathRetriever):
            return "exact"
        if not isinstance(self.retriever, ShortlistRetriever):
            return self.settings.retriever
        report = self.retriever.report
        return f"shortlist of {report.items}, which loses {report.loss:.1%}"

    @cached_property
    def plans(self) -> tuple[Plan, ...]:
        """Those of the operator's plans that were made for this version of the catalogue."""
        return tuple(plan for plan in self.settings.plans if plan.is_for(self.catalog, self.belief))

    @property
    def strategies(self) -> tuple[str, ...]:
        """Names of the strategies that a caller may choose."""
        offered = self.settings.strategies_for(len(self.catalog))
        return (*offered, PLANNED) if self.plans else offered

    @cached_property
    def filters(self) -> CatalogFilters:
        """What requests can filter by."""
        return CatalogFilters(self.catalog)

    def matching(self, filters: Sequence[Filter], where: str | None) -> Allowed | None:
        """The items that match the expression and all filters; None when there is nothing to match."""
        try:
            return self.filters.mask(filters, where)
        except NoneAllowedError:
            raise self._none_match() from None
        except RatherError as error:
            raise invalid_filter(str(error)) from None

    def _none_match(self) -> ProblemError:
        return invalid_filter(f"No {plural(self.catalog.name)} match: loosen a filter.")

    def complete(self, request: NewSession) -> NewSession:
        """The request with the server's choice for everything that was left out, or a problem."""
        limits = self.settings.limits
        largest = min(limits.slate, len(self.catalog))
        if request.k > largest:
            raise invalid_request(f"`k` must be at most {largest} here, got {request.k}.")
        if request.strategy not in self.strategies:
            raise invalid_request(f"`strategy` must be one of {', '.join(self.strategies)}.")
        if request.ask == "attributes" and not self.catalog.attributes:
            raise invalid_request(f"The catalogue {self.name} has no attributes to ask about: set `ask` to `items`.")
        p = 1 if request.p is None else request.p
        if request.ask != "items" and request.k * p > limits.attributes:
            raise invalid_request(
                f"`k` times `p` must be at most {limits.attributes} here (the attributes that a question states), "
                f"got {request.k} x {p}."
            )
        strategy = "auto" if request.strategy == PLANNED else request.strategy  # which follows a plan too
        # Questions about attributes are always chosen by `auto`.
        keeps_budget = strategy == "auto" or request.ask != "items"
        budget = request.time_budget_ms
        if budget is not None and not keeps_budget:
            raise invalid_request("`time_budget_ms` is for the strategy `auto` only.")
        if keeps_budget:
            budget = min(budget or limits.budget_ms, limits.budget_ms)
        completed = {"catalog": self.name, "strategy": strategy, "time_budget_ms": budget, "p": p}
        return request.model_copy(update=completed)

    def start(
        self, request: NewSession, spaces: Mapping[str, Any] | None = None, study: Study | None = None
    ) -> Session:
        """The session that a complete request asks for, before its first question.

        Args:
            request: What is asked for.
            spaces: Those of answers that it will be told, if there are any.
            study: That it is part of, which gives it tasks and the numbers of questions.
        """
        shared = request.without_study.model_copy(update={"seed": 0, "questions": None, "language": None})
        policy = self._policy_for_request(shared.model_dump_json()).with_seed(request.seed)
        stopping = Stopping.usual(policy.start_regret)
        if request.questions is not None:
            stopping = replace(stopping, questions=request.questions)
        if study is not None:
            policy = policy.with_tasks(study.tasks)
            stopping = replace(stopping, questions=study.maximum, minimum=study.minimum)
        return Session(policy, stopping, cache=user_cache(), spaces=spaces)

    def resume(self, settings: str, budget_ms: float | None) -> Session:
        """The session with these settings of a log, before its first answer."""
        content = json.loads(settings)
        seed, content["seed"] = content["seed"], 0
        policy, stopping = self._policy_for_settings(json.dumps(content), budget_ms)
        return Session(policy.with_seed(seed), stopping, cache=user_cache(), spaces=content.get("spaces"))

    def refiltered(self, settings: str, before: NewSession, after: NewSession) -> Session:
        """The session with these settings under other filters, before its first answer.

        What no request asked for came with an imported log (a response model, a stopping rule, ...), and stays. A
        session that was opened by a request is as if the other one had opened it: its stopping rule is relative to
        what there is to gain among the items that are left.

        Args:
            settings: Of its log, about this version of the catalogue.
            before: What it was opened with.
            after: The same with other filters.
        """
        content = json.loads(settings)
        session = self.start(self.complete(after), content.get("spaces"))
        if settings_of(self.start(before, content.get("spaces")), before) == settings:
            return session
        parts = self._parts(content, after.time_budget_ms)
        belief = self.belief_of(content)
        policy, stopping = load_settings(content, self.catalog, belief, allowed=session.policy.allowed, **parts)
        return Session(policy, stopping, cache=user_cache(), spaces=content.get("spaces"))

    def is_about(self, settings: str) -> bool:
        """Whether settings of a log are about this version of the catalogue, and call its columns what they are now."""
        content = json.loads(settings)
        named = content.get("space") in (None, self.catalog.space_hash)  # version 1 had no names for spaces
        return named and not catalog_changed(content, self.catalog)

    def carry_over(self, log: dict[str, Any], request: NewSession, *, filtered: bool) -> Session:
        """The session of a log that may be about another version of the catalogue.

        Args:
            log: The log.
            request: What its session was opened with.
            filtered: Whether the filters of the request say what is allowed; else the log does.
        """
        parts = self._parts(log, request.time_budget_ms)
        if filtered:
            parts["allowed"] = allowed = self.matching(request.filters, request.where)
            if allowed is not None and not count_allowed(allowed, len(self.catalog)):
                raise self._none_match()
        return load_data(parse(json.dumps(log)), self.catalog, self.belief, cache=user_cache(), **parts)

    def upgraded(self, log: dict[str, Any]) -> dict[str, Any]:
        """A log of version 1 about this version of the catalogue, as one of version 2."""
        content = parse(json.dumps(log))
        policy, _ = load_settings(content, self.catalog, self.belief, **self._parts(content, None))
        return upgraded(content, policy)

    def read_log(self, log: Log) -> tuple[NewSession, Session]:
        """The session of a log from outside, and the request that would have opened it."""
        content = log.model_dump(mode="json")
        if sum("undo" not in event for event in log.events) > self.settings.limits.answers:
            raise invalid_log(f"It has more than {self.settings.limits.answers} answers.")
        content["strategy"] = content.get("strategy") or "auto"
        try:
            named = {field: content[field] for field in ("k", "seed", "ask", "p", "strategy") if field in content}
            request = self.complete(NewSession.model_validate({"catalog": self.name, **named}, strict=True))
            content = parse(json.dumps(content))
            self._validate_settings(content, request.time_budget_ms)
            session = self.carry_over(content, request, filtered=False)
        except RatherError as error:
            raise invalid_log(str(error)) from error
        except ValidationError as error:
            field = error.errors()[0]["loc"][0]
            raise invalid_log(f"Its `{field}` is not what the library writes, or too large.") from error
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            raise out_of_memory(error) or invalid_log("Something in it is not what the library writes.") from error
        return request, session

    def _validate_settings(self, content: dict[str, Any], budget_ms: float | None) -> None:
        """Raise a problem when settings of a log could keep the server busy for long."""
        policy, _ = load_settings(content, self.catalog, self.belief, **self._parts(content, budget_ms))
        if policy.rejuvenation not in (None, Rejuvenation()):
            raise invalid_log("Its `rejuvenation` is not the usual one, and could keep the server busy for long.")
        if any(len(task.items) > self.settings.limits.slate for task in policy.tasks):
            raise invalid_log(f"It has a task with more than {self.settings.limits.slate} items.")
        if policy.ask != "items" and policy.attribute_strategy not in SERVED_FOR_ATTRIBUTES:
            raise invalid_log(f"Its strategy for attributes is none of {', '.join(SERVED_FOR_ATTRIBUTES)}.")

    # Both caches know their catalogue only weakly. A cycle would keep an old version in memory until the interpreter
    # happens to look for cycles.
    @cached_property
    def _policy_for_request(self) -> Callable[[str], Policy]:
        return lru_cache(CACHED_POLICIES)(partial(ServedCatalog._make_policy, weakref.proxy(self)))

    @cached_property
    def _policy_for_settings(self) -> Callable[[str, float | None], tuple[Policy, Stopping]]:
        return lru_cache(CACHED_POLICIES)(partial(ServedCatalog._load_policy, weakref.proxy(self)))

    def _make_policy(self, request_json: str) -> Policy:
        """The policy of a complete request."""
        request = NewSession.model_validate_json(request_json)
        with self.gate.urgent():
            allowed = self.matching(request.filters, request.where)
            if allowed is not None and (left := count_allowed(allowed, len(self.catalog))) < request.k:
                if not left:
                    raise self._none_match()
                few = f"Only {left} of {counted(len(self.catalog), self.catalog.name)} match{'es' * (left == 1)}"
                raise invalid_filter(f"{few} these filters; a question needs {request.k}.")
            policy = Policy(
                self.catalog,
                self.belief,
                request.k,
                request.seed,
                ask=request.ask,
                p=request.p or 1,
                strategy=request.strategy,
                response=response_of_kind(self.settings.noise, self.catalog, self.belief),
                allowed=allowed,
                retriever=self.retriever,
                budget_ms=request.time_budget_ms,
            )
            _ = policy.start_regret  # computed here, where the gate admits it
        return policy if (plan := self._plan_for(policy)) is None else policy.following(plan)

    def _plan_for(self, policy: Policy) -> Plan | None:
        """The plan that conversations of a policy follow: one that fits, where all items are allowed."""
        if policy.strategy != "auto" or policy.allowed is not None:
            return None
        return next((plan for plan in self.plans if plan.fits(policy.k, policy.response, policy.ask, policy.p)), None)

    def _load_policy(self, settings_json: str, budget_ms: float | None) -> tuple[Policy, Stopping]:
        """The policy and the stopping rule of settings of a log."""
        content = json.loads(settings_json)
        return load_settings(content, self.catalog, self.belief_of(content), **self._parts(content, budget_ms))

    def _parts(self, content: Mapping[str, Any], budget_ms: float | None) -> dict[str, Any]:
        """What the settings of a log do not hold, for `load_settings`.

        A plan that is no longer loaded, or was made for another version of the catalogue, is left.
        """
        named = [plan for plan in self.plans if plan.key == content.get("plan") and plan.k == content.get("k")]
        return {"plan": named[0] if named else None, "retriever": self.retriever, "budget_ms": budget_ms}


class ServedCatalogs:
    """The catalogues of a server by name, each in the version that new requests get.

    Args:
        catalogs: The catalogues by name, each with the belief that conversations about it start from.
        settings: What the operator decided.
        gate: Admits what has to be computed before a conversation can start.
        earlier: For some of the names, beliefs that running conversations started from, by their hash.
    """

    def __init__(
        self,
        catalogs: Mapping[str, tuple[Catalog, Belief]],
        settings: Settings,
        gate: Gate,
        earlier: Mapping[str, Mapping[str, Belief]] | None = None,
    ) -> None:
        if not isinstance(catalogs, Mapping) or not catalogs:
            raise InvalidInputError(
                "`catalogs` must map at least one name to a catalogue and its belief, as in "
                f'{{"cars": rather.open("cars.csv")}}; got {catalogs!r}.'
            )
        self._served = {
            name: ServedCatalog(name, catalog, belief, settings, gate, earlier=(earlier or {}).get(name, {}))
            for name, (catalog, belief) in catalogs.items()
        }

    def __iter__(self) -> Iterator[ServedCatalog]:
        return iter(tuple(self._served.values()))

    def find(self, name: str | None) -> ServedCatalog:
        """The catalogue of this name; without a name, the only one."""
        if name is None and len(self._served) == 1:
            return next(iter(self))
        if name is None or name not in self._served:
            reason = "`catalog` is missing" if name is None else "This server has no catalogue of this name"
            text = f"{reason}. It has: {', '.join(self._served)}."
            raise ProblemError(404, "unknown-catalog", text, "Use one of these names.")
        return self._served[name]

    def of_session(self, name: str) -> ServedCatalog | None:
        """The catalogue that a stored session is about, by its name; None when it is no longer served."""
        return self._served.get(name)

    def of_log(self, log: Log, name: str | None = None) -> ServedCatalog:
        """The catalogue that a log from outside is about.

        That of the given name; else the one with the same items, the one it was exported from, the only one, or the one
        whose dimensions mean the same.

        Args:
            log: The log.
            name: What its catalogue is called here.
        """
        if name is not None:
            return self.find(name)
        content = log.model_dump(mode="json")
        likely = [
            *(served for served in self if served.catalog.content_hash == log.catalog),
            *(served for served in self if served.name == content.get("served_as")),
        ]
        if likely or len(self._served) == 1:
            return likely[0] if likely else next(iter(self))
        for served in self:
            if _means_the_same(content, served.catalog):
                return served
        raise invalid_log("It is about a catalogue that this server does not have. Pass its name as `catalog`.")

    def switch(self, served: ServedCatalog) -> None:
        """Give new requests this version of a catalogue. Requests that have an earlier one finish with that."""
        self._served[served.name] = served


def settings_of(session: Session, request: NewSession | None = None) -> str:
    """The settings of a session's log, as JSON text; without the ids of allowed items where filters give these."""
    by_filters = request is not None and bool(request.filters or request.where)
    spaces = session.translations.spaces
    return json.dumps(dump_settings(session.policy, session.stopping, spaces, list_ids=not by_filters))


def _means_the_same(content: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether names say that the vectors of a log mean the same in a catalogue."""
    spaces, space = content.get("spaces"), content.get("space")
    described = spaces.get(space) if isinstance(spaces, dict) and isinstance(space, str) else None
    if not isinstance(described, dict) or not catalog.space.is_named:
        return False
    try:
        catalog.space.translation(described)
    except InvalidInputError:
        return False
    return True
