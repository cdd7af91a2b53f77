"""Conversations for assistants: tools over the Model Context Protocol. `create_server(catalog, belief)` makes one."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rather.errors import MissingExtraError

if TYPE_CHECKING:
    from rather.assistants.limits import Limits as Limits
    from rather.assistants.server import create_server as create_server

__all__ = ["Limits", "create_server"]

_HOMES = {"create_server": "server", "Limits": "limits"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rather.assistants' has no attribute {name!r}")
    try:
        return getattr(import_module(f"rather.assistants.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] == "rather":
            raise
        raise MissingExtraError("mcp", "A server for assistants") from error
