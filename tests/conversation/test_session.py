import math

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_sessions import session, titled

import rather
from rather import NONE, SAME, SKIP, Belief, Catalog, Logistic, Noiseless, Policy, Session, Stopping
from rather.errors import ImpossibleAnswerError, InvalidInputError, NoQuestionLeftError, StaleQuestionError
from worlds import TINY, normal, world, worlds

# --- asking ---------------------------------------------------------------------------------------------------------


def test_asking_twice_gives_the_same_question():
    here = session()
    assert here.ask() is here.ask()


def test_the_same_seed_and_answers_give_the_same_questions():
    one, other = session(seed=5), session(seed=5)
    for answer in (0, 1, SKIP, NONE, 0):
        assert one.ask() == other.ask()
        one.tell(one.ask(), answer)
        other.tell(other.ask(), answer)
    assert one.recommend(3) == other.recommend(3)


def test_another_seed_draws_other_questions():
    asked = {session(seed=seed, strategy="random").ask().slate for seed in range(20)}
    assert len(asked) > 10


def test_looking_at_recommendations_does_not_change_the_question():
    looked, asked = session(), session()
    looked.recommend(5), looked.stop, looked.expected_regret
    assert looked.ask() == asked.ask()


def test_a_question_shows_what_the_catalogue_says_of_its_items():
    here = titled()
    question = here.ask()
    assert len(question) == 2
    for row, option, vector in zip(question.slate, question.options, question.vectors, strict=True):
        assert (option.id, option.label) == (f"f{row}", f"Film {row}")
        assert option.facts == {"year": str(1950 + row)}
        assert torch.equal(vector, here.policy.catalog.items[row])


def test_a_question_is_worth_its_exact_evoi():
    here = session(response=Logistic(0.3, none_utility=0.2))
    question = here.ask()
    search = world(n=30, m=40).search
    wanted = rather.evoi(question.vectors[None], here.belief, here.policy.response, search)
    assert question.evoi == pytest.approx(float(wanted), abs=TINY)


def test_questions_are_numbered_from_one():
    here = session()
    numbers = []
    for _ in range(3):
        numbers.append(here.ask().number)
        here.tell(here.ask(), 0)
    assert numbers == [1, 2, 3]
    assert here.number == 4


@pytest.mark.parametrize("name", rather.STRATEGIES)
def test_every_strategy_can_ask_by_its_name(name):
    here = session(n=12, strategy=name)
    assert len(here.ask().slate) == 2


def test_a_strategy_of_ones_own_can_ask():
    here = session(strategy=lambda problem: torch.tensor([[4, 7]]))
    assert here.ask().slate == (4, 7)


# --- telling --------------------------------------------------------------------------------------------------------


def test_an_answer_updates_the_belief_by_bayes():
    here = session(rejuvenation=None)
    question = here.ask()
    here.tell(question, 1)
    assert here.belief.content_hash == here.policy.prior.update(question, 1, here.policy.response).content_hash


@pytest.mark.parametrize("choice", [1, np.int64(1), torch.tensor(1)])
def test_an_answer_may_be_a_number_of_any_library(choice):
    here = session()
    here.tell(here.ask(), choice)
    assert here.turns[0].answer == 1
    assert type(here.turns[0].answer) is int


@pytest.mark.parametrize("answer", [NONE, SAME, SKIP])
def test_an_answer_may_be_given_by_name(answer):
    here = session()
    here.tell(here.ask(), answer.value)
    assert here.turns[0].answer is answer


def test_a_question_may_be_told_by_its_number():
    by_number, by_question = session(), session()
    by_number.tell(1, 0)
    by_question.tell(by_question.ask(), 0)
    assert by_number.ask() == by_question.ask()


def test_turns_hold_questions_answers_and_the_belief_after_each():
    here = session()
    questions = [here.ask()]
    here.tell(questions[0], 0)
    questions.append(here.ask())
    here.tell(questions[1], SKIP)
    assert [turn.question for turn in here.turns] == questions
    assert [turn.answer for turn in here.turns] == [0, SKIP]
    assert here.turns[1].belief is here.belief


