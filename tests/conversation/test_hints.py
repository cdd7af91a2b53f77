"""What a person says unasked is evidence: against brute force, undone, logged, carried over."""

import json
import math
from pathlib import Path

import pytest
import torch

import rather
from rather import (
    SKIP,
    Attribute,
    Belief,
    Catalog,
    DontCare,
    LikeBut,
    Logistic,
    MoreLike,
    Noiseless,
    Policy,
    Rejuvenation,
    Session,
    Stopping,
    Want,
)
from rather.conversation.hints import wishes
from rather.errors import CatalogChangedError, InvalidInputError, UnknownNameError
from rather.model.statements import statement_of, statement_record
from worlds import TINY, normal

FEATURES = ("funny", "dark", "slow")
COLOURS = [
    Attribute("red", "colour", torch.tensor([1.0, 0.0, 0.0])),
    Attribute("blue", "colour", torch.tensor([0.0, 1.0, 0.0])),
    Attribute("tall", "tall", torch.tensor([0.0, 0.0, 1.0])),
]
IDS = [f"film-{row}" for row in range(14)]
VECTORS = normal(14, 3)
USERS = normal(40, 3, seed=1)
T = 0.7
STATEMENTS = [MoreLike("film-3"), LikeBut("film-3", "dark", "more"), Want("funny"), DontCare("slow")]

STORED_TEXTS = ["I want a sweet with sour", "Like c, but more sweet", "I don't care about sweet"]
STORED_WEIGHTS = [0.422333, 0.165886, 0.34896, 0.062821]


def films(keep=range(14), **parts) -> Catalog:
    rows = list(keep)
    given = {"features": FEATURES, "name": "film", **parts}
    return Catalog(VECTORS[rows], ids=[IDS[row] for row in rows], labels=[f"Film {row}" for row in rows], **given)


def session(catalog=None, belief=None, **settings) -> Session:
    belief = Belief.from_users(USERS, smooth=False) if belief is None else belief
    settings = {"response": Logistic(T), **settings}
    return Session(Policy(films() if catalog is None else catalog, belief, **settings), Stopping())


def smooth() -> Belief:
    return Belief.from_users(USERS)


def assert_weights(said: Session, likelihood) -> None:
    """That the weights are proportional to this likelihood of each user, computed with Python's own floats."""
    expected = torch.tensor([likelihood(user) for user in USERS.double()], dtype=torch.float64)
    assert torch.allclose(said.belief.weights.double(), expected / expected.sum(), atol=TINY)


def utility(item, user) -> float:
    return sum(float(x) * float(u) for x, u in zip(item, user, strict=True))


def test_like_this_but_darker_prefers_an_item_that_is_darker_and_else_the_same():
    said = session()
    said.hint(LikeBut("film-3", "dark", "more"))
    spread = VECTORS[:, 1].std(correction=0)
    step = float(min(spread, VECTORS[:, 1].max() - VECTORS[3, 1]))
    assert_weights(said, lambda user: 1 / (1 + math.exp(-step * float(user[1]) / T)))


def test_more_like_this_prefers_it_to_the_others_that_are_recommended():
    said = session()
    others = [item.row for item in said.recommend(5) if item.row != 3][:4]
    said.hint(MoreLike("film-3"))

    def likelihood(user):
        weights = [math.exp(utility(VECTORS[row], user) / T) for row in (3, *others)]
        return weights[0] / sum(weights)

    assert_weights(said, likelihood)


def test_wanting_something_prefers_having_it():
    said = session(films(attributes=COLOURS))
    said.hint(Want("blue"))
    assert_weights(said, lambda user: 1 / (1 + math.exp(-float(user[1]) / T)))


def test_not_caring_makes_the_values_of_a_column_about_the_same():
    said = session(films(attributes=COLOURS))
    said.hint(DontCare("colour"))

    def likelihood(user):
        red, blue = (math.exp(float(worth) / T) for worth in user[:2])
        tie = 0.5 * math.sqrt(red * blue)
        return tie / (red + blue + tie)

    assert_weights(said, likelihood)


def test_not_caring_about_what_items_have_or_have_not_makes_it_worth_little():
    said = session(films(attributes=COLOURS))
    before = float(said.belief.weights @ said.belief.particles[:, 2].abs())
    said.hint(DontCare("tall"))
    assert float(said.belief.weights @ said.belief.particles[:, 2].abs()) < before

    def likelihood(user):
        tall = math.exp(float(user[2]) / T)
        return 0.5 * math.sqrt(tall) / (1 + tall + 0.5 * math.sqrt(tall))

    assert_weights(said, likelihood)


def test_a_model_without_a_temperature_gets_hints_on_the_scale_of_the_catalogue():
    said = session(response=Noiseless())
    assert said.hint(Want("funny")).response.temperature == pytest.approx(
        0.1 * rather.value.utility_spread(said.policy.catalog, said.policy.prior)
    )


