"""Why a database does not answer, in words that say what to do and tell a stranger nothing of the inside."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from rather.server.sessions.store import LostRaceError, StoreUnavailableError

# What drivers say, and what it means.
REASONS = {
    "disk is full": "its disk is full. Free some space",
    "No space left": "its disk is full. Free some space",
    "disk full": "its disk is full. Free some space",
    "not a database": "its file is not a SQLite database. Name another file",
    "malformed": "its file is damaged. Restore a backup",
    "readonly database": "its file or folder is read-only. Change the permissions",
    "unable to open": "its file cannot be opened. Check its folder and the permissions",
    "disk I/O error": "its disk fails, or its file was removed. Check both",
    "locked": "another program has locked it. Try again, or end that program",
    "no such table": "its tables are gone. Restart the server",
    "Connection refused": "no server answers at its address. Start it, or correct the address",
    "resolve host": "its host is unknown. Correct the address",
    "translate host": "its host is unknown. Correct the address",
    "authentication failed": "it rejects the user or the password. Correct them",
    "no password supplied": "it rejects the user or the password. Correct them",
    "role ": "it rejects the user or the password. Correct them",
    "permission denied": "its user may not do this. Grant the rights to create and write tables",
    "read-only transaction": "it is read-only now. Use the primary server",
    "too many clients": "it has too many connections. Allow more",
    "remaining connection slots": "it has too many connections. Allow more",
    "does not exist": "it has no database of this name. Create it",
}


@contextmanager
def failures() -> Iterator[None]:
    """Translate the errors of a database driver into those of a store."""
    try:
        yield
    except IntegrityError as error:
        raise LostRaceError("Another request was faster.") from error
    except SQLAlchemyError as error:
        raise unavailable(_reason(error)) from error


def unavailable(reason: str) -> StoreUnavailableError:
    """The error for a database that does not answer for this reason."""
    return StoreUnavailableError(f"The database does not answer: {reason}.")


def _reason(error: SQLAlchemyError) -> str:
    if isinstance(error, PoolTimeoutError):
        return "all connections are in use. Try again"
    said = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    found = next((reason for fragment, reason in REASONS.items() if fragment in said), None)
    return found or "it cannot be reached or written"
