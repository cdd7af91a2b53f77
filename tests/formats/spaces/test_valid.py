import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rather
from product_spaces import bicycle, combinations, expressions, product_spaces, satisfying
from rather import Extra, NumberRange, Option, ProductSpace, Total
from rather.errors import InvalidInputError
from rather.formats.spaces.valid import ValidConfigurations


def letters(count, values="ab", **parts):
    return ProductSpace("thing", [Option(f"o{number}", list(values)) for number in range(count)], **parts)


@given(st.data())
def test_the_rules_that_clash_are_a_smallest_set(data):
    plain = data.draw(product_spaces(most=60, rules=(0, 0), interactions=False))
    rules = data.draw(st.lists(expressions(plain, depth=1), min_size=2, max_size=5, unique=True))
    columns = combinations(plain)
    sizes = [
        len(some)
        for size in range(1, len(rules) + 1)
        for some in itertools.combinations(rules, size)
        if not satisfying(plain, columns, some).any()
    ]
    space = ProductSpace("thing", plain.decisions, plain.totals, rules)
    if not sizes:
        assert ValidConfigurations(space).compiled is not None
        return
    clashing = ValidConfigurations(space).clashing_rules()
    assert not satisfying(plain, columns, [rules[number] for number in clashing]).any()
    assert len(clashing) == min(sizes)


def test_a_contradiction_names_the_rules_that_clash_and_no_other():
    rules = ["o0 == 'a'", "o1 == 'b' or o2 == 'b'", "o1 == 'a'", "o2 == 'a'"]
    with pytest.raises(InvalidInputError) as raised:
        rather.open(letters(4, rules=rules))
    assert "satisfies these 3 rules together:\n  o1 == 'b' or o2 == 'b'\n  o1 == 'a'\n  o2 == 'a'" in str(raised.value)


def test_a_rule_that_nothing_satisfies_is_named_alone():
    with pytest.raises(InvalidInputError, match="no configuration satisfies the rule \"o0 == 'a' and o0 == 'b'\""):
        rather.open(letters(3, rules=["o1 == 'a'", "o0 == 'a' and o0 == 'b'"]))


def test_a_contradiction_is_found_where_fewer_rules_leave_too_many_configurations():
    rules = [*(f"o{number} == 'a'" for number in range(10)), "o3 == 'b' or o4 == 'b'"]
    with pytest.raises(InvalidInputError, match="these 3 rules together"):
        rather.open(letters(70, rules=rules))


def test_more_configurations_than_can_be_numbered_are_rejected_with_their_number():
    with pytest.raises(InvalidInputError, match=r"at most 9e\+18 configurations; this one has 9.2e\+18"):
        rather.open(letters(63))


def test_sums_that_make_the_diagram_too_wide_are_rejected_with_advice():
    ranges = [NumberRange(f"r{number}", 0, 9_999, step=1, adds={"price": 1}) for number in range(3)]
    space = ProductSpace("thing", ranges, [Total("price")], ["price <= 5000"])
    with pytest.raises(InvalidInputError, match=r"more than 3,000,000 edges in its decision diagram\). Round what"):
        rather.open(space)


def test_a_total_of_too_many_different_amounts_is_rejected_with_advice():
    options = [
        Option(f"o{number}", {"a": {"price": 1.37 * 3**number}, "b": {"price": 0.11}, "c": None})
        for number in range(14)
    ]
    with pytest.raises(InvalidInputError, match="'price' must have at most 500,000 different amounts"):
        rather.open(ProductSpace("thing", options, [Total("price", worth="curve")]))


def test_a_single_configuration_leaves_nothing_to_choose():
    with pytest.raises(InvalidInputError, match="leave a single configuration, so there is nothing to choose"):
        rather.open(letters(2, rules=["o0 == 'a'", "o1 == 'b'"]))


def test_a_decision_that_a_rule_fixes_is_not_learned_from_but_shown():
    catalog, belief = rather.open(letters(3, rules=["o0 == 'a'"]))
    assert len(catalog) == 4
    assert catalog.features == ["o1: a", "o1: b", "o2: a", "o2: b"]
    assert catalog.facts_of(3)["o0"] == "a"
    assert belief.particles.shape[1] == 4


def test_amounts_are_exact_in_decimals():
    extras = [Extra(f"e{number}", adds={"price": 0.1}) for number in range(10)]
    space = ProductSpace("thing", extras, [Total("price", base=0.2)], ["price == 0.5 or price == 1.2"])
    assert len(rather.open(space)[0]) == 120 + 1  # three of ten, or all


def test_the_bounds_of_a_total_are_those_of_valid_configurations():
    valid = ValidConfigurations(bicycle())
    for index, name in enumerate(("price", "weight")):
        amounts = bicycle().table()[name]
        assert valid.total_bounds(index) == (min(amounts), max(amounts))


def test_configurations_without_a_rule_are_those_of_the_other_rules():
    valid = ValidConfigurations(bicycle())
    for number in range(3):
        others = [rule for index, rule in enumerate(bicycle().rules) if index != number]
        assert valid.count_without(number) == len(bicycle(rules=others).table()["price"])
