"""Part-worths, importances, prices and shares of people whose utilities are known, computed by hand."""

import math

import pytest
import torch
from insight_worlds import cars, utility

import rather
from rather.errors import InvalidInputError, UnknownNameError
from rather.insights.aspects import aspects
from rather.insights.estimates import Replicates, population_means
from rather.insights.items import Item, names
from rather.insights.part_worths import importances, part_worths
from rather.insights.shares import shares
from rather.insights.what_if import parsed_change, what_if
from rather.insights.willingness import price_of, pricing
from rather.insights.winners import winners
from rather.retrieval import ExactRetriever

ANT_AND_ELK = [Item("a", "Ant"), Item("e", "Elk")]


@pytest.fixture
def opened(tmp_path):
    return cars(tmp_path)


@pytest.fixture
def same(opened):
    """Ten people who all want the same: AWD is worth 2 more than FWD, electric 1, each 10,000 less of price 1."""
    vector = utility(opened.catalog, {"drive": {"AWD": 2.0}, "electric": {"yes": 1.0}}, -1e-4)
    return vector.expand(10, 4, -1).contiguous()


def noise(draws):
    return torch.full((len(draws),), 0.5)


def replicates(draws):
    return Replicates.of(draws, torch.Generator().manual_seed(0))


def tried(text, draws, catalog):
    """A change, among Ant and Elk."""
    return what_if(draws, [0, 4], parsed_change(text, catalog), catalog, noise(draws), replicates(draws))


def test_part_worths_differ_by_what_values_are_worth(opened, same):
    columns = aspects(opened.catalog)
    found = {each.column: each for each in part_worths(same, columns, replicates(same))}
    drive = dict(zip(found["drive"].values, (each.value for each in found["drive"].worths), strict=True))
    assert drive["AWD"] - drive["FWD"] == pytest.approx(2.0, abs=1e-4)
    no, yes = (each.value for each in found["electric"].worths)
    assert yes - no == pytest.approx(1.0, abs=1e-4)
    price = [each.value for each in found["price"].worths]
    assert price[0] - price[-1] == pytest.approx(3.0, abs=1e-4)
    assert (found["price"].numbers[0], found["price"].numbers[-1]) == (10_000, 40_000)


def test_part_worths_are_compared_with_an_average_item(opened, same):
    columns = aspects(opened.catalog)
    found = {each.column: each for each in part_worths(same, columns, replicates(same))}
    assert sum(each.value for each in found["drive"].worths) == pytest.approx(0.0, abs=1e-4)  # three cars of each


def test_importances_are_ranges_over_their_sum(opened, same):
    found = {each.column: each.share.value for each in importances(same, aspects(opened.catalog), replicates(same))}
    assert found == {
        name: pytest.approx(share, abs=1e-5)
        for name, share in {"price": 3 / 6, "drive": 2 / 6, "electric": 1 / 6}.items()
    }


def test_people_pay_what_a_value_is_worth_over_what_money_is_worth(opened, same):
    columns = aspects(opened.catalog)
    found = pricing(same, columns, price_of(columns), replicates(same))
    amounts = {(each.column, each.value): each.amount.value for each in found.willingness}
    assert found.clear
    assert found.unit == "€"
    assert abs(amounts["drive", found_other(found, "drive")]) == pytest.approx(20_000, rel=1e-3)
    assert amounts["electric", "yes"] == pytest.approx(10_000, rel=1e-3)
    assert found.slope.value == pytest.approx(-1e-4, rel=1e-3)


def found_other(found, column):
    return next(each.value for each in found.willingness if each.column == column)


def test_nothing_is_said_in_money_where_people_do_not_mind_the_price(opened):
    vector = utility(opened.catalog, {"drive": {"AWD": 2.0}}, 0.0)
    other = utility(opened.catalog, {}, 1e-4), utility(opened.catalog, {}, -1e-4)
    draws = torch.stack([vector, *other])[:, None].expand(-1, 4, -1)
    columns = aspects(opened.catalog)
    found = pricing(draws, columns, price_of(columns), replicates(draws))
    assert not found.clear
    assert found.willingness == ()


def test_a_price_that_is_none_is_rejected(opened):
    with pytest.raises(UnknownNameError, match="No column of numbers is called 'drive'"):
        price_of(aspects(opened.catalog), "drive")


def test_first_choice_and_logit_shares(opened, same):
    vectors = opened.catalog.vectors([0, 4])  # Ant (FWD) and Elk (AWD), else the same: Elk is better by 2
    ant, elk = shares(same, vectors, ANT_AND_ELK, noise(same), replicates(same))
    assert (ant.first_choice.value, elk.first_choice.value) == (0.0, 1.0)
    assert elk.logit.value == pytest.approx(1 / (1 + math.exp(-2 / 0.5)), abs=1e-4)


def test_shares_of_two_camps_are_their_sizes(opened):
    awd, fwd = (utility(opened.catalog, {"drive": {name: 2.0}}, 0.0) for name in ("AWD", "FWD"))
    draws = torch.stack([awd, fwd, fwd, fwd])[:, None].expand(-1, 5, -1)
    ant, elk = shares(draws, opened.catalog.vectors([0, 4]), ANT_AND_ELK, noise(draws), replicates(draws))
    assert (ant.first_choice.value, elk.first_choice.value) == (pytest.approx(0.75), pytest.approx(0.25))
    assert elk.first_choice.low <= 0.25 <= elk.first_choice.high


