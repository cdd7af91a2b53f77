"""How many take part in a study: counted in the transaction that lets one more in, so that no quota is exceeded."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, case, func, insert, or_, select, update

from rather.errors import RatherError
from rather.server.sessions.tables import server, sessions


class StudyFullError(RatherError, RuntimeError):
    """The study or the arm has as many respondents as it takes."""


class RespondentKnownError(RatherError, RuntimeError):
    """The respondent id has taken part before."""


class StudyLimit(NamedTuple):
    """Who may still take part in a study.

    Attributes:
        campaign: Its name.
        arm: That the new session is in.
        most: Respondents of the study; None for no limit.
        most_in_arm: Respondents of the arm; None for no limit.
        active_since: Those who have not finished count if they have answered since then.
        respondent: An id that must not have taken part; None to allow any.
    """

    campaign: str
    arm: str
    most: int | None
    most_in_arm: int | None
    active_since: datetime
    respondent: str | None


def taken(connection: Connection, campaign: str, active_since: datetime) -> dict[str, int]:
    """For each arm of a study those who have finished, or may still do so."""
    finished = sessions.c.summary["stop"].as_string().is_not(None)
    counted = case((or_(finished, sessions.c.touched_at >= active_since), 1), else_=0)
    query = select(sessions.c.arm, func.sum(counted).label("people")).where(sessions.c.campaign == campaign)
    return {row.arm or "": int(row.people) for row in connection.execute(query.group_by(sessions.c.arm))}


def has_taken_part(connection: Connection, campaign: str, respondent: str) -> bool:
    """Whether there is a session of this respondent in a study."""
    own = (sessions.c.campaign == campaign) & (sessions.c.respondent == respondent)
    return connection.execute(select(sessions.c.id).where(own).limit(1)).first() is not None


def admit(connection: Connection, limit: StudyLimit) -> None:
    """Raise if nobody more, or not this respondent, may take part; until the commit nobody else is let in."""
    lock(connection, limit.campaign)
    if limit.respondent is not None and has_taken_part(connection, limit.campaign, limit.respondent):
        raise RespondentKnownError("This respondent has taken part before.")
    if limit.most is None and limit.most_in_arm is None:
        return
    counts = taken(connection, limit.campaign, limit.active_since)
    if limit.most is not None and sum(counts.values()) >= limit.most:
        raise StudyFullError("The study is full.")
    if limit.most_in_arm is not None and counts.get(limit.arm, 0) >= limit.most_in_arm:
        raise StudyFullError("The arm is full.")


def next_ticket(connection: Connection, name: str, campaign: str) -> int:
    """How many tickets of a study were drawn before, which is counted under this name in the table of the server."""
    lock(connection, campaign)
    own = server.c.name == name
    drawn = connection.execute(select(server.c.value).where(own)).scalar_one_or_none()
    if drawn is None:
        connection.execute(insert(server).values(name=name, value="1"))
        return 0
    connection.execute(update(server).where(own).values(value=str(int(drawn) + 1)))
    return int(drawn)


def lock(connection: Connection, campaign: str) -> None:
    """Let no other transaction change the study meanwhile. SQLite has one writer at a time anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"study {campaign}", 0))))
