"""What stands on the cards of a question, and in which order."""

import torch

from rather import Belief, Policy
from rather.conversation.compared_facts import compared_facts, fact_weights
from rather.formats.tables import encode_table
from rather.model.questions import Option, Question

TABLE = {
    "name": ["a", "b", "c", "d", "e", "f"],
    "price_eur": [500, 900, 500, 700, 650, 800],
    "weight_kg": [1.0, 1.0, 2.0, 1.5, 1.2, 2.2],
    "brand": ["A1", "B2", "A1", "B2", "A1", "B2"],
    "description": ["x" * 80, "y" * 80, "z" * 80, "x" * 90, "y" * 90, "z" * 90],
}


def asked(table, rows):
    return Policy(table.catalog, table.belief()).item_question(1, rows)


def test_what_differs_comes_first_and_long_texts_last():
    table = encode_table(TABLE)
    facts = compared_facts(asked(table, [0, 1]), table.catalog, table.belief())
    assert {fact.name for fact in facts[:2]} == {"price", "brand"}
    assert [fact.differs for fact in facts] == [True, True, False, True]
    assert [fact.name for fact in facts[2:]] == ["weight", "description"]


def test_what_matters_more_to_the_belief_comes_first():
    table = encode_table(TABLE)
    columns = {column.name: column for column in table.catalog.columns}
    for caring, other in (("price", "brand"), ("brand", "price")):
        person = torch.zeros(table.catalog.dimensions)
        person[columns[caring].dimensions] = torch.arange(1.0, columns[caring].dimensions.stop + 1)[
            : columns[caring].dimensions.stop - columns[caring].dimensions.start
        ]
        belief = Belief.from_users(torch.stack([person, -person]), smooth=False)
        names = [fact.name for fact in compared_facts(asked(table, [0, 1]), table.catalog, belief)]
        assert names[0] == caring
        assert fact_weights(asked(table, [0, 1]), table.catalog, belief)[other] == 0


def test_the_weight_is_the_root_mean_square_of_the_difference_in_worth():
    table = encode_table(TABLE)
    question, belief = asked(table, [0, 1, 2]), table.belief()
    column = next(column for column in table.catalog.columns if column.name == "price")
    total = 0.0
    for particle, weight in zip(belief.particles, belief.weights, strict=True):
        worths = [float(vector[column.dimensions] @ particle[column.dimensions]) for vector in question.vectors]
        total += float(weight) * (max(worths) - min(worths)) ** 2
    torch.testing.assert_close(
        torch.tensor(fact_weights(question, table.catalog, belief)["price"]),
        torch.tensor(total**0.5),
        rtol=1e-3,
        atol=0,
    )


def test_one_of_many_yes_no_columns_is_shown_where_it_differs():
    flags = {f"has_q{number}": ["yes", "no"] * 3 for number in range(5)}
    flags["has_q1"] = ["yes", "yes", "no", "no", "yes", "no"]
    table = encode_table({**TABLE, **flags})
    names = {fact.name: fact.values for fact in compared_facts(asked(table, [0, 1]), table.catalog, table.belief())}
    assert "qualities" in names
    (differing,) = [name for name in names if name.endswith("q0")]
    assert names[differing] == ("yes", "no")
    assert not any(name.endswith("q1") for name in names)


def test_without_a_catalogue_the_order_of_the_facts_stays():
    first = Option("A", {"maker": "Ada", "wheels": "4", "price": "10"}, 0)
    second = Option("B", {"maker": "Ada", "price": "20", "wheels": "4", "doors": "5"}, 1)
    question = Question(1, (0, 1), (first, second), 0.0, torch.zeros(2, 1))
    assert [fact.name for fact in compared_facts(question)] == ["price", "doors", "maker", "wheels"]


def test_what_is_not_known_of_all_options_comes_after_what_is():
    first = Option("A", {"range": "unknown", "price": "10", "doors": "4"}, 0)
    second = Option("B", {"range": "300 km", "price": "20", "doors": "4"}, 1)
    question = Question(1, (0, 1), (first, second), 0.0, torch.zeros(2, 1))
    assert [fact.name for fact in compared_facts(question)] == ["price", "range", "doors"]
