"""Answers of many people as one tensor, so that all their likelihoods are computed at once.

An answer with ties and "none of these" is a softmax over rows that are linear in the utility vector z: a row for each
option, `x_r @ z / T`; for "none of these" a constant, the outside option's utility over T; for "about the same" the
mean of the options' rows plus the logarithm of the tie's weight. A person whose noise is t times the usual one divides
all of it but the last by t. How readily people say "none" or "same" at all is one more summand for each of these rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.model.responses import Logistic

if TYPE_CHECKING:
    from rather.learn.conversations import Conversation
    from rather.model.belief import Evidence

# Entries of the rows of a batch: 64 MiB of float32.
BATCH_ENTRIES = 2**24


@dataclass(frozen=True, eq=False)
class Choices:
    """The answers of n people to e questions at most, each a choice among r rows at most, about d dimensions.

    Attributes:
        people: `(n,)`, which people these are.
        rows: `(n, e, r, d)`, slopes of the logits.
        constants: `(r, n, e)`, what is added to them; rows come first, where sums over few of them are fast.
        weights: `(r, n, e)`, logarithms that noise does not scale: of the weight of a tie, -inf where there is no row.
        kinds: `(r, n, e)`, 0 for an option, 1 for "none of these", 2 for "about the same".
        chosen: `(n, e)`, the row that was chosen; where there was no question, the only one.
    """

    people: Tensor
    rows: Tensor
    constants: Tensor
    weights: Tensor
    kinds: Tensor
    chosen: Tensor

    def used(self, usage: Sequence[float]) -> Choices:
        """The same of people who say "none of these" and "about the same" so much more readily (logarithms, two)."""
        return replace(self, weights=self.weights + torch.tensor([0.0, *usage])[self.kinds])

    def slopes(self, vectors: Tensor) -> Tensor:
        """The part of the logits that is linear: of v vectors of each person, `(v, n, d)`, shape `(v, r, n, e)`."""
        n, e, r, d = self.rows.shape
        products = torch.bmm(self.rows.view(n, e * r, d), vectors.permute(1, 2, 0))
        return products.view(n, e, r, -1).permute(3, 2, 0, 1).contiguous()

    def log_likelihood(self, linear: Tensor, factors: Tensor, some: Tensor | None = None) -> Tensor:
        """Log-probability of each person's answers, `(n,)`.

        Args:
            linear: `(r, n, e)`, what `slopes` returned.
            factors: `(n,)`, each person's noise as a multiple of the usual one.
            some: Indices of the people that both are about; all by default.
        """
        constants, weights, chosen = self.constants, self.weights, self.chosen
        if some is not None:
            constants, weights, chosen = constants[:, some], weights[:, some], chosen[some]
        logits = (linear + constants) / factors[:, None] + weights
        of_chosen: Tensor = logits.gather(0, chosen[None])[0] - torch.logsumexp(logits, dim=0)
        return of_chosen.sum(dim=1)

    def slopes_of(self, dimensions: Tensor, vectors: Tensor) -> Tensor:
        """The part of the logits `(r, n, e)` of one vector of each person, `(n, s)`, in some of the dimensions."""
        return torch.einsum("nerd,nd->rne", self.rows[..., dimensions], vectors).contiguous()

    def residuals(self, linear: Tensor, factors: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probability of each person's answers `(n,)`, and its gradient `(r, n, e)` by what `slopes` returned."""
        logits = (linear + self.constants) / factors[:, None] + self.weights
        logits = logits - torch.logsumexp(logits, dim=0)
        surprise = -logits.exp()
        surprise.scatter_add_(0, self.chosen[None], torch.ones_like(surprise[:1]))
        return logits.gather(0, self.chosen[None])[0].sum(dim=1), surprise / factors[:, None]

    def gradient(self, residuals: Tensor) -> Tensor:
        """`(d,)`, of the log-likelihood by a shift of everybody, given `(r, n, e)` residuals."""
        return residuals.permute(1, 2, 0).reshape(-1) @ self.rows.view(-1, self.rows.shape[-1])

    def curvature(self, linear: Tensor, factors: Tensor) -> Tensor:
        """Minus the second derivative `(d, d)` of the log-likelihood by a shift of everybody."""
        logits = (linear + self.constants) / factors[:, None] + self.weights
        odds = torch.softmax(logits, dim=0).permute(1, 2, 0)[..., None]
        centred = (self.rows - (odds * self.rows).sum(dim=2, keepdim=True)) * odds.sqrt() / factors[:, None, None, None]
        flat = centred.reshape(-1, centred.shape[-1])
        return flat.T @ flat


