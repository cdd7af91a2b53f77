"""An experiment from its spec to its summary."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rather.research.experiments import conversations, first_questions, tree, wallclock
from rather.research.experiments.engine import Job, Work, run_jobs
from rather.research.experiments.learnt_priors import kind as learnt_priors
from rather.research.experiments.personal_noise import conversations as personal_noise
from rather.research.experiments.population import prepare
from rather.research.experiments.product_spaces import kind as product_spaces
from rather.research.experiments.real_people import conversations as real_people
from rather.research.experiments.real_people.people import prepare_people
from rather.research.experiments.spec import ExperimentSpec
from rather.research.experiments.summary import ExperimentSummary, summarise, write_summary


@dataclass(frozen=True)
class ExperimentKind:
    """How experiments of a kind become jobs, how a job is done, whether nothing may run beside it, what is learnt."""

    jobs: Callable[[ExperimentSpec, dict[str, str]], list[Job]]
    work: Work
    alone: bool = False
    prepare: Callable[..., str] = prepare


KINDS: dict[str, ExperimentKind] = {
    "conversations": ExperimentKind(conversations.jobs, conversations.work),
    "first-questions": ExperimentKind(first_questions.jobs, first_questions.work),
    "learnt-priors": ExperimentKind(learnt_priors.jobs, learnt_priors.work, prepare=learnt_priors.prepare_world),
    "personal-noise": ExperimentKind(conversations.jobs, personal_noise.work),
    "real-people": ExperimentKind(real_people.jobs, real_people.work, prepare=prepare_people),
    "spaces": ExperimentKind(conversations.jobs, product_spaces.work, prepare=product_spaces.prepare_space),
    "tree": ExperimentKind(tree.jobs, tree.work),
    "wallclock": ExperimentKind(wallclock.jobs, wallclock.work, alone=True),
}


def results_folder(spec: ExperimentSpec, out: Path, quick: bool = False) -> Path:
    """Where the results of an experiment go."""
    return out / (f"{spec.name}-quick" if quick else spec.name)


def reproduce(
    spec: ExperimentSpec,
    out: Path,
    *,
    workers: int = 1,
    ray: str | None = None,
    folder: Path | None = None,
    quick: bool = False,
    fresh: bool = False,
    command: str = "",
    on_progress: Callable[[str], None] = print,
    on_start: Callable[[int], None] | None = None,
    on_done: Callable[[Job], None] | None = None,
) -> ExperimentSummary:
    """Run what is not in the results yet and summarise all.

    Args:
        spec: The experiment.
        out: Folder of results; this one's are in a folder of its name.
        workers: Processes. What measures time runs alone whatever is asked for.
        ray: Address of a Ray cluster to use instead, likewise.
        folder: Where to look for data sets first.
        quick: The spec is a quick one: data sets that are not on this machine are replaced by generated ones.
        fresh: Do everything again.
        command: What was typed, for the summary.
        on_progress: Called with a sentence before something that takes long.
        on_start: Called with the number of jobs.
        on_done: Called after each job.
    """
    kind = KINDS[spec.kind]
    folder_of_results = results_folder(spec, out, quick)
    files = {
        variant.label: kind.prepare(
            variant.population, out / "vectors", folder=folder, generate=quick, on_progress=on_progress
        )
        for variant in spec.variants
    }
    jobs = kind.jobs(spec, files)
    if on_start is not None:
        on_start(len(jobs))
    path = folder_of_results / "trials.jsonl"
    workers, ray = (1, None) if kind.alone else (workers, ray)
    results = run_jobs(jobs, kind.work, path, workers=workers, ray=ray, fresh=fresh, on_done=on_done)
    summary = summarise(spec, results, command, quick)
    write_summary(summary, folder_of_results / "summary.jsonl")
    return summary
