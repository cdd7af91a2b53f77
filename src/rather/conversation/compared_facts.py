"""What to show on the cards of a question: what differs between the options, what matters most first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rather.languages import ENGLISH, message, name_in
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Question

# A longer fact is prose to read, not a value to compare; nor is an address.
LONGEST_VALUE = 56
ADDRESSES = ("http://", "https://")


@dataclass(frozen=True)
class ComparedFact:
    """A fact about all options of a question.

    Attributes:
        name: What it is about.
        values: That of each option, "" where there is none.
        differs: Whether the options differ in it.
    """

    name: str
    values: tuple[str, ...]
    differs: bool

    @property
    def is_short(self) -> bool:
        """Whether it is a value to compare rather than prose or an address."""
        return all(len(value) <= LONGEST_VALUE and not value.startswith(ADDRESSES) for value in self.values)


def compared_facts(
    question: Question, catalog: Catalog | None = None, belief: Belief | None = None, language: str = ENGLISH
) -> list[ComparedFact]:
    """All facts of the options: those that differ first, by how much they matter, and long ones last.

    What is not known of all options comes after what is. What has no fact of its own, because it is one of many yes/no
    columns, is added where it differs.

    Args:
        question: The question.
        catalog: What it is about; None keeps the order of the facts.
        belief: What we hold about the person; None keeps the order of the facts.
        language: The language of the facts.
    """
    names = list(dict.fromkeys(name for option in question.options for name in option.facts))
    facts = [_fact(name, [str(option.facts.get(name, "")) for option in question.options]) for name in names]
    weights: Mapping[str, float] = {}
    if catalog is not None and question.kind == "items" and question.is_current:
        facts += _unshown(question, catalog, names, language)
        if belief is not None:
            found = fact_weights(question, catalog, belief)
            weights = {name_in(language, name): weight for name, weight in found.items()}
    unknown = message(language, "cell.unknown")

    def order(fact: ComparedFact) -> tuple[bool, bool, bool, float]:
        return not fact.is_short, not fact.differs, unknown in fact.values, -weights.get(fact.name, 0.0)

    return sorted(facts, key=order)


def fact_weights(question: Question, catalog: Catalog, belief: Belief) -> dict[str, float]:
    """How much each column matters between the options of a question.

    The root mean square, over the belief, of the difference in what the column is worth between the best and the worst
    option: large where the person is known to care, and where they may care one way or the other.
    """
    options, particles, held = question.vectors.numpy(), belief.particles.numpy(), belief.weights.numpy()
    weights: dict[str, float] = {}
    for column in catalog.columns:
        worth = options[:, column.dimensions] @ particles[:, column.dimensions].T
        weights[column.name] = float(np.sqrt(np.square(np.ptp(worth, axis=0)) @ held))
    return weights


def _unshown(question: Question, catalog: Catalog, names: Sequence[str], language: str) -> list[ComparedFact]:
    """The columns that no fact is about and in which the options differ."""
    found = []
    for column in catalog.columns:
        name = name_in(language, column.name)
        texts = [column.text(row, language) for row in question.slate] if name not in names else []
        if texts and None not in texts and len(set(texts)) > 1:
            found.append(_fact(name, [text or "" for text in texts]))
    return found


def _fact(name: str, values: Sequence[str]) -> ComparedFact:
    return ComparedFact(name, tuple(values), len(set(values)) > 1)
