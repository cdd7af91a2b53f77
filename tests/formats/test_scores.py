"""Scores from any model: the same questions and numbers as the utilities themselves give."""

import itertools

import numpy as np
import pytest
import torch

import rather
from rather.errors import InvalidInputError
from rather.formats.score_factors import low_rank_factors
from rather.formats.scores import load_scores
from rather.formats.vectors.archives import ArchiveWriter
from rather.formats.vectors.file_facts import ReadOptions
from rather.strategies import STRATEGIES
from worlds import World, normal

ITEMS, USERS = normal(40, 3, seed=1), normal(25, 3, seed=2) + 0.3
LINEAR = ITEMS @ USERS.T
RESPONSE = rather.Logistic(0.5)


def ideal_points(n=14, m=9, seed=3):
    """-|x - a|^2, and a step that no product of vectors has: `(n, m)`."""
    items, ideals = normal(n, 2, seed=seed), normal(m, 2, seed=seed + 1)
    distances = torch.cdist(items, ideals)
    return -(distances**2) + 2.0 * (distances < 1)


def brute_force_evoi(scores, weights, slate, temperature):
    """EVOI by its definition, in Python's own floats."""
    n, m = len(scores), len(weights)
    expected = [sum(weights[j] * scores[i][j] for j in range(m)) for i in range(n)]
    total = 0.0
    for choice in slate:
        after = []
        for j in range(m):
            odds = [np.exp(scores[i][j] / temperature) for i in slate]
            after.append(weights[j] * np.exp(scores[choice][j] / temperature) / sum(odds))
        total += max(sum(after[j] * scores[i][j] for j in range(m)) for i in range(n))
    return total - max(expected)


def test_a_product_of_vectors_is_recognised_and_exact():
    catalog, belief = rather.from_scores(LINEAR)
    assert catalog.dimensions == 3
    torch.testing.assert_close(catalog.items @ belief.particles.T, LINEAR, rtol=0, atol=2e-6)


def test_thin_factors_keep_every_norm_and_product():
    catalog, _ = rather.from_scores(LINEAR)
    torch.testing.assert_close(catalog.items @ catalog.items.T, LINEAR @ LINEAR.T, rtol=1e-5, atol=1e-4)


def test_full_rank_scores_are_their_own_vectors_and_people_unit_vectors():
    scores = normal(12, 9, seed=5)
    catalog, belief = rather.from_scores(scores)
    assert torch.equal(catalog.items, scores)
    assert torch.equal(belief.particles, torch.eye(9))


def test_a_rare_item_that_the_sample_missed_is_not_lost():
    scores = LINEAR.clone()
    scores[17, 4] += 0.01
    assert low_rank_factors(LINEAR, sampled_rows=8) is not None
    assert low_rank_factors(scores, sampled_rows=8) is None
    catalog, belief = rather.from_scores(scores)
    torch.testing.assert_close(catalog.items @ belief.particles.T, scores, rtol=0, atol=4e-6)


def test_evoi_is_that_of_the_vectors_behind_the_scores():
    weights = torch.rand(25, generator=torch.Generator().manual_seed(0)) + 0.1
    linear = World(rather.Catalog(ITEMS), rather.Belief.from_users(USERS, weights, smooth=False))
    scored = World(*rather.from_scores(LINEAR, weights=weights, smooth=False))
    slates = linear.slates()
    expected, found = (world.problem(RESPONSE).evoi(slates) for world in (linear, scored))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["auto", "query-iteration", "greedy", "top5-exhaustive", "exhaustive-search"])
def test_whole_conversations_are_those_of_the_vectors_behind_the_scores(name):
    # These strategies look at items through utilities alone; the others draw hypothetical items by their coordinates.
    linear = rather.Policy(
        rather.Catalog(ITEMS),
        rather.Belief.from_users(USERS, smooth=False),
        strategy=name,
        response=RESPONSE,
        retriever="exact",
    )
    scored = rather.Policy(
        *rather.from_scores(LINEAR, smooth=False), strategy=name, response=RESPONSE, retriever="exact"
    )
    sessions = [rather.Session(policy) for policy in (linear, scored)]
    for choice in (0, 1, 1, 0):
        questions = [session.ask() for session in sessions]
        assert questions[0].slate == questions[1].slate
        assert questions[0].evoi == pytest.approx(questions[1].evoi, abs=1e-4)
        for session, question in zip(sessions, questions, strict=True):
            session.tell(question, choice)
    lists = [[(item.row, round(item.expected_utility, 3)) for item in session.recommend(5)] for session in sessions]
    assert lists[0] == lists[1]


