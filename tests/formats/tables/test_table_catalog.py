"""A table as a catalogue: vectors, labels, facts, the prior, and a conversation about it."""

import numpy as np
import pytest
import torch

from cars import CARS
from rather import Catalog, Policy, RatherError, Session, SimulatedUser
from rather.formats.tables import encode_table
from rather.numerics.randomness import derive_generator
from rather.value import utility_spread


def test_a_row_is_shown_with_units_and_unknowns(cars):
    assert cars.label(2) == "Three"
    assert list(cars.ids) == list(range(1, 11))
    assert cars.facts_of(0) == {
        "make": "Aro",
        "price": "18,000 USD",
        "range": "unknown",
        "drive": "FWD",
        "electric": "no",
        "extras": "radio",
        "built": "2019-03-01",
    }
    assert cars.images_of(0) == ("https://cars.example/1.jpg",)
    assert cars.facts_of(3)["extras"] == "unknown"
    assert len(cars.facts) == 10
    assert cars.facts[-1] == cars.facts_of(9)


def test_vectors_are_centred_and_scaled_and_named(table, cars):
    assert len(cars.features) == cars.dimensions
    assert cars.items.mean(dim=0).abs().max() < 1e-6
    belief = table.belief(particles=4000)
    # The mean of 4000 squared spreads strays by a few per cent.
    assert utility_spread(cars, belief) == pytest.approx(1, abs=0.05)


def test_missing_values_have_a_parameter_of_their_own(table, cars):
    index = list(cars.features).index("range unknown")
    column = cars.items[:, index]
    gone = ~torch.tensor(table.column("range_km").present)
    assert len(set(column[gone].tolist())) == 1
    assert column[gone][0] > 0 > column[~gone][0]
    numbers = [index for index, name in enumerate(cars.features) if name.startswith("range near")]
    # Unknown rows differ from every known one in the parameters of numbers: neither zero nor the mean stands in.
    raw = cars.items[:, numbers] / table.scale + torch.tensor(
        next(block for block in table.blocks if block.column.name == "range_km").mean[:-1], dtype=torch.float32
    )
    assert raw[gone].abs().max() < 1e-6
    assert torch.allclose(raw[~gone].sum(dim=1), torch.ones(5), atol=1e-5)


def test_a_monotone_column_is_monotone_for_nearly_everybody(write):
    settings = {"columns": {"price_usd": {"direction": "less"}}}
    table = encode_table(write("cars.csv", CARS), settings)
    catalog, belief = table.catalog, table.belief(particles=500)
    own = torch.tensor([name.startswith("price") for name in catalog.features])
    prices = torch.tensor(table.column("price_usd").numbers)
    worth = catalog.items[:, own] @ belief.particles[:, own].T
    rising = worth[prices.argsort()]
    falls = (rising.diff(dim=0) <= 1e-6).double().mean(dim=0)
    # Each step is two standard deviations above zero: 97.7 % of the steps fall, and nobody's most steps rise.
    assert falls.mean() > 0.95
    mean = catalog.items[:, own] @ belief.mean[own]
    assert (mean[prices.argsort()].diff() <= 0).all()


def test_yes_and_degree_may_have_a_direction():
    table = {"safe": [0, 1, 1, 0], "dull": [0.0, 0.0, 0.3, 1.0], "x": [1, 2, 3, 9]}
    settings = {"columns": {"safe": {"direction": "more"}, "dull": {"direction": "less", "kind": "degree"}}}
    centre = encode_table(table, settings).prior().centres[0]
    assert centre[0] == 1
    assert centre[1] == -1
    assert (centre[2:] == 0).all()


def test_an_ignored_column_leaves_no_trace_in_vectors_facts_or_prior(write):
    path = write("cars.csv", CARS)
    table = encode_table(path, ignore=["price_usd"])
    doctored = "\n".join(
        ",".join([*cells[:3], str(7 * index % 10), *cells[4:]]) if index else ",".join(cells)
        for index, cells in enumerate(line.split(",") for line in CARS.splitlines())
    )
    other = encode_table(write("other.csv", doctored), ignore=["price_usd"])
    assert table.catalog.content_hash == other.catalog.content_hash
    assert table.belief().content_hash == other.belief().content_hash
    assert list(table.catalog.facts) == list(other.catalog.facts)
    assert "price_usd" not in {attribute.column for attribute in table.catalog.attributes}
    assert table.column("price_usd").numbers[0] == 18_000  # it can still be looked at


def test_many_qualities_are_shown_as_those_that_apply():
    qualities = {name: [0.0, 1.0, 0.6, None, 0.0] for name in ("funny", "dark", "slow", "loud")}
    catalog = encode_table({"title": list("abcde"), **qualities, "old": ["no", "yes", "no", "yes", ""]}).catalog
    assert catalog.facts_of(0)["qualities"] == "none of them"
    assert catalog.facts_of(1)["qualities"] == "funny, dark, slow, loud, old"
    assert catalog.facts_of(3)["qualities"] == "old, 4 unknown"
    assert catalog.facts_of(4)["qualities"] == "old unknown"


def test_the_prior_is_the_stated_gaussian(table, cars):
    prior = table.prior()
    covariance = prior.cholesky @ prior.cholesky.T
    expected, start = np.zeros((cars.dimensions, cars.dimensions)), 0
    for block in table.blocks:  # columns are independent of each other
        own = slice(start, start + block.size)
        expected[own, own] = block.prior.covariance
        start = own.stop
    assert start == cars.dimensions
    np.testing.assert_allclose(covariance, expected, atol=1e-5)
    assert len(table.belief(particles=7)) == 7


def test_a_catalogue_of_vectors_alone_cannot_be_filtered():
    catalog = Catalog([[1.0], [2.0]])
    assert catalog.attributes == ()
    assert catalog.filters is None
    with pytest.raises(RatherError, match="`where` needs the columns of a table"):
        catalog.where("price < 3")


def test_a_conversation_about_a_table_lowers_the_regret(write):
    rng = np.random.default_rng(0)
    flats = {
        "name": [f"flat {row}" for row in range(60)],
        "rent_eur": rng.integers(400, 2000, 60).tolist(),
        "rooms": rng.integers(1, 6, 60).tolist(),
        "part": rng.choice(["north", "south", "east"], 60).tolist(),
        "balcony": rng.choice(["yes", "no"], 60).tolist(),
    }
    table = encode_table(flats)
    catalog, belief = table.catalog, table.belief(particles=300)
    people = table.prior().sample(8, derive_generator(1, "people"))
    regrets = torch.zeros(8, 2)
    for index, utility in enumerate(people):
        session = Session(Policy(catalog, belief, seed=index, strategy="query-iteration"))
        person = SimulatedUser(utility, session.policy.response, index)
        regrets[index, 0] = person.regret(session.recommend(1)[0].row, catalog)
        for _ in range(6):
            question = session.ask()
            session.tell(question, person.answer(question))
        regrets[index, 1] = person.regret(session.recommend(1)[0].row, catalog)
    before, after = regrets.mean(dim=0)
    assert after < 0.35 * before


def test_a_session_over_filter_expressions_asks_and_recommends_nothing_else(table, cars):
    allowed = cars.where("drive == 'AWD'")
    session = Session(Policy(cars, table.belief(particles=100), allowed=allowed, strategy="greedy"))
    rows = {row for _ in range(2) for row in (*session.ask().slate, *(item.row for item in session.recommend(4)))}
    assert rows <= set(allowed.nonzero()[:, 0].tolist())
