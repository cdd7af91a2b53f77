"""A question as it is asked, and a recommendation as it is made: data for people, pages and logs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor

from rather.catalog import ItemId


@dataclass(frozen=True)
class Option:
    """One of the things a person may choose.

    Attributes:
        label: What to show first.
        facts: What else to show ("year": "1942").
        id: The item's id.
    """

    label: str
    facts: Mapping[str, str]
    id: ItemId


@dataclass(frozen=True)
class Question:
    """A slate of k options, asked as question `number` (from 1) of a session.

    Attributes:
        number: Its place in the session; `Session.tell` accepts it in place of the question.
        slate: The rows of the k items in the catalogue.
        options: What to show of each.
        evoi: What the answer is expected to add to the utility of the recommendation.
        vectors: `(k, d)`, what each option is to a utility vector.
    """

    number: int
    slate: tuple[int, ...]
    options: tuple[Option, ...]
    evoi: float
    vectors: Tensor = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.options)


@dataclass(frozen=True)
class Recommendation:
    """An item and how sure we are of it.

    Attributes:
        row: Its row in the catalogue.
        id: Its id.
        label: What to show.
        facts: What else to show.
        expected_utility: Mean over the belief.
        spread: Standard deviation over the belief.
        probability_best: The probability that no allowed item is better.
    """

    row: int
    id: ItemId
    label: str
    facts: Mapping[str, str]
    expected_utility: float
    spread: float
    probability_best: float
