"""Runs the migrations on the connection that `rather.server.sessions.database.migrate` hands over."""

from alembic import context
from sqlalchemy import Connection, text

# Any number will do as long as nothing else in the database uses it.
LOCK = 7_288_437


def run(connection: Connection) -> None:
    """All in one transaction that only one process can be in."""
    context.configure(connection=connection, transactional_ddl=True)
    with connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
        context.run_migrations()


run(context.config.attributes["connection"].execution_options(writes=True))
