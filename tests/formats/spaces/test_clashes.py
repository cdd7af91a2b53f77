"""The smallest set of rules that clash, against trying all sets."""

import itertools
import random

from rather.formats.spaces.clashes import smallest_clash


def smallest_by_trying(count, can_hold):
    sets = (some for size in range(1, count + 1) for some in itertools.combinations(range(count), size))
    return len(next(some for some in sets if not can_hold(some)))


def test_it_is_as_small_as_the_smallest_of_all_sets():
    """Whatever sets clash: rules clash if one of these random sets is among them."""
    chosen = random.Random(1)
    for _ in range(200):
        count = chosen.randint(1, 8)
        clashes = [
            frozenset(chosen.sample(range(count), chosen.randint(1, count))) for _ in range(chosen.randint(1, 6))
        ]

        def can_hold(some, clashes=clashes):
            return not any(clash <= set(some) for clash in clashes)

        found = smallest_clash(count, can_hold)
        assert not can_hold(found)
        assert list(found) == sorted(found)
        assert len(found) == smallest_by_trying(count, can_hold)


def test_after_many_trials_it_settles_for_a_clash_from_which_nothing_can_be_left_out():
    tried = []

    def can_hold(some):
        tried.append(some)
        return not {0, 1, 2, 3, 4} <= set(some) and not {8, 9} <= set(some)

    found = smallest_clash(10, can_hold, most_tried=10)
    assert len(tried) == 10
    assert found == (8, 9)  # the others are left out first
    assert smallest_clash(10, lambda some: not {0, 1} <= set(some) and not {7, 8, 9} <= set(some), 10) == (7, 8, 9)
    assert smallest_clash(10, lambda some: not {0, 1} <= set(some) and not {7, 8, 9} <= set(some)) == (0, 1)


def test_rules_that_are_all_needed_are_found_without_further_trials():
    tried = []

    def can_hold(some):
        tried.append(some)
        return len(some) < 30

    assert smallest_clash(30, can_hold) == tuple(range(30))
    assert len(tried) == 30
