"""Which rules clash: the fewest of them that nothing satisfies together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

# Sets of rules that are tried, and steps of the search for those that are worth it. A clash of more is found as well,
# but there may be a smaller one.
MOST_TRIED, MOST_STEPS = 200, 20_000


def smallest_clash(
    count: int, can_hold: Callable[[Sequence[int]], bool], most_tried: int = MOST_TRIED
) -> tuple[int, ...]:
    """The smallest set of rules that cannot hold together, given that all of them cannot.

    Rules are left out one by one while the others still clash. Each one that has to stay shows a set of rules that can
    hold; whatever clashes has a rule outside of it. The smallest set that has one outside of each is tried next; if it
    can hold, it is extended as far as it can, which shows another such set (implicit hitting sets; Ignatiev, Previti,
    Liffiton, Marques-Silva 2015).

    Args:
        count: How many rules there are.
        can_hold: Whether some of them, ascending, can hold together.
        most_tried: How many sets to try; then the smallest clash found so far is returned.
    """
    outside: list[frozenset[int]] = []
    kept = list(range(count))
    for number in range(count):
        fewer = [each for each in kept if each != number]
        if can_hold(fewer):
            outside.append(frozenset(range(count)) - set(fewer))
        else:
            kept = fewer
    tried = count
    while tried < most_tried:
        some = _smallest_hitting(outside, len(kept))
        if some is None:
            break
        tried += 1
        if not can_hold(sorted(some)):
            return tuple(sorted(some))
        for number in range(count):
            if number not in some and tried < most_tried:
                tried += 1
                some = some | {number} if can_hold(sorted(some | {number})) else some
        outside.append(frozenset(range(count)) - some)
    return tuple(kept)


def _smallest_hitting(sets: Sequence[frozenset[int]], below: int) -> frozenset[int] | None:
    """The smallest set with an element of each of the sets, if it has less than `below`; None too after many steps."""
    steps = 0

    def extended(chosen: frozenset[int], size: int) -> frozenset[int] | None:
        nonlocal steps
        steps += 1
        left = [each for each in sets if not each & chosen]
        if not left:
            return chosen
        if len(chosen) == size or steps > MOST_STEPS or _disjoint(left) > size - len(chosen):
            return None
        fewest: Collection[int] = min(left, key=len)
        return next((found for each in sorted(fewest) if (found := extended(chosen | {each}, size)) is not None), None)

    return next((found for size in range(below) if (found := extended(frozenset(), size)) is not None), None)


def _disjoint(sets: Sequence[frozenset[int]]) -> int:
    """A number of elements that is needed at least to have one of each: sets that have none in common."""
    seen: frozenset[int] = frozenset()
    count = 0
    for each in sorted(sets, key=len):
        if not each & seen:
            seen, count = seen | each, count + 1
    return count
