"""Recommendations are lists: worth most together, without what is excluded, page after page."""

import itertools

import pytest
import torch

from rather import Belief, BestItem, BestOfList, Catalog, DiscountedList, Policy, Session
from rather.conversation.lists import POOLED_ITEMS, SLOT_SHARE
from rather.errors import InvalidInputError
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistSettings
from worlds import normal, world

# Three groups of people, each with an item of its own; two copies of each item, the second a little worse.
TASTES = torch.eye(3)
CATALOG = Catalog(torch.cat([TASTES, 0.9 * TASTES, torch.full((1, 3), 0.3)]), ids=list("abcdefg"))
GROUPS = Belief.from_users(TASTES, [0.5, 0.3, 0.2], smooth=False)


def talk(**parts):
    return Session(Policy(CATALOG, GROUPS, **{"objective": BestOfList(5), **parts}))


def ids(items):
    return [item.id for item in items]


def best_value(session, rows):
    utilities = session.policy.catalog.vectors(rows) @ session.belief.particles.T
    return float(utilities.amax(dim=0) @ session.belief.weights)


def test_a_list_has_something_for_everybody():
    assert ids(talk().recommend(3)) == ["a", "b", "c"]
    assert ids(talk().recommend(3, ranking="mean")) == ["a", "d", "g"]


def test_the_rest_of_a_list_that_has_something_for_everybody_is_ranked_by_the_mean():
    """After a, b and c nothing adds anything: d and g have the highest expected utility."""
    assert ids(talk().recommend(5)) == ["a", "d", "g", "b", "c"]
    means = [item.expected_utility for item in talk().recommend(5)]
    assert means == sorted(means, reverse=True)


def test_what_is_excluded_is_replaced_by_the_next_best_for_the_same_people():
    assert ids(talk().recommend(3, exclude=["a", "c"])) == ["d", "b", "f"]
    assert ids(talk().recommend(3, exclude=["a", "nobody"], ranking="mean")) == ["d", "g", "b"]
    allowed = [id != "b" for id in CATALOG.ids]
    assert ids(talk(allowed=allowed).recommend(3, exclude=["a", "b"])) == ["d", "e", "c"]


def test_pages_follow_each_other_without_repeating_anything():
    here = talk()
    whole = ids(here.recommend(5)) + ids(here.recommend(5, offset=5))
    assert sorted(whole) == list("abcdefg")
    assert ids(here.recommend(7)) == whole
    assert ids(here.recommend(2, offset=5)) == whole[5:]
    assert here.recommend(5, offset=7) == []


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_pages_of_any_length_repeat_nothing(count):
    here = talk()
    shown = [id for offset in range(0, 7, count) for id in ids(here.recommend(count, offset=offset))]
    assert sorted(shown) == list("abcdefg")


def test_lists_of_a_large_catalogue_go_on_after_the_last_list():
    here = world(n=300, m=60, d=4)
    session = Session(Policy(here.catalog, here.belief))
    rows = [item.row for item in session.recommend(300)]
    assert sorted(rows) == list(range(300))
    assert [item.row for item in session.recommend(7, offset=60)] == rows[60:67]


def test_pages_by_expected_utility_are_cut_from_one_ranking():
    """A poor shortlist misses some of the best few, which a longer search finds: none is shown twice or left out."""
    catalog, belief = Catalog(normal(3000, 12)), Belief.from_users(normal(100, 12, seed=1))
    settings = ShortlistSettings(directions=4, checks=8, enlargements=0)
    shortlist = ShortlistRetriever.build(catalog, belief, settings=settings)
    session = Session(Policy(catalog, belief, retriever=shortlist))
    session.tell(session.ask(), 0)
    best = (catalog.items @ session.belief.mean).argsort(descending=True)[:15].tolist()
    assert shortlist.top(session.belief.mean[None], 5).rows[0].tolist() != best[:5]
    pages = [session.recommend(5, offset=offset, ranking="mean") for offset in (0, 5, 10)]
    assert [item.row for page in pages for item in page] == best


@pytest.mark.parametrize("seed", range(4))
def test_a_list_is_worth_as_much_as_the_best_one(seed):
    here = world(n=12, m=40, d=3, seed=seed)
    session = Session(Policy(here.catalog, here.belief, objective=BestOfList(3)))
    found = best_value(session, [item.row for item in session.recommend(3)])
    best = max(best_value(session, list(rows)) for rows in itertools.combinations(range(12), 3))
    # An item that adds less than a hundredth of what there is to gain gives way to one of higher expected utility.
    most_lost = 3 * SLOT_SHARE * Policy(here.catalog, here.belief, objective=BestItem()).start_regret
    assert best - most_lost <= found <= best + 1e-5


