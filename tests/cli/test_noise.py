"""`--noise personal`, and answers that are revised by a program."""

import json

import rather as library
from rather.conversation.policy_settings import personal_response

CONTRADICTING = [0, 0, 1, 0, 1]


def lines(*commands):
    return "".join(json.dumps(command) + "\n" for command in commands)


def printed(text):
    return [json.loads(line) for line in text.splitlines()]


def test_a_saved_conversation_keeps_the_noise_of_ones_own(rather, tmp_path):
    log = tmp_path / "log.json"
    rather("ask", "films", "--json", "--noise", "personal", "--save", log, stdin=lines({"choice": 0}, {"quit": True}))
    catalog, belief = library.open("films")
    session = library.Session.from_json(log.read_text(), catalog, belief)
    assert session.policy.response == personal_response(catalog, belief)
    again = rather("ask", "films", "--json", "--resume", log, stdin=lines({"quit": True})).out
    assert printed(again)[0]["number"] == 2


def test_the_levels_are_around_the_temperature(rather, tmp_path):
    log = tmp_path / "log.json"
    options = ("--noise", "personal", "--temperature", "0.5")
    rather("ask", "films", "--json", *options, "--save", log, stdin=lines({"quit": True}))
    assert json.loads(log.read_text())["response"]["temperatures"] == [0.125, 0.25, 0.5, 1.0, 2.0]


def test_simulated_users_may_have_a_noise_of_their_own(rather):
    options = ("--users", "4", "--questions", "1", "--json", "--noise", "personal")
    report = json.loads(rather("simulate", "films", *options).out)
    assert report["response"].startswith("PersonalNoise")
    assert len(report["policies"][0]["regret"]) == 2


def test_an_unknown_noise_is_rejected_in_a_line(rather):
    assert "personal" in rather("ask", "films", "--json", "--noise", "loud", expect=2).err


def test_a_program_is_told_of_a_contradiction_once_and_can_revise(rather, tmp_path):
    log = tmp_path / "log.json"
    commands = [*({"choice": choice} for choice in CONTRADICTING), {"revise": 3, "choice": 0}, {"quit": True}]
    said = printed(rather("ask", "films", "--json", "--save", log, stdin=lines(*commands)).out)
    (told,) = [each["contradictions"] for each in said if each["type"] == "contradictions"]
    assert (told[0]["earlier"], told[0]["number"]) == (3, 4)
    assert said[-1]["answers"] == 5
    held = [turn.answer for turn in library.history(log.read_text()) if not turn.undone]
    assert held == [0, 0, 0, 0, 1]


def test_a_wrong_revision_is_an_error_message(rather):
    commands = [{"choice": 0}, {"revise": 7, "choice": 0}, {"revise": "x", "choice": 0}, {"quit": True}]
    said = printed(rather("ask", "films", "--json", stdin=lines(*commands)).out)
    errors = [each["message"] for each in said if each["type"] == "error"]
    assert len(errors) == 2
    assert "must be one of the 1 answered" in errors[0]
