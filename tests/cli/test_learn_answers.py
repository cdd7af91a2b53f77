"""`rather learn answers`, and `--prior` of the other commands."""

import json

import pytest
import torch

from rather import Policy, Session, SimulatedUser
from rather.conversation.policy_settings import everyday_response
from rather.formats.opening import open as open_catalog
from rather.formats.prior_files import load_prior

ROWS = 30
TABLE = "id,price,weight,maker\n" + "".join(
    f"item {row},{100 + 7 * row},{3 + (row * 13 % ROWS) / 10},{'ABC'[row % 3]}\n" for row in range(ROWS)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, and logs of twelve people who want the highest price."""
    folder = tmp_path_factory.mktemp("answers")
    (folder / "things.csv").write_text(TABLE)
    rows = (f"x{row},{'rb'[row % 2]},{row * row}\n" for row in range(20))
    (folder / "other.csv").write_text("id,colour,size\n" + "".join(rows))
    (folder / "logs").mkdir()
    catalog, belief = open_catalog(folder / "things.csv")
    prices = torch.tensor([100.0 + 7 * row for row in range(ROWS)])
    wanted = torch.linalg.lstsq(catalog.vectors(range(ROWS)), (prices - prices.mean())[:, None] / prices.std()).solution
    response = everyday_response(catalog, belief)
    for number in range(12):
        session = Session(Policy(catalog, belief, seed=number, response=response))
        user = SimulatedUser(wanted[:, 0], response, number)
        for _ in range(4):
            question = session.ask()
            session.tell(question, user.answer(question))
        (folder / "logs" / f"{number}.json").write_text(session.to_json())
    (folder / "logs" / "empty.json").write_text(Session(Policy(catalog, belief)).to_json())
    return folder


def learn(rather, folder, out, *options):
    return rather("learn", "answers", folder / "logs", "--catalog", folder / "things.csv", "--out", out, *options).out


def test_what_is_learnt_goes_into_a_file_that_other_commands_take(folder, rather):
    out = folder / "population.npz"
    report = json.loads(learn(rather, folder, out, "--json"))
    assert (report["conversations"], report["answers"]) == (12, 48)
    assert report["left_out"] == {"nothing was answered": 1}
    assert report["held_out"]["people"] == 2
    assert len(report["tastes"]) > 3
    learnt = load_prior(out)
    assert learnt.prior.temperature == pytest.approx(report["temperature"])
    catalog, belief = open_catalog(folder / "things.csv", prior=out)
    dear, cheap = catalog.vectors([ROWS - 1, 0])
    assert float((dear - cheap) @ belief.mean) > 0.5
    asked = [folder / "things.csv", "--prior", out, "--json"]
    assert json.loads(rather("ask", *asked, stdin='{"quit": true}').out.splitlines()[0])
    assert json.loads(rather("simulate", *asked, "--users", "2", "--questions", "1").out)["users"] == 2
    assert json.loads(rather("inspect", *asked, "--questions").out)["conversations"]
    assert json.loads(rather("publish", *asked, "--single-file", folder / "quiz.html").out)["items"] == ROWS


def test_a_table_for_people(folder, rather):
    told = learn(rather, folder, folder / "again.npz", "--segments", "1")
    assert "What an attribute is worth to people" in told
    assert "learnt from 12 conversations with 48 answers" in told
    assert "1 left out: nothing was answered." in told
    assert "2 people held out" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn", "answers", "{}/nothing", "--catalog", "{}/things.csv"], "There is no file or folder"),
        (["learn", "answers", "{}/logs", "--catalog", "{}/things.csv", "--out", "x.csv"], ".npz"),
        (["learn", "answers", "{}/logs", "--catalog", "{}/other.csv", "--out", "{}/o.npz"], "another catalogue"),
        (["learn", "answers", "{}/missing.db", "--catalog", "{}/things.csv"], "does not exist"),
        (["ask", "{}/things.csv", "--json", "--prior", "{}/things.csv"], "is no prior"),
        (["ask", "{}/other.csv", "--json", "--prior", "{}/population.npz"], "another catalogue"),
        (["inspect", "{}/things.csv", "--no-write", "--prior", "{}/population.npz"], "--questions"),
        (["serve", "{}/things.csv", "{}/other.csv", "--check", "--prior", "{}/population.npz"], "NAME=FILE"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(folder, rather, arguments, message):
    if not (folder / "population.npz").exists():
        learn(rather, folder, folder / "population.npz")
    failed = rather(*(each.format(folder) for each in arguments), expect=2).err
    assert message in " ".join(failed.split())
    assert "Traceback" not in failed


def test_ratings_need_no_word_of_their_own(rather):
    assert "There is no file 'nothing.csv'" in rather("learn", "nothing.csv", expect=2).err
    assert "There is no file 'nothing.csv'" in rather("learn", "ratings", "nothing.csv", expect=2).err
