"""Print the two tables of measurements in `docs/guides/large.md`: opening a file of vectors, and the approximate index.

`python docs/measure_large.py` needs the extra `ann`, 1 GB of disk and a few minutes; `--items 1e5` is quicker.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from rather import Belief, Catalog
from rather.research.bench.timing import timed
from rather.retrieval import ExactRetriever
from rather.retrieval.approximate import ApproximateRetriever

DIMENSIONS = 50

# Opens a file in a process of its own, holds a short conversation and prints seconds and megabytes.
OPENING = """
import resource, sys, time
import torch
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
import rather
from rather.caching.storage import user_cache
start = time.perf_counter()
catalog, belief = rather.open(sys.argv[1], cache=user_cache())
seconds = time.perf_counter() - start
session = rather.Session(rather.Policy(catalog, belief))
for _ in range(3):
    session.tell(session.ask(), 0)
print(seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def main() -> None:
    """Measure, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=float, default=1e6)
    items = int(parser.parse_args().items)
    print(f"| {items:,} items of {DIMENSIONS} float32 | first start | second start |\n| --- | --- | --- |")
    print_openings(items)
    print("\n| items | groups searched | loss | 1 direction: exact, index | 5 directions | 50 directions |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, vectors in worlds(items).items():
        print(f"| {name} | {measured_index(vectors)} |", flush=True)


def print_openings(items: int) -> None:
    """The rows about a file that is opened for the first and for the second time."""
    vectors = torch.randn(items, DIMENSIONS, generator=torch.Generator().manual_seed(1)).numpy()
    peaks = []
    for name, kind in (("opening `items.npy`", np.float32), ("the same as float64, converted", np.float64)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "items.npy"
            np.save(path, vectors.astype(kind))
            runs = [opening(path, folder) for _ in range(2)]
        print(f"| {name} | " + " | ".join(f"{seconds:.2f} s" for seconds, _ in runs) + " |", flush=True)
        peaks.append([megabytes for _, megabytes in runs])
    print("| peak memory beyond importing torch | " + " | ".join(f"{peak:.0f} MB" for peak in peaks[0]) + " |")


def opening(path: Path, folder: str) -> tuple[float, float]:
    """Seconds and megabytes of opening a file and a short conversation about it."""
    environment = {**os.environ, "RATHER_CACHE": str(Path(folder) / "cache")}
    command = [sys.executable, "-c", OPENING, str(path)]
    printed = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    seconds, megabytes = map(float, printed.split())
    return seconds, megabytes


def worlds(items: int, tastes: int = 200) -> dict[str, Tensor]:
    """`(n, d)` items around tastes, of varied norms, of norm 1, of heavy-tailed norms, and without structure."""
    random = torch.Generator().manual_seed(2)
    centres = torch.randn(tastes, DIMENSIONS, generator=random)
    noise = torch.randn(items, DIMENSIONS, generator=random)
    around = torch.nn.functional.normalize(centres[torch.arange(items) % tastes] + 0.3 * noise, dim=1)
    varied = 0.5 + 1.5 * torch.rand(items, 1, generator=random)
    heavy = torch.rand(items, 1, generator=random).clamp_min(1e-6) ** -0.5
    return {
        f"around {tastes} tastes, varied norms": around * varied,
        f"around {tastes} tastes, all of norm 1": around,
        f"around {tastes} tastes, heavy-tailed norms": around * heavy,
        "no structure at all (Gaussian)": noise,
    }


def measured_index(vectors: Tensor, repeats: int = 7) -> str:
    """The cells of a row: what the index found out about itself, and the median times of both searches in turns."""
    catalog, random = Catalog(vectors), torch.Generator().manual_seed(3)
    belief = Belief.from_users(torch.randn(500, DIMENSIONS, generator=random))
    index, exact = ApproximateRetriever.build(catalog, belief), ExactRetriever(catalog)
    cells = [f"{index.report.searched} of {index.report.groups:,}", f"{index.report.loss:.2%}"]
    for count in (1, 5, 50):
        directions = torch.randn(count, DIMENSIONS, generator=random)
        searches = [partial(retriever.top, directions, 1) for retriever in (exact, index)]
        times = [[timed(search) for search in searches] for _ in range(repeats)]
        medians = (1000 * statistics.median(column) for column in zip(*times, strict=True))
        cells.append(", ".join(f"{ms:.1f} ms" for ms in medians))
    return " | ".join(cells)


if __name__ == "__main__":
    main()
