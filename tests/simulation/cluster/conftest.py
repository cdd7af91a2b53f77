"""A cluster of two nodes on this machine, which only this machine can reach. Skipped without Ray."""

import contextlib
import os
import sys
import warnings
from pathlib import Path

import pytest

# Before Ray is imported: no reports, and node addresses that are those of this machine alone.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"  # says which of its defaults we want, else it warns

# A node that is lost is noticed within two seconds, not within half a minute.
HEALTH = {"period_ms": 500, "timeout_ms": 500, "failure_threshold": 3, "initial_delay_ms": 500}

NODE = {"node_ip_address": "127.0.0.1", "include_dashboard": False, "object_store_memory": 100 * 2**20}


@pytest.fixture(scope="session")
def ray():
    return pytest.importorskip("ray", reason="Ray is not installed: make cluster")


@pytest.fixture(scope="session")
def cluster(ray):
    if not os.environ.get("RATHER_CLUSTER_TESTS"):
        pytest.skip("starting a cluster takes a minute or two: set RATHER_CLUSTER_TESTS=1 (as CI does) to run this")
    # The nodes' processes find the tests' own functions.
    here = Path(__file__).parent
    os.environ["PYTHONPATH"] = os.pathsep.join([str(here), str(here.parents[1]), os.environ["PYTHONPATH"]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ray.cluster_utils import Cluster

        health = {f"health_check_{name}": value for name, value in HEALTH.items()}
        cluster = Cluster(initialize_head=True, head_node_args={**NODE, "num_cpus": 1, "_system_config": health})
        try:
            cluster.add_node(**NODE, num_cpus=1)
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()


@pytest.fixture
def rather(monkeypatch, capsys):
    """Runs a command in this process; returns what it printed."""
    from rather.__main__ import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rather", *arguments])
        with contextlib.suppress(SystemExit):
            main()
        return capsys.readouterr()

    return run


@pytest.fixture
def connection(cluster):
    from rather.cluster import connected

    with connected(cluster.address) as ray:
        yield ray


@pytest.fixture
def third_node(cluster):
    """A node that can be lost."""
    node = cluster.add_node(**NODE, num_cpus=1, resources={"third": 1})
    yield node
    if node in cluster.list_all_nodes():
        cluster.remove_node(node, allow_graceful=False)
