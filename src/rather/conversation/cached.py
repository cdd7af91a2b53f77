"""A policy behind a cache: the first questions and beliefs of a conversation are computed once for everybody.

A question follows from the policy, the belief and what was asked; a belief from the policy, the belief before and the
answer. So both are cached under a hash of exactly these. What cannot be told apart by its content (a strategy, response
model or retriever from outside this package) is never cached.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from rather.caching.keys import UnidentifiableError, digest, tensor_hash
from rather.caching.storage import Cache
from rather.conversation.keys import policy_key
from rather.conversation.policy import Policy
from rather.conversation.records import question_of
from rather.conversation.tasks import task_at
from rather.errors import InvalidInputError
from rather.model.belief import Belief
from rather.model.questions import Question
from rather.model.responses import Choice
from rather.retrieval.cached_shortlists import belief_key


@dataclass(frozen=True, eq=False)
class CachedPolicy:
    """A policy that looks up before it computes, with the same two methods.

    Attributes:
        policy: Computes what is not cached.
        cache: Where to look and what to fill.
        levels: Questions of a conversation that are cached. Deeper ones are shared by ever fewer people.
        worth_a_file_ms: What took less is computed again in another process rather than read from a file.
        untouched: Share of a time budget before which strategies that keep one cut nothing short. What took longer
            depends on the machine's speed and is not cached.
    """

    policy: Policy
    cache: Cache
    levels: int = 3
    worth_a_file_ms: float = 5.0
    untouched: float = 0.5

    def question(self, belief: Belief, asked: Sequence[Question]) -> Question:
        """See `Policy.question`."""
        key = self._key("question", belief, asked) if len(asked) < self.levels else None
        if key is None or task_at(self.policy.tasks, len(asked) + 1) is not None:
            return self.policy.question(belief, asked)
        content = self.cache.get(key)
        if content is not None and (cached := self._read(content, len(asked) + 1)) is not None:
            return cached
        start = time.perf_counter()
        question = self.policy.question(belief, asked)
        elapsed = 1000 * (time.perf_counter() - start)
        if all(elapsed < self.untouched * budget for budget in _budgets(self.policy)):
            record = json.dumps({**question.about, "evoi": question.evoi}).encode()
            self.cache.put(key, record, in_file=elapsed > self.worth_a_file_ms)
        return question

    def after(self, belief: Belief, question: Question, answer: Choice) -> Belief:
        """See `Policy.after`."""
        early = question.number <= self.levels and self.policy.rejuvenation is not None and question.task != "holdout"
        key = None
        if early:
            # With the vectors: those of a question that was asked about an earlier version of the catalogue differ.
            vectors = str(tensor_hash(question.vectors))
            key = self._key("particles", belief, [question], vectors, question.number, str(answer))
        if key is None:
            return self.policy.after(belief, question, answer)
        content, d = self.cache.get(key), belief.particles.shape[1]
        if content and len(content) % (4 * d) == 0:
            updated = belief.update(question, answer, self.policy.response)
            particles = torch.from_numpy(np.frombuffer(content, dtype="<f4").astype(np.float32)).view(-1, d)
            equal = torch.full((len(particles),), -math.log(len(particles)), dtype=torch.float32)
            return replace(updated, particles=particles, log_weights=equal)
        start = time.perf_counter()
        after = self.policy.after(belief, question, answer)
        elapsed = 1000 * (time.perf_counter() - start)
        if after.particles is not belief.particles:
            content = after.particles.contiguous().numpy().astype("<f4").tobytes()
            self.cache.put(key, content, in_file=elapsed > self.worth_a_file_ms)
        return after

    @cached_property
    def _policy_key(self) -> str | None:
        try:
            return policy_key(self.policy)
        except UnidentifiableError:
            return None

    def _key(self, what: str, belief: Belief, asked: Sequence[Question], *more: str | int) -> str | None:
        """The key of a result, or None where the policy cannot be told apart from others."""
        if self._policy_key is None:
            return None
        return digest(what, self._policy_key, belief_key(belief), [question.about for question in asked], *more)

    def _read(self, content: bytes, number: int) -> Question | None:
        """A cached question; None when it does not fit the policy, which only a collision of hashes could cause."""
        try:
            return question_of(json.loads(content), self.policy, number)
        except (InvalidInputError, ValueError):
            return None


def _budgets(policy: Policy) -> list[float]:
    """Milliseconds that its strategies may take for a question."""
    budgets = (getattr(strategy, "budget_ms", None) for strategy in policy.strategies)
    return [budget for budget in budgets if budget is not None]
