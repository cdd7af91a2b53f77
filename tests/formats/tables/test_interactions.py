"""Pairs of columns whose worth is joint: exact products, and nothing of them in words."""

import itertools
import json

import numpy as np
import pytest
import torch

import rather
from rather.errors import InvalidInputError
from rather.formats.tables import encode_table
from rather.formats.tables.settings import read_settings
from rather.formats.tables.settings_writing import settings_text

WEIGHTS, USES, MAKERS = (1.0, 1.5, 2.0, 2.5), ("gaming", "office", "travel"), ("Ada", "Bel")
JOINT = {"table": {"interactions": [["weight", "use"]]}}


def laptops(copies=1, more=(), settings=JOINT):
    """Every combination; travel twice, so that the columns are not balanced."""
    rows = [*itertools.product(WEIGHTS, (*USES, "travel"), MAKERS), *more] * copies
    weight, use, maker = (list(column) for column in zip(*rows, strict=True))
    names = [f"laptop {row}" for row in range(len(rows))]
    return encode_table({"name": names, "weight": weight, "use": use, "maker": maker}, settings), rows


def products(encoded):
    """Where the products are in the item vectors."""
    return slice(sum(block.size for block in encoded.blocks), None)


def vector_of(encoded, rows, **values):
    """The vector of the first row with these values, in float64 and without the scale."""
    names = ("weight", "use", "maker")
    row = next(row for row, cells in enumerate(rows) if all(cells[names.index(key)] == values[key] for key in values))
    return encoded.catalog.vectors(row).double().numpy() / encoded.scale


def test_without_interactions_nothing_changes():
    plain, _ = laptops(settings={})
    joint, _ = laptops()
    d = plain.catalog.dimensions
    assert plain.interactions == ()
    assert joint.catalog.dimensions == d + 4 * 3
    own = joint.catalog.items[:, :d].double() / joint.scale
    torch.testing.assert_close(own, plain.catalog.items.double() / plain.scale, rtol=0, atol=1e-6)


def test_any_worth_of_a_pair_of_values_can_be_expressed():
    """With a sum over columns 4 + 3 - 1 worths are free, with the joint term all 4 x 3."""
    for settings, free in (({}, 4 + 3 - 1), (JOINT, 4 * 3)):
        encoded, rows = laptops(settings=settings)
        pairs = [vector_of(encoded, rows, weight=a, use=b, maker="Ada") for a in WEIGHTS for b in USES]
        differences = np.stack(pairs)[1:] - pairs[0]
        assert np.linalg.matrix_rank(differences, tol=1e-4) == free - 1


def test_beside_an_average_partner_the_joint_term_says_nothing_new():
    """Averaged over the uses as they occur, a change of weight hardly moves the products: up to the digit of r."""
    encoded, rows = laptops()
    (joint,) = encoded.interactions
    heavy, light = (
        np.mean([vector_of(encoded, rows, weight=weight, use=use) for use in (*USES, "travel")], axis=0)
        for weight in (2.5, 1.0)
    )
    assert np.abs((light - heavy)[products(encoded)]).max() <= 0.05 + 1e-6
    assert all(np.abs(reference * 10 - np.round(reference * 10)).max() < 1e-9 for reference in joint.references)


def test_the_joint_term_matters_as_much_as_its_columns_on_average():
    encoded, _ = laptops(copies=3, more=[(1.0, "gaming", "Ada")] * 5)
    prior = encoded.prior()
    second = prior.cholesky.double() @ prior.cholesky.double().T + torch.outer(prior.centres[0], prior.centres[0])
    spread = torch.cov(encoded.catalog.items.double().T, correction=0)
    worth, start = [], 0
    for part in (*encoded.blocks, *encoded.interactions):
        own = slice(start, start + part.size)
        worth.append(float((spread[own, own] * second[own, own]).sum()))
        start += part.size
    assert worth[-1] == pytest.approx((worth[0] + worth[1]) / 2, rel=1e-3)
    assert sum(worth) == pytest.approx(1, rel=1e-3)


