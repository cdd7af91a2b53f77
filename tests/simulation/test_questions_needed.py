"""How many questions a policy needs, on curves where that is known."""

import math
from dataclasses import replace

import pytest

from rather.errors import InvalidInputError
from rather.simulation.conversations import Conversation
from rather.simulation.questions_needed import questions_needed


def conversation(policy, user, regret):
    nothing = (0.0,) * (len(regret) - 1)
    return Conversation(policy, user, tuple(regret), regret, regret, nothing, nothing, nothing)


def test_the_curve_is_interpolated_between_questions():
    halving = [conversation("halving", user, (1.0, 0.5, 0.25, 0.125)) for user in range(5)]
    faster = [conversation("faster", user, (1.0, 0.2, 0.1, 0.05)) for user in range(5)]
    slow, fast = questions_needed([*halving, *faster], share=0.2)
    assert slow.questions == pytest.approx(2 + (0.25 - 0.2) / 0.125)
    assert fast.questions == pytest.approx(1)
    assert fast.saved == pytest.approx(slow.questions - 1)
    assert (slow.saved, slow.saved_error) == (0, 0)
    assert fast.saved_error == pytest.approx(0, abs=1e-9)  # all users are alike


def test_the_mean_over_users_counts():
    mixed = [conversation("mixed", 0, (2.0, 0.0, 0.0)), conversation("mixed", 1, (2.0, 2.0, 0.0))]
    assert questions_needed(mixed, share=0.25)[0].questions == pytest.approx(1.5)


def test_the_error_is_that_of_the_paired_difference():
    """Both policies lose the same with every user but for a shift, which needs no more of one than of the other."""
    both = [
        conversation(name, user, (1.0, 0.6 + 0.1 * (user % 3), 0.1 + 0.1 * (user % 3)))
        for name in ("one", "other")
        for user in range(9)
    ]
    assert questions_needed(both, share=0.5)[1].saved_error == 0


def test_what_does_not_suffice_is_not_a_number():
    assert math.isnan(questions_needed([conversation("slow", 0, (1.0, 0.9))])[0].questions)


@pytest.mark.parametrize("share", [0, 1, -1, math.nan])
def test_a_share_is_between_0_and_1(share):
    with pytest.raises(InvalidInputError, match="`share`"):
        questions_needed([conversation("it", 0, (1.0, 0.5))], share)


def test_adjustments_after_the_questions_are_not_questions():
    asked = conversation("asked", 0, (1.0, 0.9, 0.8))
    adjusted = replace(asked, policy="adjusted", regret=(*asked.regret, 0.1, 0.0))
    assert [math.isnan(each.questions) for each in questions_needed([asked, adjusted], share=0.2)] == [True, True]
