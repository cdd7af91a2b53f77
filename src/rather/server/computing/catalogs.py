"""How a session comes to be: from a request, from the database, or from a log somebody brings along."""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from rather.caching.storage import user_cache
from rather.conversation.log import dump_settings
from rather.conversation.policy import Policy
from rather.conversation.session import Session
from rather.conversation.stopping import Stopping
from rather.errors import InvalidInputError, RatherError
from rather.formats.opening import Source
from rather.model.catalog import Catalog
from rather.retrieval import Retriever, ShortlistRetriever
from rather.server.computing.filters import CatalogFilters, refused
from rather.server.http import schema
from rather.server.http.problems import ProblemError
from rather.server.sessions.store import StoredSession
from rather.server.settings import Settings, partial_strategy_for

# Different settings that are remembered: most people have the same ones.
REMEMBERED = 256

T = TypeVar("T")


@dataclass(frozen=True)
class Draft:
    """A session before its first question.

    Attributes:
        settings: The settings of its log, as JSON text.
        session: Not to be told anything: fork it.
    """

    settings: str
    session: Session


@dataclass
class Served:
    """A catalogue that is served, with what all its sessions share."""

    source: Source
    retriever: Retriever | str
    filters: CatalogFilters = field(init=False)

    def __post_init__(self) -> None:
        self.filters = CatalogFilters(self.source.catalog)

    @property
    def catalog(self) -> Catalog:
        """The catalogue itself."""
        return self.source.catalog

    @property
    def search(self) -> str:
        """How its best items are found, for the log."""
        if not isinstance(self.retriever, ShortlistRetriever):
            return "exact"
        report = self.retriever.report
        return f"shortlist of {report.items}, which loses {report.loss:.1%}"


class Recent(Generic[T]):
    """Remembers what was lately made for a key."""

    def __init__(self) -> None:
        self._made: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: str) -> T | None:
        """What was made for this key, if it is remembered."""
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
            return self._made.get(key)

    def get(self, key: str, make: Callable[[], T]) -> T:
        """What was made for this key; made now if it is not remembered."""
        if (known := self.find(key)) is not None:
            return known
        made = make()
        with self._lock:
            self._made[key] = made
            while len(self._made) > REMEMBERED:
                self._made.popitem(last=False)
        return made


