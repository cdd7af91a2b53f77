"""Ray clusters: how to reach one, and what is ours of it to stop."""

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


# By its name for two systems, but what it does is to keep to the addresses of this machine.
LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


class ClusterError(RatherError, RuntimeError):
    """A cluster that cannot be reached, or lost what we need of it."""


def require_ray() -> Any:
    """The library, or an error that says how to get it."""
    require_extra("cluster", "Ray")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report home
    import ray

    return ray


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect to a cluster, or go on with the connection there is; only what was begun here is ended.

    Args:
        address: "HOST:PORT" of its head, "auto" for the one this machine belongs to, or "local" to start one here.
    """
    if address == LOCAL:
        # Read when Ray is imported, by us and by all it starts; without it they listen on every network.
        os.environ.setdefault(LOOPBACK, "0")
    ray = require_ray()
    if ray.is_initialized():
        yield ray
        return
    try:
        _reach(address)
        _connect(ray, address)
    except (ConnectionError, OSError, RuntimeError, ValueError, TimeoutError) as error:
        reason = str(error).strip().splitlines()
        raise ClusterError(
            f"No Ray cluster answers at {address!r}: {(reason[0] if reason else type(error).__name__).rstrip('.')}. "
            "Start one with `ray start --head`, or use the address 'local'."
        ) from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _reach(address: str) -> None:
    """Complain at once where nobody listens; Ray itself would try for minutes."""
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
        raise RuntimeError(f"it would listen on the network; set {LOOPBACK}=0 before Ray is imported.")
