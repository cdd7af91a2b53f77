"""The engine: same results whatever the workers and interruptions."""

import json
from dataclasses import replace

import pytest

from rather.errors import RatherError
from rather.research.experiments.engine import Job, read_results, rounded, run_jobs


def jobs(count=6):
    return [Job("demo", "plain", "squares", trial, 10 + trial, {"power": 2}) for trial in range(count)]


def square(job):
    return {"value": [job.seed ** job.parameters["power"] / 3], "seconds": {"own": 0.1}}


def outcomes(results):
    """What must not differ between runs: everything but measured times."""
    return [(r.key, r.trial, r.seed, {k: v for k, v in r.outcome.items() if k != "seconds"}) for r in results]


def test_workers_do_not_change_results(tmp_path):
    alone = run_jobs(jobs(), square, tmp_path / "one.jsonl", workers=1)
    together = run_jobs(jobs(), square, tmp_path / "two.jsonl", workers=2)
    assert outcomes(alone) == outcomes(together)
    assert outcomes(read_results(tmp_path / "one.jsonl")) == outcomes(read_results(tmp_path / "two.jsonl"))


def test_an_interrupted_run_goes_on_and_ends_equal(tmp_path):
    whole = run_jobs(jobs(), square, tmp_path / "whole.jsonl")
    path = tmp_path / "parts.jsonl"
    done = []

    def interrupted(job):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(job.trial)
        return square(job)

    with pytest.raises(KeyboardInterrupt):
        run_jobs(jobs(), interrupted, path)
    with path.open("a") as file:
        file.write('{"key": "half a li')  # killed while it wrote
    again = []

    def counted(job):
        again.append(job.trial)
        return square(job)

    assert outcomes(run_jobs(jobs(), counted, path)) == outcomes(whole)
    assert again == [3, 4, 5]
    assert outcomes(read_results(path)) == outcomes(read_results(tmp_path / "whole.jsonl"))


def test_more_trials_keep_what_is_there(tmp_path):
    path = tmp_path / "results.jsonl"
    run_jobs(jobs(2), square, path)
    calls = []
    run_jobs(jobs(5), lambda job: calls.append(job.trial) or square(job), path)
    assert calls == [2, 3, 4]
    assert len(run_jobs(jobs(1), square, path)) == 1
    assert len(read_results(path)) == 5  # asking for fewer forgets nothing


def test_another_parameter_is_another_job(tmp_path):
    path = tmp_path / "results.jsonl"
    [first] = run_jobs(jobs(1), square, path)
    [other] = run_jobs([replace(jobs(1)[0], parameters={"power": 3})], square, path)
    assert first.outcome["value"] != other.outcome["value"]
    assert replace(jobs(1)[0], files={"vectors": "elsewhere"}).key == jobs(1)[0].key


def test_fresh_begins_again(tmp_path):
    path = tmp_path / "results.jsonl"
    run_jobs(jobs(2), square, path)
    calls = []
    run_jobs(jobs(2), lambda job: calls.append(job.trial) or square(job), path, fresh=True)
    assert calls == [0, 1]


def test_every_line_has_seed_versions_and_commit(tmp_path):
    run_jobs(jobs(2), square, tmp_path / "results.jsonl")
    for line in (tmp_path / "results.jsonl").read_text().splitlines():
        record = json.loads(line)
        assert record["seed"] == 10 + record["trial"]
        assert {"rather", "torch", "numpy", "python", "commit"} <= set(record["provenance"])
        assert record["outcome"]["seconds"]["job"] >= 0


def test_a_damaged_file_is_not_taken_for_an_interrupted_one(tmp_path):
    path = tmp_path / "results.jsonl"
    run_jobs(jobs(2), square, path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(["rubbish", *lines]))
    with pytest.raises(RatherError, match="damaged in line 1"):
        run_jobs(jobs(2), square, path)


def test_a_failing_job_keeps_what_was_done(tmp_path):
    def fails_late(job):
        if job.trial == 2:
            raise RatherError("no")
        return square(job)

    with pytest.raises(RatherError):
        run_jobs(jobs(), fails_late, tmp_path / "results.jsonl")
    assert [result.trial for result in read_results(tmp_path / "results.jsonl")] == [0, 1]


def test_numbers_are_kept_to_seven_digits():
    assert rounded({"a": [1 / 3, float("nan")], "b": (2,)}) == {"a": [0.3333333, None], "b": [2]}
