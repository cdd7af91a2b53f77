"""What fits on a card."""

from rather.cli.cards import MOST_FACTS, facts_to_show
from rather.model.questions import Option


def option(**facts):
    return Option("label", facts, "id")


def test_few_facts_are_all_shown_except_the_line_which_stands_below_them():
    assert facts_to_show([option(year="1942", line="A café."), option(year="1942", country="France")]) == [
        "year",
        "country",
    ]


def test_of_many_facts_those_that_differ_are_shown():
    same = {f"same{number}": "x" for number in range(10)}
    left = option(**same, **{f"own{number}": "a" for number in range(12)})
    right = option(**same, **{f"own{number}": "b" for number in range(12)})
    assert facts_to_show([left, right]) == [f"own{number}" for number in range(MOST_FACTS)]
