"""Which prior a method of these experiments starts from, and the conversations that it is learnt from.

A method is one of `METHODS`: "own" is the catalogue's own prior, "learnt" that of the first `conversations` people (a
setting of the method), "best" the one that nobody has in practice: the population that simulated people are drawn from,
or, of rated items, the vectors of everybody else.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from rather.conversation.policy import Policy
from rather.conversation.policy_settings import everyday_response
from rather.errors import InvalidInputError
from rather.learn import Conversation, population
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.priors import Prior
from rather.model.responses import ResponseModel
from rather.strategies import strategy_named

METHODS = ("own", "learnt", "best")


def conversations_wanted(settings: Mapping[str, Any]) -> int:
    """From how many conversations a method learns."""
    if settings["strategy"] not in METHODS:
        raise InvalidInputError(f"A method must be one of {', '.join(METHODS)}, got {settings['strategy']!r}.")
    return int(settings["settings"].get("conversations", 0)) if settings["strategy"] == "learnt" else 0


def learnt(told: Sequence[Conversation], own: Prior, seed: int) -> tuple[Prior, float]:
    """The prior that these conversations lead to, and the seconds of processor time that learning it took."""
    start = time.process_time()
    prior = population(told, own, seed=seed).prior
    return prior, time.process_time() - start


def policy_with(
    catalog: Catalog, belief: Belief, parameters: Mapping[str, Any], response: ResponseModel | None = None
) -> Policy:
    """How conversations are held that start from this belief; answers are as usual unless a response is given."""
    return Policy(
        catalog,
        belief,
        parameters["k"],
        strategy=strategy_named(parameters["asking"]),
        response=response if response is not None else everyday_response(catalog, belief),
        retriever="exact",
    )
