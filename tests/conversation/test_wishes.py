"""What a table lets people wish for: cheaper, newer, and only what other rows have."""

import pytest
import torch

from cars import CARS
from rather import SAME, DontCare, Policy, Session, Want
from rather.conversation.hints import wishes
from rather.formats.tables import encode_table
from worlds import TINY


@pytest.fixture(scope="module")
def cars(tmp_path_factory):
    path = tmp_path_factory.mktemp("hints") / "cars.csv"
    path.write_text(CARS)
    return encode_table(path)


def test_a_cheaper_car_is_the_same_but_for_its_price(cars):
    catalog = cars.catalog
    row = catalog.row(7)
    cheaper = next(each for each in catalog.comparatives_of(row) if each.text == "cheaper")
    assert (cheaper.column, cheaper.toward) == ("price_usd", "less")
    price = next(block for block in cars.blocks if block.column.name == "price_usd")
    start = sum(block.size for block in cars.blocks[: cars.blocks.index(price)])
    changed = cheaper.step.nonzero()[:, 0].tolist()
    assert changed
    assert all(start <= index < start + price.size for index in changed)
    # Two of ten rows are passed on the way: from 55,000 to 36,000.
    expected = price.basis.rows(torch.tensor([36_000.0, 55_000.0]).double().numpy())
    step = cars.scale * torch.from_numpy(expected[0] - expected[1])
    assert torch.allclose(cheaper.step[start : start + price.size].double(), step, atol=TINY)


def test_only_what_other_rows_have_can_be_wished_for(cars):
    catalog = cars.catalog
    texts = {id: [each.text for each in catalog.comparatives_of(catalog.row(id))] for id in (1, 7, 9)}
    assert "cheaper" not in texts[9]  # it is the cheapest
    assert "newer" not in texts[7]
    assert "older" in texts[7]
    assert "older" not in texts[9]
    assert "newer" in texts[9]
    assert not any("range" in text for text in texts[1])  # unknown
    assert any("longer range" in text for text in texts[9])


def test_people_say_what_they_want_of_a_table(cars):
    said = Session(Policy(cars.catalog, cars.belief(particles=200)))
    assert said.hint(Want("AWD")).text == "I want a car whose drive is AWD"
    assert said.hint(DontCare("price_usd")).text == "I don't care about price"
    assert said.hint(DontCare("extras: roof")).text == "I don't care about roof"
    assert said.hints[1].answer is SAME


def test_cheaper_is_offered_first(cars):
    policy = Policy(cars.catalog, cars.belief(particles=50))
    row = cars.catalog.row(7)
    offered = wishes(row, policy, policy.prior, count=3)
    assert offered[0].text == "cheaper"
    assert len({each.column for each in offered}) == 3