@pytest.mark.parametrize("temperature", [0.3, 2.0])
def test_evoi_of_a_non_linear_model_is_that_of_brute_force(temperature):
    scores, weights = ideal_points(), np.arange(1, 10) / 45
    world = World(*rather.from_scores(scores, weights=weights))
    slates = list(itertools.combinations(range(14), 2))
    found = world.problem(rather.Logistic(temperature)).evoi(torch.tensor(slates))
    expected = [brute_force_evoi(scores.tolist(), weights, slate, temperature) for slate in slates]
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=1e-5)


def test_the_best_of_all_slates_of_a_non_linear_model_is_asked():
    scores = ideal_points()
    policy = rather.Policy(*rather.from_scores(scores), strategy="exhaustive-search", response=rather.Logistic(0.3))
    weights = np.full(9, 1 / 9)
    slates = itertools.combinations(range(14), 2)
    best = max(brute_force_evoi(scores.tolist(), weights, slate, 0.3) for slate in slates)
    assert rather.Session(policy).ask().evoi == pytest.approx(best, abs=1e-5)


# Those that draw, or look at the best items alone, are not expected to.
UNSEARCHED = ("random", "thompson", "top5-exhaustive")


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name not in UNSEARCHED])
def test_every_strategy_that_searches_asks_better_than_chance(name):
    opened, response = rather.from_scores(ideal_points()), rather.Logistic(0.3)
    chance = float(World(*opened).problem(response).evoi(World(*opened).slates()).mean())
    session = rather.Session(rather.Policy(*opened, strategy=name, response=response))
    assert session.ask().evoi > chance


def test_a_person_who_answers_as_one_of_the_sampled_is_recognised():
    scores = ideal_points(m=12)
    session = rather.Session(rather.Policy(*rather.from_scores(scores), response=rather.Logistic(0.2)))
    for _ in range(6):
        question = session.ask()
        session.tell(question, int(scores[list(question.slate), 5].argmax()))
    assert session.recommend(1)[0].row == int(scores[:, 5].argmax())


FULL = normal(12, 9, seed=5)


@pytest.mark.parametrize(
    ("scores", "smooth", "blended"),
    [(LINEAR, None, True), (LINEAR, True, True), (LINEAR, False, False), (FULL, None, False)],
)
def test_people_are_blended_where_the_rank_is_low_and_else_only_weighed(scores, smooth, blended):
    catalog, belief = rather.from_scores(scores, smooth=smooth)
    session = rather.Session(rather.Policy(catalog, belief, response=rather.Logistic(0.05)))
    for _ in range(4):
        session.tell(session.ask(), 0)
    assert torch.equal(session.belief.particles, belief.particles) is not blended


def test_a_blend_needs_fewer_dimensions_than_people():
    with pytest.raises(InvalidInputError, match="`smooth` must be left out for these scores: their rank"):
        rather.from_scores(normal(12, 9), smooth=True)


def test_ids_labels_and_name():
    catalog, _ = rather.from_scores([[1.0, 2.0], [2.0, 1.0]], ids=["a", "b"], labels=["tea", "coffee"], name="drink")
    assert (catalog.row("b"), catalog.label(1), catalog.name) == (1, "coffee", "drink")


WRONG = {
    "not a number": ([[1.0, float("nan")], [0.0, 1.0]], r"`scores` must be finite, but entry \[0, 1\] is nan"),
    "no items": (np.zeros((0, 3)), r"at least 2 items and a column for each of at least 2 people, got shape \(0, 3\)"),
    "one axis": ([1.0, 2.0], r"`scores` must have 2 dimensions, got shape \(2,\)"),
    "one item": ([[1.0, 2.0]], r"at least 2 items and a column for each of at least 2 people, got shape \(1, 2\)"),
    "one person": ([[1.0], [2.0]], r"at least 2 people, got shape \(2, 1\)"),
    "texts": ([["a", "b"], ["c", "d"]], "`scores` must be a rectangular array of numbers"),
}