def test_a_share_needs_something_to_choose_from(opened, same):
    with pytest.raises(InvalidInputError, match="at least two items"):
        shares(same, opened.catalog.vectors([0]), ANT_AND_ELK[:1], noise(same), replicates(same))


def test_an_item_that_becomes_another_gets_its_vector(opened):
    change = parsed_change("a: drive=AWD", opened.catalog)  # Ant with all-wheel drive is Elk
    torch.testing.assert_close(change.vector, opened.catalog.vectors(4), atol=1e-5, rtol=0)
    change = parsed_change("Ant: price=40000, electric=yes", opened.catalog)  # and this is Fox
    torch.testing.assert_close(change.vector, opened.catalog.vectors(5), atol=1e-5, rtol=0)


@pytest.mark.parametrize("price", ["40,000", "€40,000", "40000 €", "40,000.0"])
def test_amounts_are_read_as_people_write_them(opened, price):
    change = parsed_change(f"Ant: price={price}, electric=yes", opened.catalog)  # Ant at that price is Fox
    torch.testing.assert_close(change.vector, opened.catalog.vectors(5), atol=1e-5, rtol=0)
    assert change.values == (("price", price), ("electric", "yes"))


def test_tags_are_read_as_the_table_writes_them(tmp_path):
    rows = ["1;10;red, hot", "2;20;red", "3;10;hot", "4;20;red, old", "5;30;old", "6;30;red, hot", "7;20;hot"]
    path = tmp_path / "cars.csv"
    path.write_text("\n".join(["id;price;tags", *rows]))
    catalog = rather.open(path).catalog
    for text in ("2: price=10, tags=red, hot", "2: tags=red|hot, price=10"):
        torch.testing.assert_close(parsed_change(text, catalog).vector, catalog.vectors(0), atol=1e-5, rtol=0)


def test_what_if_an_item_changes_and_what_if_there_is_a_new_one(opened, same):
    catalog = opened.catalog
    found = what_if(
        same, [0, 4], parsed_change("a: drive=AWD, electric=yes", catalog), catalog, noise(same), replicates(same)
    )
    assert [each.first_choice.value for each in found.shares] == [1.0, 0.0]
    assert [each.first_choice.value for each in found.changes] == [1.0, -1.0]
    new = tried("+e: electric=yes", same, catalog)
    assert [each.first_choice.value for each in new.shares] == [0.0, 0.0, 1.0]
    assert [each.first_choice.value for each in new.changes] == [0.0, -1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "must read"),
        ("a: price", "must read"),
        ("zebra: price=1", "No car has the id 'zebra'"),
        ("a: wings=2", "No column that is learned from is called 'wings'"),
        ("a: drive=flying", "has no value 'flying'"),
        ("a: price=cheap", "must be a number"),
        ("a: price=$40,000", "must be a number"),
        ("a: electric=7", "must be yes or no, got '7'"),
    ],
)
def test_what_cannot_be_tried_is_rejected(opened, text, message):
    with pytest.raises((InvalidInputError, UnknownNameError), match=message):
        parsed_change(text, opened.catalog)


def test_winners_and_dead_stock(opened):
    vector = utility(opened.catalog, {"drive": {"AWD": 2.0}, "electric": {"yes": 3.0}}, -1e-4)
    draws = vector.expand(10, 4, -1)
    found = winners(draws, opened.catalog, ExactRetriever(opened.catalog), torch.Generator().manual_seed(0))
    (best,) = found.items  # Bee: 2 + 3 - 2 = 3; the others have at most 1
    assert (best.item.label, best.best.value, best.top) == ("Bee", 1.0, 1.0)
    assert (found.all_items, found.never_best, found.never_top) == (6, 5, 1)
    assert found.dead == (Item("d", "Dog"),)  # 2 - 4 = -2


def test_winners_among_many_are_those_of_the_slow_way(opened):
    generator = torch.Generator().manual_seed(2)
    draws = torch.randn(30, 8, opened.catalog.dimensions, generator=generator)
    retriever = ExactRetriever(opened.catalog)
    found = winners(draws, opened.catalog, retriever, torch.Generator().manual_seed(0))
    best = (draws @ opened.catalog.vectors(list(range(6))).T).argmax(dim=2)
    expected = torch.nn.functional.one_hot(best, 6).float()
    slow = population_means(expected, Replicates.of(draws, torch.Generator().manual_seed(0)))
    assert sum(each.best.value for each in found.items) == pytest.approx(1.0, abs=1e-5)
    for each in found.items:
        own = slow[each.row]
        assert (each.best.value, each.best.low, each.best.high) == (
            pytest.approx(own.value, abs=1e-5),
            pytest.approx(own.low, abs=1e-5),
            pytest.approx(own.high, abs=1e-5),
        )


def test_a_what_if_is_said_as_a_question(opened, same):
    catalog = opened.catalog
    changed = tried("a: drive=AWD", same, catalog)
    assert changed.question == "What if Ant had drive AWD?"
    new = what_if(
        same, [0, 4], parsed_change("+e: electric=yes, price=5", catalog), catalog, noise(same), replicates(same)
    )
    assert new.question == "What if there were another Elk with electric yes and price 5?"
    assert [each.item.id for each in new.shares] == ["a", "e", "+e"]


def test_items_of_one_name_are_told_apart_by_their_ids():
    assert names([Item("1", "Ant"), Item("2", "Bee"), Item("3", "Ant")]) == ["Ant (1)", "Bee", "Ant (3)"]
