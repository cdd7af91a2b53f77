"""Settings of every test: repeatable examples, one thread for small kernels, the source for child processes."""

import os
from pathlib import Path

import torch
from hypothesis import HealthCheck, settings

# Derandomised: a run that passed passes again. Time is never asserted, machines are busy at times.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

torch.set_num_threads(1)

# Nothing that an earlier run cached may replace what is tested; tests of the cache switch it on.
os.environ["RATHER_CACHE"] = "off"

# Public data sets, if they are in a folder beside the checkout. Tests that need one are skipped without it.
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
if DATA.is_dir():
    os.environ.setdefault("RATHER_DATA", str(DATA))

# The same as pytest's `pythonpath`, for the processes that tests start.
SOURCE = Path(__file__).resolve().parents[1] / "src"
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
