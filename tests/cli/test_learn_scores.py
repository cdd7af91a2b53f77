"""`rather learn` with a utility that is not linear."""

import numpy as np
import pytest
from typer.testing import CliRunner

import rather
from rather.cli import app

RUN = CliRunner()


@pytest.fixture
def ratings(tmp_path):
    rng = np.random.default_rng(0)
    places, ideals = rng.normal(size=(30, 2)), rng.normal(size=(40, 2))
    lines = [
        f"{user},film {item},{4 - np.square(places[item] - ideals[user]).sum():.2f}"
        for user in range(40)
        for item in range(30)
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["user_id,item_id,rating", *lines]))
    return path


@pytest.mark.parametrize("method", ["ideal-point", "network"])
def test_scores_are_written_and_opened(ratings, tmp_path, method):
    out = tmp_path / "films.npz"
    result = RUN.invoke(app, ["learn", str(ratings), "--method", method, "--epochs", "3", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "held-out RMSE" in result.output
    assert "(linear: " in result.output
    assert "scores of 30 items for 40 of 40 users" in result.output
    catalog, belief = rather.open(out)
    assert (len(catalog), len(belief)) == (30, 40)
    assert sorted(catalog.ids) == sorted(f"film {item}" for item in range(30))


def test_scores_are_no_parquet(ratings, tmp_path):
    out = tmp_path / "films.parquet"
    result = RUN.invoke(app, ["learn", str(ratings), "--method", "ideal-point", "--out", str(out)])
    assert result.exit_code != 0
    assert not out.exists()