class Openings:
    """Makes sessions about the catalogues of a server.

    Args:
        sources: The catalogues, each under its own name.
        settings: What the operator decided.
    """

    def __init__(self, sources: Sequence[Source], settings: Settings) -> None:
        self.served = {source.name: Served(source, settings.retriever) for source in sources}
        if not sources or len(self.served) != len(sources):
            raise InvalidInputError("`sources` must be at least one catalogue, each under a name of its own.")
        self._settings = settings
        self._drafts: Recent[Draft] = Recent()
        # Sessions before the first answer under the seed 0: other seeds share all that does not depend on it.
        self._fresh: Recent[Session] = Recent()
        self._starts: Recent[Session] = Recent()

    def find(self, name: str | None) -> Served:
        """The catalogue of this name; without a name, the only one."""
        if name is None and len(self.served) == 1:
            return next(iter(self.served.values()))
        if name is None or name not in self.served:
            given = "`catalog` must be said" if name is None else "No catalogue of this server has this name"
            text = f"{given}. There are: {', '.join(self.served)}."
            raise ProblemError(404, "unknown-catalog", text, "Use one of these names.")
        return self.served[name]

    def complete(self, request: schema.NewSession) -> schema.NewSession:
        """The request with everything said that was left to the server, or a problem."""
        served, limits = self.find(request.catalog), self._settings.limits
        if request.k > min(limits.slate, len(served.catalog)):
            most = min(limits.slate, len(served.catalog))
            raise _invalid(f"`k` must be 2..{most} here, got {request.k}.")
        offered = self._settings.strategies_for(len(served.catalog))
        if request.strategy not in offered:
            raise _invalid(f"`strategy` must be one of {', '.join(offered)}.")
        if request.ask == "attributes" and not served.catalog.attributes:
            raise _invalid(f"The catalogue {served.source.name} has no attributes to ask about: `ask` must be `items`.")
        budget = request.time_budget_ms
        if request.strategy != "auto" and budget is not None:
            raise _invalid("`time_budget_ms` holds for the strategy `auto` only.")
        if request.strategy == "auto":
            budget = min(budget or limits.budget_ms, limits.budget_ms)
        p = 1 if request.p is None else request.p
        return request.model_copy(update={"catalog": served.source.name, "time_budget_ms": budget, "p": p})

    def remembered(self, request: schema.NewSession) -> Draft | None:
        """What `draft` returns, if that takes no computation."""
        known = self._drafts.find(request.model_dump_json())
        if known is None and self._fresh.find(_without_seed(request).model_dump_json()) is not None:
            return self.draft(request)
        return known

    def draft(self, request: schema.NewSession) -> Draft:
        """The session that a complete request asks for, before its first question."""
        return self._drafts.get(request.model_dump_json(), lambda: self._draft(request))

    def stored(self, stored: StoredSession) -> Session:
        """The session before its first answer, as its settings were when it was opened."""
        served, budget = self.check(stored), stored.request.get("time_budget_ms")
        settings = json.loads(stored.settings)
        log = {**settings, "seed": 0, "events": [], "open": None}
        start = self._starts.get(f"{budget} {json.dumps(log)}", lambda: self._load(served, log, budget))
        return _with_seed(start, settings["seed"])

    def _draft(self, request: schema.NewSession) -> Draft:
        common = _without_seed(request)
        fresh = self._fresh.get(common.model_dump_json(), lambda: self._session(common))
        session = _with_seed(fresh, request.seed)
        return Draft(_settings(session), session)

    def check(self, stored: StoredSession) -> Served:
        """The catalogue of a stored session, unless it is gone or another one by now."""
        served = self.served.get(stored.catalog)
        settings = json.loads(stored.settings)
        if served is None:
            text = f"The catalogue {stored.catalog} of this session is no longer served."
            raise ProblemError(409, "catalog-gone", text, "Open a new session.")
        hashes = (served.catalog.content_hash, served.source.belief.content_hash)
        if (settings["catalog"], settings["belief"]) != hashes:
            text = f"The catalogue {stored.catalog} has changed since this session was opened."
            raise ProblemError(409, "catalog-changed", text, "Open a new session.")
        return served

    def brought(self, log: schema.Log) -> tuple[schema.NewSession, Session]:
        """The session of a log from outside, and the request that would have opened it."""
        content = log.model_dump(mode="json")
        served = self._of_hash(content["catalog"])
        if len(content["events"]) > self._settings.limits.answers:
            raise bad_log(f"It has more than {self._settings.limits.answers} events.")
        usual = json.loads(self.draft(self.complete(schema.NewSession(catalog=served.source.name))).settings)
        if content.get("rejuvenation") not in (None, usual["rejuvenation"]):
            raise bad_log("Its `rejuvenation` is not the usual one, and could keep the server busy for long.")
        partial = partial_strategy_for(len(served.catalog))
        if content.get("partial_strategy", partial) != partial:
            raise bad_log(f"Its `partial_strategy` is not {partial}.")
        try:
            name = content.get("strategy") or "auto"
            wanted = {field: content[field] for field in ("k", "seed", "ask", "p") if field in content}
            request = self.complete(schema.NewSession(catalog=served.source.name, strategy=name, **wanted))
            return request, self._load(served, {**content, "strategy": name}, request.time_budget_ms)
        except RatherError as error:
            raise bad_log(str(error)) from error
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            raise bad_log("Something in it is not what the library writes.") from error

    def _of_hash(self, hash: str) -> Served:
        for served in self.served.values():
            if served.catalog.content_hash == hash:
                return served
        raise bad_log("It is about a catalogue that this server does not have.")

    def _session(self, request: schema.NewSession) -> Session:
        served = self.find(request.catalog)
        allowed = served.filters.mask(request.filters, request.where)
        left = len(served.catalog) if allowed is None else int(allowed.sum())
        if left < request.k:
            raise refused(f"Only {left} {served.catalog.name}s have all that is asked for, {request.k} are needed.")
        policy = Policy(
            served.catalog,
            served.source.belief,
            request.k,
            request.seed,
            ask=request.ask,
            p=request.p or 1,
            strategy=request.strategy,
            attribute_strategy=partial_strategy_for(len(served.catalog)),
            allowed=allowed,
            retriever=served.retriever,
            budget_ms=request.time_budget_ms,
        )
        served.retriever = policy.retriever
        stopping = None
        if request.questions is not None:
            stopping = Stopping.usual(policy.start_regret, request.questions)
        return Session(policy, stopping, cache=user_cache())

    def _load(self, served: Served, log: dict[str, object], budget_ms: float | None) -> Session:
        return Session.from_json(
            json.dumps(log),
            served.catalog,
            served.source.belief,
            retriever=served.retriever,
            budget_ms=budget_ms,
            cache=user_cache(),
        )


def _with_seed(session: Session, seed: int) -> Session:
    """A session like this one, before its first answer, with another seed."""
    return Session(session.policy.with_seed(seed), session.stopping, cache=user_cache())


def _settings(session: Session) -> str:
    return json.dumps(dump_settings(session.policy, session.stopping))


def _without_seed(request: schema.NewSession) -> schema.NewSession:
    return request.model_copy(update={"seed": 0})


def _invalid(detail: str) -> ProblemError:
    return ProblemError(422, "invalid-request", detail, "Mend the request as the detail says.")


def bad_log(detail: str) -> ProblemError:
    """A log from outside that is damaged, or not ours."""
    return ProblemError(422, "invalid-log", f"This log cannot be continued here: {detail}", "Export it again.")
