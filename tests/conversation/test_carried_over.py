"""A stored conversation goes on in a catalogue that has changed since, and says what it could not carry over."""

import json
from pathlib import Path

import pytest
import torch

import rather
from rather import NONE, SKIP, Attribute, Belief, Catalog, Policy, Session, Stopping
from rather.conversation.allowed_items import MOST_IDS
from rather.errors import CatalogChangedError, InvalidInputError
from rather.model.questions import GONE
from worlds import normal

IDS = [f"film-{row}" for row in range(14)]
FEATURES = ("funny", "dark", "slow")
BELIEF = Belief.from_users(normal(40, 3, seed=1))
VECTORS = normal(14, 3)
RECORDED = Path(__file__).parents[1] / "golden" / "recorded"


def films(keep=range(14), vectors=VECTORS, **parts):
    """A catalogue of these films, with names for its dimensions unless told otherwise."""
    rows = list(keep)
    given = {"features": FEATURES, "name": "film", **parts}
    return Catalog(vectors[rows], ids=[IDS[row] for row in rows], labels=[f"Film {row}" for row in rows], **given)


def talk(catalog, *acts, belief=BELIEF, **settings):
    session = Session(Policy(catalog, belief, **settings), Stopping())
    for act in acts:
        session.withdraw() if act == "undo" else session.tell(session.ask(), act)
    return session


def by_hand(session, policy, prior=BELIEF):
    """The belief after the answers of a session, told one after the other."""
    for turn in session.turns:
        prior = policy.after(prior, turn.question, turn.answer)
    return prior


def shown_rows(session):
    return sorted({row for turn in session.turns for row in turn.question.slate})


def without(rows):
    return [row for row in range(14) if row not in rows]


@pytest.mark.parametrize("names", [FEATURES, None], ids=["named", "without names"])
def test_an_added_item_changes_nothing_that_was_answered(names):
    before = films(range(13), features=names)
    session = talk(before, 0, 1, NONE)
    question = session.ask()
    now = films(features=names)
    again = Session.from_json(session.to_json(), now, BELIEF)
    assert again.belief.content_hash == session.belief.content_hash
    assert again.ask() == question
    assert again.carried_over.sentences == (
        "The catalogue has changed since this conversation began; all answers still count.",
    )
    assert again.policy.catalog is now


def test_nothing_is_reported_where_nothing_changed():
    session = talk(films(), 0, 1)
    assert Session.from_json(session.to_json(), films(), BELIEF).carried_over is None
    assert Session.restore(session.snapshot(), films(), BELIEF).carried_over is None


def test_items_that_are_gone_are_neither_asked_about_nor_recommended_but_their_answers_count():
    session = talk(films(), 0, 1, 0)
    gone = session.turns[0].question.slate
    again = Session.from_json(session.to_json(), films(without(gone)), BELIEF)
    assert again.belief.content_hash == session.belief.content_hash
    assert again.turns[0].question.slate == (GONE, GONE)
    assert {option.id for option in again.carried_over.items_gone} >= {IDS[row] for row in gone}
    left = {IDS[row] for row in gone}
    assert left.isdisjoint(item.id for item in again.recommend(12))
    for _ in range(5):
        assert left.isdisjoint(option.id for option in again.ask().options)
        again.tell(again.ask(), 0)
    assert f"No longer there: Film {gone[0]}, Film {gone[1]}" in str(again.carried_over)


def test_an_open_question_with_something_gone_is_replaced():
    session = talk(films(), 0)
    open = session.ask()
    log = session.to_json()
    again = Session.from_json(log, films(without(open.slate[:1])), BELIEF)
    assert again.carried_over.question_dropped
    assert again.open_question is None
    assert again.ask().number == open.number
    kept = next(row for row in range(14) if row not in open.slate and row not in shown_rows(session))
    assert Session.from_json(log, films(without([kept])), BELIEF).ask().options == open.options


def test_a_changed_item_is_reported_and_its_answer_counts_as_it_was_given():
    session = talk(films(), 0, 1)
    row = session.turns[0].question.slate[0]
    moved = VECTORS.clone()
    moved[row] += 1
    again = Session.from_json(session.to_json(), films(vectors=moved), BELIEF)
    assert [option.label for option in again.carried_over.items_changed] == [f"Film {row}"]
    assert torch.equal(again.turns[0].question.vectors, session.turns[0].question.vectors)
    assert again.belief.content_hash == session.belief.content_hash


