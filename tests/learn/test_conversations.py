"""Stored conversations as evidence about a catalogue that has changed since."""

import json

import pytest
import torch

import rather
from rather.conversation.policy_settings import everyday_response
from rather.learn import conversations_of

TABLE = {
    "id": [f"item {number}" for number in range(30)],
    "price": [10 + 7 * number for number in range(30)],
    "weight": [3.0 + (number * 13 % 30) / 10 for number in range(30)],
}


def log_of(table=TABLE, answers=(0, "none", "same", "skip", 1)):
    catalog, belief = rather.open(table)
    session = rather.Session(rather.Policy(catalog, belief, response=everyday_response(catalog, belief)))
    for answer in answers:
        session.tell(session.ask(), answer)
    return catalog, session


def test_every_answer_but_a_skipped_one_is_the_evidence_that_the_session_had():
    catalog, session = log_of()
    found = conversations_of([("one", session.to_json())], catalog)
    assert found.answers == 4
    expected = session.belief.evidence
    assert [each.row for each in found.used[0].evidence] == [each.row for each in expected]
    for mine, theirs in zip(found.used[0].evidence, expected, strict=True):
        assert torch.allclose(mine.vectors, theirs.vectors, atol=1e-6)


def test_hold_outs_are_left_out_and_personal_noise_is_taken_as_usual():
    catalog, belief = rather.open(TABLE)
    usual = everyday_response(catalog, belief)
    noise = rather.PersonalNoise.around(usual.temperature, usual.none_utility, usual.tie)
    task = rather.Task(2, ("item 0", "item 9"), holdout=True)
    session = rather.Session(rather.Policy(catalog, belief, response=noise, tasks=[task]))
    for answer in (0, 1, 1):
        session.tell(session.ask(), answer)
    found = conversations_of([("one", session.to_json())], catalog)
    assert [each.row for each in found.used[0].evidence] == [0, 1] == [each.row for each in session.belief.evidence]
    assert all(each.response.temperature == pytest.approx(noise.typical) for each in found.used[0].evidence)
    assert noise.typical == pytest.approx(usual.temperature)


def test_new_items_and_prices_leave_the_meaning_of_what_was_shown():
    _, session = log_of()
    later = {name: [*values, new] for (name, values), new in zip(TABLE.items(), ["new", 500, 9.0], strict=True)}
    later["price"][0] = 15
    now, _ = rather.open(later)
    found = conversations_of([("one", session.to_json())], now)
    assert found.answers == 4
    first, evidence = session.turns[0].question, found.used[0].evidence[0]
    for option, vector in zip(first.options, evidence.vectors, strict=True):
        of_today = now.vectors([now.row(option.id)])[0]
        assert float(torch.nn.functional.cosine_similarity(of_today, vector, dim=0)) > 0.9


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"events": []}, "nothing was answered"),
        ({"events": "?"}, "damaged"),
        ({"rather": 1}, "version 1"),
        ({"response": {"kind": "Noiseless"}}, ""),
    ],
)
def test_what_cannot_be_learnt_from_is_left_out_with_a_reason(change, reason):
    catalog, session = log_of()
    found = conversations_of([("one", {**json.loads(session.to_json()), **change})], catalog)
    assert not found.used
    assert reason in next(iter(found.reasons))


def test_another_table_is_left_out():
    _, session = log_of()
    other, _ = rather.open({"id": ["x", "y", "z"], "colour": ["red", "blue", "red"], "size": [1, 2, 3]})
    found = conversations_of([("one", session.to_json())], other)
    assert not found.used
    assert "another catalogue" in found.left_out[0].reason
