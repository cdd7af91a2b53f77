"""Runs the migrations on the connection that `rather.server.sessions.database.migrate` passes on."""

from alembic import context
from sqlalchemy import Connection, text

# Any number that nothing else in the database uses as a lock.
LOCK = 7_288_437


def run(connection: Connection) -> None:
    """Run all migrations in one transaction, in one process at a time."""
    context.configure(connection=connection, transactional_ddl=True)
    with connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
        context.run_migrations()


run(context.config.attributes["connection"].execution_options(writes=True))
