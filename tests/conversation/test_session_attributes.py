"""A session that asks about attributes, or about whichever pays more: the same promises as about items."""

import itertools
import json

import pytest
import torch

from rather import NONE, SAME, SKIP, Attribute, Belief, Catalog, Logistic, Policy, ReadingCost, Session, Stopping
from rather.errors import InvalidInputError, NoQuestionLeftError, StaleQuestionError
from rather.strategies.attributes.greedy import GreedyAttributes
from worlds import normal

TEXTS = ("funny", "dark", "slow", "short", "old")


def catalogue(**parts):
    return Catalog(normal(30, 5), name="film", **{"features": TEXTS, **parts})


def talk(catalog=None, **settings):
    catalog = catalogue() if catalog is None else catalog
    belief = Belief.from_users(normal(40, 5, seed=1) + 0.2)
    stopping = settings.pop("stopping", Stopping())
    return Session(Policy(catalog, belief, **{"ask": "attributes", **settings}), stopping)


def question_of(session, kind):
    """Make reading the other kind so costly that the next question is of this one."""
    cost = ReadingCost(card=1e3 * (kind == "attributes"), attribute=1e3 * (kind == "items"))
    session.policy.__dict__["reading_cost"] = cost
    return session.ask()


def test_a_question_about_attributes_says_what_it_compares():
    question = talk(k=3, p=2).ask()
    assert question.kind == "attributes"
    assert question.slate == ()
    assert len(question) == len(question.attributes) == 3
    for option, places in zip(question.options, question.attributes, strict=True):
        assert option.attributes == tuple(TEXTS[place] for place in places)
        assert option.label == " and ".join(option.attributes)
        assert option.id is None
    assert question.text.startswith("Would you rather ")
    assert question.evoi > 0


def test_a_question_about_items_has_words_as_well():
    question = talk(ask="items").ask()
    assert question.kind == "items"
    assert question.attributes == ()
    assert question.text == f"Would you rather watch {question.options[0].label} or {question.options[1].label}?"


def test_asking_is_pure_and_repeatable():
    session = talk(seed=3)
    assert session.ask() is session.ask()
    assert session.ask() == talk(seed=3).ask()


def test_an_answer_updates_the_belief_by_bayes_on_the_partial_items():
    session = talk(p=2, rejuvenation=None)
    question = session.ask()
    expected = session.belief.update(question.vectors, 1, session.policy.response)
    session.tell(question, 1)
    assert torch.equal(session.belief.log_weights, expected.log_weights)
    said = torch.eye(5)[torch.tensor(question.attributes)].sum(dim=1)
    assert torch.allclose(question.vectors, session.policy.catalog.average + said, atol=1e-6)


def test_no_question_about_attributes_repeats_until_every_one_is_asked():
    session = talk()
    asked = set()
    for _ in range(10):  # C(5, 2)
        question = session.ask()
        name = frozenset(question.attributes)
        assert name not in asked
        asked.add(name)
        session.tell(question, SKIP)
    with pytest.raises(NoQuestionLeftError):
        session.ask()
    assert session.stop.text == "every question has been asked"


def test_auto_goes_on_with_items_when_attributes_are_used_up():
    session = talk(ask="auto", reading_cost=ReadingCost(card=1e3, attribute=0.0))
    kinds = []
    for _ in range(12):
        kinds.append(session.ask().kind)
        session.tell(session.ask(), SKIP)
    assert kinds == ["attributes"] * 10 + ["items"] * 2


def test_auto_asks_what_is_worth_more_net_of_effort():
    items, attributes = talk(ask="items", seed=5).ask(), talk(ask="attributes", seed=5).ask()
    gap = items.evoi - attributes.evoi
    for surcharge, kind in ((gap / 2 - 0.001, "items"), (gap / 2 + 0.001, "attributes")):
        cost = max(surcharge, 0.0), max(-surcharge, 0.0)
        session = talk(ask="auto", seed=5, reading_cost=ReadingCost(card=cost[0], attribute=cost[1]))
        chosen = session.ask()
        assert chosen.kind == kind
        assert chosen == (items if kind == "items" else attributes)


def test_the_usual_effort_is_a_share_of_the_regret_at_the_start():
    session = talk(ask="auto")
    assert session.policy.reading_cost == ReadingCost(
        0.005 * session.policy.start_regret, 0.0005 * session.policy.start_regret
    )
    items, attributes = (
        question_of(talk(ask="auto", k=3), "items"),
        question_of(talk(ask="auto", k=3, p=2), "attributes"),
    )
    assert ReadingCost(card=2.0, attribute=0.5).of(items) == 6
    assert ReadingCost(card=2.0, attribute=0.5).of(attributes) == 3


def test_effort_is_never_negative():
    with pytest.raises(InvalidInputError, match="`card` must be 0 or above"):
        ReadingCost(-1.0, 0.0)


def test_auto_asks_about_items_where_nothing_can_be_said():
    assert talk(catalogue(features=None), ask="auto").ask().kind == "items"


def mixed_conversation():
    """Both kinds, every sort of answer, an undo, and an open question."""
    session = talk(ask="auto", k=2, p=2, seed=9, response=Logistic(0.3, none_utility=0.0, tie=0.5))
    answers = itertools.cycle([0, NONE, SAME, 1, SKIP])
    for kind in ("attributes", "items", "attributes", "items", "attributes", "attributes"):
        question = question_of(session, kind)
        assert question.kind == kind
        session.tell(question, next(answers))
    session.undo()
    session.tell(session.ask(), 1)
    question_of(session, "attributes")
    return session


