"""How well recommended items match, and how sure that is."""

import pytest
import torch

from rather import Belief, BestItem, Catalog, Policy, Session
from rather.conversation.recommendations import match_text
from rather.formats.films import film_belief, film_catalog
from rather.model.questions import Recommendation

# Two people: the first likes 0 most, the second 1; item 3 is the average one.
CATALOG = Catalog([[4.0, 0.0], [0.0, 4.0], [-1.0, -1.0], [1.0, 1.0]])


def top(catalog=CATALOG, weights=(1, 1), **parts):
    belief = Belief.from_users([[1.0, 0.0], [0.0, 1.0]], weights, smooth=False)
    return {item.row: item for item in Session(Policy(catalog, belief, **parts)).recommend(4)}


def test_a_match_is_the_share_of_what_the_best_item_adds_to_an_average_one():
    """An average item is worth 1 to both, the best one 4; item 0 is worth 4 to three of four, and 0 to the fourth."""
    found = top(weights=(3, 1))
    assert found[0].match == pytest.approx((3 - 1) / (4 - 1))
    assert found[1].match == 0
    assert found[3].match == pytest.approx(0)
    assert found[2].match == 0


def test_the_probability_of_being_good_counts_who_finds_it_nearer_to_their_best():
    found = top(weights=(3, 1))
    assert found[0].probability_good == pytest.approx(0.75)
    assert found[1].probability_good == pytest.approx(0.25)
    assert found[3].probability_good == 0


def test_only_allowed_items_count():
    """Without item 0 and 2, the average is [0.5, 2.5] and the best are 3 and 1."""
    found = top(weights=(3, 1), allowed=[False, True, False, True])
    average, best = 0.75 * 0.5 + 0.25 * 2.5, 0.75 * 1 + 0.25 * 4
    assert set(found) == {1, 3}
    assert found[3].match == pytest.approx((1 - average) / (best - average))


def test_items_that_are_all_the_same_match():
    same = Catalog([[1.0, 0.0], [1.0, 0.0]])
    assert [item.match for item in top(same).values()] == [1, 1]


def test_matches_are_ordered_like_the_ranking_and_grow_with_answers():
    catalog = film_catalog()
    session = Session(Policy(catalog, film_belief(catalog), objective=BestItem()))
    person = film_belief(catalog, seed=5).particles[0]
    before = session.recommend(1)[0].match
    for _ in range(8):
        question = session.ask()
        session.tell(question, int((question.vectors @ person).argmax()))
    matches = [item.match for item in session.recommend(len(catalog), ranking="mean")]
    assert matches == sorted(matches, reverse=True)
    assert matches[0] > before
    regret = session.expected_regret
    average = float(session.belief.mean @ catalog.average)
    best = session.recommend(1)[0].expected_utility + regret
    assert matches[0] == pytest.approx(1 - regret / (best - average), rel=1e-4)
    assert torch.tensor(matches).min() == 0


@pytest.mark.parametrize(
    ("match", "good", "text"),
    [
        (0.95, 0.99, "a strong match"),
        (0.7, 0.8, "a good match, fairly sure"),
        (0.7, 0.6, "a good match, still unsure"),
        (0.4, 0.4, "a fair match, still unsure"),
        (0.2, 0.4, "a possible match, still unsure"),
        (0.0, 0.0, "a weak match"),
    ],
)
def test_matches_in_words(match, good, text):
    assert match_text(Recommendation(0, 0, "", {}, 0.0, 0.0, 0.0, match, good)) == text
