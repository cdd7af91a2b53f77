"""What a study noted of a session, how far it went, and indexes to read all in order and to count within a study."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns and the indexes. Sessions from before belong to no study."""
    # SQLite adds no columns that store what they generate, PostgreSQL knows no others.
    stored = op.get_bind().dialect.name == "postgresql"
    summary = sa.column("summary", sa.JSON)
    answers, finished = summary["answers"].as_integer(), summary["stop"].as_string().is_not(None)
    op.add_column("sessions", sa.Column("answers", sa.Integer, sa.Computed(answers, persisted=stored)))
    op.add_column("sessions", sa.Column("finished", sa.Boolean, sa.Computed(finished, persisted=stored)))
    for name in ("respondent", "campaign", "arm", "source"):
        op.add_column("sessions", sa.Column(name, sa.String(200)))
    op.create_index("ix_sessions_created_at", "sessions", ["created_at", "id"])
    op.create_index("ix_sessions_study", "sessions", ["campaign", "arm", "finished", "touched_at"])
    op.create_index("ix_sessions_respondent", "sessions", ["campaign", "respondent"])
