"""The optional dependencies, by the extra that installs them."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from rather.errors import MissingExtraError

MODULES = {
    "serve": ("alembic", "fastapi", "fastapi_offline", "prometheus_client", "sqlalchemy", "uvicorn"),
    "postgres": ("psycopg", "sqlalchemy"),
    "plots": ("matplotlib",),
    "data": ("implicit", "scipy", "threadpoolctl"),
    "ann": ("faiss",),
    "cluster": ("ray",),
    "mcp": ("mcp", "uvicorn"),
}


def require_extra(
    extra: str, purpose: str, alternative: str = "", *, modules: Mapping[str, Sequence[str]] = MODULES
) -> None:
    """Raise an error that says how to install an extra unless all its modules can be found; imports none of them.

    Args:
        extra: Its name, as in `pip install 'rather[plots]'`.
        purpose: What needs it, as the subject of a sentence.
        alternative: What works without it, if anything does.
        modules: Those of each extra.
    """
    if any(find_spec(module) is None for module in modules[extra]):
        raise MissingExtraError(extra, purpose, alternative)