def test_a_log_with_both_kinds_round_trips():
    session = mixed_conversation()
    again = Session.from_json(session.to_json(), session.policy.catalog, session.policy.prior)
    assert [(turn.question, turn.answer) for turn in again.turns] == [(t.question, t.answer) for t in session.turns]
    assert torch.equal(again.belief.particles, session.belief.particles)
    assert torch.equal(again.belief.log_weights, session.belief.log_weights)
    assert again.policy.reading_cost == session.policy.reading_cost
    assert again.ask() == session.ask()
    assert again.to_json() == session.to_json()
    session.tell(session.ask(), 0)
    again.tell(again.ask(), 0)
    assert again.ask() == session.ask()


def test_the_log_says_what_was_compared():
    session = mixed_conversation()
    events = json.loads(session.to_json())["events"]
    assert [sorted(event.keys() & {"items", "attributes", "undo"})[0] for event in events[:4]] == [
        "attributes",
        "items",
        "attributes",
        "items",
    ]
    first = session.turns[0].question
    assert events[0]["attributes"] == [list(item) for item in first.attributes]
    assert events[0]["tell"] == 1
    assert events[1]["answer"] == "none"


def test_undo_opens_the_same_question_again():
    session = talk()
    question = session.ask()
    belief = session.belief
    session.tell(question, 0)
    assert session.undo() == question
    assert session.belief is belief
    assert session.ask() == question


def test_a_question_of_another_session_is_refused():
    session, other = talk(), talk(ask="items")
    with pytest.raises(StaleQuestionError, match="another session"):
        session.tell(other.ask(), 0)
    changed = talk(p=2).ask()
    with pytest.raises(StaleQuestionError, match="another session"):
        session.tell(changed, 0)


@pytest.mark.parametrize(
    "attributes", [[[0], [5]], [[0], [0]], [[0]], [[0], []], [[0], ["a"]], [[0], 1], "both", [[0, 0], [1]], [[0], [-1]]]
)
def test_a_damaged_log_is_refused(attributes):
    session = talk()
    session.tell(session.ask(), 0)
    log = json.loads(session.to_json())
    log["events"][0]["attributes"] = attributes
    del log["events"][0]["shown"]
    with pytest.raises(InvalidInputError, match="damaged"):
        Session.from_json(json.dumps(log), session.policy.catalog, session.policy.prior)


def test_a_log_that_lacks_how_attributes_are_asked_is_refused():
    log = json.loads(talk().to_json())
    del log["effort"]
    with pytest.raises(InvalidInputError, match="lacks effort"):
        Session.from_json(json.dumps(log), catalogue(), talk().policy.prior)


def test_a_strategy_of_ones_own_must_be_given_again():
    session = talk(attribute_strategy=GreedyAttributes())
    with pytest.raises(InvalidInputError, match="`attribute_strategy`"):
        Session.from_json(session.to_json(), session.policy.catalog, session.policy.prior)
    again = Session.from_json(
        session.to_json(), session.policy.catalog, session.policy.prior, attribute_strategy=GreedyAttributes()
    )
    assert again.ask() == session.ask()


def test_a_log_from_before_there_were_attributes_is_read():
    session = talk(ask="items")
    session.tell(session.ask(), 0)
    log = json.loads(session.to_json())
    del log["ask"]
    again = Session.from_json(json.dumps(log), session.policy.catalog, session.policy.prior)
    assert again.ask() == session.ask()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"p": 6}, r"`p` must be 1..5 \(the columns that attributes are about\), got 6"),
        ({"p": 0}, r"`p` must be 1..5"),
        ({"k": 6}, r"`k` must be 2..5 \(the partial items of 1 attribute\), got 6"),
        ({"ask": "both"}, r"`ask` must be one of items, attributes, auto, got 'both'"),
        ({"attribute_strategy": "qeubo"}, r"No strategy for attributes is called 'qeubo'.*asks about items only"),
        ({"catalog": Catalog(torch.zeros(30, 5))}, r"no attributes.*`features`"),
    ],
)
def test_settings_that_cannot_be_are_refused_at_the_start(settings, message):
    with pytest.raises((InvalidInputError, LookupError), match=message):
        talk(**settings)


def test_p_is_bounded_by_columns_and_not_by_statements():
    said = [
        Attribute(text, text[0], vector)
        for text, vector in zip(("ax", "ay", "az", "bx", "by"), torch.eye(5), strict=True)
    ]
    with pytest.raises(InvalidInputError, match=r"`p` must be 1..2"):
        talk(catalogue(features=None, attributes=said), p=3)
    question = talk(catalogue(features=None, attributes=said), p=2).ask()
    assert all({said[place].column for place in item} == {"a", "b"} for item in question.attributes)


def test_naming_attributes_does_not_change_what_is_asked_about_items():
    named, bare = talk(ask="items"), talk(catalogue(features=None), ask="items")
    assert named.ask().slate == bare.ask().slate


def test_recommendations_and_regret_after_attributes():
    session = talk(p=2)
    before = session.expected_regret
    for _ in range(6):
        session.tell(session.ask(), 0)
    assert session.expected_regret < before
    assert len(session.recommend(3)) == 3