@pytest.mark.parametrize("row", range(14))
def test_more_like_this_raises_what_is_expected_of_it_compared_to_the_list(row):
    said = session(belief=smooth(), rejuvenation=None)
    rows = [row, *(item.row for item in said.recommend(5) if item.row != row)][:5]
    before = VECTORS[rows] @ said.belief.mean
    said.hint(MoreLike(IDS[row]))
    after = VECTORS[rows] @ said.belief.mean
    assert float((after - before)[0]) > float((after - before)[1:].mean())


def test_the_order_of_hints_and_answers_does_not_matter():
    hints = [LikeBut("film-3", "dark", "more"), Want("funny"), DontCare("slow")]
    one, other = session(), session()
    question = one.ask()
    one.tell(question, 0)
    for hint in hints:
        one.hint(hint)
    for hint in reversed(hints):
        other.hint(hint)
    other.record(question, 0)
    assert torch.allclose(one.belief.weights, other.belief.weights, atol=TINY)


def test_new_particles_follow_all_hints_and_answers():
    """After rejuvenation the mean is that of many weighted draws from the prior, up to the Monte Carlo error."""
    few, many = (
        session(belief=Belief.gaussian(torch.zeros(3), torch.eye(3), particles=count), rejuvenation=rejuvenation)
        for count, rejuvenation in ((4_000, Rejuvenation(threshold=1.0, max_particles=4_000)), (400_000, None))
    )
    question = few.ask()
    for each in (few, many):
        each.record(question, 1)
        for statement in (LikeBut("film-3", "dark", "more"), Want("funny"), DontCare("slow")):
            each.hint(statement)
    error = 6 * few.belief.particles.std(dim=0) / math.sqrt(400)  # a tenth of them are worth an independent one
    kept = torch.isin(few.belief.particles, few.policy.prior.particles).all(dim=1)
    assert kept.float().mean() < 0.01
    assert ((few.belief.mean - many.belief.mean).abs() < error).all()
    squares = [each.belief.weights @ each.belief.particles.square() for each in (few, many)]
    assert ((squares[0] - squares[1]).abs() < 6 * few.belief.particles.square().std(dim=0) / math.sqrt(400)).all()


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_hint_that_is_taken_back_leaves_everything_as_before(statement):
    said = session(belief=smooth())
    said.tell(said.ask(), 0)
    belief, question = said.belief, said.ask()
    said.hint(statement)
    assert said.belief is not belief
    assert said.undo() == question
    assert said.belief is belief
    assert said.hints == ()


def test_undo_takes_back_whatever_came_last():
    said = session(belief=smooth())
    first = said.ask()
    said.tell(first, 0)
    said.hint(Want("funny"))
    second = said.ask()
    said.tell(second, SKIP)
    assert said.undo() == second
    assert len(said.hints) == 1
    said.undo()
    assert (len(said.hints), len(said.turns)) == (0, 1)
    assert said.undo() == first
    with pytest.raises(InvalidInputError, match="no answer to undo"):
        said.undo()


def test_a_hint_changes_the_next_question_but_not_its_number():
    said = session(belief=smooth())
    question = said.ask()
    said.hint(DontCare("dark"))
    said.hint(Want("funny"))
    assert said.ask().number == question.number == 1
    assert said.ask().about != question.about


@pytest.mark.parametrize("settings", [{}, {"rejuvenation": None}, {"rejuvenation": Rejuvenation(threshold=1.0)}])
def test_a_log_and_a_snapshot_lead_to_the_same_state(settings):
    said = session(belief=smooth(), **settings)
    said.hint(Want("funny"))
    said.tell(said.ask(), 0)
    said.hint(MoreLike("film-3"))
    said.hint(DontCare("slow"))
    said.undo()
    said.tell(said.ask(), 1)
    said.ask()
    for again in (
        Session.from_json(said.to_json(), said.policy.catalog, said.policy.prior),
        Session.restore(said.snapshot(), said.policy.catalog, said.policy.prior),
    ):
        assert again.to_json() == said.to_json()
        assert torch.equal(again.belief.particles, said.belief.particles)
        assert torch.equal(again.belief.log_weights, said.belief.log_weights)
        assert len(again.belief.evidence) == 4
        assert [hint.text for hint in again.hints] == ["I want a film with funny", "More like Film 3"]
        assert again.ask() == said.ask()
        again.undo(), again.undo()
        assert len(again.steps) == 2


def test_a_log_tells_what_was_said_without_a_catalogue():
    said = session()
    said.tell(said.ask(), 0)
    said.hint(LikeBut("film-3", "dark", "more"))
    said.hint(Want("funny"))
    said.withdraw()
    told = rather.hint_history(said.to_json())
    assert [(each.hint.text, each.before, each.undone) for each in told] == [
        ("Like Film 3, but more dark", 2, False),
        ("I want a film with funny", 2, True),
    ]
    assert len(rather.history(said.to_json())) == 1


