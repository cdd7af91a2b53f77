"""What fits on a card."""

import rather
from rather import Policy, Session
from rather.cli.cards import MOST_FACTS, choice_keys, facts_to_show, recommendations_view, show
from rather.cli.console import plain_console
from rather.conversation.compared_facts import ComparedFact


def test_what_differs_is_shown_except_prose():
    facts = [
        ComparedFact("year", ("1942", "1943"), True),
        ComparedFact("country", ("France", "France"), False),
        ComparedFact("line", ("A café.", "A bar."), True),
        ComparedFact("plot", ("x" * 99, "y"), True),
        ComparedFact("page", ("https://a.example", "https://b.example"), True),
    ]
    assert [fact.name for fact in facts_to_show(facts)] == ["year"]
    assert [fact.name for fact in facts_to_show(facts[1:])] == ["country"]


def test_the_first_few_are_shown():
    facts = [ComparedFact(f"own{number}", ("a", "b"), True) for number in range(12)]
    assert facts_to_show(facts) == facts[:MOST_FACTS]


def test_the_keys_of_the_options():
    assert [choice_keys(k) for k in (2, 3, 12)] == ["1 or 2", "1 to 3", "1 to 12"]


def test_labels_that_differ_at_their_end_are_shown_whole():
    labels = [f"Lucid Air G Touring XR AWD with 19 inch wheels ({year})" for year in (2025, 2026)]
    catalog = rather.Catalog([[1.0, 0.5], [0.5, 1.0]], labels=labels)
    top = Session(Policy(catalog, rather.Belief.from_users([[1.0, 0.0], [0.0, 1.0]]))).recommend(2)
    console = plain_console(width=80)
    with console.capture() as captured:
        show(console, recommendations_view(top, 1.0, 1.0))
    shown = captured.get()
    assert "(2025)" in shown
    assert "(2026)" in shown
    assert "…" not in shown


def test_what_an_item_stands_for_is_shown_whole():
    top = Session(Policy(*rather.open("films"))).recommend(1)
    phrase = "if you want a film that is historical and black-and-white"
    console = plain_console(width=80)
    with console.capture() as captured:
        show(console, recommendations_view(top, 1.0, 1.0, stands_for=[phrase]))
    assert phrase in " ".join(captured.get().split())
