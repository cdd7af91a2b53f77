"""The job of a method in a variant of a spec: what every kind of experiment has in common."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rather.numerics.randomness import derive_seed
from rather.research.experiments.engine import Job
from rather.research.experiments.spec import ExperimentSpec, Method, Variant


def job_of(
    spec: ExperimentSpec, variant: Variant, method: Method, trial: int, files: Mapping[str, str], **also: Any
) -> Job:
    """One trial of a method.

    Args:
        spec: The experiment.
        variant: The setting.
        method: The method.
        trial: Which repetition; draws the same whatever the method.
        files: Vectors of each variant, by its label.
        also: Parameters besides, or other than, those of the variant.
    """
    vectors = files[variant.label]
    parameters = {
        "population": dict(variant.population),
        "vectors": Path(vectors).name,
        **variant.parameters,
        **also,
        "strategy": method.name,
        "settings": dict(method.settings),
    }
    seed = derive_seed(spec.seed, "trial", trial)
    return Job(spec.name, variant.label, method.label, trial, seed, parameters, {"vectors": vectors})
