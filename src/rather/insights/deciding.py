"""Which questions decided: how much each answer improved the recommendation, and whether it changed it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rather.conversation.session import Session

# Questions that are listed, those that improved the recommendation most, if they were asked at least so often.
MOST_QUESTIONS, ASKED_OFTEN = 15, 3


@dataclass(frozen=True)
class DecidingStep:
    """What the answers to the first, second, … question did.

    Attributes:
        number: Of the question.
        answers: How many answers it is about.
        regret: The mean expected regret afterwards, over that before the first question.
        changed: The share of answers that changed the recommended item.
    """

    number: int
    answers: int
    regret: float
    changed: float


@dataclass(frozen=True)
class DecidingQuestion:
    """A question that several people were asked.

    Attributes:
        text: What was asked.
        asked: How often.
        removed: The share of the expected regret at the start that its answers removed on average.
        changed: The share of answers that changed the recommended item.
    """

    text: str
    asked: int
    removed: float
    changed: float


@dataclass(frozen=True)
class Deciding:
    """Which questions decided.

    Attributes:
        replayed: Conversations that were looked at.
        steps: By the number of the question.
        questions: Those that several people were asked, the most useful first.
    """

    replayed: int
    steps: tuple[DecidingStep, ...]
    questions: tuple[DecidingQuestion, ...]


@dataclass(frozen=True)
class Effect:
    """What one answer did.

    Attributes:
        number: Of the question.
        text: What was asked.
        before: The expected regret before it, over that before the first question.
        after: The same afterwards.
        changed: Whether it changed the recommended item.
    """

    number: int
    text: str
    before: float
    after: float
    changed: bool


def effects(session: Session) -> list[Effect]:
    """What each answer of a conversation did; a hint counts with the answer that follows, a hold-out not at all."""
    policy, found = session.policy, []
    start = policy.start_regret
    before, best = 1.0, policy.recommend(policy.prior, 1)[0].id
    for turn in session.turns:
        if turn.question.task == "holdout":  # it teaches nothing by design, which is no reason to leave it out
            continue
        after = policy.expected_regret(turn.belief) / start if start > 0 else 0.0
        now = policy.recommend(turn.belief, 1)[0].id
        found.append(Effect(turn.question.number, turn.question.text, before, after, now != best))
        before, best = after, now
    return found


def deciding(conversations: Sequence[Sequence[Effect]]) -> Deciding:
    """What the questions of these conversations did."""
    found = [effect for effects in conversations for effect in effects]
    return Deciding(len(conversations), _steps(found), _questions(found))


def _steps(effects: Sequence[Effect]) -> tuple[DecidingStep, ...]:
    numbers = sorted({effect.number for effect in effects})
    found = []
    for number in numbers:
        own = [effect for effect in effects if effect.number == number]
        regret = math.fsum(effect.after for effect in own) / len(own)
        found.append(DecidingStep(number, len(own), regret, sum(effect.changed for effect in own) / len(own)))
    return tuple(found)


def _questions(effects: Sequence[Effect]) -> tuple[DecidingQuestion, ...]:
    by_text: dict[str, list[Effect]] = {}
    for effect in effects:
        by_text.setdefault(effect.text, []).append(effect)
    found = [
        DecidingQuestion(
            text,
            len(own),
            math.fsum(effect.before - effect.after for effect in own) / len(own),
            sum(effect.changed for effect in own) / len(own),
        )
        for text, own in by_text.items()
        if len(own) >= ASKED_OFTEN
    ]
    return tuple(sorted(found, key=lambda each: -each.removed * each.asked)[:MOST_QUESTIONS])
