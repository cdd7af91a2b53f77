"""Peak memory of a conversation about a space, measured in a fresh process so that nothing else counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from rather.caching.folder import SWITCH
from rather.errors import RatherError
from rather.research.bench.memory import resident
from rather.research.bench.spaces.measurements import SpaceMemory


def space_memory(options: int, values: int) -> SpaceMemory:
    """Of a space without rules: opened, then five questions and answers, and what is recommended."""
    command = [sys.executable, "-m", __name__, str(options), str(values)]
    # A cached question would need no memory.
    alone = {**os.environ, SWITCH: "off"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=alone)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RatherError(f"The process that measures memory failed: {last}")
    return SpaceMemory(**json.loads(done.stdout))


def _converse(options: int, values: int) -> SpaceMemory:
    from rather.conversation.policy import Policy
    from rather.conversation.session import Session
    from rather.research.bench.spaces.worlds import opened, without_rules

    start = resident("VmRSS")
    world = opened("product", without_rules(options, values))
    session = Session(Policy(world.catalog, world.belief))
    for number in range(5):
        session.tell(session.ask(), number % 2)
    session.recommend()
    peak = resident("VmHWM")
    used = None if start is None or peak is None else max(0, peak - start)
    return SpaceMemory(*world.catalog.storage.shape, used)


if __name__ == "__main__":
    from dataclasses import asdict

    print(json.dumps(asdict(_converse(int(sys.argv[1]), int(sys.argv[2])))))
