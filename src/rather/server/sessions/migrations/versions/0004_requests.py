"""Which requests with an idempotency key have changed what, so that one that is sent again changes nothing."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table, and move the keys into it that have opened sessions."""
    op.create_table(
        "requests",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("content", sa.String(64)),
        sa.Column("session", sa.String(64), sa.ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_index("ix_requests_session", "requests", ["session", "version"])
    op.execute(
        "INSERT INTO requests (key, session, version) SELECT idempotency, id, 0 FROM sessions"
        " WHERE idempotency IS NOT NULL"
    )
