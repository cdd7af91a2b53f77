"""Respondents: the people whose conversations can be read, and draws of what each of them wants."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from rather.conversation.held_events import held_events
from rather.conversation.log import load_data
from rather.errors import RatherError
from rather.insights.deciding import Effect, effects
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.responses import Logistic
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread

# Posterior draws of each respondent.
DRAWS = 40
# Conversations of which the effect of every answer is computed.
MOST_EFFECTS = 300


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
    """What respondents may want.

    Attributes:
        respondents: Those whose conversations could be read.
        effects: For some of them, what each of their answers did.
        draws: `(r, s, d)`, posterior draws of each respondent's utility vector.
        temperature: The noise that the conversations assumed of answers, in units of utility.
        unread: Why the other conversations could not be read, each reason with how often.
    """

    respondents: tuple[Respondent, ...]
    effects: tuple[list[Effect], ...] = field(repr=False)
    draws: Tensor = field(repr=False)
    temperature: float
    unread: dict[str, int]


def sampled(
    respondents: Iterable[Respondent],
    catalog: Catalog,
    belief: Belief,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    on_step: Callable[[], None] | None = None,
) -> Sampled:
    """Draws of what every respondent wants, given their answers and the belief that conversations start from.

    Args:
        respondents: Those without an answer are left out.
        catalog: What they were asked about, as it is now.
        belief: Where conversations start.
        draws: How many of each.
        seed: Of the draws.
        on_step: Called after each respondent.
    """
    answering = [respondent for respondent in respondents if respondent.answered]
    every = max(1, -(-len(answering) // MOST_EFFECTS))
    kept, found, temperatures, answers = list[Respondent](), list[Tensor](), list[float](), list[list[Effect]]()
    unread: dict[str, int] = {}
    with one_thread():
        for number, respondent in enumerate(answering):
            try:
                session = load_data({**respondent.log, "open": None}, catalog, belief)
            except RatherError as error:
                unread[str(error)] = unread.get(str(error), 0) + 1
                continue
            kept.append(respondent)
            found.append(belief_draws(session.belief, draws, derive_generator(seed, "insights", number)))
            if isinstance(session.policy.response, Logistic):
                temperatures.append(session.policy.response.temperature)
            if number % every == 0:
                answers.append(effects(session))
            if on_step is not None:
                on_step()
    stacked = torch.stack(found) if found else torch.zeros(0, draws, catalog.dimensions)
    return Sampled(tuple(kept), tuple(answers), stacked, _temperature(temperatures), unread)


def belief_draws(belief: Belief, count: int, generator: torch.Generator) -> Tensor:
    """`(s, d)`, particles of a belief, drawn by their weights."""
    rows = torch.multinomial(belief.weights, count, replacement=True, generator=generator)
    return belief.particles[rows]


def _temperature(found: Sequence[float]) -> float:
    """The median of the temperatures that were assumed; of answers without noise, a hundredth of a unit."""
    return float(torch.tensor(found).median()) if found else 0.01