def batches_of(
    conversations: Sequence[Conversation],
    origin: Tensor,
    cholesky: Tensor,
    *,
    temperature: float | None = None,
    batch_entries: int = BATCH_ENTRIES,
) -> Iterator[Choices]:
    """The answers of all people who gave one, in batches of about the same number of answers each.

    Args:
        conversations: One for each person.
        origin: `(d,)`; a utility vector is `origin + cholesky @ z`.
        cholesky: `(d, d)`.
        temperature: In place of that of each answer.
        batch_entries: Largest tensor, in entries.
    """
    order = sorted(
        (index for index, each in enumerate(conversations) if len(each)), key=lambda i: len(conversations[i])
    )
    d = len(origin)
    first = 0
    while first < len(order):
        answers = 1 << (len(conversations[order[first]]) - 1).bit_length()
        group = [index for index in order[first:] if len(conversations[index]) <= answers]
        choices = max(len(each.vectors) + 2 for index in group for each in conversations[index].evidence)
        most = max(1, batch_entries // (answers * choices * d))
        group = group[:most]
        yield _stacked([conversations[index] for index in group], group, origin, cholesky, temperature)
        first += len(group)


def _stacked(
    conversations: Sequence[Conversation],
    people: Sequence[int],
    origin: Tensor,
    cholesky: Tensor,
    temperature: float | None,
) -> Choices:
    parts = [[_rows(each, temperature) for each in conversation.evidence] for conversation in conversations]
    n, e = len(parts), max(len(part) for part in parts)
    r, d = max(len(rows) for part in parts for rows, *_ in part), len(origin)
    slopes = torch.zeros(n, e, r, d)
    constants = torch.zeros(r, n, e)
    weights = torch.full((r, n, e), -math.inf)
    weights[0] = 0.0
    kinds = torch.zeros(r, n, e, dtype=torch.long)
    chosen = torch.zeros(n, e, dtype=torch.long)
    for person, conversation in enumerate(conversations):
        for number, (rows, constant, weight, kind) in enumerate(parts[person]):
            slopes[person, number, : len(rows)] = rows
            constants[: len(rows), person, number] = constant
            weights[: len(rows), person, number] = weight
            kinds[: len(rows), person, number] = kind
            chosen[person, number] = conversation.evidence[number].row
    constants = constants + (slopes @ origin.float()).permute(2, 0, 1)
    return Choices(torch.tensor(people), slopes @ cholesky.float(), constants, weights, kinds, chosen)


def _rows(evidence: Evidence, temperature: float | None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Slopes `(r, d)`, constants `(r,)`, weights `(r,)` and kinds `(r,)` of the rows of an answer."""
    response = evidence.response
    if not isinstance(response, Logistic):
        raise InvalidInputError(f"`conversations` must hold answers with a Logistic response model, got {response!r}.")
    vectors = evidence.vectors / (response.temperature if temperature is None else temperature)
    rows, constants, weights = [*vectors], [0.0] * len(vectors), [0.0] * len(vectors)
    kinds = [0] * len(vectors)
    if response.none_utility is not None:
        rows.append(torch.zeros_like(vectors[0]))
        constants.append(response.none_utility / (response.temperature if temperature is None else temperature))
        weights.append(0.0)
        kinds.append(1)
    if response.tie is not None:
        rows.append(vectors.mean(dim=0))
        constants.append(0.0)
        weights.append(math.log(response.tie))
        kinds.append(2)
    return torch.stack(rows), torch.tensor(constants), torch.tensor(weights), torch.tensor(kinds)