def test_an_open_question_shows_an_item_as_it_is_called_now():
    """Where only its label has changed, the vectors are the same, and so is the hash of the catalogue."""
    session = talk(films(), 0)
    open = session.ask()
    renamed = [f"Film {row}" for row in range(14)]
    renamed[open.slate[0]] = "The director's cut"
    now = Catalog(VECTORS, ids=IDS, labels=renamed, features=FEATURES, name="film")
    for again in (
        Session.from_json(session.to_json(), now, BELIEF),
        Session.restore(session.snapshot(), now, BELIEF),
    ):
        assert again.carried_over.question_dropped
        assert [option.label for option in again.carried_over.items_changed] == [open.options[0].label]
        assert again.carried_over.facts_changed == ("→ The director's cut",)
        assert again.belief.content_hash == session.belief.content_hash
        asked = again.ask()
        assert [option.label for option in asked.options] == [renamed[row] for row in asked.slate]
        assert Session.from_json(again.to_json(), now, BELIEF).carried_over is None


def test_configurations_are_called_by_what_tells_them_apart_and_have_not_changed():
    catalog, belief = rather.open("bicycle")
    session = talk(catalog, belief=belief, k=3)
    question = session.ask()
    assert any(option.label != catalog.label(row) for option, row in zip(question.options, question.slate, strict=True))
    again = Session.from_json(session.to_json(), catalog, belief)
    assert again.carried_over is None
    assert again.open_question == question


def test_every_question_is_asked_once_even_if_items_come_and_go():
    session = talk(films(range(4)), SKIP, SKIP, SKIP)
    gone = session.turns[0].question.slate[0]
    left = [row for row in range(4) if row != gone]
    again = Session.from_json(session.to_json(), films(left), BELIEF)
    asked = [{option.id for option in turn.question.options} for turn in again.turns]
    for _ in range(3 - sum(IDS[gone] not in slate for slate in asked)):
        question = {option.id for option in again.ask().options}
        assert question not in asked
        asked.append(question)
        again.tell(again.ask(), SKIP)
    with pytest.raises(rather.RatherError, match="have been asked"):
        again.ask()


def test_taking_back_an_answer_about_what_is_gone_asks_something_else():
    session = talk(films(), 0, 1)
    gone = session.turns[-1].question.slate[0]
    again = Session.from_json(session.to_json(), films(without([gone])), BELIEF)
    question = again.undo()
    assert question.number == 2
    assert IDS[gone] not in {option.id for option in question.options}
    assert again.events[-1] == {"undo": 2}


def test_taking_back_an_answer_about_what_has_changed_shows_it_as_it_is():
    session = talk(films(), 0)
    row = session.turns[0].question.slate[0]
    moved = VECTORS.clone()
    moved[row] += 1
    again = Session.from_json(session.to_json(), films(vectors=moved), BELIEF)
    assert torch.equal(again.undo().vectors[0], moved[row])


def test_a_conversation_outlives_one_change_after_another():
    """Answers of three versions in one log; each is read in its own space."""
    session = talk(films(), 0, 1)
    turned = [2, 0, 1]
    second = films(range(12), VECTORS[:, turned], features=[FEATURES[column] for column in turned])
    belief = Belief.from_users(normal(40, 3, seed=1)[:, turned])
    again = Session.from_json(session.to_json(), second, belief)
    again.tell(again.ask(), 1)
    third = films(range(13))
    last = Session.from_json(again.to_json(), third, BELIEF)
    assert len(last.turns) == 3
    expected = BELIEF
    for turn, answer in zip(last.turns, (0, 1, 1), strict=True):
        vectors = third.vectors([third.row(option.id) for option in turn.question.options])
        assert torch.allclose(turn.question.vectors, vectors)
        expected = last.policy.after(expected, turn.question, answer)
    assert torch.allclose(last.belief.particles, expected.particles)
    assert Session.from_json(last.to_json(), third, BELIEF).carried_over is None


