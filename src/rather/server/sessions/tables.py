"""The tables of the database. Answers are only ever appended."""

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("share", String(64)),
    Column("catalog", String(200), nullable=False),
    # What the caller asked for, and the settings of the library's log that follow from it.
    Column("request", JSON, nullable=False),
    Column("settings", Text, nullable=False),
    # The open question as the library logs it; null when every question has been asked.
    Column("open", JSON(none_as_null=True)),
    # What had changed in the catalogue when the session was last opened, as sentences; null once it is answered.
    Column("changes", JSON(none_as_null=True)),
    # Numbers to show should the catalogue be gone one day; null in sessions of older versions.
    Column("summary", JSON(none_as_null=True)),
    # Grows with every change; a writer that has read an older one loses the race.
    Column("version", Integer, nullable=False),
    # A hash under the secret key of this database: addresses are not stored.
    Column("address", String(64), nullable=False),
    # Until version 0004 of the schema, what is now in `requests`. SQLite cannot drop a unique column.
    Column("idempotency", String(64), unique=True),
    Column("created_at", DateTime, nullable=False),
    Column("touched_at", DateTime, nullable=False),
    # What a study noted of the session; null where it did not.
    Column("respondent", String(200)),
    Column("campaign", String(200)),
    Column("arm", String(200)),
    Column("source", String(200)),
    Index("ix_sessions_share", "share", unique=True),
    Index("ix_sessions_touched_at", "touched_at"),
    Index("ix_sessions_address", "address", "created_at"),
    Index("ix_sessions_created_at", "created_at", "id"),
    Index("ix_sessions_study", "campaign", "arm"),
    Index("ix_sessions_respondent", "campaign", "respondent"),
)

events = Table(
    "events",
    metadata,
    Column("session", String(64), ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    # Called `place` since the first version of the schema.
    Column("place", Integer, key="position", primary_key=True, autoincrement=False),
    # The event as the library logs it: an answer, or the withdrawal of one.
    Column("event", JSON, nullable=False),
    Column("question", String(40)),
    # The expected regret right after it; null for answers that an older version stored.
    Column("regret", Float),
    Column("at", DateTime, nullable=False),
)

requests = Table(
    "requests",
    metadata,
    # Hashes under the secret key of this database, of an idempotency key and of what was asked for; the latter is null
    # if an older version stored it.
    Column("key", String(64), primary_key=True),
    Column("content", String(64)),
    # The session that was changed, and its version after that.
    Column("session", String(64), ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("version", Integer, nullable=False),
    Index("ix_requests_session", "session", "version"),
)

server = Table(
    "server",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", String(200), nullable=False),
)