def test_an_attribute_is_what_it_changes_in_an_otherwise_average_row():
    encoded, rows = laptops()
    attribute = next(each for each in encoded.catalog.attributes if each.text == "gaming")
    average = np.mean([vector_of(encoded, rows, weight=weight, use="gaming") for weight in WEIGHTS], axis=0)
    everything = np.mean(
        [vector_of(encoded, rows, weight=weight, use=use) for weight in WEIGHTS for use in (*USES, "travel")], axis=0
    )
    np.testing.assert_allclose(attribute.vector / encoded.scale, average - everything, rtol=0, atol=1e-5)


def test_a_lighter_item_is_that_beside_its_own_use():
    encoded, rows = laptops()
    for row in (2, 5, 20):
        weight, use, maker = rows[row]
        steps = [each for each in encoded.catalog.comparatives_of(row) if each.column == "weight"]
        assert steps
        before = vector_of(encoded, rows, weight=weight, use=use, maker=maker)
        others = [vector_of(encoded, rows, weight=other, use=use, maker=maker) - before for other in WEIGHTS]
        for step in steps:
            nearest = min(np.abs(step.step.numpy() / encoded.scale - other).max() for other in others)
            assert nearest < 1e-5


def test_what_is_said_is_the_same_as_without():
    joint, _ = laptops()
    plain, _ = laptops(settings={})
    texts = [[(each.text, each.column, each.phrase) for each in table.catalog.attributes] for table in (joint, plain)]
    assert texts[0] == texts[1]
    assert [each.name for each in joint.catalog.columns] == ["weight", "use", "maker"]
    assert joint.catalog.facts_of(3) == plain.catalog.facts_of(3)
    assert set(joint.catalog.features[products(joint)]) == {""}
    assert joint.catalog.where("weight < 2 and use == 'gaming'").sum() == 4


def test_attributes_of_the_two_columns_are_not_combined():
    joint, _ = laptops()
    column = [each.column for each in joint.catalog.attributes]
    together = joint.catalog.together
    for first, second in itertools.product(range(len(column)), repeat=2):
        if {column[first], column[second]} == {"weight", "use"}:
            assert not together[first, second]
    assert together[column.index("weight"), column.index("maker")]


def likes_light_unless_for_gaming(row):
    weight, use, _ = row
    return {"gaming": weight, "office": 3.5 - weight, "travel": 2.5 - weight}[use]


def conversation(settings):
    encoded, rows = laptops(settings=settings)
    session = rather.Session(rather.Policy(encoded.catalog, encoded.belief(seed=1), seed=1))
    for _ in range(16):
        question = session.ask()
        worth = [likes_light_unless_for_gaming(rows[row]) for row in question.slate]
        session.tell(question, int(np.argmax(worth)) if worth[0] != worth[1] else rather.SAME)
    return session, rows


def test_somebody_whose_taste_is_joint_is_understood():
    """By a sum over columns nobody can like light ones for the office and heavy ones for gaming."""
    agreement = []
    for settings in (JOINT, {}):
        session, rows = conversation(settings)
        truth = np.array([likes_light_unless_for_gaming(row) for row in rows])
        found = (session.policy.catalog.items @ session.belief.mean).numpy()
        agreement.append(np.corrcoef(truth, found)[0, 1])
    assert agreement[0] > 0.8
    assert agreement[0] > agreement[1] + 0.1


def test_no_reason_speaks_of_one_of_the_two_columns_alone():
    for settings, spoken in ((JOINT, {"maker", None}), ({}, {"weight", "use", "maker", None})):
        session, _ = conversation(settings)
        given = session.reasons(session.recommend(10))
        columns = {reason.column for reasons in given for reason in reasons}
        assert columns <= spoken
        assert bool(columns & {"weight", "use"}) is (settings == {})


