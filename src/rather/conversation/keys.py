"""Keys of what a policy computes, by content: equal policies, beliefs and histories have equal keys."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rather.caching.keys import UnidentifiableError, digest, plain, tensor_hash, versions
from rather.conversation.tasks import dump_tasks
from rather.model.allowed import Allowed, AllowedConfigurations
from rather.model.attributes import attributes_hash
from rather.retrieval.cached_shortlists import belief_key
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.paths import PathRetriever
from rather.retrieval.screening import ScreeningRetriever
from rather.retrieval.shortlist import ShortlistRetriever
from rather.value import BestItem

if TYPE_CHECKING:
    from rather.conversation.policy import Policy


def retriever_key(retriever: object) -> Any:
    """How a retriever finds: any exact one finds the same."""
    if type(retriever) in (ExactRetriever, PathRetriever):
        return "exact"
    if type(retriever) is ShortlistRetriever:
        made_for = [belief_key(retriever.population), tensor_hash(retriever.allowed)]
        return ["shortlist", plain(retriever.settings), *made_for]
    if type(retriever) is ScreeningRetriever:
        return ["screening", retriever.fewest, retriever_key(retriever.shortlist)]
    raise UnidentifiableError(repr(type(retriever)))


def _allowed_key(allowed: Allowed | None) -> Any:
    return list(allowed.expressions) if isinstance(allowed, AllowedConfigurations) else tensor_hash(allowed)


def policy_key(policy: Policy) -> str:
    """The key of everything that questions and beliefs follow from, but for the answers.

    A time budget is not part of it: what is chosen in less time than that does not depend on it.
    """
    catalog, (strategy, attribute_strategy) = policy.catalog, policy.strategies
    parts = [
        catalog.content_hash,
        belief_key(policy.prior),
        policy.k,
        policy.seed,
        plain(_without_budget(strategy)),
        plain(policy.response),
        plain(policy.rejuvenation),
        retriever_key(policy.retriever),
        _allowed_key(policy.allowed),
        policy.ask,
    ]
    if not isinstance(policy.question_objective, BestItem):
        parts.append(plain(policy.question_objective))
    if policy.plan is not None:
        parts.append(["plan", policy.plan.key])
    if policy.tasks:
        parts.append(["tasks", dump_tasks(policy.tasks)])
    if policy.ask != "items":
        parts += [
            policy.p,
            plain(_without_budget(attribute_strategy)),
            plain(policy.reading_cost),
            attributes_hash(catalog.attributes),
            tensor_hash(catalog.together),
        ]
    return digest("policy", versions(), parts)


def history_key(key: str, answers: Iterable[Mapping[str, Any]]) -> str:
    """The key of a policy's state after these answers, given as records."""
    for answer in answers:
        key = digest(key, dict(answer))
    return key


def _without_budget(strategy: Any) -> Any:
    """The strategy with all the time it wants."""
    if dataclasses.is_dataclass(strategy) and not isinstance(strategy, type) and hasattr(strategy, "budget_ms"):
        return dataclasses.replace(strategy, budget_ms=None)
    return strategy
