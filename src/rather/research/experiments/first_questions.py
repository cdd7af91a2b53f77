"""EVOI of the first question about attributes against the slate size: the paper's Figs. 6 and 7.

Entries of a spec's `parameters`: `sizes` of slates, `p` attributes for each option, `temperature`. A method's settings
may hold `sizes` of its own, for what cannot do all.
"""

from collections.abc import Mapping

from rather.model.responses import Logistic
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.jobs import job_of
from rather.research.experiments.population import draw
from rather.research.experiments.spec import ExperimentSpec
from rather.strategies import Problem, choose, strategy_named


def jobs(spec: ExperimentSpec, files: Mapping[str, str]) -> list[Job]:
    """A job for each variant, method and trial."""
    return [
        # The users are drawn once: trials differ in what the method draws.
        job_of(spec, variant, method, trial, files, **{"population seed": spec.seed})
        for variant in spec.variants
        for method in variant.methods
        for trial in range(min(spec.trials, method.trials or spec.trials))
    ]


def work(job: Job) -> Outcome:
    """The EVOI of the question that a method asks first, for each slate size."""
    parameters, settings = job.parameters, dict(job.parameters["settings"])
    sizes = settings.pop("sizes", parameters["sizes"])
    strategy = strategy_named(parameters["strategy"], about="attributes", **settings)
    start = draw(parameters["population"], job.files["vectors"], parameters["population seed"], 1)
    response = Logistic(parameters["temperature"])
    evoi, asked = [], []
    for k in sizes:
        generator = derive_generator(job.seed, "ask", k)
        with one_thread():
            problem = Problem(start.catalog, start.belief, response, k, generator, p=parameters["p"])
            chosen = choose(strategy, problem)
        evoi.append(chosen.evoi)
        texts = [[start.catalog.attributes[index].text for index in item] for item in chosen.slate]
        asked.append(" | ".join(" + ".join(item) for item in texts))
    return {"sizes": list(sizes), "evoi": evoi, "asked": [asked]}
