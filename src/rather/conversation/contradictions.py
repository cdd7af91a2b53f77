"""Answers that hardly fit together: found by what all other answers say, told kindly, and open to correction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from rather.conversation.turns import HintTurn, Turn
from rather.conversation.wording import question_in
from rather.errors import InvalidInputError
from rather.languages import ENGLISH, joined, message
from rather.model.belief import Belief
from rather.model.questions import Question
from rather.model.rejuvenation import moved
from rather.model.responses import NONE, SKIP, Answer, Choice, Noiseless, ResponseModel, answer_row
from rather.numerics.randomness import derive_generator

if TYPE_CHECKING:
    from rather.conversation.session import Session

# Particles that stand for what all other answers say, and how far they move from what all of them say. They tell one
# in ten from one in twenty, which is all that is asked of them.
PARTICLES, MOVES = 400, 20

# Answers that are examined, each against all others: the last ones. More would keep a server busy for seconds.
MOST_EXAMINED = 40

# How much less likely all others must make an answer than it is for anybody. "About the same" is rare by itself.
LESS_LIKELY = 0.5


@dataclass(frozen=True)
class Contradiction:
    """Two answers of which hardly anybody would give both, as far as all the other answers tell.

    Attributes:
        number: The question of the later answer.
        earlier: The question of the earlier one.
        probability: That the more surprising of the two is answered as it was by somebody who gave all other answers.
        text: Both in words.
    """

    number: int
    earlier: int
    probability: float
    text: str


def contradictions(session: Session, at_most: float = 0.1, language: str = ENGLISH) -> list[Contradiction]:
    """Pairs of answers that hardly fit together, the most surprising first.

    An answer is surprising if its probability given all the others is at most `at_most`, and at most half of what it is
    for anybody. It contradicts the one that, taken by itself, speaks most against it. People who answer without noise
    cannot contradict themselves: what does not fit is rejected when they say it.

    Args:
        session: The conversation.
        at_most: See above.
        language: One of `rather.languages.LANGUAGES`.
    """
    if not 0 < at_most < 1:
        raise InvalidInputError(f"`at_most` must be between 0 and 1, got {at_most}.")
    given = [(turn.question, turn.answer) for turn in session.turns if _teaches(turn)]
    response, prior = session.policy.response, session.policy.prior
    if len(given) < 2 or isinstance(response, Noiseless):
        return []
    probabilities = _given_the_others(session, len(given) - MOST_EXAMINED)
    alone = [prior.update(*each, response) for each in given]
    found: dict[tuple[int, int], float] = {}
    for index in sorted(range(len(given)), key=probabilities.__getitem__):
        if probabilities[index] > at_most:
            break
        usual = _probability(prior, *given[index], response)
        against = _most_against(index, given, alone, response, usual)
        if against is not None and probabilities[index] <= LESS_LIKELY * usual:
            earlier, later = sorted((index, against))
            found.setdefault((later, earlier), probabilities[index])
    return [
        Contradiction(
            given[later][0].number,
            given[earlier][0].number,
            probability,
            _text(session, given[later], given[earlier], language),
        )
        for (later, earlier), probability in found.items()
    ]


def _teaches(turn: Turn) -> bool:
    """Whether the belief holds evidence of an answer: not if it was skipped or is held out."""
    return turn.answer is not SKIP and turn.question.task != "holdout"


def _given_the_others(session: Session, unexamined: int) -> list[float]:
    """The probability of each answer that teaches, given all others and the hints; 1 for those not examined."""
    belief, response = session.belief, session.policy.response
    found: list[float] = []
    position = 0  # of its evidence in the belief
    for step in session.steps:
        if isinstance(step, HintTurn):
            position += 1
        elif _teaches(step):
            if len(found) < unexamined:
                found.append(1.0)
            else:
                generator = derive_generator(session.policy.seed, "contradictions", step.question.number)
                others = _without(belief, position, session.policy.prior, generator)
                found.append(_probability(others, step.question, step.answer, response))
            position += 1
    return found


def _without(belief: Belief, position: int, prior: Belief, generator: torch.Generator) -> Belief:
    """The belief without one piece of its evidence."""
    evidence = (*belief.evidence[:position], *belief.evidence[position + 1 :])
    if belief.prior is not None:
        return moved(replace(belief, evidence=evidence), min(len(belief), PARTICLES), MOVES, generator)
    start = replace(prior, evidence=evidence)
    logits = prior.log_weights + start.log_likelihood(prior.particles)
    return replace(start, log_weights=torch.log_softmax(logits, dim=0))


def _probability(belief: Belief, question: Question, answer: Choice, response: ResponseModel) -> float:
    answers: Tensor = belief.answering(response).log_probabilities(question.vectors @ belief.particles.T)
    return float(answers[answer_row(answer, len(question), response)].exp() @ belief.weights)


def _most_against(
    index: int,
    given: Sequence[tuple[Question, Choice]],
    alone: Sequence[Belief],
    response: ResponseModel,
    usual: float,
) -> int | None:
    """Which answer by itself makes another one least likely; None if none makes it less likely than for anybody."""
    others = [other for other in range(len(given)) if other != index]
    after = {other: _probability(alone[other], *given[index], response) for other in others}
    least = min(others, key=after.__getitem__)
    return least if after[least] < usual else None


def _text(session: Session, later: tuple[Question, Choice], earlier: tuple[Question, Choice], language: str) -> str:
    said = [
        _said(question_in(question, session.policy.catalog, language), answer, language)
        for question, answer in (later, earlier)
    ]
    numbers = {"number": str(later[0].number), "before": str(earlier[0].number)}
    return message(language, "contradiction.text", later=said[0], earlier=said[1], **numbers)


def _said(question: Question, answer: Choice, language: str) -> str:
    labels = [option.named for option in question.options]
    if isinstance(answer, Answer):
        kind = "none" if answer is NONE else "same"
        return message(language, f"contradiction.{kind}", options=joined(labels, language))
    passed = joined([label for index, label in enumerate(labels) if index != answer], language)
    return message(language, "contradiction.chosen", chosen=labels[answer], passed=passed)