def test_an_answered_question_is_stale():
    here = session()
    question = here.ask()
    here.tell(question, 0)
    with pytest.raises(StaleQuestionError, match="Question 1 is not open; the open question is number 2"):
        here.tell(question, 0)
    assert len(here.turns) == 1


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_number_that_is_not_open_is_refused(number):
    with pytest.raises(StaleQuestionError, match=f"Question {number} is not open"):
        session().tell(number, 0)


def test_a_question_of_another_session_is_refused_by_its_items():
    here = session(strategy=lambda problem: torch.tensor([[0, 1]]))
    foreign = session(strategy=lambda problem: torch.tensor([[2, 3]])).ask()
    with pytest.raises(
        StaleQuestionError, match=r"about \['0', '1'\], not \['2', '3'\]: it comes from another session"
    ):
        here.tell(foreign, 0)
    assert here.turns == ()


@pytest.mark.parametrize("question", ["1", None, 1.5, [1]])
def test_what_is_neither_a_question_nor_a_number_is_refused(question):
    with pytest.raises(InvalidInputError, match="`question` must be a question or its number"):
        session().tell(question, 0)


@pytest.mark.parametrize("choice", [2, -1, "first", 0.5, None, True])
def test_a_bad_answer_changes_nothing(choice):
    here = session()
    question = here.ask()
    with pytest.raises(InvalidInputError, match="`choice` must be"):
        here.tell(question, choice)
    assert here.turns == ()
    assert not here.events
    assert here.ask() is question


def test_an_answer_the_response_model_does_not_offer_changes_nothing():
    here = session(response=Logistic(0.1))
    question = here.ask()
    with pytest.raises(InvalidInputError, match=r"must be one of 0\.\.1, the answers of Logistic.*, got 'none'"):
        here.tell(question, NONE)
    assert here.turns == ()


def test_an_impossible_answer_changes_nothing():
    catalog = Catalog([[1.0, 0.0], [0.0, 1.0]])
    here = Session(Policy(catalog, Belief.from_users([[1.0, 0.0]], smooth=False), response=Noiseless()))
    question = here.ask()
    with pytest.raises(ImpossibleAnswerError):
        here.tell(question, question.slate.index(1))
    assert here.turns == ()
    assert here.ask() is question


# --- skipping, undoing, never repeating -----------------------------------------------------------------------------


def test_a_skip_leaves_the_belief_and_is_not_asked_again():
    here = session(n=6)
    asked = []
    for _ in range(5):
        asked.append(frozenset(here.ask().slate))
        here.tell(here.ask(), SKIP)
    assert len(set(asked)) == 5
    assert here.belief is here.policy.prior


def test_a_skip_does_not_renew_particles_that_few_of_carry_weight():
    uneven = Belief.from_users(normal(40, 3), weights=[100.0] + [1.0] * 39)
    here = Session(Policy(Catalog(normal(9, 3)), uneven))
    here.tell(here.ask(), SKIP)
    assert here.belief is uneven


@settings(max_examples=15)
@given(worlds(n=(4, 5), m=(3, 15), filtered=False), st.integers(2, 3), st.data())
def test_no_question_repeats_until_every_one_is_asked(world, k, data):
    here = Session(Policy(world.catalog, world.belief, k, response=Logistic(1.0, 0.0, 0.5)), stopping=Stopping())
    total = math.comb(len(world.catalog), k)
    answers = st.sampled_from([0, 1, NONE, SAME, SKIP])
    seen = set()
    for _ in range(total):
        assert here.stop is None
        seen.add(frozenset(here.ask().slate))
        here.tell(here.ask(), data.draw(answers))
    assert len(seen) == total
    assert here.stop.text == "every question has been asked"
    with pytest.raises(NoQuestionLeftError, match=f"All {total} possible slates have been asked"):
        here.ask()


def test_undo_opens_the_last_question_again_with_the_belief_before_it():
    here = session()
    question = here.ask()
    here.tell(question, 0)
    first = here.belief
    second = here.ask()
    here.tell(second, 1)
    assert here.undo() == second
    assert here.belief is first
    assert here.ask() == second
    assert here.undo() == question
    assert here.belief is here.policy.prior


def test_after_undo_another_answer_counts_as_if_it_were_the_first():
    undone, straight = session(), session()
    undone.tell(undone.ask(), 0)
    undone.tell(undone.ask(), 0)
    undone.undo()
    undone.tell(undone.ask(), 1)
    straight.tell(straight.ask(), 0)
    straight.tell(straight.ask(), 1)
    assert undone.belief.content_hash == straight.belief.content_hash
    assert undone.ask() == straight.ask()


