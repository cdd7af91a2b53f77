"""Partial items never contradict themselves, and slates never repeat one."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rather.errors import InvalidInputError
from rather.strategies.attributes.space import AttributeSpace


def every_item(space):
    """Slowly: all sets of p attributes, no two about the same column, each two seen together, all of them possible."""
    columns = space.columns.tolist()
    return {
        item
        for item in itertools.combinations(range(len(columns)), space.p)
        if all(
            columns[one] != columns[other] and (space.together is None or bool(space.together[one, other]))
            for one, other in itertools.combinations(item, 2)
        )
        and (space.p < 3 or space.combinable is None or space.combinable(item))
    }


def without(impossible):
    """A predicate that ascending attributes satisfy unless all of an impossible set are among them."""

    def combinable(item):
        assert len(item) >= 3
        assert list(item) == sorted(item)
        return not any(each <= set(item) for each in impossible)

    return combinable


def assert_valid(slates, space):
    for slate in slates.tolist():
        items = [tuple(item) for item in slate]
        assert len(items) == space.k == len(set(items))
        assert set(items) <= every_item(space)


@st.composite
def spaces(draw):
    columns = torch.tensor(draw(st.lists(st.integers(0, 4), min_size=2, max_size=9)))
    p = draw(st.integers(1, len(columns.unique())))
    together = None
    if draw(st.booleans()):
        seen = torch.rand(len(columns), len(columns), generator=torch.Generator().manual_seed(draw(st.integers(0, 99))))
        together = (seen + seen.T) > 0.6
    triples = st.frozensets(st.integers(0, len(columns) - 1), min_size=3, max_size=3)
    combinable = None
    if len(columns) >= 3 and draw(st.booleans()):
        combinable = without(draw(st.lists(triples, max_size=12)))
    try:
        most = AttributeSpace(columns, 2, p, together, combinable).items
    except InvalidInputError:
        return AttributeSpace(torch.arange(3), 2, 1)
    return AttributeSpace(columns, draw(st.integers(2, min(most, 6))), p, together, combinable)


@settings(max_examples=80, deadline=None)
@given(space=spaces(), seed=st.integers(0, 2**31))
def test_random_and_projected_slates_are_valid(space, seed):
    generator = torch.Generator().manual_seed(seed)
    assert_valid(space.random(8, generator), space)
    # Few different scores: ties and equal items everywhere.
    scores = torch.randint(3, (8, space.k, len(space.columns)), generator=generator).float()
    assert_valid(space.projected(scores), space)


@settings(max_examples=60, deadline=None)
@given(space=spaces())
def test_items_are_counted_and_listed(space):
    listed = list(space.every_item())
    assert set(listed) == every_item(space)
    assert space.items == len(listed) == len(set(listed))


@settings(max_examples=40, deadline=None)
@given(space=spaces(), seed=st.integers(0, 2**31))
def test_neighbours_are_all_slates_one_statement_away(space, seed):
    slate = space.random(1, torch.Generator().manual_seed(seed))
    found = {tuple(map(tuple, neighbour)) for neighbour in space.neighbours(slate).tolist()}
    expected = set()
    items = [tuple(item) for item in slate[0].tolist()]
    for place, item in enumerate(items):
        for other in every_item(space):
            if len(set(item) - set(other)) == 1 and other not in items:
                expected.add((*items[:place], other, *items[place + 1 :]))
    assert found == expected


def test_the_projection_takes_the_largest_scores_that_do_not_contradict():
    space = AttributeSpace(torch.tensor([0, 0, 1, 2]), k=2, p=2)
    scores = torch.tensor([[[0.9, 0.8, 0.7, 0.1], [0.1, 0.2, 0.3, 0.4]]])
    assert space.projected(scores).tolist() == [[[0, 2], [2, 3]]]


def test_an_item_said_twice_gives_way_to_its_best_neighbour():
    space = AttributeSpace(torch.arange(4), k=3, p=2)
    scores = torch.tensor([[[0.9, 0.8, 0.3, 0.1]] * 3])
    assert space.projected(scores).tolist() == [[[0, 1], [0, 2], [1, 2]]]


def test_a_slate_of_all_items_there_are():
    space = AttributeSpace(torch.tensor([0, 0, 1, 1]), k=4, p=2)
    slate = space.projected(torch.ones(1, 4, 4))
    assert {tuple(item) for item in slate[0].tolist()} == {(0, 2), (0, 3), (1, 2), (1, 3)}


def test_more_statements_than_columns_are_refused():
    with pytest.raises(InvalidInputError, match=r"`p` must be 1..2 \(the columns .*got 3"):
        AttributeSpace(torch.tensor([0, 0, 1]), k=2, p=3)


def test_more_options_than_partial_items_are_refused():
    with pytest.raises(InvalidInputError, match=r"`k` must be 2 \(the partial items of 2 attributes\), got 3"):
        AttributeSpace(torch.tensor([0, 0, 1]), k=3, p=2)


def test_statements_that_never_hold_together_are_not_said_together():
    together = torch.ones(3, 3, dtype=torch.bool)
    together[0, 1] = together[1, 0] = False
    space = AttributeSpace(torch.arange(3), k=2, p=2, together=together)
    assert set(space.every_item()) == {(0, 2), (1, 2)}
    assert {tuple(item) for item in space.projected(torch.tensor([[[3.0, 2.0, 1.0]] * 2]))[0].tolist()} == {
        (0, 2),
        (1, 2),
    }


def test_where_the_largest_scores_lead_nowhere_the_next_ones_do():
    # 0 goes with 1 alone, and 1, 2, 3 with each other: nothing can be said thrice with 0.
    together = torch.ones(4, 4, dtype=torch.bool)
    together[0, 2:] = together[2:, 0] = False
    together[0, 1] = together[1, 0] = True
    space = AttributeSpace(torch.tensor([0, 1, 2, 3]), k=2, p=2, together=together)
    assert space.items == 4
    three = torch.cat([together, together[:1]])  # a fifth attribute like the first
    three = torch.cat([three, three[:, :1]], dim=1)
    space = AttributeSpace(torch.tensor([0, 1, 2, 3, 4]), k=2, p=3, together=three)
    slate = space.projected(torch.tensor([[[9.0, 8.0, 1.0, 1.0, 0.0]] * 2]))[0].tolist()
    assert {tuple(item) for item in slate} == {(0, 1, 4), (1, 2, 3)}


def test_three_statements_that_never_hold_together_are_not_said_together():
    space = AttributeSpace(torch.arange(5), k=2, p=3, combinable=without([{0, 1, 2}, {0, 1, 3}]))
    assert space.items == math.comb(5, 3) - 2
    assert space.impossible(torch.tensor([[0, 1, 2], [0, 1, 4], [-1, 0, 1]])).tolist() == [True, False, False]
    # The largest scores are those of 0, 1 and 2; the next that fits is 4, and beside that option its best neighbour.
    slate = space.projected(torch.tensor([[[9.0, 8.0, 7.0, 6.0, 5.0]] * 2]))[0].tolist()
    assert slate == [[0, 1, 4], [0, 2, 4]]


def test_of_many_items_that_must_be_tried_few_are():
    tried = []
    space = AttributeSpace(torch.arange(100), k=2, p=3, combinable=lambda item: not tried.append(item))
    assert space.items == math.comb(100, 3)
    assert len(tried) < 3_000


def test_too_many_options_are_told_how_many_there_are():
    with pytest.raises(InvalidInputError, match=r"`k` must be 2\.\.3 "):
        AttributeSpace(torch.arange(4), k=4, p=3, combinable=without([{0, 1, 2}]))


def test_very_many_items_are_bounded_rather_than_counted():
    space = AttributeSpace(torch.arange(40), k=2, p=6)
    assert space.items == math.comb(40, 6)
