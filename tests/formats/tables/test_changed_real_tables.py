"""Conversations about public tables go on when a tenth of the rows is gone and numbers have changed.

`python tests/formats/tables/test_changed_real_tables.py` prints what the decision record quotes.
"""

import csv
import json
import os
import random
from pathlib import Path

import pytest
import torch

import rather
from rather import Policy, Session
from rather.errors import CatalogChangedError

FOLDER = Path(os.environ.get("RATHER_DATA", "no such folder"))
TABLES = (
    "epa-vehicles/cars_2025_2026.csv",
    "candy/candy-data.csv",
    "factbook-countries/countries_core.csv",
    "messy-shop/laptops.csv",
)


def rows_of(name):
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"needs {name} in RATHER_DATA")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def changed(rows, gone, moved, seed):
    """The rows without a share of them, and with a share of the decimal numbers moved by up to a tenth."""
    generator = random.Random(seed)
    head, *body = rows
    kept = [list(row) for row in body if generator.random() >= gone]
    for row in kept:
        for column, text in enumerate(row):
            if generator.random() < moved and text.replace(".", "", 1).isdigit() and "." in text:
                row[column] = f"{float(text) * generator.uniform(0.9, 1.1):.4g}"
    return [head, *kept]


def opened(folder, rows):
    path = folder / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return rather.open(path)


def agreement(before, now, seed):
    """How well the ranking of a carried-over conversation agrees with that of before: the correlation of utilities."""
    (catalog, belief), (other, start) = before, now
    user = belief.particles[7 * seed]
    session = Session(Policy(catalog, belief, strategy="query-iteration"))
    for _ in range(6):
        question = session.ask()
        session.tell(question, int((question.vectors @ user).argmax()))
    again = Session.from_json(session.to_json(), other, start)
    both = [id for id in catalog.ids if other.find(id) is not None]
    old = catalog.vectors([catalog.row(id) for id in both]) @ session.belief.mean
    new = other.vectors([other.row(id) for id in both]) @ again.belief.mean
    return float(torch.corrcoef(torch.stack([old, new]))[0, 1])


@pytest.mark.parametrize("name", TABLES)
def test_what_is_liked_stays_the_same(name, tmp_path):
    rows = rows_of(name)
    before, now = opened(tmp_path, rows), opened(tmp_path, changed(rows, 0.1, 0.02, seed=1))
    assert list(before.catalog.features) != list(now.catalog.features)
    assert agreement(before, now, seed=1) > 0.95


def report(folder):
    """How many of six versions of each table have the same features, and how many can be translated."""
    for name in TABLES:
        rows = rows_of(name)
        before = opened(folder, rows)
        for gone, moved in ((0.001, 0.0), (0.01, 0.0), (0.1, 0.0), (0.0, 0.001), (0.1, 0.02)):
            same = alike = translated = 0
            agree = []
            for seed in range(6):
                now = opened(folder, changed(rows, gone, moved, seed))
                same += list(now.catalog.features) == list(before.catalog.features)
                alike += set(now.catalog.features) == set(before.catalog.features)
                try:
                    now.catalog.space.translation(json.loads(json.dumps(before.catalog.space.description)))
                except CatalogChangedError as error:
                    print(error)
                    continue
                translated += 1
                if seed < 2:
                    agree.append(agreement(before, now, seed))
            print(
                f"{name}: {gone:.1%} of rows gone, {moved:.1%} of numbers moved: same features {same}, in another "
                f"order {alike}, translated {translated} of 6; correlation {min(agree, default=0):.3f} or more",
                flush=True,
            )


if __name__ == "__main__":
    import tempfile

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        report(Path(folder))
