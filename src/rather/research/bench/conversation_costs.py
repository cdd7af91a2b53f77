"""Conversations at work: opening a session, a cached first question, questions per second, and about attributes."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from rather.caching.storage import Cache
from rather.conversation.cached import CachedPolicy
from rather.conversation.policy import Policy
from rather.conversation.session import Session
from rather.conversation.stopping import Stop
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Question
from rather.research.bench.contest import unknown
from rather.research.bench.measurements import (
    AfterAnswer,
    AttributeQuestions,
    CachedQuestion,
    Opening,
    Throughput,
    Times,
)
from rather.research.bench.timing import timed
from rather.simulation.users import SimulatedUser

ASKED: tuple[Literal["items", "attributes"], ...] = ("items", "attributes")


def cached_question(policy: Policy, runs: int = 25) -> CachedQuestion:
    """How long the first question takes once it is cached, in this process and in another one."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        ask = partial(_first_question, policy)
        ask(cache)
        in_process = [timed(partial(ask, cache)) for _ in range(runs)]
        from_file = []
        if any(Path(folder).iterdir()):
            from_file = [timed(partial(ask, Cache(Path(folder)))) for _ in range(runs)]
    return CachedQuestion(Times.of(in_process), Times.of(from_file) if from_file else None)


def _first_question(policy: Policy, cache: Cache) -> Question:
    return CachedPolicy(policy, cache).question(policy.prior, ())


def throughput(policy: Policy, users: int = 16, rounds: int = 5) -> Throughput:
    """Questions per second, one user after the other, each with a seed of their own and after one answer."""
    later = []
    for seed in range(users):
        own = policy.with_seed(seed)
        first = own.question(own.prior, ())
        user = SimulatedUser(own.prior.particles[seed % len(own.prior)], own.response, seed)
        later.append((own, own.after(own.prior, first, user.answer(first)), first))
    seconds = [sum(timed(partial(_second_question, *user)) for user in later) for _ in range(rounds)]
    return Throughput(users, users / statistics.median(seconds))


def _second_question(policy: Policy, belief: Belief, first: Question) -> Question:
    return policy.question(unknown(belief, policy.prior), [first])


def opening(policy: Callable[[int], Policy], runs: int = 5) -> Opening:
    """How long it takes to open a session, given a function that makes a policy with a seed."""
    first, *later = [timed(partial(_opened, policy, seed)) for seed in range(runs + 1)]
    return Opening(first, Times.of(later))


def _opened(policy: Callable[[int], Policy], seed: int) -> Session:
    return Session(policy(seed))


def after_answer(policy: Callable[[int], Policy], question: Question, runs: int) -> AfterAnswer:
    """How long a session takes for each thing that is shown after an answer to the first question.

    Args:
        policy: Makes a policy with a seed.
        question: The first question.
        runs: Sessions that are measured; one more warms up.
    """
    seconds: list[tuple[float, float, float]] = []
    for seed in range(runs + 1):
        session = Session(policy(seed))
        session.record(question, seed % len(question))
        seconds.append((timed(session.ask), timed(session.recommend), timed(partial(_stop, session))))
    return AfterAnswer(*(Times.of(times) for times in zip(*seconds[1:], strict=True)))


def _stop(session: Session) -> Stop | None:
    return session.stop


def attribute_questions(catalog: Catalog, belief: Belief, p: int, runs: int) -> AttributeQuestions:
    """Questions about attributes and about items in turn, each after the answer to the first question about items."""
    about = {kind: Policy(catalog, belief, ask=kind, p=p) for kind in ASKED}
    items = about["items"]
    first = items.question(belief, ())
    seconds: dict[str, list[float]] = {kind: [] for kind in ASKED}
    for seed in range(runs + 1):
        answer = SimulatedUser(belief.particles[seed % len(belief)], items.response, seed).answer(first)
        after = items.with_seed(seed).after(belief, first, answer)
        for kind, policy in about.items():
            seconds[kind].append(timed(partial(policy.with_seed(seed).question, replace(after), [first])))
    # The first turn only warms up.
    return AttributeQuestions(catalog.name, p, Times.of(seconds["attributes"][1:]), Times.of(seconds["items"][1:]))
