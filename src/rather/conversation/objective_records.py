"""Objectives as a log has them: those of a policy that differ from the usual ones, by name and settings."""

import dataclasses
from typing import TYPE_CHECKING, Any

from rather.conversation.policy_settings import usual_objective
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
NAMES = ("objective", "question_objective")


def dump_objectives(policy: "Policy") -> dict[str, Any]:
    """The objectives of a policy that are not the usual ones; None for those of somebody's own making."""
    used = (policy.objective, policy.question_objective)
    usual = (usual_objective(policy.available), BestItem())
    return {
        name: _dumped(objective)
        for name, objective, default in zip(NAMES, used, usual, strict=True)
        if objective != default
    }


def load_objectives(log: dict[str, Any], given: dict[str, Any]) -> dict[str, Objective]:
    """What `dump_objectives` wrote, but for what is given anyway."""
    return {name: _loaded(name, log[name]) for name in NAMES if name in log and name not in given}


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
