"""Why an item is recommended: only what is true, differs, is known, and is preferred."""

import re

import pytest

from cars import CARS
from rather import Belief, Catalog, Logistic, Noiseless, Policy, Session, Want
from rather.conversation.reasons import MOST_REASONS
from rather.formats.films import film_belief, film_catalog
from rather.formats.tables import encode_table
from rather.model.attributes import unit_attributes
from rather.model.responses import NONE, SAME, SKIP

NAMES = ("Airplane!", "Seven", "The Naked Gun", "Zodiac")


def films(*users, **parts):
    """Four films that are funny or dark, and a person who wants a funny one and no dark one."""
    catalog = Catalog(
        [[1.0, 0.0], [0.0, 1.0], [0.9, 0.1], [0.2, 0.9]],
        labels=NAMES,
        features=["funny", "dark"],
        attributes=unit_attributes(["funny", "dark"], "that is **{}**"),
        name="film",
    )
    belief = Belief.from_users(users or [[1.0, -1.0], [1.0, -0.5]], smooth=False)
    return Session(Policy(catalog, belief, rejuvenation=None, **parts))


def told(session, rows, choice):
    question = session.policy.item_question(session.number, rows)
    session.reopen(question)
    session.tell(question, choice)
    return session


def texts(session, count=4, **options):
    top = session.recommend(count)
    found = session.reasons(top, **options)
    return {item.label: [reason.text for reason in reasons] for item, reasons in zip(top, found, strict=True)}


def test_what_is_shared_with_the_chosen_and_better_than_the_passed():
    said = texts(told(films(), [0, 1], 0))
    assert said["Airplane!"] == [
        "you chose it over Seven",
        "more funny than Seven, which you passed on",
        "less dark than Seven, which you passed on",
    ]
    assert said["The Naked Gun"][0] == "another film that is funny, like Airplane!, which you chose"


def test_what_the_person_does_not_prefer_is_no_reason():
    """The same answer with a person who likes dark films better: nothing speaks for being less dark."""
    said = texts(told(films([1.0, 1.0], [1.0, 2.0]), [0, 1], 0))
    assert "less dark" not in str(said)


def test_what_the_belief_is_unsure_of_is_no_reason():
    unsure = films([1.0, 1.0], [1.0, -1.0], response=Logistic(temperature=100.0))  # the answer says nothing
    assert "dark" not in str(texts(told(unsure, [0, 1], 0)))


def test_no_sentence_occurs_twice_and_every_item_has_few():
    session = Session(Policy(film_catalog(), film_belief(film_catalog()), ask="auto"))
    for choice in (0, 1, NONE, 0, 1, SAME, SKIP):
        session.tell(session.ask(), choice)
    found = session.reasons(session.recommend(20))
    said = [reason.text for reasons in found for reason in reasons]
    assert len(said) == len(set(said))
    assert max(map(len, found)) <= MOST_REASONS
    assert found[0]


def test_before_the_first_answer_there_are_none():
    session = films()
    assert session.reasons(session.recommend(2)) == [(), ()]
    assert session.reasons([]) == []


def test_a_skipped_question_and_a_tie_pass_nothing_on():
    for answer in (SAME, SKIP):
        assert "passed on" not in str(texts(told(films(), [0, 1], answer)))


def test_none_of_these_passes_all_on():
    said = texts(told(films(), [1, 3], NONE))
    assert "more funny than what you passed on" in str(said)


def test_an_attribute_that_was_chosen():
    session = films(ask="attributes")
    question = session.ask()
    session.tell(question, [option.label for option in question.options].index("funny"))
    assert "one that is funny, as you wanted" in texts(session)["Airplane!"]


def test_what_the_person_asked_for_is_a_reason_before_any_answer():
    session = films()
    session.hint(Want("funny"))
    top = session.recommend(1)
    (reasons,) = session.reasons(top)
    assert (reasons[0].text, reasons[0].questions) == ("one that is funny, as you wanted", ())


def test_somebody_else_reads_they():
    said = str(texts(told(films(), [0, 1], 0), speaker="they"))
    assert "they chose" in said
    assert not re.search(r"\byou\b", said)


def test_without_columns_reasons_name_items():
    catalog = Catalog([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1]], labels=["a", "b", "c"])
    belief = Belief.from_users([[1.0, 0.0], [0.0, 1.0]], smooth=False)
    said = texts(told(Session(Policy(catalog, belief, rejuvenation=None)), [0, 1], 0), 3)
    assert said == {"a": ["you chose it over b"], "c": ["like a, which you chose"], "b": []}


def test_the_numbers_of_the_answers_are_named():
    session = told(told(films(), [0, 1], 0), [0, 3], 0)
    first = session.reasons(session.recommend(1))[0]
    chosen = next(reason for reason in first if reason.kind == "chosen")
    assert chosen.questions == (1, 2)
    assert chosen.text == "you chose it over Seven and Zodiac"


def test_what_two_columns_say_alike_is_said_once():
    """Both ways to measure it make a car "more economical"."""
    rows = range(40)
    table = {
        "name": [f"Car {row}" for row in rows],
        "mpg_city": [10 + row for row in rows],
        "mpg_highway": [15 + (row if row >= 30 else 7 * row % 30) for row in rows],
        "seats": [2 + row % 4 for row in rows],
    }
    more = {"direction": "more"}
    cars = encode_table(table, {"columns": {"mpg_city": more, "mpg_highway": more}})
    session = told(Session(Policy(cars.catalog, cars.belief())), [38, 39], 0)
    (found,) = session.reasons(session.policy.described(session.belief, [36]))
    assert [reason.text for reason in found].count("more economical than most items") == 1


def test_what_an_item_has_in_common_with_another_need_not_be_followed_by_that_it_is_like_it():
    """Also where the other was chosen twice."""
    unsure = films([1.0, -1.0], [1.0, -0.5], [-0.5, 1.0])
    said = texts(told(told(unsure, [0, 1], 0), [0, 3], 0))["The Naked Gun"]
    assert said[0] == "another film that is funny, like Airplane!, which you chose"
    assert "like Airplane!, which you chose" not in said


@pytest.fixture(scope="module")
def cars(tmp_path_factory):
    path = tmp_path_factory.mktemp("cars") / "cars.csv"
    path.write_text(CARS, encoding="utf-8")
    return encode_table(path)


@pytest.mark.parametrize("seed", range(4))
def test_comparisons_with_what_was_passed_on_are_true(cars, seed):
    catalog = cars.catalog
    session = Session(Policy(catalog, cars.belief(), seed=seed, response=Noiseless()))
    person = cars.belief(seed=seed + 1).particles[0]
    passed, price = [], cars.column("price_usd").numbers
    for _ in range(3):
        question = session.ask()
        choice = int((question.vectors @ person).argmax())
        passed += [row for index, row in enumerate(question.slate) if index != choice]
        session.tell(question, choice)
    top = session.recommend(len(catalog))
    for item, reasons in zip(top, session.reasons(top), strict=True):
        others = [price[row] for row in passed if row != item.row]
        for reason in reasons:
            assert "unknown" not in reason.text
            assert "near" not in reason.text
            if reason.text.startswith("cheaper than what you passed on"):
                assert price[item.row] < min(others)
            if reason.text.startswith("dearer than what you passed on"):
                assert price[item.row] > max(others)
