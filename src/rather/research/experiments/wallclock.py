"""How long a question takes: the paper's table of wall-clock times.

A job asks one simulated person some questions and times each choice, after one that is not counted. In the same
process it times one scan of the catalogue for k directions, so that machines can be compared by ratios.
"""

import statistics
import time

import torch

from rather.model.responses import Logistic
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.jobs import job_of
from rather.research.experiments.population import Draw, draw
from rather.research.experiments.spec import Spec
from rather.retrieval import ExactRetriever
from rather.simulation.users import SimulatedUser
from rather.strategies import Problem, Strategy, choose, strategy_named

# Scans whose median is taken.
SCANS = 9


def jobs(spec: Spec, files: dict[str, str]) -> list[Job]:
    """A job for each variant, trial and method."""
    return [
        job_of(spec, variant, method, trial, files, questions=method.questions or variant.parameters["questions"])
        for variant in spec.variants
        for trial in range(spec.trials)
        for method in variant.methods
        if method.trials is None or trial < method.trials
    ]


def work(job: Job) -> Outcome:
    """Times of the questions of one conversation, and of a scan."""
    settings = job.parameters
    trial = draw(settings["population"], job.files["vectors"], job.seed, 1)
    strategy = strategy_named(settings["strategy"], **settings["settings"])
    with one_thread():
        response = Logistic(settings["temperature"])
        times = _question_times(trial, strategy, settings["k"], response, settings["questions"], job.seed)
        scan = _scan_time(trial, settings["k"])
    return {
        "seconds": {
            "mean": statistics.fmean(times),
            "median": statistics.median(times),
            "deviation": statistics.stdev(times) if len(times) > 1 else 0.0,
            "scan": scan,
        }
    }


def _question_times(
    trial: Draw, strategy: Strategy, k: int, response: Logistic, questions: int, seed: int
) -> list[float]:
    belief = trial.belief
    person = SimulatedUser(trial.people[0], response, seed)
    asked: frozenset[frozenset[int]] = frozenset()
    times = []
    for number in range(questions + 1):
        # The first is for warming up: it is asked again, of the same belief.
        generator = derive_generator(seed, "ask", max(number, 1))
        problem = Problem(trial.catalog, belief, response, k, generator, asked=asked)
        start = time.perf_counter()
        chosen = choose(strategy, problem)
        elapsed = time.perf_counter() - start
        if number == 0:
            continue
        times.append(elapsed)
        vectors = trial.catalog.vectors(chosen.slate)
        belief = belief.update(vectors, person.choose(vectors, number), response)
        asked = asked | {frozenset(chosen.slate)}
    return times


def _scan_time(trial: Draw, k: int) -> float:
    retriever, directions = ExactRetriever(trial.catalog, stop_by_norm=False), trial.belief.particles[:k]
    retriever.top(directions, 1)
    times = []
    for _ in range(SCANS):
        start = time.perf_counter()
        retriever.top(directions, 1)
        times.append(time.perf_counter() - start)
    return float(torch.tensor(times).median())
