"""Why an item is recommended: the answer that speaks most strongly for it, in words."""

from collections.abc import Sequence

import torch
from torch import Tensor

from rather.conversation.session import Session, Turn
from rather.model.responses import Answer
from rather.server.http import schema
from rather.server.http.display_text import DisplayText


def reasons(
    session: Session, rows: Sequence[int], answers: Sequence[str], display: DisplayText
) -> list[schema.Why | None]:
    """For each of these items, the answer that raised its expected utility most compared to the average item.

    An answer moves the mean of the belief from a to b, and with it the expected utility of an item x, relative to
    the average item c, by `(x - c) @ (b - a)`.

    Args:
        session: The conversation.
        rows: The rows of the items.
        answers: The ids of the answers, oldest first.
        display: How labels are shown.
    """
    turns = session.turns
    if not turns or not rows:
        return [None] * len(rows)
    means = torch.stack([session.policy.prior.mean, *(turn.belief.mean for turn in turns)])
    moves = means[1:] - means[:-1]
    centred = session.policy.catalog.vectors(rows) - session.policy.catalog.average
    raised = centred @ moves.T
    return [
        _why(session, turns[best], answers[best], item * moves[best], display) if raised[index, best] > 0 else None
        for index, (item, best) in enumerate(zip(centred, raised.argmax(dim=1).tolist(), strict=True))
    ]


def _why(session: Session, turn: Turn, answer: str, gains: Tensor, display: DisplayText) -> schema.Why | None:
    """The answer in words; `gains` is what each dimension adds to the rise of the item."""
    if turn.answer is Answer.SKIP:
        return None
    question = turn.question
    chosen = turn.answer if not isinstance(turn.answer, Answer) else None
    labels = [display.text(option.label) for option in question.options]
    over = [label for index, label in enumerate(labels) if index != chosen]
    feature, direction = _difference(session, turn, gains) if chosen is not None else (None, None)
    if question.kind == "attributes":  # the options already say it
        feature = direction = None
    label = None if chosen is None else labels[chosen]
    if turn.answer is Answer.NONE:
        text = f"you wanted none of {_listed(over)}"
    elif turn.answer is Answer.SAME:
        text = f"you found {_listed(over)} about the same"
    else:
        # Attributes may have an "and" of their own: "you chose dark and epic over funny or slow and scary".
        text = f"you chose {label} over {' or '.join(over) if question.kind == 'attributes' else _listed(over)}"
    if feature is not None:
        text += f": {_difference_text(session, feature, direction)}"
    return schema.Why(
        answer=answer,
        number=question.number,
        chosen=label,
        over=over,
        direction=direction,
        feature=feature,
        text=text,
    )


def _difference(session: Session, turn: Turn, gains: Tensor) -> tuple[str | None, str | None]:
    """The feature that the chosen option has more (or less) of than the others and that raised the item most."""
    features = session.policy.catalog.features
    assert isinstance(turn.answer, int)
    if not features:
        return None, None
    vectors = turn.question.vectors
    others = torch.cat([vectors[: turn.answer], vectors[turn.answer + 1 :]]).mean(dim=0)
    difference = vectors[turn.answer] - others
    column = int((gains.clamp_min(0) * difference.abs()).argmax())
    if gains[column] <= 0 or difference[column] == 0:
        return None, None
    return features[column], "more" if difference[column] > 0 else "less"


def _difference_text(session: Session, feature: str, direction: str | None) -> str:
    # The features of a table hold or do not ("hybrid"); elsewhere they come in degrees.
    if session.policy.catalog.filters is not None:
        said = feature.replace(": ", " ", 1)
        return said if direction == "more" else f"not {said}"
    return f"{direction} {feature}"


def _listed(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"