def test_a_snapshot_is_carried_over_like_its_log():
    session = talk(films(), 0, 1, 0)
    now = films(without(session.turns[0].question.slate))
    restored = Session.restore(session.snapshot(), now, BELIEF)
    replayed = Session.from_json(session.to_json(), now, BELIEF)
    assert restored.to_json() == replayed.to_json()
    assert restored.carried_over == replayed.carried_over
    assert restored.ask() == replayed.ask()


def test_another_starting_belief_is_used_and_reported():
    session = talk(films(), 0, 1)
    other = Belief.from_users(normal(50, 3, seed=7))
    again = Session.from_json(session.to_json(), films(), other)
    assert again.carried_over.belief_changed
    assert not again.carried_over.catalog_changed
    assert again.belief.content_hash == by_hand(session, again.policy, other).content_hash


def test_features_in_another_order_are_the_same():
    session = talk(films(), 0, 1, rejuvenation=None)
    turned = [1, 2, 0]
    now = films(vectors=VECTORS[:, turned], features=[FEATURES[column] for column in turned])
    belief = Belief.from_users(normal(40, 3, seed=1)[:, turned])
    again = Session.from_json(session.to_json(), now, belief)
    assert torch.allclose(again.belief.mean, session.belief.mean[turned], atol=1e-4)


def test_features_that_are_only_called_otherwise_are_the_same():
    session = talk(films(), 0, 1)
    again = Session.from_json(session.to_json(), films(features=("fun", "darkness", "pace")), BELIEF)
    assert again.carried_over is None
    assert again.belief.content_hash == session.belief.content_hash


REJECTED = {
    "trained again": (films(features=None, vectors=normal(14, 3, seed=9)), "'Film .*' is no longer what it was"),
    "none of them left": (Catalog(normal(9, 3, seed=2)), "nothing that was shown is left"),
    "more dimensions": (Catalog(normal(14, 4), ids=IDS), "3 dimensions without names became 4"),
    "names now": (films(range(13)), "3 dimensions without names became 3 named features"),
}


@pytest.mark.parametrize(("now", "message"), REJECTED.values(), ids=REJECTED)
def test_vectors_of_another_meaning_end_the_conversation_and_leave_it_readable(now, message):
    session = talk(films(features=None), 0, 1, "undo")
    log = session.to_json()
    belief = BELIEF if now.dimensions == 3 else Belief.from_users(normal(20, 4))
    with pytest.raises(CatalogChangedError, match=message):
        Session.from_json(log, now, belief)
    turns = rather.history(log)
    assert [turn.answer for turn in turns] == [0, 1]
    assert [turn.undone for turn in turns] == [False, True]
    assert turns[0].question.options == session.turns[0].question.options
    assert turns[0].question.text == session.turns[0].question.text


def test_other_features_end_the_conversation():
    session = talk(films(), 0)
    other = films(range(13), features=("funny", "dark", "quick"))
    with pytest.raises(CatalogChangedError, match="feature 'slow' is gone and the feature 'quick' is new"):
        Session.from_json(session.to_json(), other, BELIEF)


def test_vectors_that_differ_by_rounding_are_the_same():
    session = talk(films(features=None), 0, 1)
    now = films(range(13), features=None, vectors=VECTORS.half().float())
    tolerant = films(range(13), features=None, vectors=VECTORS * (1 + 1e-6))
    assert len(Session.from_json(session.to_json(), tolerant, BELIEF).turns) == 2
    with pytest.raises(CatalogChangedError, match="no longer what it was"):
        Session.from_json(session.to_json(), now, BELIEF)


def test_attributes_that_are_gone_are_reported_and_their_answers_count():
    session = talk(films(), 0, ask="attributes")
    said = session.turns[0].question.attributes[0][0]
    attributes = [each for index, each in enumerate(films().attributes) if index != said]
    again = Session.from_json(session.to_json(), films(attributes=attributes), BELIEF)
    assert again.carried_over.attributes_gone == (FEATURES[said],)
    assert again.belief.content_hash == session.belief.content_hash
    assert again.ask().is_current


