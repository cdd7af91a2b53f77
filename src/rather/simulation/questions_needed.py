"""How many questions does it take until hardly any regret is left, and how many does one policy save over another?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.numerics.randomness import derive_generator
from rather.simulation.conversations import Conversation


@dataclass(frozen=True)
class QuestionsNeeded:
    """What a policy needs until its mean regret is a share of that before the first question.

    Attributes:
        policy: Its name.
        questions: How many questions, interpolated between whole ones; NaN if all of them do not suffice.
        saved: How many fewer than the first policy needs.
        saved_error: The standard error of that, from resampled users, who are the same for both policies.
    """

    policy: str
    questions: float
    saved: float
    saved_error: float


def questions_needed(
    conversations: Sequence[Conversation], share: float = 0.2, *, resamples: int = 1000, seed: int = 0
) -> list[QuestionsNeeded]:
    """What each policy needs until the mean regret is this share of the initial one, in order of appearance.

    Args:
        conversations: Of every policy with the same users.
        share: Of the regret before the first question.
        resamples: Samples of users, drawn with replacement, from which the standard error comes.
        seed: Of these.
    """
    if not 0 < share < 1:
        raise InvalidInputError(f"`share` must be between 0 and 1, got {share}.")
    names = list(dict.fromkeys(each.policy for each in conversations))
    regrets = torch.stack(
        [
            torch.tensor([_asked_regret(each) for each in conversations if each.policy == name], dtype=torch.float64)
            for name in names
        ]
    )
    users = regrets.shape[1]
    drawn = torch.randint(users, (resamples, users), generator=derive_generator(seed, "resampled users"))
    point = [_crossing(mean, share) for mean in regrets.mean(dim=1)]
    crossings = [[_crossing(mean, share) for mean in regrets[:, rows].mean(dim=1)] for rows in drawn]
    samples = torch.tensor(crossings, dtype=torch.float64)
    saved = samples[:, :1] - samples
    return [
        QuestionsNeeded(name, point[index], point[0] - point[index], _deviation(saved[:, index]))
        for index, name in enumerate(names)
    ]


def _asked_regret(conversation: Conversation) -> tuple[float, ...]:
    """The regret before the first question and after each, without that after adjustments."""
    return conversation.regret[: len(conversation.evoi) + 1]


def _crossing(regret: Tensor, share: float) -> float:
    """After how many questions a curve of mean regret `(q + 1,)` falls to a share of its start."""
    curve: list[float] = regret.tolist()
    bound = share * curve[0]
    for number in range(1, len(curve)):
        if curve[number] <= bound:
            return number - (bound - curve[number]) / (curve[number - 1] - curve[number])
    return math.nan


def _deviation(values: Tensor) -> float:
    """The standard deviation; NaN where a twentieth of the samples or more has no value."""
    known = values[~values.isnan()]
    return float(known.std()) if len(known) > 0.95 * len(values) else math.nan
