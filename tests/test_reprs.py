"""What a shell or a notebook shows of the main objects."""

import pytest

from rather import Catalog, Policy, Session
from worlds import normal, world


def talk(**settings) -> Session:
    labels = ["Alien", "<Big> & Bold", "Casablanca", "Dune"]
    catalog = Catalog(normal(4, 3), labels=labels, facts=[{"year": "1979"}] * 4, features=["a", "b", "c"], name="film")
    return Session(Policy(catalog, world(m=20, d=3).belief, **settings))


def test_a_catalogue_says_what_it_holds():
    assert repr(talk().policy.catalog) == "Catalog(4 films, 3 dimensions, 3 attributes)"
    assert repr(Catalog(normal(1, 2))) == "Catalog(1 item, 2 dimensions)"


def test_a_question_says_its_number_text_and_value():
    question = talk().ask()
    assert repr(question) == f"Question(1, {question.text!r}, evoi={question.evoi:.3g})"


def test_a_session_counts_its_answers():
    session = talk()
    assert repr(session) == "Session(Catalog(4 films, 3 dimensions, 3 attributes), 0 answers)"
    session.tell(session.ask(), 0)
    assert repr(session).endswith(", 1 answer)")


@pytest.mark.parametrize(
    ("settings", "end"),
    [
        ({}, "ask='items', strategy='auto')"),
        ({"ask": "attributes", "p": 2}, "ask='attributes', attribute_strategy='auto', p=2)"),
        ({"ask": "auto"}, "ask='auto', strategy='auto', attribute_strategy='auto', p=1)"),
    ],
)
def test_a_policy_says_how_it_asks(settings, end):
    assert repr(talk(k=3, seed=4, **settings).policy).endswith(f"k=3, seed=4, {end}")


def test_notebooks_show_tables_with_escaped_labels():
    session = talk(k=4)
    question = session.ask()
    session.tell(question, [option.label for option in question.options].index("<Big> & Bold"))
    for shown in (session.policy.catalog, question, session):
        html = shown._repr_html_()
        assert html.startswith("<table>")
        assert "&lt;Big&gt; &amp; Bold" in html
        assert "<Big>" not in html