def test_a_question_about_attributes_reads_the_same_without_a_catalogue():
    texts = enumerate(("fun", "dim", "slow"))
    said = [Attribute(text, text, normal(3, seed=index), f"that is **{text}**") for index, text in texts]
    session = talk(films(attributes=said), 0, ask="attributes", p=2, k=2)
    (turn,) = rather.history(session.to_json())
    asked = session.turns[0].question
    assert (turn.question.text, turn.question.words) == (asked.text, asked.words)
    assert turn.question.options == asked.options


def test_allowed_items_are_carried_over_by_their_ids():
    allowed = torch.arange(14) % 2 == 0
    session = talk(films(), 0, allowed=allowed)
    reversed_rows = list(range(13, 1, -1))
    again = Session.from_json(session.to_json(), films(reversed_rows), BELIEF)
    ids = {item.id for item in again.recommend(14)}
    assert ids == {IDS[row] for row in range(2, 14, 2)}
    assert again.carried_over.allowed_gone == 1
    most = talk(films(), 0, allowed=torch.arange(14) != 3)
    ids = {item.id for item in Session.from_json(most.to_json(), films(range(13)), BELIEF).recommend(14)}
    assert ids == {IDS[row] for row in range(13) if row != 3}


@pytest.mark.parametrize("ids", [7, {}, {"only": [[1]]}, {"some": ["a"]}, {"only": [], "except": []}, {"only": "a"}])
def test_damaged_ids_of_allowed_items_are_rejected(ids):
    log = json.loads(talk(films(), 0, allowed=torch.arange(14) % 2 == 0).to_json())
    with pytest.raises(InvalidInputError, match="damaged"):
        Session.from_json(json.dumps({**log, "allowed_ids": ids}), films(range(13)), BELIEF)


def test_allowed_rows_are_carried_over_where_rows_are_ids():
    session = talk(Catalog(VECTORS), 0, allowed=torch.arange(14) % 2 == 0)
    more = Catalog(torch.cat([VECTORS, normal(6, 3, seed=5)]))
    again = Session.from_json(session.to_json(), more, BELIEF)
    assert again.policy.allowed.nonzero().flatten().tolist() == list(range(0, 14, 2))


def test_more_allowed_items_than_a_log_lists_must_be_given_again():
    count = 2 * MOST_IDS + 4
    vectors, ids = normal(count, 3), [f"i{row}" for row in range(count)]
    half = torch.arange(count) % 2 == 0
    log = talk(Catalog(vectors, ids=ids), 0, allowed=half).to_json()
    now = Catalog(vectors[:-1], ids=ids[:-1])
    with pytest.raises(CatalogChangedError, match="Pass `allowed`"):
        Session.from_json(log, now, BELIEF)
    assert len(Session.from_json(log, now, BELIEF, allowed=half[:-1]).turns) == 1


def test_a_log_of_version_1_holds_only_rows():
    log = json.loads((RECORDED / "log-gaussian-noiseless.json").read_text(encoding="utf-8"))
    assert log["rather"] == 1
    turns = rather.history(json.dumps(log))
    first = log["events"][0]["items"]
    assert [option.label for option in turns[0].question.options] == [f"item {row}" for row in first]
    with pytest.raises(CatalogChangedError, match="version 1 holds only the rows"):
        Session.from_json(json.dumps(log), films(), BELIEF)


