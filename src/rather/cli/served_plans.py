"""The plans that `rather serve` follows: read from files, or made at start."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rather.cli.console import say
from rather.errors import InvalidInputError

if TYPE_CHECKING:
    from rather.conversation.plans import Plan
    from rather.formats.opening import Source

# Deeper trees take hours to plan, while a server waits.
MOST_QUESTIONS = 12


def plans_of(options: Sequence[str], sources: Sequence["Source"], retriever: str) -> tuple["Plan", ...]:
    """The plans of `--plan`, each a file or a number of questions to plan for every catalogue.

    A file that was made for something else is left out with a message: a server starts although its catalogue has
    changed.
    """
    plans: list[Plan] = []
    for option in options:
        plans += _made(int(option), sources, retriever) if option.isdecimal() else _loaded(Path(option), sources)
    return tuple(plans)


def _loaded(path: Path, sources: Sequence["Source"]) -> list["Plan"]:
    from rather.conversation.plans import Plan

    plan = Plan.load(path)
    if any(plan.is_for(source.catalog, source.belief) for source in sources):
        return [plan]
    names = " or ".join(source.name for source in sources)
    text = f"{path} was not made for what {names} holds now, and is not followed. Make it again with `rather plan`."
    say(text, stderr=True)
    return []


def _made(questions: int, sources: Sequence["Source"], retriever: str) -> list["Plan"]:
    from rather.caching import user_cache
    from rather.cli.progress import byte_progress
    from rather.conversation.policy import Policy
    from rather.planning import plan
    from rather.retrieval import choose_retriever

    if not 1 <= questions <= MOST_QUESTIONS:
        raise InvalidInputError(f"`--plan` must be a file or 1 to {MOST_QUESTIONS} questions, got {questions}.")
    made = []
    for source in sources:
        search = choose_retriever(source.catalog, source.belief, retriever, cache=user_cache())
        with byte_progress(of_bytes=False) as show:
            policy = Policy(source.catalog, source.belief, retriever=search)
            made.append(plan(policy, questions, on_progress=partial(_show, show, f"planning {source.name}")))
    return made


def _show(show: Callable[[str, int, int | None], None], what: str, done: int, total: int, note: str) -> None:
    show(what, done, total)