@pytest.mark.parametrize(("scores", "message"), WRONG.values(), ids=WRONG)
def test_wrong_scores_are_named(scores, message):
    with pytest.raises(InvalidInputError, match=message):
        rather.from_scores(scores)


def test_ids_must_match_the_items():
    with pytest.raises(InvalidInputError, match=f"`ids` must have {len(LINEAR)} entries, got 1"):
        rather.from_scores(LINEAR, ids=["a"])


def test_weights_must_match_the_people():
    with pytest.raises(InvalidInputError, match="`weights` must have 25 entries"):
        rather.from_scores(LINEAR, weights=[1.0, 2.0])


@pytest.mark.parametrize("form", ["path", "open", "archive", "folder"])
def test_files_give_the_same_catalogue(tmp_path, form):
    np.save(tmp_path / "scores.npy", LINEAR.numpy())
    np.savez(tmp_path / "any.npz", scores=LINEAR.numpy(), labels=[f"item {row}" for row in range(40)])
    if form == "path":
        opened = rather.from_scores(tmp_path / "scores.npy")
    elif form == "archive":
        opened = rather.open(tmp_path / "any.npz")
        assert opened.catalog.label(3) == "item 3"
    else:
        (tmp_path / "any.npz").unlink()
        opened = rather.open(tmp_path / "scores.npy" if form == "open" else tmp_path)
    expected = rather.from_scores(LINEAR)
    assert opened.catalog.content_hash == expected.catalog.content_hash
    assert opened.belief.content_hash == expected.belief.content_hash


def test_an_archive_may_weigh_the_people(tmp_path):
    np.savez(tmp_path / "any.npz", scores=LINEAR.numpy(), weights=np.arange(25.0))
    _, belief = rather.open(tmp_path / "any.npz")
    torch.testing.assert_close(belief.weights, torch.arange(25.0) / 300)


def test_a_table_beside_the_scores_has_filters_and_labels(tmp_path):
    np.save(tmp_path / "scores.npy", ideal_points(n=4).numpy())
    (tmp_path / "items.csv").write_text("name,price\na,9.50\nb,12.25\nc,99.90\nd,99.90\n")
    catalog, belief = rather.open(tmp_path)
    assert catalog.where("price < 20").tolist() == [True, True, False, False]
    assert catalog.label(3) == "d"
    question = rather.Session(rather.Policy(catalog, belief, allowed=catalog.where("price < 20"))).ask()
    assert set(question.slate) == {0, 1}


def test_large_files_stay_memory_mapped(tmp_path):
    scores = normal(64, 16, seed=9)
    np.save(tmp_path / "scores.npy", scores.numpy())
    with ArchiveWriter.to(tmp_path / "large.npz") as archive:
        archive.array("scores", scores.numpy())
    for name in ("scores.npy", "large.npz"):
        loaded = load_scores(tmp_path / name, ReadOptions(large=1))
        assert loaded.vectors.matrix is not None
        catalog, _ = loaded.opened()
        assert catalog.storage.reopenable(0, 64) is not None
        assert torch.equal(catalog.items, scores)


@pytest.mark.parametrize("given", [{"users": USERS}, {"particles": 5}, {"ignore": "price"}])
def test_options_without_a_meaning_for_scores_are_rejected(tmp_path, given):
    np.save(tmp_path / "scores.npy", LINEAR.numpy())
    name = next(iter(given))
    with pytest.raises(InvalidInputError, match=f"`{name}` must be left out: it has no meaning for scores"):
        rather.open(tmp_path / "scores.npy", **given)


def test_a_damaged_file_is_named(tmp_path):
    np.savez(tmp_path / "any.npz", scores=np.array([[{}, 1], [2, 3]], dtype=object))
    with pytest.raises(InvalidInputError, match=r"Cannot read .*any\.npz: it is not a NumPy file, or it holds pickled"):
        rather.open(tmp_path / "any.npz")
    np.savez(tmp_path / "other.npz", points=np.ones((2, 2)))
    with pytest.raises(InvalidInputError, match=r"other\.npz must hold an array `scores`; it holds points"):
        rather.from_scores(tmp_path / "other.npz")