DAMAGE = {
    "no vectors": lambda event: event["shown"].pop("vectors"),
    "vectors of another length": lambda event: event["shown"].update(vectors="AAAA"),
    "vectors that are no text": lambda event: event["shown"].update(vectors=7),
    "vectors that are not finite": lambda event: event["shown"].update(vectors="AADAfw" + "A" * 26),
    "vectors of more dimensions": lambda event: event["shown"].update(vectors="A" * 44 * 2),
    "an unknown space": lambda event: event["shown"].update(space="nowhere"),
    "a space that is no text": lambda event: event["shown"].update(space=[]),
    "no options": lambda event: event["shown"].pop("options"),
    "an option too many": lambda event: event["shown"]["options"].append(event["shown"]["options"][0]),
    "the same option twice": lambda event: event["shown"].update(options=[event["shown"]["options"][0]] * 2),
    "an option without a label": lambda event: event["shown"]["options"][0].pop("label"),
    "an option without an id": lambda event: event["shown"]["options"][0].pop("id"),
    "an id that is a list": lambda event: event["shown"]["options"][0].update(id=[1]),
    "facts that are none": lambda event: event["shown"]["options"][0].update(facts={"year": 7}),
    "nothing shown": lambda event: event.update(shown=7),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_record_is_rejected_in_words(damage):
    log = json.loads(talk(films(), 0).to_json())
    damage(log["events"][0])
    for catalog in (films(), films(range(13))):
        with pytest.raises(InvalidInputError, match="damaged"):
            Session.from_json(json.dumps(log), catalog, BELIEF)


SHOP = Path(__file__).parents[1] / "server" / "written" / "laptops.csv"


def shop(tmp_path, *changes):
    """The shop's table with texts replaced, and lines that end in nothing left out."""
    text = SHOP.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "laptops.csv"
    path.write_text(text, encoding="utf-8")
    return rather.open(path)


@pytest.mark.parametrize("ask", ["items", "attributes", "auto"])
@pytest.mark.parametrize(
    "changes",
    [
        [("a1,Ada,Ada One,499", "a1,Ada,Ada One,479")],
        [
            (
                "c4,Cor,Cor Lite,459,1.5,no,usb-c\n",
                "c4,Cor,Cor Lite,459,1.5,no,usb-c\ne1,Eve,Eve One,649,1.3,yes,usb-c\n",
            )
        ],
        [("b1,Bel,Bel Basic,399,2.3,no,hdmi\n", ""), ("d3,Dix,Dix Home,599,2.1,no,hdmi\n", "")],
        [("a1,Ada,Ada One,499", "a1,Ada,Ada One,1249"), ("a2,Ada,Ada Two,699", "a2,Ada,Ada Two,1599")],
    ],
    ids=["a price", "a new maker", "two items gone", "prices that move the knots"],
)
def test_a_shop_may_change_its_prices_and_items(tmp_path, ask, changes):
    catalog, belief = shop(tmp_path)
    session = talk(catalog, 0, 1, "same", 0, 1, belief=belief, ask=ask, seed=3)
    now, start = shop(tmp_path, *changes)
    assert now.content_hash != catalog.content_hash
    again = Session.from_json(session.to_json(), now, start)
    assert len(again.turns) == 5
    assert again.carried_over.catalog_changed
    # What is liked stays much the same: the ranking of what is in both agrees with that of before.
    both = [id for id in catalog.ids if id in now.ids]
    old = catalog.vectors([catalog.row(id) for id in both]) @ session.belief.mean
    new = now.vectors([now.row(id) for id in both]) @ again.belief.mean
    assert torch.corrcoef(torch.stack([old, new]))[0, 1] > 0.8
    again.tell(again.ask(), 0)
    assert Session.from_json(again.to_json(), now, start).carried_over is None


def test_an_open_question_shows_a_price_beyond_the_last_knot(tmp_path):
    """All that is dearer than the last knot has its vector, so the catalogue has the hash that it had."""
    catalog, belief = shop(tmp_path)
    now, _ = shop(tmp_path, ("a4,Ada,Ada Max,1899", "a4,Ada,Ada Max,1849"))
    assert now.content_hash == catalog.content_hash
    session = Session(Policy(catalog, belief))
    row = catalog.row("a4")
    session.reopen(session.policy.item_question(1, (row, 0), 0.1))
    again = Session.from_json(session.to_json(), now, belief)
    assert [option.id for option in again.carried_over.items_changed] == ["a4"]
    assert again.carried_over.facts_changed == ("price 1,899 EUR → 1,849 EUR",)
    assert "Changed since they were shown: Ada Max (price 1,899 EUR → 1,849 EUR)." in again.carried_over.sentences
    assert again.open_question is None


def test_a_column_more_ends_the_conversation(tmp_path):
    catalog, belief = shop(tmp_path)
    session = talk(catalog, 0, 1, belief=belief)
    lines = SHOP.read_text(encoding="utf-8").splitlines()
    path = tmp_path / "more.csv"
    path.write_text("\n".join([lines[0] + ",watts", *(f"{line},{30 + 5 * n}" for n, line in enumerate(lines[1:]))]))
    with pytest.raises(CatalogChangedError, match="the column 'watts' is new"):
        Session.from_json(session.to_json(), *rather.open(path))
