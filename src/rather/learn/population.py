"""A population from people's answers, measured on people that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from rather.errors import InvalidInputError
from rather.learn.conversations import Conversation
from rather.learn.held_out import HeldOut, compared, split
from rather.learn.hierarchical_bayes import OnProgress, Population, Sweeps, fit_population
from rather.model.priors import Prior

# Segments that are tried, at most, and how many standard errors better another one must be.
MOST_SEGMENTS = 4
CLEARLY = 2.0

# With fewer people, those held out say nothing; with fewer held out, not whether there are segments.
FEWEST_MEASURED = 10
FEWEST_COMPARED = 20


def population(
    conversations: Sequence[Conversation],
    prior: Prior,
    *,
    seed: int = 0,
    segments: int | None = None,
    held_out: float = 0.2,
    sweeps: Sweeps | None = None,
    on_progress: OnProgress | None = None,
) -> Population:
    """What people want, from their answers to whatever they were asked.

    ```python
    catalog, belief = rather.open("cars.csv")
    found = rather.learn.conversations_of(logs, catalog)
    people = rather.learn.population(found.used, belief.prior)
    belief = rather.Belief.from_prior(people.prior)
    ```

    A part of the people is first held out, to measure how probable their answers are under the population of the
    others (`about["held out"]`), and whether several segments explain them better than one. Then the population is
    learnt again from all.

    Args:
        conversations: One for each person.
        prior: The catalogue's own, `belief.prior`. Never one that was learnt from the same answers: they would count
            twice.
        seed: Of all draws.
        segments: How many groups of people; by default up to four, and one unless more are clearly better for at least
            20 people held out.
        held_out: The share of people to measure on; 0 measures nothing, and then there is one segment by default.
        sweeps: How long to sample.
        on_progress: Called with the number of sweeps that are done, and that there are.
    """
    if not 0 <= held_out < 1:
        raise InvalidInputError(f"`held_out` must lie in [0, 1), got {held_out}.")
    if segments is not None and segments < 1:
        raise InvalidInputError(f"`segments` must be at least 1, got {segments}.")
    sweeps = Sweeps() if sweeps is None else sweeps
    measured: HeldOut | None = None
    if held_out > 0 and len(conversations) >= FEWEST_MEASURED:
        seen, rest = split(conversations, held_out, seed)
        if segments is None and len(rest) < FEWEST_COMPARED:
            segments = 1
        counted = _Counted(on_progress, sweeps, fits=1 if segments is not None else 2)
        segments, measured = _measured(seen, rest, prior, segments, seed, sweeps.half, counted)
        on_progress = counted.last
    final = fit_population(
        conversations, prior, segments=segments or 1, seed=seed, sweeps=sweeps, on_progress=on_progress
    )
    about = {**final.about, "held out": None if measured is None else asdict(measured)}
    return replace(final, about=about)


class _Counted:
    """Progress over the fits to measure by, of which there may turn out to be more, and the last one."""

    def __init__(self, on_progress: OnProgress | None, sweeps: Sweeps, fits: int) -> None:
        self._on_progress, self._last, self._done = on_progress, sweeps.count, 0
        self._total = fits * sweeps.half.count + self._last

    def __call__(self, done: int, of: int) -> None:
        if self._on_progress is not None:
            self._total = max(self._total, self._done + of + self._last)
            self._on_progress(self._done + done, self._total)
        self._done += of * (done == of)

    def last(self, done: int, of: int) -> None:
        """Of the last fit."""
        if self._on_progress is not None:
            self._on_progress(self._done + done, self._done + of)


def _measured(
    seen: Sequence[Conversation],
    rest: Sequence[Conversation],
    prior: Prior,
    segments: int | None,
    seed: int,
    sweeps: Sweeps,
    on_progress: OnProgress,
) -> tuple[int, HeldOut]:
    """How many segments to learn, and how well so many do on people that were held out."""

    def fitted(count: int) -> Prior:
        return fit_population(seen, prior, segments=count, seed=seed, sweeps=sweeps, on_progress=on_progress).prior

    if segments is not None:
        return segments, compared(rest, prior, fitted(segments), seed=seed)
    best, number = fitted(1), 1
    for count in range(2, MOST_SEGMENTS + 1):
        more = fitted(count)
        against = compared(rest, best, more, seed=seed)
        if not against.gain > CLEARLY * against.error:
            break
        best, number = more, count
    return number, compared(rest, prior, best, seed=seed)
