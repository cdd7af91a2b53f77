import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather.formats.spaces.compiling import (
    MOST_SUMS,
    Part,
    Problem,
    TooManyConfigurationsError,
    TooWideError,
    Total,
    _sums,
)
from rather.formats.spaces.rules import TRUE, PairOf, TotalWithin, every, one_of, some


@st.composite
def problems(draw):
    """Small problems with a rule, one or two totals and pairs, whose decisions are taken in any order."""
    sizes = tuple(draw(st.lists(st.integers(1, 3), min_size=2, max_size=4)))
    totals = []
    for _ in range(draw(st.integers(0, 2))):
        gains = [draw(st.lists(st.integers(-2, 3), min_size=size, max_size=size)) for size in sizes]
        adds = tuple(np.array(gain) if any(gain) else None for gain in gains)
        totals.append(Total(draw(st.integers(-1, 5)), adds, draw(st.booleans())))
    parts = [Part(index) for index in range(len(sizes))]
    parts += [Part(index, is_total=True) for index, total in enumerate(totals)]
    pairs = draw(st.lists(st.sampled_from(list(itertools.combinations(parts, 2))), max_size=2, unique=True))
    order = tuple(draw(st.permutations(range(len(sizes)))))
    return Problem(sizes, tuple(totals), tuple(pairs), order)


@st.composite
def rules(draw, problem):
    found = [TRUE]
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["one", "pair", "total"]))
        if kind == "total" and problem.totals:
            index = draw(st.integers(0, len(problem.totals) - 1))
            amounts = tuple(problem.totals[index].amounts().tolist())
            truth = draw(st.lists(st.booleans(), min_size=len(amounts), max_size=len(amounts)))
            found.append(TotalWithin(index, amounts, tuple(truth)))
        elif kind == "pair":
            sizes = problem.sizes[0], problem.sizes[1]
            every_pair = list(itertools.product(*map(range, sizes)))
            found.append(PairOf(0, 1, frozenset(draw(st.sets(st.sampled_from(every_pair)))), sizes))
        else:
            decision = draw(st.integers(0, len(problem.sizes) - 1))
            size = problem.sizes[decision]
            found.append(one_of(decision, draw(st.sets(st.integers(0, size - 1))), size))
    joined = found[1:]
    return draw(st.sampled_from([every, some]))(joined) if joined else TRUE


def amounts(problem, values):
    return [
        total.base + sum(int(adds[value]) for adds, value in zip(total.adds, values, strict=True) if adds is not None)
        for total in problem.totals
    ]


def satisfied(formula, problem, values) -> bool:
    sums = amounts(problem, values)
    for decision, value in enumerate(values):
        formula = formula.chosen(decision, value)
    known = {each: each.holds[each.amounts.index(sums[each.total])] for each in formula.totals}
    return formula.settled(known) == TRUE


@given(st.data())
def test_the_paths_are_the_configurations_that_satisfy_the_rules(data):
    problem = data.draw(problems())
    formula = data.draw(rules(problem))
    expected = {
        values for values in itertools.product(*map(range, problem.sizes)) if satisfied(formula, problem, values)
    }
    compiled = problem.compiled(formula)
    if compiled is None:
        assert not expected
        return
    choices = compiled.diagram.choices(torch.arange(compiled.diagram.count)).tolist()
    found = [tuple(row[compiled.order.index(decision)] for decision in range(len(problem.sizes))) for row in choices]
    assert len(found) == len(set(found))
    assert set(found) == expected


@given(st.data())
def test_the_choices_of_a_path_settle_its_values_its_wanted_totals_and_its_pairs_once(data):
    problem = data.draw(problems())
    compiled = problem.compiled(TRUE)
    choices = compiled.diagram.choices(torch.arange(compiled.diagram.count))
    for row, symbols in zip(choices.tolist(), compiled.diagram.symbols(choices).tolist(), strict=True):
        values = [row[compiled.order.index(decision)] for decision in range(len(problem.sizes))]
        settled = [compiled.settled[layer][symbol] for layer, symbol in enumerate(symbols)]
        assert [each.value for each in settled] == row
        sums = amounts(problem, values)
        wanted = [(index, sums[index]) for index, total in enumerate(problem.totals) if total.is_wanted]
        assert sorted(one for each in settled for one in each.totals) == wanted
        both = [
            (number, *((sums if part.is_total else values)[part.index] for part in pair))
            for number, pair in enumerate(problem.pairs)
        ]
        assert sorted(one for each in settled for one in each.pairs) == both


@given(problems())
def test_the_amounts_of_a_total_are_those_of_all_combinations(problem):
    every_values = list(itertools.product(*map(range, problem.sizes)))
    for index, total in enumerate(problem.totals):
        assert total.amounts().tolist() == sorted({amounts(problem, values)[index] for values in every_values})


def test_many_sums_are_found_without_writing_all_of_them_down():
    first, second = np.arange(0, 8_000, 2), np.arange(1, 12_000, 3)
    assert len(first) * len(second) > MOST_SUMS
    expected = sorted({a + b for a in (0, 2, 4, 7_994, 7_996, 7_998) for b in second.tolist()})
    found = set(_sums(first, second).tolist())
    assert found.issuperset(expected)
    assert (min(found), max(found)) == (1, 7_998 + 11_998)
    assert 3 in found
    assert 2 not in found


def test_more_configurations_than_can_be_numbered_are_rejected_before_they_are_counted():
    with pytest.raises(TooManyConfigurationsError) as raised:
        Problem((2,) * 63).compiled(TRUE)
    assert raised.value.count == 2.0**63
    assert Problem((2,) * 62).compiled(TRUE).diagram.count == 2**62


def test_rules_may_leave_few_enough_configurations_of_too_many_combinations():
    fixed = every(one_of(decision, {0}, 2) for decision in range(10))
    assert Problem((2,) * 70).compiled(fixed).diagram.count == 2**60


def test_a_diagram_that_becomes_too_wide_is_rejected_while_it_grows():
    total = Total(0, tuple(np.arange(10) * 10**power for power in range(6)), is_wanted=True)
    assert Problem((10,) * 6, (total,), most_edges=2_000_000).compiled(TRUE).diagram.count == 10**6
    with pytest.raises(TooWideError):
        Problem((10,) * 6, (total,), most_edges=1_000_000).compiled(TRUE)
