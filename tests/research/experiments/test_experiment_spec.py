"""Specs: small files that say everything, or are refused by name."""

import pytest

from rather.errors import InvalidInputError, UnknownNameError
from rather.research.experiments import load_spec, spec_names
from rather.research.experiments.learnt_priors.priors import METHODS as PRIOR_METHODS
from rather.research.experiments.real_people.conversations import METHODS
from rather.research.experiments.spec import parse_spec
from rather.strategies import ATTRIBUTE_STRATEGIES, STRATEGIES

SMALL = """
title = "Small"
kind = "conversations"
trials = 5
methods = ["auto", { name = "random", label = "blind", trials = 1 }]

[population]
source = "gaussian"
items = 10

[parameters]
k = 2

[[variants]]
label = "pairs"

[[variants]]
label = "triples"
parameters = { k = 3 }
population = { items = 20 }

[quick]
trials = 1
population = { items = 4 }
"""


def test_variants_lay_over_what_is_common():
    spec = parse_spec(SMALL, "small")
    assert [variant.parameters["k"] for variant in spec.variants] == [2, 3]
    assert [variant.population["items"] for variant in spec.variants] == [10, 20]
    assert [method.label for method in spec.variants[0].methods] == ["auto", "blind"]


def test_quick_lays_over_every_variant():
    spec = parse_spec(SMALL, "small", quick=True)
    assert spec.trials == 1
    assert [variant.population["items"] for variant in spec.variants] == [4, 4]
    assert [variant.parameters["k"] for variant in spec.variants] == [2, 3]


def test_mistakes_are_named():
    with pytest.raises(InvalidInputError, match="unknown entries: trails"):
        parse_spec(SMALL.replace("trials = 5", "trails = 5"), "small")
    with pytest.raises(InvalidInputError, match="lacks: title"):
        parse_spec(SMALL.replace('title = "Small"', ""), "small")
    with pytest.raises(InvalidInputError, match=r"kind.*must be one of"):
        parse_spec(SMALL.replace('"conversations"', '"dreams"'), "small")
    with pytest.raises(InvalidInputError, match="not TOML"):
        parse_spec("title = ", "small")
    with pytest.raises(InvalidInputError, match="method of small"):
        parse_spec(SMALL.replace("label =", "lable =", 1), "small")
    with pytest.raises(UnknownNameError, match="There are: synthetic"):
        load_spec("sinthetic")


@pytest.mark.parametrize("name", spec_names())
def test_every_spec_is_sound(name):
    for quick in (False, True):
        spec = load_spec(name, quick=quick)
        labels = {(variant.label, method.label) for variant in spec.variants for method in variant.methods}
        assert len(labels) == sum(len(variant.methods) for variant in spec.variants)
        for number in spec.paper:
            assert (number.variant, number.method) in labels or not number.method
        assert set(spec.plotted) <= {method for _, method in labels}
        known = {
            "conversations": {*STRATEGIES, "floor", "plan"},
            "wallclock": set(STRATEGIES),
            "real-people": {*STRATEGIES, *METHODS},
            "learnt-priors": set(PRIOR_METHODS),
            "spaces": {*STRATEGIES, *ATTRIBUTE_STRATEGIES},
        }.get(spec.kind, set(ATTRIBUTE_STRATEGIES))
        assert {method.name for variant in spec.variants for method in variant.methods} <= known
