"""A token to read a session with, and the expected regret after each answer."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add both; sessions from before get a token, and a regret that is computed when it is needed."""
    op.add_column("sessions", sa.Column("share", sa.String(64)))
    op.add_column("events", sa.Column("regret", sa.Float))
    connection = op.get_bind()
    sessions = sa.table("sessions", sa.column("id"), sa.column("share"))
    for (id,) in connection.execute(sa.select(sessions.c.id)).all():
        token = secrets.token_urlsafe(24)
        connection.execute(sa.update(sessions).where(sessions.c.id == id).values(share=token))
    # An index, not a constraint: for that SQLite rebuilds the table, and dropping the old one deletes the answers.
    op.create_index("ix_sessions_share", "sessions", ["share"], unique=True)
