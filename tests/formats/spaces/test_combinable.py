"""Options of three attributes and more say what some valid configuration has together."""

import itertools
import math
import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rather
from product_spaces import product_spaces
from rather import ATTRIBUTE_STRATEGIES, Belief, Extra, Logistic, Option, Policy, ProductSpace, Session, Total
from rather.errors import InvalidInputError, NoneAllowedError
from rather.formats.spaces.combinable import CombinableAttributes
from rather.formats.spaces.encoding import encode_space
from rather.formats.spaces.space_files import bundled_space
from rather.formats.spaces.valid import ValidConfigurations
from rather.formats.tables.blocks import level_masks
from rather.formats.tables.encoded_table import encode_table
from rather.formats.tables.table_attributes import level_numbers
from rather.strategies import Problem
from rather.strategies.attributes.auto import AutoAttributes
from rather.strategies.attributes.continuous import ContPartial
from rather.strategies.attributes.greedy import GreedyAttributes


def held(blocks):
    """`(a, n)`, which rows of a table have each of its attributes."""
    masks = [level_masks(block) for block in blocks]
    return np.stack([masks[block][level] for block, level in level_numbers(blocks)])


def sets_of(blocks, most):
    """All sets of three attributes and more about different columns."""
    numbers = [block for block, _ in level_numbers(blocks)]
    sizes = range(3, min(most, len(set(numbers))) + 1)
    every = (some for size in sizes for some in itertools.combinations(range(len(numbers)), size))
    return [some for some in every if len({numbers[each] for each in some}) == len(some)]


@settings(max_examples=60)
@given(space=product_spaces(most=200, interactions=False, rules=(1, 3)), seed=st.integers(0, 99))
def test_what_few_configurations_describe_is_searched_among_all(space, seed):
    """An attribute of a number stands for all from the least to the most that a configuration described has."""
    valid = ValidConfigurations(space)
    count = valid.compiled.diagram.count
    numbers = torch.randint(count, (min(6, count - 1),), generator=torch.Generator().manual_seed(seed))
    try:
        described = encode_table(valid.table(valid.compiled.diagram.choices(numbers)), space.table_settings)
    except InvalidInputError:  # those few have nothing to learn from
        assume(False)
    blocks = described.blocks
    combinable = CombinableAttributes(valid, blocks)
    rows = valid.listed(count)
    has = []
    for (block, _), own in zip(level_numbers(blocks), held(blocks), strict=True):
        column = blocks[block].column
        cells = np.array(rows[column.name], dtype=object)
        if column.kind == "category":
            chosen = {column.cells.distinct[code] for code in column.cells.codes[own]}
            has.append(np.array([str(cell) in chosen for cell in cells]))
        else:
            amounts = column.numbers[own]
            has.append((cells >= min(amounts, default=np.inf)) & (cells <= max(amounts, default=-np.inf)))
    for some in sets_of(blocks, 5)[:300]:
        assert combinable(some) == bool(np.all([has[each] for each in some], axis=0).any())


