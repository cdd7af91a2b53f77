"""What changed in the catalogue of a session, and what to show of the session should it be gone."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add both. Answers from before get what was shown when the server starts, which knows the catalogues."""
    op.add_column("sessions", sa.Column("changes", sa.JSON))
    op.add_column("sessions", sa.Column("summary", sa.JSON))
