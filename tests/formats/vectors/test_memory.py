"""Nothing on the way from a file to a recommendation copies the items."""

import subprocess
import sys

import numpy as np
import pytest

ROWS, DIMENSIONS = 400_000, 50

CHILD = """
import re, sys
from pathlib import Path
import torch
import rather.conversation.session
from rather import Belief, ExactRetriever, Policy, Session
from rather.formats.vectors.vector_files import load_vectors

torch.set_num_threads(1)
torch.ones(300, 300) @ torch.ones(300, 300)  # what the first product loads is no one's catalogue
# Not getrusage, which on Linux begins with the peak of the process that started this one.
peak = lambda: int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
before = peak()
catalog = load_vectors(sys.argv[1]).catalog()
users = torch.randn(20, 50, generator=torch.Generator().manual_seed(1))
session = Session(Policy(catalog, Belief.from_users(users), strategy="random", retriever="exact"))
session.tell(session.ask(), 0)
session.recommend(5), session.to_json()
ExactRetriever(catalog, stop_by_norm=False).top(users, 5)
print(1024 * (peak() - before))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak memory of a process is read from /proc")
def test_a_conversation_needs_the_items_once(tmp_path):
    path = tmp_path / "items.npy"
    items = np.random.default_rng(0).standard_normal((ROWS, DIMENSIONS), dtype=np.float32)
    np.save(path, items * np.linspace(1, 3, ROWS, dtype=np.float32)[:, None])
    child = subprocess.run([sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=True)
    # The memory-mapped pages count, an eighth of the items is kept in the order of their norms, and blocks of scores
    # and late imports take some more. A copy of the items makes it 2.7 times the file.
    assert int(child.stdout) < 2.2 * path.stat().st_size
