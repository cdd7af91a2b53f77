"""Data sets, experiments and benchmarks: everything that measures, nothing that serves."""
