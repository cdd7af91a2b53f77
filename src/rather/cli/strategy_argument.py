"""A strategy on the command line: by its name, or one's own as `module:Class`."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from rather.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from rather.model.questions import QuestionKind
    from rather.strategies import Strategy


def strategy_of(text: str, about: QuestionKind) -> str | Strategy:
    """The name itself if there is such a strategy, or what `module:Class` stands for.

    The module is looked for in the current folder first. A class is made without arguments; any other callable is
    taken as it is.

    Args:
        text: As it was typed.
        about: What the questions are about.
    """
    from rather.strategies import strategy_named

    if ":" not in text:
        strategy_named(text, about)  # rejects a name that does not exist
        return text
    name, _, attribute = text.partition(":")
    found = _imported(name, attribute)
    if inspect.isclass(found):
        try:
            found = found()
        except TypeError as error:
            raise InvalidInputError(f"{text} cannot be made without arguments: {error}.") from None
    if not callable(found):
        raise InvalidInputError(f"{text} must be a strategy: a callable that takes a rather.Problem, got {found!r}.")
    strategy: Strategy = found
    return strategy


def _imported(name: str, attribute: str) -> object:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise InvalidInputError(f"The module {name} cannot be imported: {error}.") from None
        raise UnknownNameError(f"There is no module {name!r}, neither in {folder} nor installed.") from None
    except Exception as error:  # whatever somebody's own module raises
        raise InvalidInputError(f"The module {name} cannot be imported: {type(error).__name__}: {error}") from None
    if not hasattr(module, attribute):
        raise UnknownNameError(f"The module {name} has no {attribute!r}.")
    found: object = getattr(module, attribute)
    return found
