"""Questions about attributes on the command line."""

import io
import json

import pytest
from rich.console import Console

from rather import Policy
from rather.cli.cards import choice_text, question_view
from rather.conversation.session import Session
from rather.formats.films import film_belief, film_catalog


@pytest.fixture(scope="module")
def session():
    catalog = film_catalog()
    return Session(Policy(catalog, film_belief(catalog, particles=100), ask="attributes"))


def shown(view):
    console = Console(file=io.StringIO(), width=100, no_color=True)
    console.print(view)
    return console.file.getvalue()


def test_a_person_reads_a_sentence_and_the_options(session):
    question = session.ask()
    text = shown(question_view(question, ()))
    first, second = (option.label for option in question.options)
    assert f"Question 1: Would you rather watch a film that is {first} or one that is {second}?" in text
    assert f"1  {first}" in text
    assert f"2  {second}" in text
    assert choice_text(question, 1) == f"one that is {second}"


def test_a_program_answers_about_attributes_and_continues_later(rather, tmp_path):
    log = tmp_path / "log.json"
    options = ("ask", "films", "--json", "--ask", "attributes", "--p", "2", "--k", "3", "--strategy", "greedy")
    first = rather(*options, "--save", str(log), stdin='{"choice": 2}\n"same"\n{"quit": true}\n').out
    said = [json.loads(line) for line in first.splitlines()]
    question = said[0]
    assert question["kind"] == "attributes"
    assert len(question["options"]) == 3
    assert all(len(option["attributes"]) == 2 for option in question["options"])
    assert question["text"].startswith("Would you rather watch a film that is ")
    assert question["answers"] == [0, 1, 2, "none", "same", "skip"]
    again = rather("ask", "films", "--json", "--resume", str(log), stdin='{"quit": true}\n').out
    assert json.loads(again.splitlines()[0]) == [line for line in said if line["type"] == "question"][-1]
    assert [sorted(event) for event in json.loads(log.read_text())["events"]] == [
        ["answer", "attributes", "evoi", "shown", "tell"]
    ] * 2


def test_a_program_may_be_asked_about_either(rather):
    options = ("ask", "films", "--json", "--ask", "auto", "--strategy", "greedy")
    cheap_words = rather(*options, "--reading-cost", "9,0", stdin="").out
    cheap_cards = rather(*options, "--reading-cost", "0,9", stdin="").out
    assert json.loads(cheap_words.splitlines()[0])["kind"] == "attributes"
    assert json.loads(cheap_cards.splitlines()[0])["kind"] == "items"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("ask", "films", "--json", "--ask", "attributes", "--strategy", "cont-free"), "asks about items only"),
        (
            ("ask", "films", "--json", "--ask", "auto", "--reading-cost", "much"),
            "must be two numbers such as 0.01,0.001",
        ),
        (("ask", "films", "--json", "--ask", "attributes", "--p", "26"), "`p` must be 1..25"),
        (("simulate", "films", "--strategy", "cont-partial"), "asks about attributes only"),
        (
            ("simulate", "films", "--ask", "items", "--ask", "auto", "--strategy", "best"),
            "No strategy for items is called 'best'",
        ),
        (("research", "first-questions", "films", "--k", "6..2"), "`--k` must be a number from 2, or like 2..6"),
        (("research", "first-questions", "films", "--p", "one"), "`--p` must be a number from 1"),
        (
            ("research", "first-questions", "films", "--strategy", "thompson"),
            "No strategy for attributes is called 'thompson'",
        ),
    ],
)
def test_a_mistake_is_named(options, message, rather):
    assert message in rather(*options, expect=2).err.replace("\n", " ")


def test_simulate_compares_kinds_of_question(rather):
    options = ("--users", "3", "--questions", "2", "--strategy", "greedy", "--strategy", "greedy")
    kinds = ("--ask", "items", "--ask", "attributes", "--ask", "auto")
    report = json.loads(rather("simulate", "films", "--json", *options, *kinds).out)
    assert report["ask"] == ["items", "attributes", "auto"]
    names = [summary["policy"] for summary in report["policies"]]
    assert names == ["items (greedy)", "attributes (greedy)", "auto (greedy)"]
    starts = {summary["regret"][0] for summary in report["policies"]}
    assert len(starts) == 1


def test_simulate_compares_strategies_for_attributes(rather):
    options = ("--users", "2", "--questions", "2", "--strategy", "greedy", "--strategy", "random")
    text = rather("simulate", "films", "--ask", "attributes", *options).out
    assert "greedy" in text
    assert "random" in text


def test_the_table_of_first_questions(rather):
    names = ("--strategy", "auto", "--strategy", "greedy", "--strategy", "exhaustive-search")
    report = json.loads(rather("research", "first-questions", "films", "--k", "2,3", "--p", "1", "--json", *names).out)
    found = {(question["strategy"], question["k"]): question["evoi"] for question in report["questions"]}
    assert len(found) == 6
    for k in (2, 3):
        best = found["exhaustive-search", k]
        assert found["auto", k] >= 0.99 * best
        assert found["auto", k] >= found["greedy", k] - 1e-6
        assert found["greedy", k] <= best + 1e-6
    assert report["attributes"] == 25
    limited = rather("research", "first-questions", "films", "--k", "2", "--p", "1", "--most-slates", "10", *names).out
    assert "–" in limited
    assert "300" in limited