def test_a_question_undone_is_stale_for_the_one_after_it():
    here = session()
    here.tell(here.ask(), 0)
    later = here.ask()
    here.undo()
    with pytest.raises(StaleQuestionError):
        here.tell(later, 0)


def test_there_is_nothing_to_undo_at_first():
    with pytest.raises(InvalidInputError, match="no answer to undo"):
        session().undo()


# --- filters --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", rather.STRATEGIES)
def test_a_filter_holds_for_questions_and_recommendations(name):
    allowed = torch.arange(12) % 3 == 0
    here = session(n=12, strategy=name, allowed=allowed)
    rows = set()
    for answer in (0, SKIP, 1):
        rows |= set(here.ask().slate)
        here.tell(here.ask(), answer)
    rows |= {item.row for item in here.recommend(12)}
    assert rows <= {0, 3, 6, 9}


@pytest.mark.parametrize("allowed", [[True] * 29, [1] * 30, [False] * 30])
def test_a_filter_that_does_not_fit_is_refused(allowed):
    with pytest.raises(InvalidInputError, match="`allowed` must"):
        session(n=30, allowed=allowed)


def test_a_filter_may_come_from_a_data_frame_and_does_not_follow_it():
    frame = pd.DataFrame({"row": range(12)})
    allowed = np.array(frame["row"] > 8)
    here = session(n=12, allowed=allowed)
    allowed[:] = True
    assert {item.row for item in here.recommend(12)} == {9, 10, 11}


def test_a_filter_that_leaves_fewer_than_k_items_is_refused():
    with pytest.raises(InvalidInputError, match=r"`k` must be 2..3 \(the items that may be asked about\), got 4"):
        session(n=30, k=4, allowed=torch.arange(30) < 3)
    with pytest.raises(InvalidInputError, match="at least 2 items, but only 1 may be asked about"):
        session(n=30, allowed=torch.arange(30) == 3)


def test_a_belief_of_other_dimensions_is_refused():
    with pytest.raises(InvalidInputError, match="`belief` must have 3 dimensions"):
        Session(Policy(Catalog(normal(5, 3)), Belief.from_users(normal(5, 4))))


def test_another_seed_gives_the_session_that_was_made_with_it():
    here = world(n=30, m=40)
    first = Session(Policy(here.catalog, here.belief))
    first.ask()
    reseeded, made = Session(first.policy.with_seed(5)), Session(Policy(here.catalog, here.belief, seed=5))
    for choice in (0, SKIP, 1):
        assert reseeded.ask() == made.ask()
        for talk in (reseeded, made):
            talk.tell(talk.ask(), choice)
    assert reseeded.to_json() == made.to_json()
    assert not first.events


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"response": 0.1}, r"`response` must be a response model such as rather.Logistic\(temperature=0.1\), got 0.1"),
        ({"rejuvenation": 10}, "`rejuvenation` must be a rather.Rejuvenation or None, got 10"),
        ({"ask": "both"}, "`ask` must be one of items, attributes, auto, got 'both'"),
        ({"strategy": "best"}, "No strategy for items is called 'best'"),
    ],
)
def test_a_setting_that_makes_no_sense_is_rejected_before_the_first_question(settings, message):
    here = world()
    with pytest.raises(rather.RatherError, match=message):
        Policy(here.catalog, here.belief, **settings)


def test_a_session_is_given_a_policy():
    here = world()
    with pytest.raises(InvalidInputError, match=r"Write rather.Session\(rather.Policy\(catalog, belief"):
        Session(here.catalog, here.belief)
    with pytest.raises(InvalidInputError, match=r"as `rather.open` returns them; got Belief and Catalog"):
        Policy(here.belief, here.catalog)


def test_opening_a_session_does_not_search_again_for_every_particle():
    here, searched = world(m=40), []

    class Counting(rather.ExactRetriever):
        def top(self, directions, count, allowed=None):
            searched.append(len(directions))
            return super().top(directions, count, allowed)

    policy = Policy(here.catalog, here.belief, retriever=Counting(here.catalog))
    Session(policy)
    assert max(searched) == 40
    searched.clear()
    for seed in range(3):
        Session(policy.with_seed(seed))
    assert searched == []
