"""From what a person says unasked to evidence: which choice it stands for, and the belief after it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from rather import value
from rather.conversation.hint_wording import adjusted_rows, attribute_of, hint_text, levels_of, row_of, wish_of
from rather.conversation.wording import item_options
from rather.errors import InvalidInputError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.comparatives import Comparative
from rather.model.hints import Hint
from rather.model.personal_noise import PersonalNoise
from rather.model.responses import SAME, Choice, Logistic
from rather.model.statements import Adjust, DontCare, LikeBut, MoreLike, Statement, Want
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread

if TYPE_CHECKING:
    from torch import Tensor

    from rather.conversation.policy import Policy

# "More like this" is said of one among this many recommendations.
LISTED = 5

# Weight of a tie between equals, as in `everyday_response`.
TIE = 0.5

# Noise as a share of the spread of utilities, as in `everyday_response`, where the policy's model has no temperature.
USUAL_NOISE = 0.1


@dataclass(frozen=True)
class _Imagined:
    """The slate that a statement stands for, and the answer to it; items come first."""

    vectors: Tensor
    answer: Choice
    rows: tuple[int, ...] = ()


def hint_of(statement: Statement, number: int, policy: Policy, belief: Belief) -> Hint:
    """A statement as evidence.

    Args:
        statement: What the person said.
        number: Of the hint in its session.
        policy: Of the session.
        belief: What we hold about the person now: "more like this" is said of what is recommended.
    """
    with one_thread():
        imagined = _imagined(statement, policy, belief)
    catalog = policy.catalog
    options = item_options(catalog, imagined.rows)
    return Hint(
        number,
        statement,
        hint_text(statement, catalog),
        imagined.vectors,
        imagined.answer,
        hint_response(statement, policy),
        imagined.rows,
        options,
    )


def hint_response(statement: Statement, policy: Policy) -> Logistic | PersonalNoise:
    """How people give hints: with the noise of their answers, and a tie for what they don't care about."""
    tie = TIE if isinstance(statement, DontCare) else None
    if isinstance(policy.response, PersonalNoise):
        return replace(policy.response, none_utility=None, tie=tie)
    if isinstance(policy.response, Logistic):
        temperature = policy.response.temperature
    else:
        temperature = USUAL_NOISE * value.utility_spread(policy.catalog, policy.prior)
    return Logistic(temperature, tie=tie)


def after_hint(belief: Belief, hint: Hint, policy: Policy) -> Belief:
    """The belief after a hint: Bayes, and new particles where few of the old ones carry weight."""
    with one_thread():
        updated = belief.update(hint, hint.answer, hint.response)
        if policy.rejuvenation is None:
            return updated
        return policy.rejuvenation(updated, derive_generator(policy.seed, "hint", hint.number), policy.prior)


def wishes(row: int, policy: Policy, belief: Belief, count: int = 3) -> list[Comparative]:
    """How an item is most likely to be wished otherwise, one way for each column.

    What people wish of most items comes first. The others are in the order of what the change is expected to be worth
    to those who want it, `E[max(0, step @ u)]`.
    """
    found = policy.catalog.comparatives_of(row)
    if not found:
        return []
    with one_thread():
        steps = torch.stack([each.step for each in found])
        worth = (steps @ belief.particles.T).clamp_min(0) @ belief.weights
    best = {each.column: each for each in found if each.usual}
    for index in worth.argsort(descending=True, stable=True).tolist():
        best.setdefault(found[index].column, found[index])
    return list(best.values())[:count]


def _imagined(statement: Any, policy: Policy, belief: Belief) -> _Imagined:
    if isinstance(statement, MoreLike):
        return _more_like(statement, policy, belief)
    if isinstance(statement, LikeBut):
        return _like_but(statement, policy.catalog)
    if isinstance(statement, Want):
        return _want(statement, policy.catalog)
    if isinstance(statement, DontCare):
        return _dont_care(statement, policy.catalog)
    if isinstance(statement, Adjust):
        return _adjust(statement, policy.catalog)
    raise InvalidInputError(
        f"`statement` must be MoreLike(item), LikeBut(item, column, toward), Want(attribute), DontCare(column) or "
        f"Adjust(item, to), got {statement!r}."
    )


def _more_like(statement: MoreLike, policy: Policy, belief: Belief) -> _Imagined:
    catalog, row = policy.catalog, row_of(statement.item, policy.catalog)
    others = [item.row for item in policy.recommend(belief, LISTED) if item.row != row]
    rows = (row, *others[: LISTED - 1])
    vectors = catalog.vectors(rows)
    if len(rows) == 1:
        vectors = torch.stack([vectors[0], catalog.average])
    return _Imagined(vectors, 0, rows)


def _like_but(statement: LikeBut, catalog: Catalog) -> _Imagined:
    row = row_of(statement.item, catalog)
    item = catalog.vectors(row)
    return _Imagined(torch.stack([item, item + wish_of(statement, catalog).step]), 1, (row,))


def _adjust(statement: Adjust, catalog: Catalog) -> _Imagined:
    rows = adjusted_rows(statement, catalog)
    return _Imagined(catalog.vectors(rows), 1, rows)


def _want(statement: Want, catalog: Catalog) -> _Imagined:
    average = catalog.average
    return _Imagined(torch.stack([average, average + attribute_of(statement, catalog).vector]), 1)


def _dont_care(statement: DontCare, catalog: Catalog) -> _Imagined:
    levels = levels_of(statement, catalog)
    vectors = catalog.average + torch.stack([each.vector for each in levels])
    if len(levels) == 1:  # to have it or not
        vectors = torch.cat([catalog.average[None], vectors])
    return _Imagined(vectors, SAME)
