"""Objectives as a log has them: those of a policy that differ from the usual ones, by name and settings."""

import dataclasses
from typing import TYPE_CHECKING, Any

from rather.conversation.records import damaged
from rather.errors import InvalidInputError
from rather.value import (
    BestItem,
    BestOfList,
    DiscountedList,
    Objective,
    RiskAverse,
    Satisfaction,
    SmoothBestOfList,
)

if TYPE_CHECKING:
    from rather.conversation.policy import Policy

KINDS: dict[str, type[Objective]] = {
    "best-item": BestItem,
    "best-of-list": BestOfList,
    "smooth-best-of-list": SmoothBestOfList,
    "discounted-list": DiscountedList,
    "satisfaction": Satisfaction,
    "risk-averse": RiskAverse,
}
USUAL: dict[str, Objective] = {"objective": BestOfList(), "question_objective": BestItem()}


def dump_objectives(policy: "Policy") -> dict[str, Any]:
    """The objectives of a policy that are not the usual ones; None for those of somebody's own making."""
    used = {"objective": policy.objective, "question_objective": policy.question_objective}
    return {name: _dumped(objective) for name, objective in used.items() if objective != USUAL[name]}


def load_objectives(log: dict[str, Any], given: dict[str, Any]) -> dict[str, Objective]:
    """What `dump_objectives` wrote, but for what is given anyway."""
    return {name: _loaded(name, log[name]) for name in USUAL if name in log and name not in given}


def _dumped(objective: Objective) -> dict[str, Any] | None:
    for name, kind in KINDS.items():
        if type(objective) is kind:
            return {"kind": name, **dataclasses.asdict(objective)}  # type: ignore[call-overload]  # all are dataclasses
    return None


def _loaded(name: str, settings: Any) -> Objective:
    if settings is None:
        raise InvalidInputError(f"This session had an objective of its own: pass it as `{name}`.")
    if not isinstance(settings, dict) or settings.get("kind") not in KINDS:
        raise damaged(settings)
    try:
        return KINDS[settings["kind"]](**{key: setting for key, setting in settings.items() if key != "kind"})
    except TypeError:
        raise damaged(settings) from None
