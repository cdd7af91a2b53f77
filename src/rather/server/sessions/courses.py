"""How stored sessions went, read without their answers, and which of them have any."""

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, select

from rather.insights.progress import Course
from rather.server.sessions.records import StoredSession
from rather.server.sessions.tables import events, sessions

# Rows that are fetched at a time.
FETCHED = 5_000


def course_rows(connection: Connection, catalog: str) -> Iterator[Any]:
    """For each session about a catalogue what its course follows from; `answers` is null where it is not noted."""
    # Looked up session by session: quick whatever the database knows of its tables, as it may not just after an import.
    last = select(events.c.at).where(events.c.session == sessions.c.id).order_by(events.c.position.desc()).limit(1)
    query = select(
        sessions.c.id,
        sessions.c.created_at,
        sessions.c.campaign,
        sessions.c.arm,
        sessions.c.answers,
        sessions.c.finished,
        last.scalar_subquery().label("at"),
    ).where(sessions.c.catalog == catalog)
    yield from connection.execution_options(yield_per=FETCHED).execute(query)


def answering_ids(connection: Connection, catalog: str) -> list[str]:
    """The ids of the sessions about a catalogue that have an event, ascending."""
    answered = select(events.c.session).where(events.c.session == sessions.c.id).exists()
    query = select(sessions.c.id).where(sessions.c.catalog == catalog, answered).order_by(sessions.c.id)
    return list(connection.execute(query).scalars())


def course_of_row(row: Any) -> Course:
    """The course of a session whose answers are noted."""
    seconds = None if row.at is None else max(0.0, (row.at - row.created_at).total_seconds())
    return Course(
        row.created_at,
        row.answers,
        row.finished and row.answers > 0,
        seconds,
        row.campaign or "",
        row.arm or "",
    )


def course_of(stored: StoredSession) -> Course:
    """The course of any session with its events, by what an older version stored of it too."""
    answers = stored.answers
    seconds = max(0.0, (stored.events[-1].at - stored.created_at).total_seconds()) if stored.events else None
    return Course(
        stored.created_at,
        len(answers),
        bool(answers) and _has_finished(stored),
        seconds,
        stored.study.get("campaign", ""),
        stored.study.get("arm", ""),
    )


def _has_finished(stored: StoredSession) -> bool:
    """Whether the stopping rule was met; the chance of having found the best item is only noted in a summary."""
    if stored.summary is not None and "stop" in stored.summary:
        return stored.summary["stop"] is not None
    rule = json.loads(stored.settings).get("stopping", {})
    regret = next((event.regret for event in reversed(stored.steps) if event.regret is not None), None)
    return (
        stored.open is None
        or (rule.get("questions") is not None and len(stored.answers) >= rule["questions"])
        or (rule.get("regret") is not None and regret is not None and regret < rule["regret"])
        or (rule.get("cost") is not None and stored.open.get("evoi", rule["cost"]) < rule["cost"])
    )
