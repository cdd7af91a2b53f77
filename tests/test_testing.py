"""The checks we offer to others fail where they must. `check_strategy` is put to the test in strategies/."""

from dataclasses import dataclass, replace

import pytest
import torch

import rather
from rather import NONE, SKIP, Catalog, ExactRetriever, Logistic
from rather.testing import check_objective, check_response_model, check_retriever


@dataclass(frozen=True)
class Faulty:
    """An exact retriever but for one fault."""

    catalog: Catalog
    fault: str

    def top(self, directions, count, allowed=None):
        allowed = None if self.fault == "forgets the filter" else allowed
        available = len(self.catalog) if allowed is None else int(allowed.sum())
        found = ExactRetriever(self.catalog).top(directions, count, allowed)
        if self.fault == "worst first":
            return replace(found, scores=found.scores.flip(1), rows=found.rows.flip(1), vectors=found.vectors.flip(1))
        if self.fault == "wrong scores":
            return replace(found, scores=found.scores + 1)
        if self.fault == "other vectors":
            return replace(found, vectors=-found.vectors)
        if self.fault == "repeats the best":
            first = found.rows[:, :1].expand(-1, count)
            scores = found.scores[:, :1].expand(-1, count)
            return replace(found, rows=first, scores=scores, vectors=self.catalog.items[first])
        if self.fault == "misses the best" and available > count:
            more = ExactRetriever(self.catalog).top(directions, count + 1, allowed)
            return replace(found, rows=more.rows[:, 1:], scores=more.scores[:, 1:], vectors=more.vectors[:, 1:])
        return found


FAULTS = ["forgets the filter", "worst first", "wrong scores", "other vectors", "repeats the best"]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_retriever_is_caught(fault, exact):
    with pytest.raises(AssertionError, match="Broken promise"):
        check_retriever(lambda catalog: Faulty(catalog, fault), exact=exact)


def test_a_retriever_that_misses_items_is_caught_unless_it_is_said_to_be_approximate():
    check_retriever(lambda catalog: Faulty(catalog, "misses the best"), exact=False)
    with pytest.raises(AssertionError, match="no allowed item scores higher than those found"):
        check_retriever(lambda catalog: Faulty(catalog, "misses the best"))


@dataclass(frozen=True)
class Odd:
    """A logistic model but for one fault."""

    fault: str

    @property
    def extras(self):
        return {"offers skip": (SKIP,), "offers none twice": (NONE, NONE)}.get(self.fault, ())

    def log_probabilities(self, utilities):
        logs = Logistic(0.5).log_probabilities(utilities)
        if self.fault == "sums to two":
            return logs + torch.tensor(2.0).log()
        if self.fault == "prefers the first":
            return torch.log_softmax(logs + (torch.arange(logs.shape[-2]) == 0)[:, None].to(logs.dtype), dim=-2)
        if self.fault == "follows the crowd":
            return torch.log_softmax(logs + logs.mean(dim=-1, keepdim=True), dim=-2)
        if self.fault == "overflows":
            return (utilities.exp() / utilities.exp().sum(dim=-2, keepdim=True)).log()
        if self.fault == "always single precision":
            return logs.float()
        if self.fault == "changes utilities":
            utilities += 1
        return logs


ODDITIES = [
    "offers skip",
    "offers none twice",
    "sums to two",
    "prefers the first",
    "follows the crowd",
    "overflows",
    "always single precision",
    "changes utilities",
]


@pytest.mark.parametrize("fault", ODDITIES)
def test_an_odd_response_model_is_caught(fault):
    with pytest.raises(AssertionError, match="Broken promise"):
        check_response_model(Odd(fault))


def test_the_model_without_the_fault_passes():
    check_response_model(Odd("none"))


OBJECTIVES = [
    rather.BestItem(),
    rather.BestOfList(2),
    rather.BestOfList(5),
    rather.SmoothBestOfList(0.3, 3),
    rather.DiscountedList(3),
    rather.Satisfaction(0.3, 0.2, 2),
    rather.RiskAverse(0.3),
    rather.RiskAverse(0.4, 2),
]


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
def test_objectives_keep_their_contract(objective):
    check_objective(objective)


@dataclass(frozen=True)
class Half:
    """Of the utility of the first item, times something."""

    times: float = 0.5
    size: int = 1
    depth: int = 1

    def worth(self, utilities, weights):
        return self.times * utilities[..., 0, :]


class Offset(Half):
    def worth(self, utilities, weights):
        return utilities[..., 0, :] / weights.sum(dim=-1, keepdim=True)


class Stepped(Half):
    def worth(self, utilities, weights):
        return (utilities[..., 0, :] > 0).to(utilities.dtype)


class Total(Half):
    def worth(self, utilities, weights):
        return utilities.sum()


class SecondBest(Half):
    def worth(self, utilities, weights):
        return utilities[..., 1, :]


@dataclass(frozen=True)
class WrongJoin(rather.BestOfList):
    def join(self, first, second):
        return first + second


def test_an_objective_of_ones_own_may_be_ten_lines():
    check_objective(Half())


@pytest.mark.parametrize(
    ("objective", "promise"),
    [
        (Half(-1.0), "more utility is never worth less"),
        (Half(float("nan")), "what lists are worth is finite"),
        (Offset(), "half the weights are worth half as much"),
        (Stepped(), "it has a gradient"),
        (Total(), r"a list of 1 is worth something to each particle, \(12,\), not \(\)"),
        (SecondBest(size=2), "a list of 1 is worth something: index 1 is out of bounds"),
        (Half, "it is an object with `size`, `depth` and `worth`"),
        ("best", "it is an object with `size`, `depth` and `worth`, not 'best'"),
        (WrongJoin(2), "a joined item stands for two"),
    ],
)
def test_a_broken_objective_is_found(objective, promise):
    with pytest.raises(AssertionError, match=promise):
        check_objective(objective)
