"""The first levels of the tree of answers, remembered."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from rather.caching.storage import Cache, shared_memory
from rather.conversation.keys import UnnameableError, budget_of, next_key, path_key, settings_key, tensor_hash
from rather.conversation.policy import about
from rather.model.belief import Belief
from rather.model.questions import Question
from rather.model.responses import Choice

if TYPE_CHECKING:
    from rather.conversation.session import Session

# Questions of a conversation that are remembered. Deeper ones are shared by ever fewer people.
LEVELS = 3

# What took less is computed again in another process, rather than read from a file.
WORTH_A_FILE_MS = 5.0

# Of a budget; strategies that keep one cut nothing short before this share of it has passed.
UNTOUCHED = 0.5


class Tree:
    """What a session looks up before it computes, and adds to afterwards.

    Args:
        memory: Where; it may be switched on and off meanwhile.
    """

    def __init__(self, memory: Callable[[], Cache | None] = shared_memory) -> None:
        self._memory = memory
        self._allowed: tuple[Tensor | None, str | None] | None = None

    def question(self, session: Session, choose: Callable[[], Question]) -> Question:
        """The open question: the remembered one, else the chosen one, which is then remembered."""
        place = self._place(session)
        if place is None:
            return choose()
        kept, key = place
        found = kept.get(key)
        if found is not None and (question := _question(found, session)) is not None:
            return question
        start = time.perf_counter()
        question = choose()
        elapsed = 1000 * (time.perf_counter() - start)
        budgets = [budget_of(session.strategy), budget_of(session.partial_strategy)]
        if all(budget is None or elapsed < UNTOUCHED * budget for budget in budgets):
            record = {**about(question), "evoi": question.evoi}
            kept.put(key, json.dumps(record).encode(), in_file=elapsed > WORTH_A_FILE_MS)
        return question

    def renewed(
        self, session: Session, asked: Question, answer: Choice, updated: Belief, renew: Callable[[], Belief]
    ) -> Belief:
        """The belief after an answer: with the remembered particles, else renewed, which is then remembered.

        Args:
            session: Before the answer.
            asked: What was asked.
            answer: What was answered.
            updated: The belief after Bayes alone.
            renew: Renews its particles where that is due, else returns it.
        """
        place = self._place(session)
        if place is None:
            return renew()
        kept, key = place
        key = next_key(key, about(asked), answer)
        found = kept.get(f"{key}-particles")
        if found is not None and len(found) == 4 * updated.particles.numel():
            particles = torch.from_numpy(np.frombuffer(found, dtype="<f4").astype(np.float32))
            equal = torch.full((len(updated),), -math.log(len(updated)), dtype=torch.float32)
            return replace(updated, particles=particles.view_as(updated.particles), log_weights=equal)
        start = time.perf_counter()
        belief = renew()
        elapsed = 1000 * (time.perf_counter() - start)
        if belief is not updated and belief.particles.shape == updated.particles.shape:
            content = belief.particles.contiguous().numpy().astype("<f4").tobytes()
            kept.put(f"{key}-particles", content, in_file=elapsed > WORTH_A_FILE_MS)
        return belief

    def _place(self, session: Session) -> tuple[Cache, str] | None:
        """Where to look, and under which name; None when nothing may be remembered here."""
        kept = self._memory()
        key = None if len(session.turns) >= LEVELS else self.key(session)
        return None if kept is None or key is None else (kept, key)

    def key(self, session: Session) -> str | None:
        """The name of a session's settings and answers; None when it has none or nothing is to be remembered."""
        if self._memory() is None:  # naming a large catalogue takes a while
            return None
        try:
            first = settings_key(session, self._hash(session.allowed))
        except UnnameableError:
            return None
        return path_key(first, [(about(turn.question), turn.answer) for turn in session.turns])

    def _hash(self, allowed: Tensor | None) -> str | None:
        if self._allowed is None or self._allowed[0] is not allowed:
            self._allowed = (allowed, tensor_hash(allowed))
        return self._allowed[1]


def _question(content: bytes, session: Session) -> Question | None:
    """A remembered question; None when it is none of this session, which only a hash in common could cause."""
    from rather.conversation.log import question_of
    from rather.errors import InvalidInputError

    try:
        return question_of(json.loads(content), session)
    except (InvalidInputError, ValueError):
        return None
