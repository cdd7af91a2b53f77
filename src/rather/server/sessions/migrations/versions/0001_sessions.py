"""Sessions and their answers."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("catalog", sa.String(200), nullable=False),
        sa.Column("request", sa.JSON, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("open", sa.JSON),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("idempotency", sa.String(64), unique=True),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("touched_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("session", sa.String(64), sa.ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("event", sa.JSON, nullable=False),
        sa.Column("question", sa.String(40)),
        sa.Column("at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "server",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("value", sa.String(200), nullable=False),
    )
    op.create_index("ix_sessions_touched_at", "sessions", ["touched_at"])
    op.create_index("ix_sessions_address", "sessions", ["address", "created_at"])