def test_hints_are_read_by_what_they_were_about_when_the_catalogue_changes():
    said = session(belief=smooth())
    for statement in STATEMENTS:
        said.hint(statement)
    turned = Catalog(VECTORS.flip(1), ids=IDS, labels=[f"Film {row}" for row in range(14)], features=FEATURES[::-1])
    belief = Belief.from_users(USERS.flip(1))
    again = Session.from_json(said.to_json(), turned, belief)
    for hint, before in zip(again.hints, said.hints, strict=True):
        assert torch.equal(hint.vectors, before.vectors.flip(1))
    fewer = Session.from_json(said.to_json(), films([row for row in range(14) if row != 3]), smooth())
    assert torch.equal(fewer.belief.log_weights, said.belief.log_weights)
    assert "Film 3" in str(fewer.carried_over)


def test_vectors_that_were_trained_again_are_noticed_by_what_was_said_of_items():
    said = session(films(features=None))
    said.hint(MoreLike("film-3"))
    Session.from_json(said.to_json(), films(range(13), features=None), said.policy.prior)
    other = Catalog(normal(14, 3, seed=9), ids=IDS, name="film")
    with pytest.raises(CatalogChangedError, match="another meaning"):
        Session.from_json(said.to_json(), other, said.policy.prior)


@pytest.mark.parametrize(
    ("statement", "error", "text"),
    [
        (MoreLike("film-99"), UnknownNameError, "No film has the id 'film-99'"),
        (MoreLike(["film-1"]), InvalidInputError, "`item` must be the id of a film"),
        (LikeBut("film-3", "price", "less"), InvalidInputError, "must be one of the comparatives of 'Film 3'"),
        (Want("green"), UnknownNameError, "`attribute` must be the text of an attribute"),
        (DontCare("price"), UnknownNameError, "No attribute of a film is about 'price'"),
        ("cheaper", InvalidInputError, "`statement` must be MoreLike"),
    ],
)
def test_what_cannot_be_said_is_rejected_and_changes_nothing(statement, error, text):
    said = session()
    question = said.ask()
    with pytest.raises(error, match=text):
        said.hint(statement)
    assert said.events == ()
    assert said.ask() is question


@pytest.mark.parametrize(
    "damage",
    [
        {"hint": 2},
        {"hint": "1"},
        {"says": "louder"},
        {"says": []},
        {"item": None, "attribute": None},
        {"attribute": 5},
        {"attribute": ["funny"]},
        {"column": "funny"},
        {"answer": 7},
        {"answer": "none"},
        {"response": {"temperature": 0}},
        {"response": {"heat": 1}},
        {"response": None},
        {"shown": None},
        {"shown": {}},
    ],
)
def test_a_damaged_hint_is_rejected(damage):
    said = session()
    said.hint(Want("funny"))
    log = json.loads(said.to_json())
    log["events"][0] |= damage
    with pytest.raises(InvalidInputError, match="damaged"):
        Session.from_json(json.dumps(log), said.policy.catalog, said.policy.prior)


@pytest.mark.parametrize("damage", [{"k": 0}, {"k": 3}, {"k": "2"}, {"vectors": "x"}, {"text": 1}, {"options": [1]}])
def test_a_hint_with_damaged_vectors_or_words_is_rejected(damage):
    said = session()
    said.hint(LikeBut("film-3", "dark", "more"))
    log = json.loads(said.to_json())
    log["events"][0]["shown"] |= damage
    with pytest.raises(InvalidInputError, match="damaged"):
        Session.from_json(json.dumps(log), said.policy.catalog, said.policy.prior)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_is_its_record(statement):
    assert statement_of(json.loads(json.dumps(statement_record(statement)))) == statement


def test_the_wishes_for_an_item_are_those_worth_most_to_whoever_has_them():
    said = session()
    found = wishes(3, said.policy, said.belief, count=2)
    worth = {}
    for each in said.policy.catalog.comparatives_of(3):
        gains = [max(0.0, utility(each.step, user)) for user in USERS]
        worth[each.column, each.toward] = sum(gains) / len(gains)
    best = sorted(worth, key=lambda key: -worth[key])
    assert (found[0].column, found[0].toward) == best[0]
    assert found[1].column == next(column for column, _ in best if column != best[0][0])


def test_a_stored_log_with_hints_still_loads():
    """Written when there were hints for the first time; the numbers beside it are those of that day."""
    catalog = Catalog(
        [[1.0, 0.0], [0.0, 1.0], [0.6, 0.6], [-0.4, 0.2], [0.1, -0.9]],
        ids=list("abcde"),
        features=["sweet", "sour"],
        name="sweet",
        verb="eat",
    )
    users = Belief.from_users([[1.0, 0.2], [0.3, 1.0], [0.7, 0.8], [-0.5, 0.4]], smooth=False)
    text = (Path(__file__).parent / "stored" / "hints.json").read_text(encoding="utf-8")
    stored = Session.from_json(text, catalog, users)
    assert [hint.text for hint in stored.hints] == STORED_TEXTS
    assert stored.belief.weights.tolist() == pytest.approx(STORED_WEIGHTS, abs=1e-5)
    assert json.loads(stored.to_json()) == json.loads(text)
