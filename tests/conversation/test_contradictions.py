"""Answers that hardly fit together: found against brute force, told in words, and corrected."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from small_sessions import session, titled

import rather
from rather import NONE, SAME, SKIP, Belief, Catalog, Logistic, Noiseless, PersonalNoise, Policy, Session, Stopping
from rather.errors import InvalidInputError
from rather.languages import LANGUAGES
from worlds import normal

VECTORS = normal(12, 3)
LABELS = [f"Film {row}" for row in range(12)]
CATALOG = Catalog(VECTORS, ids=LABELS, labels=LABELS)
USERS = normal(50, 3, seed=1)
NOISY = Logistic(0.7, none_utility=0.2, tie=0.3)
PERSONAL = PersonalNoise((0.2, 0.7, 2.0), (0.2, 0.5, 0.3))
SLIP = [(0, 1), (2, 3), (0, 1), (0, 1), (4, 5), (0, 1)], [0, 1, 0, 0, 1, 1]


def told(pairs, answers, response=NOISY, belief=None) -> Session:
    """A conversation about these pairs of rows."""
    belief = Belief.from_users(USERS, smooth=False) if belief is None else belief
    here = Session(Policy(CATALOG, belief, response=response, seed=4), Stopping())
    for pair, answer in zip(pairs, answers, strict=True):
        here.record(question(here, pair), answer)
    return here


def question(here: Session, pair):
    return here.policy.item_question(here.number, pair)


# --- found ------------------------------------------------------------------------------------------------------------


def leave_one_out(pairs, answers, temperatures, weights):
    """The probability of each answer given the others, over all users and levels of noise, in double precision."""
    users, vectors = USERS.double().numpy(), VECTORS.double().numpy()
    likelihoods = []
    for pair, answer in zip(pairs, answers, strict=True):
        utilities = vectors[list(pair)] @ users.T
        of_levels = []
        for temperature in temperatures:
            odds = np.exp(utilities / temperature)
            of_levels.append((odds / odds.sum(axis=0))[answer])
        likelihoods.append(np.stack(of_levels))
    likelihoods = np.stack(likelihoods)  # (answers, levels, users)
    prior = np.array(weights)[:, None] / len(users)
    everything = (prior * likelihoods.prod(axis=0)).sum()
    return [everything / (prior * np.delete(likelihoods, t, axis=0).prod(axis=0)).sum() for t in range(len(pairs))]


def test_an_answer_that_is_held_out_contradicts_nothing():
    pairs, answers = SLIP
    plain = told(pairs, answers).contradictions(at_most=0.999)
    here = told([], [])
    for pair, answer in zip(pairs[:2], answers[:2], strict=True):
        here.record(question(here, pair), answer)
    here.record(replace(question(here, (6, 7)), task="holdout", predicted=(0.5, 0.5)), 1)
    for pair, answer in zip(pairs[2:], answers[2:], strict=True):
        here.record(question(here, pair), answer)
    found = here.contradictions(at_most=0.999)
    shifted = [(each.number + (each.number > 2), each.earlier + (each.earlier > 2)) for each in plain]
    assert [(each.number, each.earlier) for each in found] == shifted
    assert [each.probability for each in found] == pytest.approx([each.probability for each in plain])


@pytest.mark.parametrize(
    ("response", "temperatures", "weights"),
    [(Logistic(0.7), [0.7], [1.0]), (PERSONAL, PERSONAL.temperatures, PERSONAL.weights)],
    ids=["fixed", "personal"],
)
def test_the_probability_is_that_of_the_answer_given_all_others(response, temperatures, weights):
    pairs, answers = SLIP
    found = told(pairs, answers, response).contradictions(at_most=0.999)
    wanted = leave_one_out(pairs, answers, temperatures, weights)
    assert found
    assert [each.probability for each in found] == sorted(each.probability for each in found)
    for each in found:
        assert min(abs(each.probability - wanted[number - 1]) for number in (each.number, each.earlier)) < 1e-4


def test_where_the_prior_has_a_density_the_probability_is_about_that_of_many_particles():
    """200,000 particles of the prior, weighted by the other answers; 400 moved ones err by less than 0.05."""
    pairs, answers = SLIP
    belief = Belief.gaussian([0.0] * 3, torch.eye(3), particles=1000)
    here = told(pairs, answers, Logistic(0.7), belief)
    many = torch.randn(200_000, 3, generator=torch.Generator().manual_seed(0))
    each_likelihood = torch.stack(
        [
            (VECTORS[list(pair)] @ many.T / 0.7).softmax(dim=0)[answer]
            for pair, answer in zip(pairs, answers, strict=True)
        ]
    )
    found = here.contradictions(at_most=0.999)
    everything = each_likelihood.prod(dim=0).mean()
    for contradiction in found:
        wanted = []
        for number in (contradiction.number, contradiction.earlier):
            others = torch.cat([each_likelihood[: number - 1], each_likelihood[number:]]).prod(dim=0).mean()
            wanted.append(float(everything / others))
        assert min(abs(contradiction.probability - each) for each in wanted) < 0.05


def test_the_same_question_answered_both_ways_is_a_contradiction():
    here = told([(0, 1), (0, 1), (4, 5), (0, 1)], [0, 0, 1, 1], Logistic(0.2))
    first = here.contradictions(at_most=0.5)[0]
    assert (first.earlier, first.number) in {(1, 4), (2, 4)}
    assert first.text == (
        f"In question 4 you chose Film 1 over Film 0, but earlier, in question {first.earlier}, you chose Film 0 over "
        "Film 1."
    )


def test_answers_that_fit_together_have_none():
    pairs = [(0, 1), (0, 1), (2, 3)]
    user = USERS[0]
    answers = [int((VECTORS[list(pair)] @ user).argmax()) for pair in pairs]
    assert told(pairs, answers, Logistic(0.2)).contradictions() == []


@pytest.mark.parametrize("answers", [[], [0], [0, SKIP], [SKIP, SKIP, 1]])
def test_fewer_than_two_answers_contradict_nothing(answers):
    assert told([(0, 1)] * len(answers), answers).contradictions() == []


def test_hints_count_among_the_others_but_are_never_blamed():
    here = told([(0, 1), (0, 1)], [0, 0], Logistic(0.2))
    for _ in range(3):
        here.hint(rather.MoreLike("Film 1"))
    here.record(question(here, (2, 3)), 0)
    assert {number for each in here.contradictions(0.99) for number in (each.number, each.earlier)} <= {1, 2, 3}


def test_of_a_long_conversation_the_last_answers_are_examined():
    pairs, answers = [(0, 1)] * 3 + [(2, 3)] * 40 + [(4, 5)], [0, 1, 0] + [0] * 39 + [1, 0]
    examined = {number for each in told(pairs, answers, Logistic(0.2)).contradictions(0.4) for number in (each.number,)}
    assert 43 in examined
    assert 2 not in examined


def test_without_noise_nothing_contradicts():
    here = told([(0, 1)], [0], Noiseless())
    here.record(question(here, (2, 3)), int((VECTORS[[2, 3]] @ here.belief.mean).argmax()))
    assert here.contradictions(0.99) == []


def test_they_are_the_same_every_time():
    belief = Belief.gaussian([0.0] * 3, torch.eye(3), particles=300)
    here = told([(0, 1), (2, 3), (0, 1)], [0, 1, 1], Logistic(0.3), belief)
    assert here.contradictions(0.9) == here.contradictions(0.9)


@pytest.mark.parametrize("at_most", [0.0, 1.0, -1.0, float("nan")])
def test_a_bound_that_is_no_probability_is_rejected(at_most):
    with pytest.raises(InvalidInputError, match="at_most"):
        told([(0, 1), (0, 1)], [0, 1]).contradictions(at_most)


# --- told -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_names_both_questions_and_all_that_was_shown(language):
    here = told([(0, 1), (0, 1), (0, 1)], [0, 0, 1], Logistic(0.2))
    text = here.contradictions(0.9, language)[0].text
    assert all(part in text for part in ("Film 0", "Film 1", "3"))
    assert text.endswith(".")


@pytest.mark.parametrize(
    ("answer", "words"), [(NONE, "wanted none of Film 0 and Film 1"), (SAME, "found Film 0 and Film 1 about the same")]
)
def test_none_and_same_are_told_as_such(answer, words):
    here = told([(0, 1)] * 5, [0, 0, 0, 0, answer], Logistic(0.2, none_utility=0.2, tie=0.3))
    assert words in here.contradictions(0.99)[0].text


# --- corrected --------------------------------------------------------------------------------------------------------


def conversation(**parts) -> Session:
    here = session(**parts)
    for answer in (0, 1, SKIP, 1, 0):
        here.tell(here.ask(), answer)
    return here


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("number", [1, 3, 5])
def test_a_revised_session_is_the_one_in_which_it_was_answered_so_at_once(smooth, number):
    """The questions stay, as they were asked."""
    here = conversation(smooth=smooth)
    asked = [turn.question for turn in here.turns]
    answers = [turn.answer for turn in here.turns]
    answers[number - 1] = 1 if answers[number - 1] == 0 else 0
    here.revise(number, answers[number - 1])
    there = session(smooth=smooth)
    for each, answer in zip(asked, answers, strict=True):
        there.record(each, answer)
    assert [turn.answer for turn in here.turns] == answers
    assert [turn.question for turn in here.turns] == asked
    assert torch.equal(here.belief.particles, there.belief.particles)
    assert torch.equal(here.belief.weights, there.belief.weights)
    assert here.recommend(3) == there.recommend(3)
    assert here.ask() == there.ask()


def test_revising_to_the_same_answer_leaves_the_belief_as_it_was():
    here = conversation()
    before = here.belief
    here.revise(2, 1)
    assert torch.equal(here.belief.particles, before.particles)
    assert torch.equal(here.belief.weights, before.weights)


def test_hints_after_a_revised_answer_stay():
    here = titled()
    here.tell(here.ask(), 0)
    hint = here.hint(rather.MoreLike("f3"))
    here.tell(here.ask(), 1)
    here.revise(1, 1)
    assert here.hints == (hint,)
    assert [turn.answer for turn in here.turns] == [1, 1]


def test_a_log_of_a_revised_session_is_that_session():
    here = conversation()
    here.revise(2, 0)
    again = Session.from_json(here.to_json(), here.policy.catalog, here.policy.prior)
    assert [turn.answer for turn in again.turns] == [turn.answer for turn in here.turns] == [0, 0, SKIP, 1, 0]
    assert torch.equal(again.belief.particles, here.belief.particles)
    assert again.ask() == here.ask()
    assert again.to_json() == here.to_json()


def test_a_log_holds_a_revision_as_answers_taken_back_and_told_again():
    """So that every reader of logs understands it."""
    here = conversation()
    here.revise(4, 0)
    events = json.loads(here.to_json())["events"]
    assert [event.get("undo", event.get("answer")) for event in events] == [0, 1, "skip", 1, 0, 5, 4, 0, 0]
    held = [turn.answer for turn in rather.history(here.to_json()) if not turn.undone]
    assert held == [0, 1, SKIP, 0, 0]


def test_a_snapshot_of_a_revised_session_is_that_session():
    here = conversation()
    here.revise(1, 1)
    again = Session.restore(here.snapshot(), here.policy.catalog, here.policy.prior)
    assert [turn.answer for turn in again.turns] == [turn.answer for turn in here.turns]
    assert torch.equal(again.belief.particles, here.belief.particles)
    again.revise(1, 0)
    assert torch.equal(again.belief.particles, conversation().belief.particles)


def test_undo_after_a_revision_takes_the_last_answer_back():
    here = conversation()
    here.revise(2, 0)
    last = here.turns[-1].question
    assert here.undo().slate == last.slate
    assert [turn.answer for turn in here.turns] == [0, 0, SKIP, 1]


def test_revising_a_fork_leaves_the_session_as_it_was():
    here = conversation()
    twin = here.fork()
    twin.revise(1, 1)
    assert [turn.answer for turn in here.turns] == [0, 1, SKIP, 1, 0]
    assert len(here.events) == 5


@pytest.mark.parametrize("number", [0, 6, -1])
def test_only_an_answered_question_can_be_revised(number):
    here = conversation()
    with pytest.raises(InvalidInputError, match="one of the 5 answered"):
        here.revise(number, 0)


@pytest.mark.parametrize("choice", [2, -1, "maybe"])
def test_a_wrong_choice_is_rejected_before_anything_changes(choice):
    here = conversation()
    before = here.events
    with pytest.raises(InvalidInputError):
        here.revise(2, choice)
    assert here.events == before


def test_correcting_the_slip_resolves_the_contradiction():
    here = told([(0, 1), (0, 1), (0, 1), (0, 1)], [0, 0, 0, 1], Logistic(0.2))
    assert here.contradictions(0.3)
    here.revise(4, 0)
    assert here.contradictions(0.3) == []


# --- worth telling ----------------------------------------------------------------------------------------------------


def test_most_of_what_is_told_holds_a_mistake():
    """One answer in eleven is not what the user likes best: by chance a pair would hold one 17 times of 100."""
    belief = Belief.gaussian([0.0] * 3, torch.eye(3), particles=300)
    policy = Policy(Catalog(normal(40, 3)), belief, response=Logistic(0.3), strategy="random")
    pairs, mistakes = [], 0
    for seed in range(30):
        here, utility = Session(policy.with_seed(seed)), normal(3, seed=100 + seed)
        user, wrong = rather.SimulatedUser(utility, Logistic(0.3), seed), set()
        for _ in range(12):
            asked = here.ask()
            answer = user.answer(asked)
            here.tell(asked, answer)
            if answer != int((asked.vectors @ utility).argmax()):
                wrong.add(asked.number)
        mistakes += len(wrong)
        pairs += [bool({each.number, each.earlier} & wrong) for each in here.contradictions()]
    assert mistakes / (30 * 12) == pytest.approx(0.09, abs=0.03)
    assert len(pairs) >= 5
    assert sum(pairs) / len(pairs) > 0.5
