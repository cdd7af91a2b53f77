"""What an experiment is: data, methods, parameters, seed, trials, and the paper's numbers. A small TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from rather.errors import InvalidInputError, UnknownNameError

KIND_NAMES = (
    "conversations",
    "wallclock",
    "first-questions",
    "tree",
    "real-people",
    "learnt-priors",
    "personal-noise",
    "spaces",
)

# The method that others are compared with, trial by trial, unless a spec names another one.
REFERENCE = "auto"


@dataclass(frozen=True)
class Method:
    """A strategy in an experiment.

    Attributes:
        name: Of `rather.STRATEGIES`, or what the experiment's kind adds ("floor").
        label: What tables call it, by default its name.
        settings: Of the strategy.
        trials: At most this many, for methods that take long; by default all.
        questions: Likewise.
        users: Users in a trial, if it differs from the others.
    """

    name: str
    label: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    trials: int | None = None
    questions: int | None = None
    users: int | None = None

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", self.name)


@dataclass(frozen=True)
class Variant:
    """One setting of an experiment, in which all methods meet.

    Attributes:
        label: What tables call it.
        population: Where items and users come from; see `rather.research.experiments.population`.
        parameters: Of the conversations, the timing or whatever the kind of experiment is.
        methods: Who takes part.
    """

    label: str
    population: Mapping[str, Any]
    parameters: Mapping[str, Any]
    methods: tuple[Method, ...]


@dataclass(frozen=True)
class PaperNumber:
    """A number of the paper, to be set beside ours.

    Attributes:
        measure: "regret" or "evoi" after or at a `question`, "seconds", or "questions" until the regret is at most
            `threshold`.
        value: What the paper says.
        method: Label of ours that it belongs to; "" if it is the same for all.
        variant: Label of the variant.
        question: See `measure`.
        size: Of the slate, if an experiment has several.
        threshold: See `measure`.
    """

    measure: str
    value: float
    method: str = ""
    variant: str = ""
    question: int = 1
    size: int = 0
    threshold: float = 0.0


@dataclass(frozen=True)
class ExperimentSpec:
    """An experiment.

    Attributes:
        name: What the command calls it.
        title: A heading.
        figure: Which of the paper's, or "".
        kind: How its jobs are done: one of `KIND_NAMES`.
        about: What is measured and on which data, a paragraph.
        finding: What it shows, a sentence or two for the overview of all results.
        differences: Where our numbers differ from the paper's, and why we believe so.
        trials: Repetitions with other seeds.
        seed: Of everything.
        variants: The settings.
        paper: The paper's numbers.
        plotted: Labels of the methods in the figure; all are in the tables.
        reference: Label of the method that others are compared with, trial by trial.
    """

    name: str
    title: str
    figure: str
    kind: str
    about: str
    finding: str
    differences: str
    trials: int
    seed: int
    variants: tuple[Variant, ...]
    paper: tuple[PaperNumber, ...] = ()
    plotted: tuple[str, ...] = ()
    reference: str = REFERENCE

    @property
    def heading(self) -> str:
        """The title, with the figure of the paper that it belongs to."""
        return self.title + (f" ({self.figure} of the paper)" if self.figure else "")

    def changed(self, trials: int | None = None, seed: int | None = None) -> ExperimentSpec:
        """The same experiment with another number of trials or another seed."""
        return replace(self, trials=self.trials if trials is None else trials, seed=self.seed if seed is None else seed)


def spec_names() -> list[str]:
    """The experiments that come with the package, in the order of the paper."""
    order = tomllib.loads(_specs().joinpath("order.toml").read_text(encoding="utf8"))["order"]
    return [str(name) for name in order]


def load_spec(name: str, *, quick: bool = False) -> ExperimentSpec:
    """The experiment of this name, or in this TOML file.

    Args:
        name: One of `spec_names()` or a path.
        quick: With the overrides of its `[quick]` section: seconds instead of hours, numbers that mean nothing.
    """
    path = Path(name)
    if path.suffix == ".toml":
        if not path.exists():
            raise InvalidInputError(f"There is no file {path}.")
        return parse_spec(path.read_text(encoding="utf8"), path.stem, quick=quick)
    if name not in spec_names():
        raise UnknownNameError(f"No experiment is called {name!r}. There are: {', '.join(spec_names())}, and all.")
    return parse_spec(_specs().joinpath(f"{name}.toml").read_text(encoding="utf8"), name, quick=quick)


def parse_spec(text: str, name: str, *, quick: bool = False) -> ExperimentSpec:
    """A spec from TOML."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(f"The experiment {name} is not TOML: {error}.") from None
    overrides = table.pop("quick", {})
    if quick:
        table = _merged(table, overrides)
    spec = _spec(table, name)
    if spec.kind not in KIND_NAMES:
        raise InvalidInputError(f"`kind` of {name} must be one of {', '.join(KIND_NAMES)}, got {spec.kind!r}.")
    return spec


def _specs() -> Any:
    return files(__package__).joinpath("specs")


def _spec(table: dict[str, Any], name: str) -> ExperimentSpec:
    population, parameters = table.pop("population", {}), table.pop("parameters", {})
    methods = table.pop("methods", [])
    variants = table.pop("variants", [{"label": ""}])
    overrides = {  # of --quick, for all variants: after their own
        "population": table.pop("every_population", {}),
        "parameters": table.pop("every_parameters", {}),
    }
    built = tuple(
        Variant(
            variant.pop("label"),
            {**population, **variant.pop("population", {}), **overrides["population"]},
            {**parameters, **variant.pop("parameters", {}), **overrides["parameters"]},
            tuple(_method(entry, name) for entry in variant.pop("methods", methods)),
        )
        for variant in table_copies(variants)
    )
    paper = tuple(PaperNumber(**entry) for entry in table.pop("paper", []))
    texts = {"figure": "", "about": "", "finding": "", "differences": "", "reference": REFERENCE}
    defaults = {**texts, "trials": 1, "seed": 0, "plotted": []}
    known = {each.name for each in fields(ExperimentSpec)} - {"name", "variants", "paper"}
    if unknown := set(table) - known:
        raise InvalidInputError(f"The experiment {name} has unknown entries: {', '.join(sorted(unknown))}.")
    if missing := known - set(defaults) - set(table):
        raise InvalidInputError(f"The experiment {name} lacks: {', '.join(sorted(missing))}.")
    merged = {**defaults, **table}
    merged["plotted"] = tuple(merged["plotted"])
    return ExperimentSpec(name=name, variants=built, paper=paper, **merged)


def table_copies(tables: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Shallow copies, to take entries out of."""
    return [dict(table) for table in tables]


def _method(entry: str | Mapping[str, Any], name: str) -> Method:
    try:
        return Method(entry) if isinstance(entry, str) else Method(**entry)
    except TypeError as error:
        raise InvalidInputError(f"A method of {name} is not understood: {error}.") from None


def _merged(table: dict[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The table with the overrides laid over it; `population` and `parameters` also over those of every variant."""
    result = dict(table)
    for key, value in overrides.items():
        if key in ("population", "parameters"):
            result[f"every_{key}"] = value
        else:
            result[key] = value
    return result
