"""Which configurations of a product space win: none of the others is counted one by one."""

import torch

import rather
from rather.insights.winners import winners
from rather.retrieval.paths import PathRetriever


def test_of_a_space_too_large_to_list_only_the_winners_are_looked_at():
    catalog, belief = rather.open("bicycle")
    draws = belief.particles[:6].view(3, 2, -1)
    found = winners(draws, catalog, PathRetriever(catalog), torch.Generator().manual_seed(0))
    rows = PathRetriever(catalog).top(draws.flatten(0, 1), 5).rows
    assert {each.row for each in found.items} == set(rows[:, 0].tolist())
    assert found.all_items == len(catalog)
    assert found.never_best == len(catalog) - len(rows[:, 0].unique())
    assert found.never_top == len(catalog) - len(rows.unique())
    assert found.dead == ()
    often = {row: int((rows == row).sum()) / 6 for row in rows[:, 0].tolist()}
    assert all(abs(each.top - often[each.row]) < 1e-6 for each in found.items)
