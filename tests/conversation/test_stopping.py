import math

import pytest

from rather import SKIP, Belief, BestOfList, Catalog, Policy, Session, Stopping
from rather.errors import InvalidInputError
from worlds import world


def session(**rules) -> Session:
    here = world(n=30, m=40)
    return Session(Policy(here.catalog, here.belief, objective=BestOfList(5)), stopping=Stopping(**rules))


def test_without_rules_there_is_no_reason_to_stop():
    here = session()
    for _ in range(6):
        assert here.stop is None
        here.tell(here.ask(), 0)


def test_stops_when_the_next_answer_adds_less_than_it_costs():
    start = session()
    worth = start.policy.gain(start.belief, start.ask())
    assert 0 < worth < start.ask().evoi  # a list of five leaves less to gain than a single item
    assert session(cost=worth * 0.99).stop is None
    reason = session(cost=worth * 1.01).stop.text
    assert reason.startswith("another answer would hardly improve the recommendation")
    assert "less than its cost" in reason


def test_stops_when_the_expected_regret_is_small_enough():
    regret = session().expected_regret
    assert session(regret=regret * 0.99).stop is None
    assert session(regret=regret * 1.01).stop.text.startswith("more questions would hardly improve")


def test_stops_when_one_of_the_list_is_the_best_for_sure_enough():
    sure = session().probability_best()
    assert sure > session().recommend(1)[0].probability_best
    assert session(probability=min(1.0, sure + 0.01)).stop is None
    reason = session(probability=sure).stop.text
    assert reason.startswith("one of the recommendations is the best choice with a probability of")


def test_stops_for_certainty():
    here = Session(
        Policy(Catalog([[1.0, 0.0], [0.0, 1.0]]), Belief.from_users([[1.0, 0.1]] * 7)),
        stopping=Stopping(probability=1.0),
    )
    assert here.stop.text == "one of the recommendations is the best choice with a probability of 1.00"


def test_stops_after_so_many_questions():
    here = session(questions=2)
    here.tell(here.ask(), 0)
    assert here.stop is None
    here.tell(here.ask(), SKIP)
    assert here.stop.text == "2 questions answered"
    here.undo()
    assert here.stop is None


def test_one_question_is_said_in_the_singular():
    here = session(questions=1)
    here.tell(here.ask(), 0)
    assert here.stop.text == "1 question answered"


def test_stops_when_every_question_has_been_asked():
    here = world(n=3)
    talk = Session(Policy(here.catalog, here.belief), stopping=Stopping())
    for _ in range(3):
        talk.tell(talk.ask(), SKIP)
    assert talk.stop.text == "every question has been asked"


def test_every_reason_has_a_code_for_programs():
    start = session()
    sure, regret = start.probability_best(), start.expected_regret
    worth = start.policy.gain(start.belief, start.ask())
    assert start.stop is None
    rules = {"probability": sure, "regret": 1.01 * regret, "cost": 1.01 * worth}
    for code, bound in rules.items():
        here = session(**{code: bound})
        assert here.stop.code == code
        assert here.stop.text == here.stop.text
    counted = session(questions=1)
    counted.tell(counted.ask(), SKIP)
    assert counted.stop.code == "questions"
    few = world(n=2)
    talk = Session(Policy(few.catalog, few.belief), stopping=Stopping())
    talk.tell(talk.ask(), SKIP)
    assert talk.stop.code == "exhausted"


def test_a_reason_to_stop_does_not_keep_anyone_from_going_on():
    here = session(questions=1)
    here.tell(here.ask(), 0)
    here.tell(here.ask(), 1)
    assert len(here.turns) == 2


def test_the_usual_rules_scale_with_the_regret_at_the_start():
    here = world(n=30, m=40)
    talk = Session(Policy(here.catalog, here.belief))
    assert talk.stopping == Stopping.usual(talk.policy.start_regret)
    assert talk.stopping.cost == pytest.approx(0.01 * talk.expected_regret)
    assert talk.stopping.regret == pytest.approx(0.02 * talk.expected_regret)


def test_the_usual_conversation_ends_by_itself_before_the_most_questions():
    here = world(n=30, m=40)
    talk = Session(Policy(here.catalog, here.belief))
    while talk.stop is None:
        talk.tell(talk.ask(), 0)
    assert 1 <= len(talk.turns) < 25


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"cost": -0.1}, "`cost` must be 0 or above, got -0.1"),
        ({"cost": math.nan}, "`cost` must be 0 or above, got nan"),
        ({"regret": -1}, "`regret` must be 0 or above, got -1"),
        ({"probability": 0.0}, r"`probability` must lie in \(0, 1\], got 0.0"),
        ({"probability": 1.5}, r"`probability` must lie in \(0, 1\], got 1.5"),
        ({"questions": 0}, "`questions` must be at least 1, got 0"),
    ],
)
def test_a_rule_without_meaning_is_refused(rules, message):
    with pytest.raises(InvalidInputError, match=message):
        Stopping(**rules)
