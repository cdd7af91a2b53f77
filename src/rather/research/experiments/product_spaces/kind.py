"""Conversations about product spaces.

Entries of a spec's `population`:

    source      a bundled space, or "computer", the published configurator
    belief      of "computer": "moments" or "users", see `computer_belief`

Entries of its `parameters`:

    k, questions, users        options of a question, questions in a conversation, users in a trial
    adjustments                of the recommended configuration by each user, after the questions; none by default
    ask, p                     "items", "attributes" or "auto", and attributes of an option
    temperature                of the answers; without it, as the library usually assumes

Regret of "computer" is in percent of the utility of the user's best configuration, as published.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from rather.conversation.policy import Policy
from rather.errors import InvalidInputError
from rather.formats.opening import open as open_catalog
from rather.formats.spaces.space_files import BUNDLED_SPACES
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.responses import Logistic
from rather.numerics.randomness import derive_generator
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.product_spaces.computer import computer_belief, computer_catalog, sparse_users
from rather.retrieval import exact_retriever
from rather.simulation.conversations import draw_users, simulate
from rather.simulation.hinting import Adjusting
from rather.strategies import strategy_named

COMPUTER = "computer"

KEYS = frozenset(["k", "questions", "users", "adjustments", "ask", "p", "temperature"])


def prepare_space(
    population: Mapping[str, Any],
    cache: Path,
    *,
    folder: Path | None = None,
    generate: bool = False,
    on_progress: Callable[[str], None] = print,
) -> str:
    """The name of the space: nothing is learnt, and all are part of the package."""
    if unknown := set(population) - {"source", "belief"}:
        raise InvalidInputError(f"A population has unknown entries: {', '.join(sorted(unknown))}.")
    source = str(population["source"])
    if source not in (*BUNDLED_SPACES, COMPUTER):
        raise InvalidInputError(f"`source` must be {', '.join(BUNDLED_SPACES)} or {COMPUTER}, got {source!r}.")
    return source


def work(job: Job) -> Outcome:
    """Means over the users of a trial of everything that is measured, question by question."""
    settings = dict(job.parameters)
    population, strategy, options = (settings.pop(name) for name in ("population", "strategy", "settings"))
    del settings["vectors"]
    if unknown := set(settings) - KEYS:
        raise InvalidInputError(f"{job.experiment} has unknown parameters: {', '.join(sorted(unknown))}.")
    catalog, belief = _opened(population["source"], population.get("belief", ""))
    users = _users(population["source"], belief, settings["users"], job.seed)
    by_attributes = settings.get("ask") == "attributes"
    chosen = strategy_named(strategy, "attributes" if by_attributes else "items", **options)
    policy = Policy(
        catalog,
        belief,
        settings["k"],
        ask=settings.get("ask", "items"),
        p=settings.get("p", 1),
        strategy="auto" if by_attributes else chosen,
        attribute_strategy=chosen if by_attributes else "auto",
        response=Logistic(settings["temperature"]) if "temperature" in settings else None,
    )
    conversations = simulate(
        {strategy: policy},
        users,
        settings["questions"],
        seed=job.seed,
        users_per_seed=len(users),
        adjusting=Adjusting(settings["adjustments"]) if settings.get("adjustments") else None,
    )
    outcome: Outcome = {}
    for measure in ("regret", "ndcg", "hit", "evoi"):
        values = torch.tensor([getattr(conversation, measure) for conversation in conversations], dtype=torch.float64)
        if population["source"] == COMPUTER and measure == "regret":
            values = 100 * values / exact_retriever(catalog).top(users, 1).scores.double()
        outcome[measure] = values.mean(dim=0).tolist()
    outcome["seconds"] = {
        "question": statistics.fmean(seconds for each in conversations for seconds in each.question_seconds),
        "answer": statistics.fmean(seconds for each in conversations for seconds in each.answer_seconds),
    }
    return outcome


def _users(source: str, belief: Belief, count: int, seed: int) -> Tensor:
    if source == COMPUTER:
        return sparse_users(count, derive_generator(seed, "users"))
    return draw_users(belief, count, seed)


@cache
def _opened(source: str, about: str) -> tuple[Catalog, Belief]:
    if source == COMPUTER:
        return computer_catalog(), computer_belief(about)
    opened = open_catalog(source)
    return opened.catalog, opened.belief
