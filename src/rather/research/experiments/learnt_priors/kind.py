"""The kind of experiment: jobs, what is prepared, and which people answer.

Entries of a spec's `parameters`:

    people           "simulated" or "rated"
    conversations    how many are held, of which each method learns from the first
    answers          of each of these
    asking           the strategy that asks
    k, questions     options on a slate, questions to new people
    users            simulated: new people in a trial
    groups, between  simulated: of the population, see `simulated.drawn_population`
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rather.errors import InvalidInputError
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.jobs import job_of
from rather.research.experiments.learnt_priors import rated, simulated
from rather.research.experiments.population import prepare
from rather.research.experiments.real_people.people import prepare_people
from rather.research.experiments.spec import ExperimentSpec, Variant


def jobs(spec: ExperimentSpec, files: Mapping[str, str]) -> list[Job]:
    """A job for each variant, trial and method; all trials of a variant together, which share what is learnt."""
    return [
        job_of(spec, variant, method, trial, files)
        for variant in spec.variants
        for trial in range(_trials(spec, variant))
        for method in variant.methods
    ]


def _trials(spec: ExperimentSpec, variant: Variant) -> int:
    """Populations, or people: all that are left after those who are learnt from."""
    if variant.parameters["people"] == "simulated":
        return spec.trials
    left = int(variant.population["people"]) - int(variant.parameters["conversations"])
    if left < 2:
        raise InvalidInputError(f"`people` of {spec.name} must be above `conversations` ({variant.label}).")
    return left


def prepare_world(population: Mapping[str, Any], cache: Path, **options: Any) -> str:
    """What `population.prepare` or `prepare_people` returns, by whether people are held out."""
    made: Callable[..., str] = prepare_people if "people" in population else prepare
    return made(population, cache, **options)


def work(job: Job) -> Outcome:
    """The regret of new people, question by question."""
    return simulated.work(job) if job.parameters["people"] == "simulated" else rated.work(job)