def test_a_list_from_a_pool_is_as_good_as_one_from_all_items():
    catalog = Catalog(normal(4 * POOLED_ITEMS, 6))
    belief = Belief.from_users(normal(400, 6, seed=1))
    session = Session(Policy(catalog, belief))
    greedy: list[int] = []
    utilities = catalog.items @ belief.particles.T
    for _ in range(5):
        listed = utilities[greedy].amax(dim=0) if greedy else torch.full((400,), -torch.inf)
        greedy.append(int((torch.maximum(utilities, listed) @ belief.weights).argmax()))
    assert best_value(session, [item.row for item in session.recommend(5)]) >= 0.99 * best_value(session, greedy)


def test_the_regret_and_the_chance_are_those_of_the_list():
    here = talk()
    assert here.expected_regret == pytest.approx(0, abs=1e-6)
    assert here.probability_best() == 1
    alone = talk(objective=BestItem())
    assert alone.expected_regret == pytest.approx(0.5 * 0 + 0.3 + 0.2)
    assert alone.probability_best() == pytest.approx(0.5)
    pair = talk(objective=BestOfList(2))
    assert pair.expected_regret == pytest.approx(0.2)
    assert pair.probability_best() == pytest.approx(0.8)
    assert here.probability_best(here.recommend(1)) == pytest.approx(0.5)
    # Everybody's own two best items are worth 1 and 0.9 to them; listed are a and d.
    first, second = DiscountedList(2).discounts.tolist()
    ranked = talk(objective=DiscountedList(2))
    assert ranked.expected_regret == pytest.approx((first + 0.9 * second) * 0.5, abs=1e-5)


def test_a_question_that_a_list_makes_superfluous_gains_nothing():
    here = talk(response=None)
    question = here.ask()
    assert question.evoi > 0.1
    assert here.policy.gain(here.belief, question) == pytest.approx(0, abs=1e-6)
    alone = talk(objective=BestItem())
    assert alone.policy.gain(alone.belief, alone.ask()) == alone.ask().evoi


def test_questions_can_be_chosen_for_a_list():
    here = world(n=40, m=60, d=4)
    items = Policy(here.catalog, here.belief)
    lists = Policy(here.catalog, here.belief, question_objective=BestOfList(3), objective=BestOfList(3))
    question = lists.question(here.belief, [])
    assert question.evoi == pytest.approx(lists.gain(here.belief, question), abs=1e-5)
    for_items = items.question(here.belief, [])
    assert question.evoi >= lists.gain(here.belief, for_items) - 1e-5


@pytest.mark.parametrize(("items", "size"), [(3, 1), (19, 1), (20, 2), (49, 4), (50, 5), (5000, 5)])
def test_a_list_has_five_items_or_a_tenth_of_all(items, size):
    policy = Policy(Catalog(normal(items, 3)), Belief.from_users(normal(9, 3, seed=1)))
    assert policy.objective == (BestOfList(size) if size > 1 else BestItem())


def test_a_filter_that_leaves_few_items_shortens_the_list():
    policy = Policy(Catalog(normal(60, 3)), Belief.from_users(normal(9, 3, seed=1)))
    few = torch.arange(60) < 25
    assert policy.restricted(few).objective == BestOfList(2)
    chosen = Policy(policy.catalog, policy.prior, objective=BestOfList(4))
    assert chosen.restricted(few).objective == BestOfList(4)


@pytest.mark.parametrize(("count", "message"), [(0, "at least 1, got 0"), (2.5, "a whole number, got 2.5")])
def test_a_count_that_makes_no_sense_is_rejected(count, message):
    with pytest.raises(InvalidInputError, match=f"`count` must be {message}"):
        talk().recommend(count)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"offset": -1}, "`offset` must be 0 or above, got -1"),
        ({"offset": 0.5}, "`offset` must be a whole number, got 0.5"),
        ({"exclude": "a"}, r"`exclude` must be a list of ids such as \['a'\], got 'a'"),
        ({"exclude": 5}, r"`exclude` must be a list of ids such as \[5\], got 5"),
        ({"ranking": "best"}, "`ranking` must be one of list, mean, got 'best'"),
    ],
)
def test_a_part_of_the_ranking_that_does_not_exist_is_rejected(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        talk().recommend(3, **arguments)


def test_what_is_no_objective_is_rejected():
    with pytest.raises(InvalidInputError, match=r"`objective` must be an objective such as rather.BestOfList\(5\)"):
        talk(objective=5)
    with pytest.raises(InvalidInputError, match=r"got <class '.*BestOfList'>"):
        talk(objective=BestOfList)
