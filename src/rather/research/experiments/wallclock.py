"""How long a question takes: the paper's table of wall-clock times.

A job asks one simulated user some questions and times each choice, after one that is not counted. In the same
process it times one scan of the catalogue for k directions, so that machines can be compared by ratios.
"""

import statistics
import time

import torch

from rather.conversation.policy import Policy
from rather.model.questions import Question
from rather.model.responses import Logistic
from rather.numerics.threads import one_thread
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.jobs import job_of
from rather.research.experiments.population import Draw, draw
from rather.research.experiments.spec import ExperimentSpec
from rather.retrieval import ExactRetriever
from rather.simulation.users import SimulatedUser
from rather.strategies import strategy_named


def jobs(spec: ExperimentSpec, files: dict[str, str]) -> list[Job]:
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
    policy = Policy(
        trial.catalog,
        trial.belief,
        settings["k"],
        job.seed,
        strategy=strategy_named(settings["strategy"], **settings["settings"]),
        response=Logistic(settings["temperature"]),
        retriever=ExactRetriever(trial.catalog),  # as in the paper
        rejuvenation=None,
    )
    times = _question_times(trial, policy, settings["questions"])
    with one_thread():
        scan = _scan_time(trial, settings["k"])
    return {
        "seconds": {
            "mean": statistics.fmean(times),
            "median": statistics.median(times),
            "deviation": statistics.stdev(times) if len(times) > 1 else 0.0,
            "scan": scan,
        }
    }


def _question_times(trial: Draw, policy: Policy, questions: int) -> list[float]:
    belief, asked, times = trial.belief, list[Question](), list[float]()
    user = SimulatedUser(trial.users[0], policy.response, policy.seed)
    policy.question(belief, asked)  # warms up
    for _ in range(questions):
        start = time.perf_counter()
        question = policy.question(belief, asked)
        times.append(time.perf_counter() - start)
        belief = policy.after(belief, question, user.answer(question))
        asked.append(question)
    return times


def _scan_time(trial: Draw, k: int, scans: int = 9) -> float:
    retriever, directions = ExactRetriever(trial.catalog, stop_by_norm=False), trial.belief.particles[:k]
    retriever.top(directions, 1)
    times = []
    for _ in range(scans):
        start = time.perf_counter()
        retriever.top(directions, 1)
        times.append(time.perf_counter() - start)
    return float(torch.tensor(times).median())
