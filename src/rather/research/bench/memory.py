"""Peak memory of a conversation, measured in a fresh process so that nothing else counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from torch import Tensor

from rather.caching.folder import SWITCH
from rather.errors import RatherError


def peak_bytes(items: Tensor, users: Tensor, k: int) -> int | None:
    """What a process needs beyond the import of torch: the catalogue, a session, two questions and an answer.

    None if the system does not say (Windows).

    Args:
        items: `(n, d)` of the catalogue.
        users: `(m, d)` of the belief.
        k: Items on a slate.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "items.npy", Path(folder) / "users.npy"]
        for file, array in zip(files, (items, users), strict=True):
            np.save(file, array.numpy())
        command = [sys.executable, "-m", "rather.research.bench.memory", *map(str, files), str(k)]
        # A cached question would need no memory.
        alone = {**os.environ, SWITCH: "off"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=alone)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RatherError(f"The process that measures memory failed: {last}")
    found: int | None = json.loads(done.stdout)["bytes"]
    return found


def _converse(items: str, users: str, k: int) -> int | None:
    """Bytes that were in use at most, beyond those after the imports."""
    from rather.conversation.policy import Policy
    from rather.conversation.session import Session

    start = resident("VmRSS")
    from rather.model.belief import Belief
    from rather.model.catalog import Catalog

    catalog, belief = Catalog(np.load(items)), Belief.from_users(np.load(users))
    session = Session(Policy(catalog, belief, k))
    session.tell(session.ask(), 0)
    session.ask()
    session.recommend()
    peak = resident("VmHWM")
    return None if start is None or peak is None else max(0, peak - start)


def resident(field: str) -> int | None:
    """Bytes of this process in memory, now (VmRSS) or at most so far (VmHWM); None if that cannot be seen.

    Outside Linux both are the most so far.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith(field))
        return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    print(json.dumps({"bytes": _converse(sys.argv[1], sys.argv[2], int(sys.argv[3]))}))
