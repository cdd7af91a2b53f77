"""Tasks: questions that everybody is asked. Hold-outs teach nothing."""

import json

import pytest
import torch

from rather import SAME, Belief, Catalog, Logistic, Policy, Session, Stopping, Task
from rather.caching.storage import Cache
from rather.conversation.tasks import predicted_shares
from rather.errors import InvalidInputError
from worlds import world

TASKS = (Task(2, (3, 7), holdout=True), Task(4, (1, 2, 5)))


def policy(**changes) -> Policy:
    here = world(n=30, m=40)
    return Policy(here.catalog, here.belief, **{"tasks": TASKS, **changes})


def answered(session: Session, *choices) -> Session:
    for choice in choices:
        session.tell(session.ask(), choice)
    return session


def test_tasks_are_asked_at_their_numbers():
    session = Session(policy(), Stopping())
    kinds, slates = [], []
    for _ in range(5):
        question = session.ask()
        kinds.append(question.task)
        slates.append(question.slate)
        session.tell(question, 0)
    assert kinds == [None, "holdout", None, "fixed", None]
    assert (slates[1], slates[3]) == ((3, 7), (1, 2, 5))


def test_the_answer_to_a_hold_out_changes_no_belief_and_no_later_question():
    first, second = (answered(Session(policy(), Stopping()), 0, choice) for choice in (0, 1))
    before = answered(Session(policy(), Stopping()), 0)
    for session in (first, second):
        assert session.belief is session.turns[0].belief
        assert torch.equal(session.belief.particles, before.belief.particles)
        assert len(session.belief.evidence) == 1
    assert first.ask().slate == second.ask().slate


def test_the_answer_to_a_fixed_task_teaches():
    session = answered(Session(policy(), Stopping()), 0, 0, 0)
    belief = session.belief
    answered(session, 2)
    assert len(session.belief.evidence) == len(belief.evidence) + 1


def test_a_hold_out_is_predicted_by_the_belief_when_it_is_asked():
    catalog = Catalog([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    belief = Belief.from_users([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    here = Policy(catalog, belief, response=Logistic(temperature=0.001), tasks=[Task(1, (0, 1), holdout=True)])
    assert here.question(belief, []).predicted == pytest.approx((2 / 3, 1 / 3), abs=1e-5)


def test_a_prediction_is_of_those_who_choose_an_option():
    here = world(n=30, m=40)
    response = Logistic(temperature=0.5, none_utility=0.0, tie=0.5)
    shares = predicted_shares(here.catalog.vectors([0, 1, 2]), here.belief, response)
    assert sum(shares) == pytest.approx(1.0)
    assert len(shares) == 3


def test_a_log_brings_tasks_and_predictions_back():
    session = answered(Session(policy(), Stopping(questions=9, minimum=4)), 0, 1, 0)
    assert session.ask().task == "fixed"
    here = world(n=30, m=40)
    again = Session.from_json(session.to_json(), here.catalog, here.belief)
    assert again.policy.tasks == TASKS
    assert again.stopping.minimum == 4
    assert again.turns[1].question.predicted == session.turns[1].question.predicted
    assert again.ask() == session.ask()
    assert torch.equal(again.belief.particles, session.belief.particles)
    restored = Session.restore(session.snapshot(), here.catalog, here.belief)
    assert restored.belief.log_weights.tolist() == session.belief.log_weights.tolist()
    assert len(restored.belief.evidence) == len(session.belief.evidence) == 2


def test_a_log_without_tasks_is_as_it_was():
    log = json.loads(Session(policy(tasks=())).to_json())
    assert "tasks" not in log
    assert "minimum" not in log["stopping"]


def test_undo_opens_a_task_again_as_it_was():
    session = answered(Session(policy(), Stopping()), 0)
    asked = session.ask()
    session.tell(asked, 0)
    assert session.undo() == asked


def test_a_cached_policy_asks_and_learns_the_same():
    cache = Cache(None)
    for _ in range(2):
        cached, plain = Session(policy(), Stopping(), cache=cache), Session(policy(), Stopping())
        for _ in range(4):
            assert cached.ask() == plain.ask()
            answered(cached, 0)
            answered(plain, 0)
            assert torch.equal(cached.belief.particles, plain.belief.particles)


def test_a_task_whose_items_are_gone_is_not_asked():
    here = world(n=30, m=40)
    session = Session(Policy(here.catalog, here.belief, tasks=[Task(1, (3, 999))]), Stopping())
    assert session.ask().task is None


def test_the_rule_waits_for_the_minimum():
    rule = Stopping(regret=1e9, minimum=3)
    session = Session(policy(), rule)
    stops = []
    for _ in range(4):
        stops.append(session.stop is None)
        session.tell(session.ask(), SAME)
    assert stops == [True, True, True, False]


def test_a_task_is_asked_whatever_it_is_worth():
    session = answered(Session(policy(), Stopping(cost=1e9)), 0)
    assert session.ask().task == "holdout"
    assert session.stop is None
    answered(session, 0)
    assert session.stop.code == "cost"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Task(0, (1, 2)), "from 1"),
        (lambda: Task(1, (1,)), "two different ids"),
        (lambda: Task(1, (1, 1)), "two different ids"),
        (lambda: policy(tasks=[Task(1, (1, 2)), Task(1, (3, 4))]), "two for question 1"),
        (lambda: Stopping(questions=3, minimum=4), "0..3"),
        (lambda: Stopping(minimum=-1), "0 or above"),
    ],
)
def test_what_makes_no_sense_is_rejected(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()


@pytest.mark.parametrize(
    "damage",
    [
        {"tasks": 5},
        {"tasks": [3]},
        {"tasks": [{"number": 1, "items": [None, 2]}]},
        {"tasks": [{"number": True, "items": [1, 2]}]},
    ],
)
def test_a_log_with_damaged_tasks_is_rejected(damage):
    here = world(n=30, m=40)
    log = {**json.loads(Session(policy()).to_json()), **damage}
    with pytest.raises(InvalidInputError):
        Session.from_json(json.dumps(log), here.catalog, here.belief)


@pytest.mark.parametrize("damage", [{"task": "other"}, {"predicted": [1.0]}, {"predicted": [2.0, 0.0]}, {"task": 1}])
def test_a_log_with_a_damaged_prediction_is_rejected(damage):
    here = world(n=30, m=40)
    log = json.loads(answered(Session(policy(), Stopping()), 0, 1).to_json())
    log["events"][1].update(damage)
    with pytest.raises(InvalidInputError):
        Session.from_json(json.dumps(log), here.catalog, here.belief)
