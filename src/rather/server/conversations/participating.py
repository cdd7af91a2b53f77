"""Lets respondents into the study of a server: in time, within the quotas, each in an arm."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from rather.conversation.tasks import Task
from rather.errors import InvalidInputError
from rather.model.catalog import Catalog, ItemId
from rather.server.computing.catalogs import ServedCatalog, ServedCatalogs
from rather.server.conversations.conversation import Conversation
from rather.server.conversations.opening import Opening
from rather.server.problems import ProblemError, invalid_request
from rather.server.requests import NewSession
from rather.server.sessions.quotas import StudyLimit
from rather.server.sessions.records import StoredSession, now
from rather.server.sessions.store import Store
from rather.server.settings import Limits
from rather.server.studies.study import Arm, Study, text_in

# Whoever has not finished and not answered for so long has left: somebody else may take part instead.
ACTIVE_MINUTES = 30

# What the study decides, so that no link changes it.
DECIDED = ("k", "ask", "p", "filters", "where", "seed", "strategy", "time_budget_ms", "questions", "arm")

NO_MORE = "Nothing more to do: thank you for coming."


class Participation:
    """Lets respondents into a study.

    Args:
        study: As its owner describes it.
        catalogs: What the server asks about.
        store: Counts who has taken part.
        opening: Makes new conversations.
        limits: How much of the server one caller may use.
    """

    def __init__(self, study: Study, catalogs: ServedCatalogs, store: Store, opening: Opening, limits: Limits) -> None:
        self.study = study
        self._catalogs, self._store, self._opening = catalogs, store, opening
        self.catalog = validated_catalog(study, catalogs, limits).name

    def is_about(self, request: NewSession) -> bool:
        """Whether whoever sends this request takes part in the study."""
        return request.catalog in (None, self.catalog)

    def covers(self, stored: StoredSession) -> bool:
        """Whether a session is part of the study."""
        return stored.catalog == self.catalog and stored.study.get("campaign") == self.study.name

    def prepare(self) -> None:
        """Choose the first question of each arm, so that the first respondents do not wait for it."""
        for arm in self.study.arms:
            self._begin(NewSession(), arm, 0)

    def admit(self, request: NewSession, language: str) -> tuple[Conversation, StudyLimit]:
        """A conversation with a new respondent, and what must still hold when it is stored."""
        self._validate_request(request)
        study, active_since = self.study, now() - timedelta(minutes=ACTIVE_MINUTES)
        if study.opens is not None and now() < study.opens:
            raise self._turned_away("study-not-open", "This study has not begun yet.", request, language)
        if study.closes is not None and now() >= study.closes:
            raise self._turned_away("study-closed", "This study has ended.", request, language)
        if study.once and request.respondent and self._store.has_taken_part(study.name, request.respondent):
            raise self.known(request, language)
        arms = self._with_room(self._store.taken(study.name, active_since) if self._counts else {})
        if not arms:
            raise self._turned_away("study-full", "This study has enough respondents.", request, language)
        ticket = self._store.next_ticket(study.name)
        arm = next(arm for arm in study.arms_for(ticket) if arm in arms)
        respondent = request.respondent if study.once else None
        limit = StudyLimit(study.name, arm.name, study.quota, arm.quota, active_since, respondent)
        return self._begin(request, arm, ticket), limit

    def known(self, request: NewSession, language: str) -> ProblemError:
        """The respondent id has taken part before. The session of that time is not shown: an id is easily guessed."""
        return self._turned_away("already-taken-part", "You have taken part in this study before.", request, language)

    @property
    def _counts(self) -> bool:
        """Whether anything depends on how many have taken part."""
        return any(quota is not None for quota in (self.study.quota, *(arm.quota for arm in self.study.arms)))

    def _with_room(self, taken: Mapping[str, int]) -> list[Arm]:
        if self.study.quota is not None and sum(taken.values()) >= self.study.quota:
            return []
        return [arm for arm in self.study.arms if arm.quota is None or taken.get(arm.name, 0) < arm.quota]

    def _begin(self, request: NewSession, arm: Arm, ticket: int) -> Conversation:
        served = self._catalogs.find(self.catalog)
        decided = {**arm.settings, "seed": self.study.seed_for(arm, ticket), "catalog": self.catalog}
        noted = {"campaign": self.study.name, "arm": arm.name}
        study = replace(self.study, tasks=_with_ids_of(served.catalog, self.study.tasks))
        return self._opening.begin(served, request.model_copy(update={**decided, **noted}), study)

    def _turned_away(self, code: str, usual: str, request: NewSession, language: str) -> ProblemError:
        """Why somebody does not take part, in the owner's words where there are any."""
        end = self.study.end
        said = {"study-full": end.full, "study-not-open": end.closed, "study-closed": end.closed}.get(code, {})
        redirect = self.study.redirect(request.study, away=True)
        return ProblemError(409, code, text_in(said, language) or usual, NO_MORE, redirect=redirect)

    def _validate_request(self, request: NewSession) -> None:
        given = [name for name in DECIDED if name in request.model_fields_set]
        if given:
            raise invalid_request(f"The study decides about `{given[0]}`: leave it out.")
        if request.campaign not in (None, self.study.name):
            raise invalid_request(f"`campaign` is the name of the study here, {self.study.name!r}: leave it out.")
        if self.study.needs_respondent and request.respondent is None:
            action = "Open the link that you were sent: it holds your id."
            raise ProblemError(422, "respondent-missing", "This study needs to know the id of each respondent.", action)


