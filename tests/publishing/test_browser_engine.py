"""The engine in the browser agrees with the library on films and on a larger table; the small one is part of `web`."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from engine_cases import golden, written
from published_worlds import World

WEB = Path(__file__).parents[2] / "web"
SMALL = WEB / "tests/golden/cars.json"


@pytest.mark.parametrize("name", ["films", "cars"])
def test_the_engine_agrees_with_the_library(name, tmp_path):
    npm = shutil.which("npm")
    if npm is None or not (WEB / "node_modules").is_dir():
        pytest.skip("The engine was not tested: that needs Node (cd web && npm ci)")
    cases = tmp_path / "cases"
    cases.mkdir()
    written(World.films() if name == "films" else World.cars(tmp_path), cases / f"{name}.json")
    result = subprocess.run(
        [npm, "run", "--silent", "test", "--", "tests/engine.test.ts"],
        cwd=WEB,
        env={**os.environ, "RATHER_GOLDEN": str(cases)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.skipif(not WEB.is_dir(), reason="The sources of the page are not part of this distribution.")
def test_the_recorded_cases_are_what_the_library_says(tmp_path):
    recorded = json.loads(SMALL.read_text(encoding="utf-8"))
    now = json.loads(json.dumps(golden(World.cars(tmp_path, count=40).thinned(80))))
    for before, after in zip(recorded["cases"], now["cases"], strict=True):
        assert [item["row"] for item in before["recommended"]] == [item["row"] for item in after["recommended"]]
        assert before["reasons"] == after["reasons"]
        assert before["weights"] == pytest.approx(after["weights"], abs=1e-5)
        assert before["regret"] == pytest.approx(after["regret"], abs=1e-4)
