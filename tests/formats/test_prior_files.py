"""Priors that were learnt from answers, in files: about columns, not rows."""

import json

import numpy as np
import pytest
import torch

import rather
from rather.errors import CatalogChangedError, InvalidInputError
from rather.formats.prior_files import learnt_prior, load_prior, save_prior
from rather.model.carried_priors import carried_prior
from rather.model.priors import Prior, gaussian_prior
from rather.model.spaces import Translation

ROWS = 40


def table(rows=ROWS, **changes):
    numbers = np.arange(rows)
    columns = {
        "id": [f"item {number}" for number in numbers],
        "price": (100 + 7 * numbers).tolist(),
        "weight": (3 + (numbers * 13 % ROWS) / 10).tolist(),
        "maker": [["Ampa", "Bero", "Cilo"][number % 3] for number in numbers],
    }
    return {**columns, **changes}


def shifted(opened, seed=0, temperature=0.2):
    """The catalogue's own prior with a mean of its own."""
    own = opened.belief.prior
    white = torch.randn(own.centres.shape[1], generator=torch.Generator().manual_seed(seed))
    return Prior(own.centres + own.cholesky @ white, own.log_weights, own.cholesky, own.scales, temperature)


def test_a_file_gives_back_the_same_prior(tmp_path):
    opened = rather.open(table())
    prior = shifted(opened)
    path = save_prior(learnt_prior(prior, opened.catalog, {"people": 3}), tmp_path / "population.npz")
    loaded = load_prior(path)
    assert loaded.about == {"people": 3}
    assert loaded.prior.content_hash == prior.content_hash
    assert loaded.prior.temperature == prior.temperature
    again = rather.open(table(), prior=path)
    assert torch.equal(again.belief.prior.centres, prior.centres)
    assert rather.Policy(*again).response.temperature == pytest.approx(0.2)


def test_it_survives_new_items_and_prices():
    opened = rather.open(table())
    learnt = learnt_prior(shifted(opened), opened.catalog)
    later = table(rows=55)
    later["price"][3] = 300
    now = rather.open(later)
    carried = learnt.applied(now)
    # What somebody gains by the same change of price and weight is expected to be what it was.
    first, second = opened.catalog.row("item 5"), opened.catalog.row("item 30")
    before = (opened.catalog.vectors([second]) - opened.catalog.vectors([first])) @ learnt.prior.centres[0]
    first, second = now.catalog.row("item 5"), now.catalog.row("item 30")
    after = (now.catalog.vectors([second]) - now.catalog.vectors([first])) @ carried.belief.prior.centres[0]
    assert float(after) == pytest.approx(float(before), rel=0.25)


def test_a_new_value_is_as_the_catalogue_itself_expects():
    opened = rather.open(table())
    learnt = learnt_prior(shifted(opened), opened.catalog)
    now = rather.open(table(maker=[["Ampa", "Bero", "Cilo", "Dana"][number % 4] for number in range(ROWS)]))
    carried = learnt.applied(now).belief.prior
    assert carried.centres.shape[1] == now.catalog.dimensions
    names = now.catalog.attributes
    vector = next(each.vector for each in names if "Dana" in each.text)
    spread = (vector @ carried.cholesky).norm()
    own = (vector @ now.belief.prior.cholesky).norm()
    assert 0.5 * float(own) < float(spread) < 1.2 * float(own)


def test_carrying_over_is_conditioning_on_what_was_known():
    generator = torch.Generator().manual_seed(1)
    matrix, root = torch.randn(4, 2, generator=generator), torch.randn(4, 4, generator=generator)
    own = gaussian_prior(torch.randn(4, generator=generator), root @ root.T + torch.eye(4))
    learnt = gaussian_prior([0.3, -0.2], [[0.2, 0.05], [0.05, 0.1]])
    mean, covariance = carried_prior(learnt, Translation(matrix), own).moments
    # The part that was known then has the learnt law.
    assert torch.allclose(matrix.T.double() @ mean, learnt.moments[0], atol=1e-4)
    assert torch.allclose(matrix.T.double() @ covariance @ matrix.double(), learnt.moments[1], atol=1e-4)
    # What its own law says about that part carries over as nothing new.
    same = gaussian_prior(matrix.T @ own.centres[0], matrix.T @ own.moments[1].float() @ matrix)
    for found, expected in zip(carried_prior(same, Translation(matrix), own).moments, own.moments, strict=True):
        assert torch.allclose(found, expected, atol=1e-3)


def test_other_columns_are_rejected():
    opened = rather.open(table())
    learnt = learnt_prior(shifted(opened), opened.catalog)
    other = table()
    del other["weight"]
    other["power"] = list(range(ROWS))
    with pytest.raises(CatalogChangedError, match=r"another catalogue.*weight"):
        learnt.applied(rather.open(other))


def test_dimensions_without_names_are_told_by_the_items():
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(20, 3, generator=generator)
    opened = rather.open(vectors)
    learnt = learnt_prior(shifted(opened), opened.catalog)
    learnt.applied(rather.open(torch.cat([vectors, torch.ones(2, 3)])))
    with pytest.raises(CatalogChangedError, match="mean something else"):
        learnt.applied(rather.open(vectors[:, [1, 2, 0]]))
    with pytest.raises(CatalogChangedError, match="dimensions"):
        learnt.applied(rather.open(torch.randn(20, 4, generator=generator)))


@pytest.mark.parametrize(
    ("part", "content"), [("space", None), ("space", []), ("witnesses", 5), ("about", "x"), ("columns", [])]
)
def test_a_file_whose_description_is_damaged_is_rejected(tmp_path, part, content):
    opened = rather.open(table())
    path = save_prior(learnt_prior(shifted(opened), opened.catalog), tmp_path / "population.npz")
    with np.load(path) as file:
        parts = dict(file)
    if part == "columns":
        space = json.loads(str(parts["space"]))
        part, content = "space", {**space, "columns": [{**each, "knots": [0.5]} for each in space["columns"]]}
    np.savez(path, **{**parts, part: np.array(json.dumps(content))})
    with pytest.raises(InvalidInputError, match="damaged"):
        load_prior(path).applied(opened)


@pytest.mark.parametrize("content", [b"", b"no archive", None])
def test_a_file_that_is_no_prior_is_rejected_in_one_line(tmp_path, content):
    path = tmp_path / "population.npz"
    if content is None:
        np.savez(path, items=np.zeros((2, 2)))
    else:
        path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"population\.npz is no prior") as error:
        load_prior(path)
    assert "\n" not in str(error.value)


def test_a_missing_file_and_another_ending_are_named(tmp_path):
    with pytest.raises(InvalidInputError, match="Cannot read"):
        load_prior(tmp_path / "nothing.npz")
    opened = rather.open(table())
    with pytest.raises(InvalidInputError, match=r"\.npz"):
        save_prior(learnt_prior(shifted(opened), opened.catalog), tmp_path / "population.csv")
