"""How probable people's answers are under a prior: the measure by which priors are compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from rather.learn.choices import Choices, batches_of
from rather.learn.conversations import Conversation
from rather.model.priors import Prior
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread

# Answers of each person that count. The first ones are where the prior matters, and a Monte Carlo average over draws of
# the prior can still tell the probability of six answers together.
FIRST_ANSWERS = 6

# Entries of the logits that are computed together: 64 MiB of float32.
LOGIT_ENTRIES = 2**24


@dataclass(frozen=True)
class HeldOut:
    """Answers of people that were not learnt from, under two priors.

    Attributes:
        people: How many.
        answers: How many answers.
        before: The geometric mean of the probability of an answer under the catalogue's own prior.
        after: The same under the learnt one.
        gain: How much higher the log-probability of a person's answers is, on average.
        error: The standard error of the gain.
    """

    people: int
    answers: int
    before: float
    after: float
    gain: float
    error: float


def answer_log_probabilities(
    conversations: Sequence[Conversation], prior: Prior, *, draws: int = 4096, seed: int = 0
) -> Tensor:
    """Log-probability of each person's first answers, `(n,)`: the logarithm of its mean over draws of the prior.

    Args:
        conversations: One for each person.
        prior: Of their utility vectors; its temperature, if it has one, in place of that of the answers.
        draws: Of the prior.
        seed: Of these draws.
    """
    first = [replace(each, evidence=each.evidence[:FIRST_ANSWERS]) for each in conversations]
    d = prior.centres.shape[1]
    found = torch.zeros(len(first), dtype=torch.float64)
    with one_thread():
        vectors = prior.sample(draws, derive_generator(seed, "held out"))
        for batch in batches_of(first, torch.zeros(d), torch.eye(d), temperature=prior.temperature):
            size = max(1, LOGIT_ENTRIES // (batch.chosen.shape[1] * len(batch.weights) * draws))
            for some in torch.split(torch.arange(len(batch.people)), size):
                found[batch.people[some]] = _log_mean(batch, some, vectors)
    return found


def _log_mean(choices: Choices, some: Tensor, vectors: Tensor) -> Tensor:
    """Of some of these people, the logarithm of the mean probability of their answers over vectors `(v, d)`."""
    linear = (choices.rows[some] @ vectors.T).permute(2, 0, 1, 3)
    logits = linear + (choices.constants + choices.weights)[:, some, :, None]
    chosen = choices.chosen[None, some, :, None].expand(1, -1, -1, len(vectors))
    of_draws = (logits.gather(0, chosen)[0] - torch.logsumexp(logits, dim=0)).sum(dim=1)
    return torch.logsumexp(of_draws.double(), dim=1) - math.log(len(vectors))


def compared(conversations: Sequence[Conversation], before: Prior, after: Prior, *, seed: int = 0) -> HeldOut:
    """How probable the answers of these people are under two priors.

    Args:
        conversations: Of people that `after` was not learnt from.
        before: The catalogue's own prior.
        after: The learnt one.
        seed: Of the draws.
    """
    old = answer_log_probabilities(conversations, before, seed=seed)
    new = answer_log_probabilities(conversations, after, seed=seed)
    answers = sum(min(len(each), FIRST_ANSWERS) for each in conversations)
    gains = new - old
    error = float(gains.std() / len(gains) ** 0.5) if len(gains) > 1 else float("inf")
    return HeldOut(
        len(conversations),
        answers,
        float((old.sum() / answers).exp()),
        float((new.sum() / answers).exp()),
        float(gains.mean()),
        error,
    )


def split(
    conversations: Sequence[Conversation], share: float, seed: int
) -> tuple[list[Conversation], list[Conversation]]:
    """People to learn from, and a share of all to measure on, at least one where there are two."""
    order = torch.randperm(len(conversations), generator=derive_generator(seed, "held-out people")).tolist()
    count = min(max(1, round(share * len(order))), len(order) - 1) if len(order) > 1 else 0
    kept_out = set(order[:count])
    seen = [each for index, each in enumerate(conversations) if index not in kept_out]
    return seen, [conversations[index] for index in sorted(kept_out)]
