"""Respondents: the people whose conversations can be read, and draws of what each of them wants."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from rather.conversation.held_events import held_events
from rather.conversation.log import load_data
from rather.conversation.session import Session
from rather.errors import RatherError
from rather.insights.deciding import Effect, effects
from rather.learn import conversations_of, population
from rather.learn.hierarchical_bayes import OnProgress, Sweeps
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.personal_noise import PersonalNoise
from rather.model.priors import Prior
from rather.model.responses import Logistic, ResponseModel
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread

# Posterior draws of each respondent, and at least so many where all of them would be too many numbers to keep.
DRAWS, FEWEST_DRAWS, MOST_NUMBERS = 40, 10, 16_000_000
# Conversations of which the effect of every answer is computed.
MOST_EFFECTS = 300
# The noise of people whose answers were taken to have none, in units of utility.
LEAST_TEMPERATURE = 0.01


@dataclass(frozen=True, eq=False)
class Respondent:
    """A person and their conversation.

    Attributes:
        name: What a study calls them, or the number or file of their conversation.
        log: The conversation as `Session.to_json` writes it, parsed.
    """

    name: str
    log: dict[str, Any] = field(repr=False)

    @property
    def answered(self) -> int:
        """Answers and hints that were not taken back."""
        return len(held_events(self.log["events"]))


@dataclass(frozen=True, eq=False)
class Sampled:
    """What r respondents may want.

    Attributes:
        names: Those whose conversations could be read: what a study calls them, or the number of the conversation.
        answered: The answers and hints of each of them.
        draws: `(r, s, d)`, posterior draws of each respondent's utility vector; each of the s is one of all together.
        temperatures: `(r,)`, the noise in the answers of each, in units of utility.
        belonging: `(r, g)`, the probability that each belongs to each group of people; None where it is not known.
        unread: Why the other conversations could not be read, each reason with how often.
    """

    names: tuple[str, ...]
    answered: tuple[int, ...]
    draws: Tensor = field(repr=False)
    temperatures: Tensor = field(repr=False)
    belonging: Tensor | None = field(repr=False)
    unread: dict[str, int]


class Reservoir:
    """A random sample of the respondents with an answer, of any number that comes by (reservoir sampling, Vitter 1985).

    Args:
        most: How many to keep.
        seed: Of the choice.
    """

    def __init__(self, most: int, seed: int) -> None:
        self._most, self._random = most, random.Random(seed)
        self.respondents: list[Respondent] = []
        self.answering = 0

    def add(self, respondent: Respondent) -> None:
        """Consider one more respondent; every one of them is kept with the same probability."""
        if not respondent.answered:
            return
        self.answering += 1
        if len(self.respondents) < self._most:
            self.respondents.append(respondent)
        elif (slot := self._random.randrange(self.answering)) < self._most:
            self.respondents[slot] = respondent


def sampled(
    respondents: Sequence[Respondent],
    catalog: Catalog,
    belief: Belief,
    *,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> Sampled:
    """Draws of what every respondent wants, given the answers of all.

    By a hierarchical model (`rather.learn.population`), in which people with few answers are like the others. A belief
    of sampled people has no density that it could start from: there, each conversation is replayed by itself.

    Args:
        respondents: Those without an answer are left out.
        catalog: What they were asked about, as it is now.
        belief: What was believed of people before anybody had answered.
        seed: Of the draws.
        on_progress: Called with how many steps are done and how many there are.
    """
    answering = [respondent for respondent in respondents if respondent.answered]
    wanted = MOST_NUMBERS // max(1, len(answering) * catalog.dimensions)
    draws = min(DRAWS, max(FEWEST_DRAWS, wanted))
    if belief.prior is None:
        return _replayed(answering, catalog, belief, draws, seed, on_progress)
    return _learnt(answering, catalog, belief.prior, draws, seed, on_progress)


def _learnt(
    answering: Sequence[Respondent],
    catalog: Catalog,
    prior: Prior,
    draws: int,
    seed: int,
    on_progress: OnProgress | None,
) -> Sampled:
    found = conversations_of([(str(number), each.log) for number, each in enumerate(answering)], catalog)
    people = population(found.used, prior, seed=seed, sweeps=Sweeps(kept=draws), on_progress=on_progress)
    kept = [answering[int(each.name)] for each in found.used]
    return Sampled(
        tuple(each.name for each in kept),
        tuple(each.answered for each in kept),
        people.draws,
        people.temperatures,
        people.segments.members,
        found.reasons,
    )


def _replayed(
    answering: Sequence[Respondent],
    catalog: Catalog,
    belief: Belief,
    draws: int,
    seed: int,
    on_progress: OnProgress | None,
) -> Sampled:
    kept, found, temperatures, unread = list[Respondent](), list[Tensor](), list[float](), Counter[str]()
    for number, respondent in enumerate(answering):
        try:
            session = replayed(respondent, catalog, belief)
        except RatherError as error:
            unread[str(error)] += 1
        else:
            kept.append(respondent)
            found.append(belief_draws(session.belief, draws, derive_generator(seed, "insights", number)))
            temperatures.append(_temperature(session.policy.response))
        if on_progress is not None:
            on_progress(number + 1, len(answering))
    return Sampled(
        tuple(each.name for each in kept),
        tuple(each.answered for each in kept),
        torch.stack(found) if found else torch.zeros(0, draws, catalog.dimensions),
        torch.tensor(temperatures),
        None,
        dict(unread.most_common()),
    )


def _temperature(response: ResponseModel) -> float:
    if isinstance(response, PersonalNoise):
        return response.typical
    return response.temperature if isinstance(response, Logistic) else LEAST_TEMPERATURE


def belief_draws(belief: Belief, count: int, generator: torch.Generator) -> Tensor:
    """`(s, d)`, particles of a belief, drawn by their weights."""
    rows = torch.multinomial(belief.weights, count, replacement=True, generator=generator)
    return belief.particles[rows]


def replayed(respondent: Respondent, catalog: Catalog, belief: Belief) -> Session:
    """The conversation of a respondent in its last state."""
    with one_thread():
        return load_data({**respondent.log, "open": None}, catalog, belief)


def effects_of(
    respondents: Sequence[Respondent],
    catalog: Catalog,
    belief: Belief,
    *,
    most: int = MOST_EFFECTS,
    on_step: Callable[[], None] | None = None,
) -> list[list[Effect]]:
    """What each answer did, for some of the respondents; those whose conversations cannot be replayed are left out.

    Args:
        respondents: Those without an answer are left out.
        catalog: What they were asked about, as it is now.
        belief: Where conversations start.
        most: At most so many conversations are replayed, evenly spread over all.
        on_step: Called after each of them.
    """
    found: list[list[Effect]] = []
    for respondent in looked_at(respondents, most):
        try:
            with one_thread():
                found.append(effects(replayed(respondent, catalog, belief)))
        except RatherError:
            pass  # `sampled` says why
        if on_step is not None:
            on_step()
    return found


def looked_at(respondents: Sequence[Respondent], most: int = MOST_EFFECTS) -> Sequence[Respondent]:
    """Those whose conversations `effects_of` replays."""
    answering = [respondent for respondent in respondents if respondent.answered]
    return answering[:: max(1, -(-len(answering) // most))]
