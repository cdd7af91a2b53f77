"""Response models: how a user with known utilities answers a slate.

A response model gives, for the utilities of k options, the probability of each answer: the k options first, then the
extra answers it offers, in the order of `extras`. Options are on the second to last axis and users on the last,
`(..., k, m)`: a softmax over two to five options is some ten times faster if they are not innermost.
"""

import math
import operator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import torch
from torch import Tensor

from rather.errors import InvalidInputError


class Answer(StrEnum):
    """An answer that is not one of the options."""

    NONE = "none"
    SAME = "same"
    SKIP = "skip"


NONE, SAME, SKIP = Answer.NONE, Answer.SAME, Answer.SKIP

Choice = int | Answer
"""An answer to a slate of k: an option `0..k-1`, NONE, SAME or SKIP."""


class ResponseModel(Protocol):
    """What a response model must offer. Implement it for a model of your own."""

    @property
    def extras(self) -> tuple[Answer, ...]:
        """The extra answers (NONE, SAME) that this model offers."""
        ...

    def log_probabilities(self, utilities: Tensor) -> Tensor:
        """Log-probability of each answer.

        Args:
            utilities: `(..., k, m)`, the utilities of k options for m users.

        Returns:
            `(..., k + len(extras), m)`, normalised over the second to last axis.
        """
        ...


@dataclass(frozen=True)
class Logistic:
    """Softmax choice: P(option i) is proportional to `exp(x_i @ u / temperature)`.

    * "None of these" is an outside option with the utility `none_utility`: weight `exp(none_utility / temperature)`.
    * "About the same" follows Davidson's tie model, extended to k options: its weight is `tie` times the geometric
      mean of the options' weights. With two equal options and `tie=1` all three answers are equally likely; the more
      the options differ, the rarer a tie.

    Without either (the default) this is the paper's model.

    Example:
        >>> import torch
        >>> Logistic(temperature=1.0).log_probabilities(torch.tensor([[1.0], [0.0]])).exp()
        tensor([[0.7311],
                [0.2689]])

    Attributes:
        temperature: Noise, in units of utility. Near 0 the best option always wins.
        none_utility: Utility of the outside option, or None when "none of these" is not offered.
        tie: Weight of a tie between equals, or None when "about the same" is not offered.
    """

    temperature: float = 0.1
    none_utility: float | None = None
    tie: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.temperature < math.inf:
            raise InvalidInputError(
                f"`temperature` must be above 0 and finite, got {self.temperature}. For no noise use Noiseless()."
            )
        _validate_outside_option(self.none_utility)
        if self.tie is not None and not 0 < self.tie < math.inf:
            raise InvalidInputError(f"`tie` must be above 0 and finite, got {self.tie}. Leave it out to offer no tie.")

    @property
    def extras(self) -> tuple[Answer, ...]:
        """The extra answers offered."""
        return _offered(self.none_utility, self.tie)

    def log_probabilities(self, utilities: Tensor) -> Tensor:
        """`(..., k, m)` utilities to `(..., k + extras, m)` log-probabilities."""
        logits = utilities / self.temperature
        columns = [logits]
        if self.none_utility is not None:
            columns.append(torch.full_like(logits[..., :1, :], self.none_utility / self.temperature))
        if self.tie is not None:
            columns.append(logits.mean(dim=-2, keepdim=True) + math.log(self.tie))
        return torch.log_softmax(torch.cat(columns, dim=-2) if len(columns) > 1 else logits, dim=-2)


@dataclass(frozen=True)
class Noiseless:
    """The best option is always chosen; equally good ones share the probability.

    * "None of these" is chosen if `none_utility`, the utility of the outside option, is above every option's utility.
    * "About the same" is chosen if the best and the worst option differ by at most `tie` (a just noticeable
      difference). It takes precedence over "none of these".

    Example:
        >>> import torch
        >>> Noiseless().log_probabilities(torch.tensor([[1.0], [0.0], [1.0]])).exp()
        tensor([[0.5000],
                [0.0000],
                [0.5000]])

    Attributes:
        none_utility: Utility of the outside option, or None when "none of these" is not offered.
        tie: Largest difference that goes unnoticed, or None when "about the same" is not offered.
    """

    none_utility: float | None = None
    tie: float | None = None

    def __post_init__(self) -> None:
        _validate_outside_option(self.none_utility)
        if self.tie is not None and not self.tie >= 0:
            raise InvalidInputError(f"`tie` must be 0 or above, got {self.tie}. Leave it out to offer no tie.")

    @property
    def extras(self) -> tuple[Answer, ...]:
        """The extra answers offered."""
        return _offered(self.none_utility, self.tie)

    def log_probabilities(self, utilities: Tensor) -> Tensor:
        """`(..., k, m)` utilities to `(..., k + extras, m)` log-probabilities (0 or log of a share, else -inf)."""
        best = utilities.amax(dim=-2, keepdim=True)
        chosen = (utilities == best).to(utilities.dtype)
        columns = [chosen]
        if self.none_utility is not None:
            none = (best < self.none_utility).to(utilities.dtype)
            columns = [chosen * (1 - none), none]
        if self.tie is not None:
            same = (best - utilities.amin(dim=-2, keepdim=True) <= self.tie).to(utilities.dtype)
            columns = [*(column * (1 - same) for column in columns), same]
        weights = torch.cat(columns, dim=-2)
        return (weights / weights.sum(dim=-2, keepdim=True)).log()


def as_choice(choice: Any) -> Choice:
    """An option number as `int`, or an `Answer`; also from integers of NumPy and torch, and names of answers."""
    if not isinstance(choice, str | bool):
        try:
            return operator.index(choice)
        except TypeError:
            pass
    try:
        return Answer(choice)
    except ValueError:
        raise InvalidInputError(
            f"`choice` must be the number of an option, from 0, or one of 'none', 'same', 'skip', got {choice!r}."
        ) from None


def answer_row(choice: Choice, k: int, response: ResponseModel) -> int:
    """The row of `choice` among a model's answers to a slate of k; rejects what the model does not offer."""
    if isinstance(choice, Answer):
        if choice in response.extras:
            return k + response.extras.index(choice)
        offered = ", ".join([f"0..{k - 1}", *(repr(extra.value) for extra in response.extras)])
        raise InvalidInputError(f"`choice` must be one of {offered}, the answers of {response}, got {choice.value!r}.")
    if not 0 <= choice < k:
        raise InvalidInputError(f"`choice` must be 0..{k - 1} for a slate of {k}, got {choice!r}.")
    return choice


def _validate_outside_option(none_utility: float | None) -> None:
    if none_utility is not None and not math.isfinite(none_utility):
        raise InvalidInputError(
            f"`none_utility` must be finite, got {none_utility}. Leave it out to offer no outside option."
        )


def _offered(none_utility: float | None, tie: float | None) -> tuple[Answer, ...]:
    return (NONE,) * (none_utility is not None) + (SAME,) * (tie is not None)
