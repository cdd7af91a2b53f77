import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import NONE, SAME, SKIP, Logistic, Noiseless
from rather.errors import InvalidInputError
from rather.model.responses import answer_row, as_choice
from rather.testing import check_response_model
from worlds import ALL_MODELS, models, normal


def probabilities(model, *utilities: float) -> list[float]:
    """Of all answers of one user."""
    return model.log_probabilities(torch.tensor(utilities)[:, None])[:, 0].exp().tolist()


@pytest.mark.parametrize("model", ALL_MODELS, ids=str)
def test_every_model_meets_the_contract(model):
    check_response_model(model)


def test_logistic_choice_is_a_softmax_over_the_temperature():
    weights = [math.exp(1.0 / 0.5), math.exp(0.2 / 0.5), math.exp(-0.3 / 0.5)]
    wanted = [weight / sum(weights) for weight in weights]
    assert probabilities(Logistic(0.5), 1.0, 0.2, -0.3) == pytest.approx(wanted, rel=1e-5)


def test_none_is_an_option_of_its_own_utility():
    with_none = probabilities(Logistic(0.5, none_utility=0.7), 1.0, 0.2)
    assert with_none == pytest.approx(probabilities(Logistic(0.5), 1.0, 0.2, 0.7), rel=1e-5)


def test_a_tie_weighs_as_much_as_the_geometric_mean_of_the_options_times_tie():
    first, second = math.exp(1.0 / 0.5), math.exp(0.2 / 0.5)
    same = 0.3 * math.sqrt(first * second)
    wanted = [weight / (first + second + same) for weight in (first, second, same)]
    assert probabilities(Logistic(0.5, tie=0.3), 1.0, 0.2) == pytest.approx(wanted, rel=1e-5)


def test_two_equal_options_and_a_tie_of_one_are_equally_likely():
    assert probabilities(Logistic(0.1, tie=1.0), 0.4, 0.4) == pytest.approx([1 / 3] * 3, rel=1e-5)


def test_a_tie_is_rarer_the_more_the_options_differ():
    ties = [probabilities(Logistic(0.5, tie=1.0), 0.0, gap)[2] for gap in (0.0, 0.3, 1.0, 3.0)]
    assert ties == sorted(ties, reverse=True)
    assert ties[0] > ties[-1]


def test_without_noise_the_best_option_is_always_chosen():
    assert probabilities(Noiseless(), 0.1, 0.5, 0.4) == [0.0, 1.0, 0.0]


def test_without_noise_equal_best_options_share():
    assert probabilities(Noiseless(), 0.5, 0.1, 0.5) == pytest.approx([0.5, 0.0, 0.5])


def test_without_noise_none_is_chosen_when_it_beats_every_option():
    assert probabilities(Noiseless(none_utility=0.6), 0.5, 0.1) == [0.0, 0.0, 1.0]
    assert probabilities(Noiseless(none_utility=0.4), 0.5, 0.1) == [1.0, 0.0, 0.0]


def test_without_noise_same_is_chosen_within_the_noticeable_difference():
    assert probabilities(Noiseless(tie=0.5), 1.0, 0.5) == [0.0, 0.0, 1.0]
    assert probabilities(Noiseless(tie=0.5), 1.0, 0.25) == [1.0, 0.0, 0.0]


def test_without_noise_same_comes_before_none():
    assert probabilities(Noiseless(none_utility=9.0, tie=0.5), 0.3, 0.1) == [0.0, 0.0, 0.0, 1.0]


def test_logistic_choice_becomes_noiseless_as_the_temperature_vanishes():
    utilities = normal(4, 50)
    cold = Logistic(1e-6).log_probabilities(utilities).exp()
    assert torch.allclose(cold, Noiseless().log_probabilities(utilities).exp(), atol=1e-4)


@given(models, st.lists(st.floats(-2, 2, width=32), min_size=2, max_size=5), st.floats(0, 2, width=32), st.data())
def test_raising_an_options_utility_never_makes_it_less_likely(model, utilities, more, data):
    option = data.draw(st.integers(0, len(utilities) - 1))
    raised = [*utilities]
    raised[option] += more
    assert probabilities(model, *raised)[option] >= probabilities(model, *utilities)[option] - 1e-5


@pytest.mark.parametrize("model", [Logistic(0.1), Noiseless()])
def test_extra_answers_are_offered_only_when_asked_for(model):
    assert model.extras == ()
    assert type(model)(none_utility=0.0).extras == (NONE,)
    assert type(model)(tie=0.5).extras == (SAME,)
    assert type(model)(none_utility=0.0, tie=0.5).extras == (NONE, SAME)


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan, math.inf])
def test_a_temperature_without_meaning_is_rejected(temperature):
    with pytest.raises(InvalidInputError, match="`temperature` must be above 0 and finite"):
        Logistic(temperature)


@pytest.mark.parametrize("model", [Logistic, Noiseless])
@pytest.mark.parametrize("utility", [math.nan, math.inf, -math.inf])
def test_an_outside_option_without_finite_utility_is_rejected(model, utility):
    with pytest.raises(InvalidInputError, match="`none_utility` must be finite"):
        model(none_utility=utility)


@pytest.mark.parametrize("tie", [0.0, -0.1, math.nan, math.inf])
def test_a_logistic_tie_without_weight_is_rejected(tie):
    with pytest.raises(InvalidInputError, match="`tie` must be above 0"):
        Logistic(tie=tie)


@pytest.mark.parametrize("tie", [-0.1, math.nan])
def test_a_negative_noticeable_difference_is_rejected(tie):
    with pytest.raises(InvalidInputError, match="`tie` must be 0 or above"):
        Noiseless(tie=tie)


def test_options_come_first_then_the_extras_in_order():
    model = Logistic(none_utility=0.0, tie=0.5)
    assert [answer_row(answer, 3, model) for answer in (0, 1, 2, NONE, SAME)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("choice", [-1, 2, 5])
def test_an_option_that_is_not_on_the_slate_is_rejected(choice):
    with pytest.raises(InvalidInputError, match=rf"`choice` must be 0..1 for a slate of 2, got {choice}"):
        answer_row(choice, 2, Logistic())


@pytest.mark.parametrize("answer", [NONE, SAME, SKIP])
def test_an_answer_the_model_does_not_offer_is_rejected(answer):
    with pytest.raises(
        InvalidInputError, match=rf"`choice` must be one of 0\.\.1, the answers of Logistic.*, got '{answer.value}'"
    ):
        answer_row(answer, 2, Logistic())


@pytest.mark.parametrize("choice", [1, np.int64(1), np.array(1), torch.tensor(1)])
def test_whole_numbers_of_every_library_are_choices(choice):
    assert as_choice(choice) == 1
    assert type(as_choice(choice)) is int


@pytest.mark.parametrize("answer", [NONE, SAME, SKIP])
def test_an_answer_may_be_given_by_its_name(answer):
    assert as_choice(answer.value) is answer
    assert as_choice(answer) is answer


@pytest.mark.parametrize("choice", ["first", "0", 1.0, None, True, [0], np.array([0, 1])])
def test_what_is_not_a_choice_is_rejected(choice):
    with pytest.raises(
        InvalidInputError,
        match="`choice` must be the number of an option, from 0, or one of 'none', 'same', 'skip', got",
    ):
        as_choice(choice)
