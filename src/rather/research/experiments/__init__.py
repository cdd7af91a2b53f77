"""The paper's experiments and some beyond it, as specs run by one engine.

A spec (`specs/*.toml`, or a file of your own) says data, methods, parameters, seed and trials. It becomes jobs; the
engine runs those that are not in the results file yet; summaries, tables, figures and the report come from results.
"""

from rather.research.experiments.spec import ExperimentSpec, load_spec, spec_names

__all__ = ["ExperimentSpec", "load_spec", "spec_names"]
