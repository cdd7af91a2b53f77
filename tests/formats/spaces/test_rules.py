import itertools

from hypothesis import given
from hypothesis import strategies as st

from rather.formats.spaces.rules import FALSE, TRUE, OneOf, PairOf, TotalWithin, every, one_of, some

SIZES = (2, 3, 3)
AMOUNTS = (0, 1, 2, 3, 4, 5)
"""The total of a configuration: the sum of its values."""


def _one_of(decision):
    return st.sets(st.integers(0, SIZES[decision] - 1)).map(lambda values: one_of(decision, values, SIZES[decision]))


def _pair_of(first, second):
    pairs = st.tuples(st.integers(0, SIZES[first] - 1), st.integers(0, SIZES[second] - 1))
    sizes = SIZES[first], SIZES[second]
    return st.frozensets(pairs).map(lambda held: PairOf(first, second, held, sizes))


def _combined(parts):
    several = st.lists(parts, max_size=3)
    return st.one_of(several.map(every), several.map(some), parts.filter(lambda part: part).map(lambda part: ~part))


totals = st.lists(st.booleans(), min_size=6, max_size=6).map(lambda holds: TotalWithin(0, AMOUNTS, tuple(holds)))
formulas = st.recursive(
    st.one_of(*map(_one_of, range(3)), _pair_of(0, 1), _pair_of(1, 2), totals), _combined, max_leaves=8
)


def holds(formula, values) -> bool:
    """What a formula means, from its parts."""
    if isinstance(formula, OneOf):
        return values[formula.decision] in formula.values
    if isinstance(formula, PairOf):
        return (values[formula.first], values[formula.second]) in formula.pairs
    if isinstance(formula, TotalWithin):
        return formula.holds[formula.amounts.index(sum(values))]
    if formula in (TRUE, FALSE):
        return formula == TRUE
    together = all if type(formula).__name__ == "Every" else any
    return together(holds(part, values) for part in formula.parts)


def configurations():
    return itertools.product(*map(range, SIZES))


def after_all(formula, values, order):
    """What is left of a formula once everything is known."""
    for decision in order:
        formula = formula.chosen(decision, values[decision])
    return formula.settled({each: each.holds[sum(values)] for each in formula.totals})


@given(formulas, st.permutations(range(3)))
def test_a_formula_becomes_true_where_it_holds_and_false_elsewhere_in_any_order(formula, order):
    for values in configurations():
        assert after_all(formula, values, order) == (TRUE if holds(formula, values) else FALSE)


@given(formulas)
def test_a_negation_holds_where_the_formula_does_not(formula):
    assert [holds(~formula, values) for values in configurations()] == [
        not holds(formula, values) for values in configurations()
    ]


@given(st.lists(formulas, max_size=3))
def test_every_and_some_mean_all_and_any(parts):
    for values in configurations():
        assert holds(every(parts), values) == all(holds(part, values) for part in parts)
        assert holds(some(parts), values) == any(holds(part, values) for part in parts)


@given(formulas, st.integers(0, 2), st.data())
def test_a_choice_leaves_no_condition_about_its_decision(formula, decision, data):
    value = data.draw(st.integers(0, SIZES[decision] - 1))
    assert decision not in formula.chosen(decision, value).decisions


@given(totals, st.integers(0, 5), st.integers(0, 5))
def test_a_condition_on_a_total_is_decided_where_all_amounts_agree(condition, first, second):
    low, high = sorted((first, second))
    among = {condition.holds[amount] for amount in range(low, high + 1)}
    expected = -1 if len(among) == 2 else int(among.pop())
    assert condition.decided(low, high).tolist() == expected
