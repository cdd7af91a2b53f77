"""All that a server does with conversations, as the HTTP layer and the operator ask for it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import torch

from rather.conversation.adjusting import Adjustment, Alternatives
from rather.conversation.allowed_items import dump_allowed
from rather.conversation.contradictions import Contradiction
from rather.errors import InvalidInputError, UnknownNameError
from rather.languages import ENGLISH
from rather.model.allowed import are_allowed, both_allowed, count_allowed
from rather.model.belief import Belief
from rather.model.catalog import Catalog, ItemId
from rather.model.catalog_changes import CatalogChanges
from rather.model.questions import Recommendation
from rather.server.computing.catalogs import ServedCatalogs
from rather.server.computing.prefetch import Prefetch
from rather.server.computing.states import States
from rather.server.conversations.changing import Changing
from rather.server.conversations.conversation import Conversation
from rather.server.conversations.loading import Loading
from rather.server.conversations.opening import Opening
from rather.server.conversations.participating import Participation
from rather.server.conversations.repeating import ATTEMPTS, changed_by, request_key, retry
from rather.server.conversations.versions import Versions, upgrade
from rather.server.problems import ProblemError, busy
from rather.server.requests import Log, NewAnswer, NewFilters, NewHint, NewSession, Page, Revision, Undo
from rather.server.sessions.quotas import RespondentKnownError, StudyFullError, StudyLimit
from rather.server.sessions.records import RequestKey, SteadyClock, now
from rather.server.sessions.store import LostRaceError, OverLimitError, SessionLimit, Store
from rather.server.settings import Settings


class Conversations:
    """All conversations of a server.

    Args:
        settings: What the operator decided.
        catalogs: What conversations are about.
        store: Stores sessions.
        states: Computes their states.
        prefetch: Computes states in advance, if at all.
    """

    def __init__(
        self, settings: Settings, catalogs: ServedCatalogs, store: Store, states: States, prefetch: Prefetch | None
    ) -> None:
        self.settings = settings
        self.catalogs = catalogs
        self.store = store
        self.states = states
        self.prefetch = prefetch
        self._clock = SteadyClock()
        self._opening = Opening(catalogs, states)
        self._loading = Loading(catalogs, store, states)
        self.participation = None
        if settings.study is not None:
            self.participation = Participation(settings.study, catalogs, store, self._opening, settings.limits)
        most = settings.limits.answers
        self._changing = Changing(catalogs, store, states, self._loading, most, self.participation)
        self._versions = Versions(catalogs, states, prefetch, self._opening)

    def warm_up(self) -> None:
        """Prepare every catalogue, so that the first person does not wait for it, and what older versions stored."""
        self._versions.prepare()
        if self.participation is not None:
            self.participation.prepare()
        upgrade(self.catalogs, self.store)

    def replace(
        self, name: str, opened: tuple[Catalog, Belief], earlier: Mapping[str, Belief] | None = None
    ) -> CatalogChanges:
        """Serve another version of a catalogue: prepare it beside the one that is served, then switch.

        Requests in progress finish with the version that they began with. If the new one cannot be served, the old one
        stays, and the error says why.

        Args:
            name: The name that it is served under.
            opened: What `rather.open` returned.
            earlier: Beliefs that running conversations started from and go on with, by their hash.
        """
        return self._versions.replace(name, opened, earlier)

    def close(self) -> None:
        """Stop computing in advance and close the store."""
        self.states.gate.close()
        if self.prefetch is not None:
            self.prefetch.close()
        self.store.close()

    def create(
        self, request: NewSession, address: str, idempotency_key: str | None = None, language: str = ENGLISH
    ) -> tuple[Conversation, bool]:
        """Open a session, in the study if there is one; True beside it when the idempotency key had already opened it.

        Args:
            request: What is asked for.
            address: Where the request comes from.
            idempotency_key: As it was sent.
            language: In which to say why somebody cannot take part in the study.
        """
        key = request_key(self.store, address, idempotency_key, "open", request)
        study = self.participation
        if study is None or not study.is_about(request):
            return self._create_once(lambda: (self._opening.requested(request), None), address, key)
        try:
            return self._create_once(lambda: study.admit(request, language), address, key)
        except RespondentKnownError:
            raise study.known(request, language) from None

    def restore(
        self, log: Log, address: str, name: str | None = None, idempotency_key: str | None = None
    ) -> tuple[Conversation, bool]:
        """A new session from a log of the library, about the catalogue of this name if one is given.

        True beside it when the idempotency key had already made it.
        """
        key = request_key(self.store, address, idempotency_key, f"import {name}", log)
        return self._create_once(lambda: (self._opening.restored(log, name), None), address, key)

    def load(self, id: str) -> Conversation:
        """The conversation of this id, in the catalogue as it is now; readable even where it cannot go on."""
        return retry(lambda: self._loading.load(id))

    def load_shared(self, share: str) -> Conversation:
        """The conversation of this share token."""
        return self._loading.load_shared(share)

    def load_to_answer(self, id: str) -> Conversation:
        """The conversation of this id, for somebody who is about to read the open question."""
        return self._expect_answer(self.load(id))

    def answer(self, id: str, answer: NewAnswer) -> tuple[Conversation, str, bool]:
        """Store an answer; with its id, and whether it had already been given."""
        conversation, position, repeated = retry(lambda: self._changing.answer(id, answer))
        return conversation if repeated else self._expect_answer(conversation), position, repeated

    def hint(self, id: str, hint: NewHint, idempotency_key: str | None = None) -> Conversation:
        """Take in what the person says unasked."""
        key = request_key(self.store, id, idempotency_key, "hint", hint)
        return self._change_once(id, key, lambda: self._changing.hint(id, hint, key))

    def undo(self, id: str, undo: Undo, idempotency_key: str | None = None) -> Conversation:
        """Take the last answer or hint back."""
        key = request_key(self.store, id, idempotency_key, "undo", undo)
        return self._change_once(id, key, lambda: self._changing.undo(id, undo.answer, key))

    def revise(self, id: str, answer: str, revision: Revision, idempotency_key: str | None = None) -> Conversation:
        """Answer an earlier question otherwise; what was answered and said after it stays."""
        key = request_key(self.store, id, idempotency_key, f"revise {answer}", revision)
        return self._change_once(id, key, lambda: self._changing.revise(id, answer, revision, key))

    def contradictions(self, conversation: Conversation, language: str) -> list[Contradiction]:
        """Answers that hardly fit together; in a study, where nobody is to be influenced, none are shown."""
        if self._changing.in_study(conversation.stored):
            return []
        with self.states.gate.urgent():
            return conversation.session.contradictions(language=language)

    def adjust(
        self, conversation: Conversation, item: ItemId, wanted: Mapping[str, str], language: str
    ) -> tuple[Adjustment, Sequence[Alternatives]]:
        """What becomes of a configuration, and what else could be changed about it; nothing is learned."""
        self._changing.validate_own_way(conversation.stored)
        session = conversation.session
        try:
            with self.states.gate.urgent():
                return session.adjust(item, wanted, language), session.alternatives(item, wanted, language)
        except (InvalidInputError, UnknownNameError) as error:
            action = "Take the item and the values from what the server lists."
            raise ProblemError(422, "invalid-adjustment", str(error), action) from None

    def change_filters(self, id: str, filters: NewFilters, idempotency_key: str | None = None) -> Conversation:
        """Ask and recommend under other filters from now on; the answers stay."""
        key = request_key(self.store, id, idempotency_key, "filters", filters)
        return self._change_once(id, key, lambda: self._changing.filters(id, filters, key))

    def rank(self, conversation: Conversation, page: Page) -> tuple[list[Recommendation], int]:
        """A page of the ranking of the items that match its filters too, and how many there are in all."""
        session = conversation.session
        assert conversation.served is not None
        mask = conversation.served.matching(page.filters, page.where)
        if session.policy.allowed is not None:
            mask = session.policy.allowed if mask is None else both_allowed(session.policy.allowed, mask)
        catalog = session.policy.catalog
        rows = sorted({row for row in map(catalog.find_written, page.exclude) if row is not None})
        total = count_allowed(mask, len(catalog)) - int(are_allowed(mask, torch.tensor(rows, dtype=torch.long)).sum())
        if page.offset >= total:
            return [], total
        with self.states.gate.urgent():
            narrowed = session.restricted(mask) if page.filters or page.where else session
            excluded = [catalog.ids[row] for row in rows]
            found = narrowed.recommend(page.limit, offset=page.offset, exclude=excluded, ranking=page.ranking)
        return found, total

    def export(self, id: str) -> dict[str, Any]:
        """The session as the library's log."""
        stored = self._loading.find(id)
        served = self.catalogs.of_session(stored.catalog)
        if stored.log["allowed"] is not None and served is not None and not served.is_about(stored.settings):
            stored = self.load(id).stored  # its filters, in the catalogue as it is now
        log = {**stored.log, "served_as": stored.catalog}
        if log["allowed"] is not None and served is not None and served.is_about(stored.settings):
            policy = served.resume(stored.settings, None).policy
            log |= dump_allowed(policy.allowed, policy.catalog)
        return log

    def delete(self, id: str) -> None:
        """Delete a session and all its answers."""
        self._loading.delete(id)
        if self.prefetch is not None:
            self.prefetch.forget(id)

    def expire(self, days: float) -> int:
        """Delete the sessions that have not changed for this many days; returns how many."""
        return self.store.expire(self._clock.now() - timedelta(days=days))

    def _expect_answer(self, conversation: Conversation) -> Conversation:
        if self.prefetch is not None and conversation.found is not None:
            self.prefetch.expect(conversation.stored.id, conversation.found)
        return conversation

    def _create_once(
        self, new: Callable[[], tuple[Conversation, StudyLimit | None]], address: str, key: RequestKey | None
    ) -> tuple[Conversation, bool]:
        """Store a new session; if the same request has done so before, that one as it is now, and True."""
        if (id := changed_by(self.store, key)) is not None:
            return self.load_to_answer(id), True
        hashed_address = self._counted(address)
        try:
            conversation = self._stored(new, hashed_address, key)
        except LostRaceError:
            if (id := changed_by(self.store, key)) is None:
                raise
            return self.load_to_answer(id), True  # the same request came twice at once
        return self._expect_answer(conversation), False

    def _change_once(self, id: str, key: RequestKey | None, change: Callable[[], Conversation]) -> Conversation:
        """Change a session; if the same request has done so before, the session as it is now."""

        def change_or_load() -> Conversation:
            return change() if changed_by(self.store, key) is None else self._loading.load(id)

        return self._expect_answer(retry(change_or_load))

    def _counted(self, address: str) -> str:
        """The hash of an address, unless it has opened too many sessions today: then nothing needs to be computed."""
        hashed, limit = self.store.hash("address", address), self._limit
        if self.store.opened_by(hashed, limit.since) >= limit.most:
            raise _too_many_sessions(limit.most)
        return hashed

    def _stored(
        self,
        new: Callable[[], tuple[Conversation, StudyLimit | None]],
        hashed_address: str,
        key: RequestKey | None,
    ) -> Conversation:
        """Store a new session, unless others of this address have been opened meanwhile.

        An arm of a study that has been filled meanwhile leaves another one, or none.
        """
        limit = self._limit
        for _ in range(ATTEMPTS):
            conversation, study = new()
            try:
                self.store.create(conversation.stored, hashed_address, key, limit, study)
            except OverLimitError:
                raise _too_many_sessions(limit.most) from None
            except StudyFullError:
                continue
            return conversation
        raise busy("Too many people are joining the study at once.")

    @property
    def _limit(self) -> SessionLimit:
        return SessionLimit(self.settings.limits.sessions_per_day, now() - timedelta(days=1))


def _too_many_sessions(most: int) -> ProblemError:
    text, action = f"One address may open {most} sessions a day.", "Delete old sessions or try again tomorrow."
    return ProblemError(429, "too-many-sessions", text, action, {"Retry-After": "3600"})