def test_evidence_stays_what_it_is_when_the_average_moves():
    """References have moved, and products with them; differences between items are those of the new table."""
    before, rows = laptops()
    now, moved = laptops(more=[(1.0, "gaming", "Ada")] * 30)
    assert any(
        np.abs(old - new).max() > 0.05
        for old, new in zip(before.interactions[0].references, now.interactions[0].references, strict=True)
    )
    translation = now.catalog.space.translation(json.loads(json.dumps(before.catalog.space.description)))
    assert translation.lost == ()
    old = torch.from_numpy(np.stack([vector_of(before, rows, weight=a, use=b) for a in WEIGHTS for b in USES]))
    new = torch.from_numpy(np.stack([vector_of(now, moved, weight=a, use=b) for a in WEIGHTS for b in USES]))
    translated = translation(old).double()
    torch.testing.assert_close(translated[1:] - translated[0], (new[1:] - new[0]).double(), rtol=0, atol=1e-5)


def test_an_interaction_that_is_no_longer_declared_is_lost_and_a_new_one_starts_at_nothing():
    joint, _ = laptops()
    plain, _ = laptops(settings={})
    lost = plain.catalog.space.translation(json.loads(json.dumps(joint.catalog.space.description)))
    assert lost.lost == ("use with weight",)
    assert tuple(lost.matrix.shape) == (plain.catalog.dimensions, joint.catalog.dimensions)
    added = joint.catalog.space.translation(json.loads(json.dumps(plain.catalog.space.description)))
    assert added.matrix[products(joint)].abs().max() == 0
    again, _ = laptops(settings={"table": {"interactions": [["use", "weight"]]}})
    assert joint.catalog.space.translation(again.catalog.space.description).matrix is None


WRONG = {
    "no pair": ("weight", r'`interactions` must be pairs of columns such as \[\["weight", "use"\]\]'),
    "one column": ([["weight", "weight"]], "`interactions` must be pairs of columns"),
    "three columns": ([["weight", "use", "maker"]], "`interactions` must be pairs of columns"),
    "unknown": ([["weight", "usee"]], "`interactions`: .* has no column 'usee'; did you mean 'use'"),
}


@pytest.mark.parametrize(("value", "message"), WRONG.values(), ids=WRONG)
def test_wrong_settings_are_named(value, message):
    with pytest.raises(InvalidInputError, match=message):
        laptops(settings={"table": {"interactions": value}})


def test_two_columns_of_many_values_are_rejected():
    tags = {f"tags {side}": [f"{side}{row % 20}|{side}{(row + 7) % 20}" for row in range(200)] for side in "ab"}
    with pytest.raises(InvalidInputError, match=r"\(20 parameters\) .* would have 400 parameters, at most 256"):
        encode_table({**tags, "name": list(map(str, range(200)))}, {"table": {"interactions": [["tags a", "tags b"]]}})


def test_a_column_that_is_not_learned_from_leaves_its_interactions_out():
    encoded, _ = laptops(settings={**JOINT, "columns": {"use": {"role": "show"}}})
    assert encoded.interactions == ()
    assert encoded.catalog.notes == (
        "weight and use: their interaction is left out, because 'use' is not learned from.",
    )


def test_settings_are_written_and_read(tmp_path):
    path = tmp_path / "laptops.toml"
    encoded, _ = laptops()
    path.write_text(settings_text(encoded.settings, "laptops.csv"))
    assert read_settings(path).interactions == (("weight", "use"),)
    again, _ = laptops(settings=path)
    assert again.catalog.content_hash == encoded.catalog.content_hash


def test_missing_values_join_as_well():
    encoded, rows = laptops(more=[(None, "gaming", "Ada"), (None, "office", "Ada"), (None, "travel", "Bel")])
    assert encoded.catalog.dimensions == (4 + 1) + 3 + 2 + (4 + 1) * 3
    unknown = [vector_of(encoded, rows, weight=None, use=use) for use in USES[:2]]
    known = [vector_of(encoded, rows, weight=1.0, use=use) for use in USES[:2]]
    joint = (unknown[0] - unknown[1] - known[0] + known[1])[products(encoded)]
    assert np.abs(joint).max() == pytest.approx(1, abs=1e-5)
