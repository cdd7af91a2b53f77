"""The service: sessions over HTTP, stored in a database, with a page. `create_app(catalogs)` is an ASGI app."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rather.errors import MissingExtraError

if TYPE_CHECKING:
    from rather.server.http.app import create_app as create_app
    from rather.server.settings import Limits as Limits
    from rather.server.settings import Settings as Settings
    from rather.server.studies import Study as Study
    from rather.server.theme import Theme as Theme

__all__ = ["Limits", "Settings", "Study", "Theme", "create_app"]

_HOMES = {"create_app": "http.app", "Settings": "settings", "Limits": "settings", "Study": "studies", "Theme": "theme"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rather.server' has no attribute {name!r}")
    try:
        return getattr(import_module(f"rather.server.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] == "rather":
            raise
        raise MissingExtraError("serve", "The service") from error
