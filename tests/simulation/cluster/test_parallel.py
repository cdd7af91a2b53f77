"""Tasks give the same results in this process, in others and on a cluster."""

import json

import pytest
import torch

from rather import Belief, Catalog, Logistic, Policy
from rather.errors import InvalidInputError
from rather.research.experiments.engine import Job, run_jobs
from rather.simulation.conversations import simulate
from rather.simulation.parallel import run_parallel
from worlds import normal


def scaled(factor: int, task: int) -> int:
    if task < 0:
        raise InvalidInputError(f"`task` must not be negative, got {task}.")
    return factor * task


def drawn(job: Job) -> dict:
    values = torch.rand(3, generator=torch.Generator().manual_seed(job.seed))
    return {"values": values.tolist()}


def test_every_task_is_run_once_here_and_in_other_processes():
    for workers in (1, 2):
        assert sorted(run_parallel(scaled, 10, range(7), workers=workers)) == [
            (index, 10 * index) for index in range(7)
        ]


def test_what_a_task_raises_is_raised():
    with pytest.raises(InvalidInputError, match="must not be negative, got -1"):
        list(run_parallel(scaled, 10, [1, -1, 2]))


def test_a_cluster_runs_every_task_once_and_raises_what_a_task_raises(connection, cluster):
    done = sorted(run_parallel(scaled, 10, range(30), ray=cluster.address))
    assert done == [(index, 10 * index) for index in range(30)]
    with pytest.raises(InvalidInputError, match=r"^`task` must not be negative, got -1\.$"):
        list(run_parallel(scaled, 10, [1, -1, 2], ray=cluster.address))


def test_simulated_users_are_the_same_on_a_cluster(connection, cluster):
    catalog, belief = Catalog(normal(30, 3)), Belief.from_users(normal(15, 3, seed=1))
    policies = {name: Policy(catalog, belief, response=Logistic(0.5), strategy=name) for name in ("greedy", "random")}
    users = normal(4, 3, seed=2)
    here, there = simulate(policies, users, 2), simulate(policies, users, 2, ray=cluster.address)
    assert [(each.policy, each.user, each.regret, each.evoi) for each in here] == [
        (each.policy, each.user, each.regret, each.evoi) for each in there
    ]


def test_an_experiment_gives_the_same_lines_on_a_cluster(connection, cluster, tmp_path):
    jobs = [Job("some", "variant", "method", trial, 100 + trial, {}) for trial in range(5)]
    here = run_jobs(jobs, drawn, tmp_path / "here.jsonl")
    there = run_jobs(jobs, drawn, tmp_path / "there.jsonl", ray=cluster.address)
    assert [result.outcome["values"] for result in here] == [result.outcome["values"] for result in there]
    assert [result.key for result in here] == [result.key for result in there]


def test_commands_take_the_address_of_a_cluster(connection, cluster, rather):
    arguments = ("simulate", "films", "--strategy", "random", "--users", "4", "--questions", "2", "--json")
    here, there = (json.loads(rather(*arguments, *more).out) for more in ((), ("--ray", cluster.address)))
    assert here["policies"][0]["regret"] == there["policies"][0]["regret"]
    assert here["policies"][0]["evoi"] == there["policies"][0]["evoi"]
