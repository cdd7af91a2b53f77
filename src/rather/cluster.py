"""Connections to Ray clusters. What was started here is stopped here, and nothing else."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rather.errors import RatherError
from rather.extras import require_extra

LOCAL = "local"
"""The address of a cluster that is started on this machine, for this machine alone, and stopped afterwards."""

# In spite of its name, this makes Ray listen on 127.0.0.1 only, on Linux as well.
LOOPBACK_ONLY = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


class ClusterError(RatherError, RuntimeError):
    """A cluster that cannot be reached, or failed."""


def require_ray() -> Any:
    """The library, or an error that names the extra."""
    require_extra("cluster", "Ray")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # otherwise it reports home
    import ray

    return ray


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect to a cluster, or use the connection there is; closes only a connection that it opened.

    Args:
        address: "HOST:PORT" of the head node, "auto" for the cluster of this machine, or "local" to start one here.
    """
    if address == LOCAL:
        # Read when Ray is imported, here and in every process it starts; without it they listen on every network.
        os.environ.setdefault(LOOPBACK_ONLY, "0")
    ray = require_ray()
    if ray.is_initialized():
        yield ray
        return
    try:
        _validate_reachable(address)
        _connect(ray, address)
    except (ConnectionError, OSError, RuntimeError, ValueError, TimeoutError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise ClusterError(
            f"No Ray cluster answers at {address!r}: {lines[0].rstrip('.')}. "
            "Start one with `ray start --head`, or use the address 'local'."
        ) from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _validate_reachable(address: str) -> None:
    """Fail at once if nothing listens there; Ray itself would retry for minutes."""
    host, _, port = address.rpartition(":")
    if host and "/" not in host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=10).close()


def _connect(ray: Any, address: str) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if address != LOCAL:
        ray.init(address=address, **quiet)
        return
    ray.init(address=LOCAL, include_dashboard=False, **quiet)
    if any(node["NodeManagerAddress"] != "127.0.0.1" for node in ray.nodes()):
        ray.shutdown()
        raise RuntimeError(f"it would listen on the network; set {LOOPBACK_ONLY}=0 before Ray is imported")
