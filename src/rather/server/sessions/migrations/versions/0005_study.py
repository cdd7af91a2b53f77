"""What a study noted of a session, and indexes to read all sessions in their order and to find respondents."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns and the indexes. Sessions from before belong to no study."""
    for name in ("respondent", "campaign", "arm", "source"):
        op.add_column("sessions", sa.Column(name, sa.String(200)))
    op.create_index("ix_sessions_created_at", "sessions", ["created_at", "id"])
    op.create_index("ix_sessions_study", "sessions", ["campaign", "arm"])
    op.create_index("ix_sessions_respondent", "sessions", ["campaign", "respondent"])