@pytest.mark.parametrize("name", ATTRIBUTE_STRATEGIES)
@settings(max_examples=8, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(space=product_spaces(most=300, rules=(2, 3)))
def test_no_question_states_three_things_that_no_configuration_has(name, space):
    encoded = encode_space(space)
    has, together = held(encoded.table.blocks), encoded.catalog.together
    pairwise = [
        some
        for some in sets_of(encoded.table.blocks, 3)
        if all(together[pair] for pair in itertools.combinations(some, 2))
    ]
    possible = [some for some in pairwise if has[list(some)].all(axis=0).any()]
    assume(1 < len(possible) < len(pairwise) < 200)  # an exhaustive search is among the strategies
    policy = Policy(encoded.catalog, encoded.belief(particles=50), ask="attributes", k=2, p=3, attribute_strategy=name)
    session = Session(policy)
    for _ in range(min(4, math.comb(len(possible), 2))):
        question = session.ask()
        assert all(option in possible for option in map(tuple, question.about["attributes"]))
        session.tell(question, 0)


EXTRAS = ("cover", "sleeve", "lock")


def bag(others):
    """At most two of three extras, and so many more."""
    return ProductSpace(
        "bag",
        [
            Option("cloth", ["cotton", "nylon"]),
            *map(Extra, (*EXTRAS, *(f"badge {number}" for number in range(others)))),
        ],
        totals=[Total("extras", counts=EXTRAS, role="ignore")],
        rules=["extras <= 2"],
    )


@pytest.mark.parametrize("others", [0, 17])  # 14 configurations, and so many that random ones describe them
def test_at_most_two_of_three_extras_are_never_said_all_three(others):
    catalog, belief = rather.open(bag(others), particles=50)
    three = tuple(number for number, each in enumerate(catalog.attributes) if each.text in EXTRAS)
    assert len(three) == 3
    assert all(catalog.together[pair] for pair in itertools.combinations(three, 2))
    assert not catalog.combinable(three)
    problem = Problem(catalog, belief, Logistic(0.3), 2, torch.Generator().manual_seed(0), p=3)
    space = problem.attributes.space
    assert three not in set(space.every_item())
    if not others:
        assert set(space.every_item()) == {
            tuple(sorted((*pair, cloth)))
            for pair in itertools.combinations(three, 2)
            for cloth in set(range(5)) - set(three)
        }
    wanted = torch.zeros(1, 2, len(catalog.attributes))
    wanted[:, :, list(three)] = 9.0
    for slates in (space.projected(wanted), problem.random_slates(200), space.neighbours(problem.random_slates(20))):
        assert three not in map(tuple, slates.flatten(0, 1).tolist())
    # Of people who like or dislike all three alike, an option with all of them would tell most.
    liking = torch.randn(50, 1, generator=torch.Generator().manual_seed(0))
    direction = catalog.attribute_vectors[list(three)].sum(dim=0)
    keen = Belief.from_users(0.3 * liking * direction / (direction @ direction))
    for strategy in (AutoAttributes(), AutoAttributes(few=0), GreedyAttributes(), ContPartial(restarts=3, steps=10)):
        proposals = strategy(replace(problem, belief=keen, generator=torch.Generator().manual_seed(0)))
        assert three not in map(tuple, proposals.flatten(0, 1).tolist())


def expression(attribute):
    """What an attribute says, as a rule."""
    column, said = attribute.column.split(":")[0], attribute.translate
    if said.bounds is None:
        return f"`{column}`" if said.value == said.name else f"`{column}` == '{said.value}'"
    low, high = said.bounds
    if low == high:
        return f"`{column}` == {low}"
    ends = [f"`{column}` >= {low}"] * (low > -math.inf) + [f"`{column}` < {high}"] * (high < math.inf)
    return " and ".join(ends)


@pytest.mark.parametrize("p", [3, 5])
def test_what_is_said_of_bicycles_leaves_bicycles(p):
    """By a way of its own: what an option says is compiled together with the rules."""
    space = bundled_space("bicycle")
    encoded = encode_space(space)
    attributes, combinable = encoded.catalog.attributes, encoded.catalog.combinable
    together = encoded.catalog.together.tolist()
    chosen = random.Random(0)
    answers = []
    while len(answers) < 400:
        some = tuple(sorted(chosen.sample(range(len(attributes)), p)))
        if all(together[one][other] for one, other in itertools.combinations(some, 2)):
            answers.append((some, combinable(some)))
    # Those that random bicycles do not show to exist are few.
    unseen = [each for each in answers if each[0] in combinable._searched]
    for some, found in [*unseen[:10], *answers[:5]]:
        expressions = [expression(attributes[each]) for each in some]
        if found:
            assert encoded.valid.filtered(expressions).diagram.count > 0
        else:
            with pytest.raises(NoneAllowedError):
                encoded.valid.filtered(expressions)
