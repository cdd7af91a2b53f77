import math

import numpy as np
import pytest

import rather
from rather.research.bench.spaces import worlds
from rather.research.bench.spaces.informed import informed_regret
from rather.simulation.conversations import draw_users


def textbook(catalog, users, others, start, pull, rounds):
    """Bits and share of the regret by Blahut and Arimoto on a list of all items."""
    items = catalog.items.double().numpy()
    shares = np.full(len(items), 1 / len(items))

    def given(people):
        odds = shares * np.exp(pull * people @ items.T)
        return odds / odds.sum(axis=1, keepdims=True)

    for _ in range(rounds):
        shares = given(users).mean(axis=0)
    chosen, worth = given(others), others @ items.T
    bits = (chosen * np.log2(chosen / shares)).sum(axis=1).mean()
    return bits, (worth.max(axis=1) - (chosen * worth).sum(axis=1)).mean() / start


def test_one_decision_is_told_as_the_textbook_says():
    space = rather.ProductSpace("paint", [rather.Option("colour", list("abcdef"))])
    paint = worlds.opened("paint", space)
    drawn = draw_users(paint.belief, 2 * 200, seed=1).double().numpy()
    users, others = drawn[:200], drawn[200:]
    worth = others @ paint.catalog.items.double().numpy().T
    first = int((paint.catalog.items @ paint.belief.mean).argmax())
    start = (worth.max(axis=1) - worth[:, first]).mean()
    for pull in (2.0, 5.0):
        bits, share = textbook(paint.catalog, users, others, start, pull, rounds=300)
        (found,) = informed_regret(paint, [bits], users=200, rounds=300, pulls=[pull])
        assert found.bits == bits > 0.1
        assert found.share == pytest.approx(share, rel=1e-6)


def test_more_bits_leave_less_down_to_nothing():
    bag = rather.ProductSpace(
        "bag",
        [
            rather.Option("size", ["small", "large", "huge"]),
            rather.Option("cloth", {"cotton": {}, "leather": {"price": 90}}),
            rather.Extra("strap", adds={"price": 12}),
        ],
        [rather.Total("price", base=40)],
        ["size == 'huge' implies cloth != 'leather'"],
    )
    opened = worlds.opened("bag", bag)
    enough = math.log2(len(opened.catalog))
    found = informed_regret(opened, [0, 1, 2, enough], users=300, pulls=[1, 2, 4, 8, 16, 32, 64])
    assert [each.bits for each in found] == [0, 1, 2, enough]
    shares = [each.share for each in found]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1
    assert shares[-1] < 0.05
