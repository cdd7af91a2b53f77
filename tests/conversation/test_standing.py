"""What each item of a list stands for."""

import pytest
import torch

import rather
from rather import Belief, BestOfList, Catalog, Policy, Session
from rather.languages import ENGLISH, LANGUAGES

# Some people want a funny film, others a dark one, others a long one; each film is one of the three, or nothing.
FILMS = Catalog(
    torch.cat([torch.eye(3), torch.zeros(1, 3)]),
    labels=["Laughs", "Shadows", "Hours", "Nothing"],
    features=["funny", "dark", "long"],
    name="film",
)
PEOPLE = Belief.from_users(torch.eye(3) + 0.01, [0.5, 0.3, 0.2], smooth=False)


def listed(belief=PEOPLE, catalog=FILMS, **how):
    session = Session(Policy(catalog, belief, objective=BestOfList(3)))
    top = session.recommend(3)
    return {item.label: said for item, said in zip(top, session.stands_for(top, **how), strict=True)}


def test_an_item_stands_for_what_those_like_who_would_take_it():
    said = listed()
    assert said == {
        "Laughs": "if you want a film with funny",
        "Shadows": "if you want a film with dark",
        "Hours": "if you want a film with long",
    }


def test_somebody_else_reads_it_of_them():
    assert listed(speaker="they")["Laughs"] == "if they want a film with funny"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_it(language):
    said = listed(language=language)
    assert len(set(said.values())) == 3
    assert all(said.values())


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != ENGLISH])
def test_a_value_after_the_name_of_its_column_is_not_the_second_after_a_colon(language):
    prices = [100 + 10 * row for row in range(24)]
    columns = {"acidity": [row % 8 for row in range(24)], "sweet value": prices, "firmness": prices[::-1]}
    catalog = rather.open(columns).catalog
    session = Session(Policy(catalog, rather.open(columns).belief, objective=BestOfList(3)))
    said = [each for each in session.stands_for(session.recommend(3), language=language) if each]
    assert said
    assert {each.count(":") for each in said} == {1}


def test_an_item_that_hardly_anybody_would_take_stands_for_nothing():
    almost_sure = Belief.from_users(torch.eye(3) + 0.01, [0.98, 0.01, 0.01], smooth=False)
    assert set(listed(almost_sure).values()) == {""}


def test_without_words_for_the_items_nothing_is_said():
    assert set(listed(catalog=Catalog(FILMS.items, labels=["Laughs", "Shadows", "Hours", "Nothing"])).values()) == {""}


def test_a_list_of_one_stands_for_nobody_in_particular():
    session = Session(Policy(FILMS, PEOPLE))
    assert session.stands_for(session.recommend(1)) == [""]
