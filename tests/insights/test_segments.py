"""Groups are found where there are some, and only there."""

import torch
from insight_worlds import cars, utility

from rather.insights.aspects import aspects
from rather.insights.estimates import Replicates
from rather.insights.part_worths import importance_shares
from rather.insights.segments import segments


def found_in(means, catalog):
    generator = torch.Generator().manual_seed(1)
    noise = 0.3 * torch.randn(len(means), 10, catalog.dimensions, generator=generator)
    people = 0.5 * torch.randn(len(means), 1, catalog.dimensions, generator=generator)
    draws = means[:, None] + people + noise
    columns = aspects(catalog)
    shares = importance_shares(draws, columns)
    return segments(draws, columns, shares, Replicates.of(draws, generator), generator)


def test_two_camps_are_found_with_their_sizes_and_named_by_what_they_want(tmp_path):
    catalog, _ = cars(tmp_path)
    yes, no = (utility(catalog, {"electric": {"yes": worth}}, 0.0) for worth in (4.0, -4.0))
    found = found_in(torch.stack([yes] * 140 + [no] * 60), catalog)
    assert len(found) == 2
    assert [round(each.share.value, 1) for each in found] == [0.7, 0.3]
    assert found[0].name.startswith("People who want: electric")
    assert found[1].name.startswith("People who want: not electric")
    assert set(found[0].members) == set(range(140))


def test_people_who_differ_without_falling_apart_are_one_group(tmp_path):
    catalog, _ = cars(tmp_path)
    found = found_in(torch.zeros(200, catalog.dimensions), catalog)
    assert len(found) == 1


def test_a_handful_of_people_has_no_groups(tmp_path):
    catalog, _ = cars(tmp_path)
    assert found_in(torch.zeros(5, catalog.dimensions), catalog) == ()