def validated_catalog(study: Study, catalogs: ServedCatalogs, limits: Limits) -> ServedCatalog:
    """The catalogue of a study; raises if the study cannot be held on the server of these catalogues."""
    names = [served.name for served in catalogs]
    if study.catalog is None and len(names) > 1:
        raise InvalidInputError(f"The study must name its `catalog`: one of {', '.join(names)}.")
    if study.catalog not in (None, *names):
        raise InvalidInputError(f"The study's `catalog` must be one of {', '.join(names)}, got {study.catalog!r}.")
    served = catalogs.find(study.catalog)
    if study.maximum > limits.answers:
        raise InvalidInputError(f"The study's `maximum` must be at most {limits.answers} here.")
    for task in study.tasks:
        _validate_task(task, served, limits)
    for arm in study.arms:
        try:
            served.complete(NewSession.model_validate(dict(arm.settings)))
        except ProblemError as error:
            raise InvalidInputError(f"The arm {arm.name!r} of the study: {error.detail}") from None
    return served


def _validate_task(task: Task, served: ServedCatalog, limits: Limits) -> None:
    if len(task.items) > limits.slate:
        raise InvalidInputError(f"The task at question {task.number} may have at most {limits.slate} items.")
    found = [_id_in(served.catalog, id) for id in task.items]
    for id, own in zip(task.items, found, strict=True):
        if own is None:
            raise InvalidInputError(
                f"The task at question {task.number} is about {id!r}, which is not the id of an item of {served.name}. "
                f"Its ids are like {str(served.catalog.ids[0])!r}."
            )
    if len(set(found)) < len(found):
        raise InvalidInputError(f"The task at question {task.number} compares an item with itself: {found}.")


def _with_ids_of(catalog: Catalog, tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    """The tasks with the ids as the catalogue has them, which may be numbers; what is not in it stays as it is."""

    def own(id: ItemId) -> ItemId:
        found = _id_in(catalog, id)
        return id if found is None else found

    return tuple(replace(task, items=tuple(own(id) for id in task.items)) for task in tasks)


def _id_in(catalog: Catalog, id: ItemId) -> ItemId | None:
    """The id of an item as the catalogue has it: a number may be written as a text, and the other way round."""
    row = catalog.find(id)
    row = catalog.find_written(str(id)) if row is None else row
    return None if row is None else catalog.ids[row]
