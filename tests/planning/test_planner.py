"""Plans are never worse than the myopic tree, come close to the best tree, and hold for other people."""

import pytest
import torch
from small_plans import best_value, small_policy, tree_value

import rather
from rather import Logistic, Noiseless
from rather.conversation.reading_cost import ReadingCost
from rather.errors import InvalidInputError
from rather.planning.exchange import Exchanger
from rather.planning.growth import Growth
from rather.planning.people import sampled_people
from rather.planning.planner import leaving_shares
from rather.planning.search import Progress, Search
from rather.planning.tree import Node, Valuation

TINY = 1e-4


def weights(policy):
    return policy.prior.weights.double()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("response", [Logistic(0.2), Logistic(0.3, none_utility=0.0, tie=0.5), Noiseless()])
def test_a_plan_is_never_worse_than_the_myopic_tree(seed, response):
    policy = small_policy(seed=seed, response=response)
    regret = rather.plan(policy, questions=3, least_share=0).regret
    assert regret.planned[-1] <= regret.myopic[-1] + TINY


@pytest.mark.parametrize("seed", range(3))
def test_nor_for_the_sampled_people_it_was_made_for(seed):
    policy = small_policy(n=40, m=40, d=5, seed=seed, smooth=True)
    regret = rather.plan(policy, questions=3, people=400, seed=seed).regret
    assert regret.planned[-1] <= regret.myopic[-1] + TINY


def test_the_plan_is_the_best_of_both_searches():
    policy = small_policy(n=200, m=60, d=6, response=Logistic(0.05))
    valuation = Valuation(sampled_people(policy, 1, 0, "test"), (0.0, 0.0, 0.0, 1.0))
    growth, myopic = Growth(policy, valuation, 3, 0.0), Node(0)
    growth.grow(myopic)
    valuation.settle(myopic, weights(policy).float())
    search = Search(growth, Exchanger(valuation, (torch.arange(200),)), valuation, 4, 0, 0, Progress(1, None))
    whole, deep = (max(map(valuation.value, trees)) for trees in (search._from_myopic(myopic), search._by_depth()))
    assert min(whole, deep) >= valuation.value(myopic) - TINY
    assert rather.plan(policy, questions=3, least_share=0, sweeps=4).regret.planned[-1] <= (
        valuation.people.best - max(whole, deep) + TINY
    )


@pytest.mark.parametrize("leaving", [{1: 1, 3: 1}, {0: 1, 3: 3}, {1: 2, 2: 1, 3: 1}])
def test_nor_is_it_worse_by_the_depths_at_which_people_leave(leaving):
    policy = small_policy(seed=3)
    made = rather.plan(policy, questions=3, leaving=leaving, least_share=0)
    planned, myopic = (
        sum(share * lost[count] for count, share in made.leaving.items())
        for lost in (made.regret.planned, made.regret.myopic)
    )
    assert planned <= myopic + TINY


@pytest.mark.parametrize("seed", range(8))
def test_it_is_about_the_best_of_all_trees_and_never_above(seed):
    policy = small_policy(n=5, m=12, seed=seed)
    made = rather.plan(policy, questions=2, least_share=0)
    best, planned = best_value(policy, weights(policy), 2), tree_value(policy, made.root, weights(policy))
    start = tree_value(policy, rather.conversation.plans.PlanNode(1.0, 0), weights(policy))
    assert planned <= best + TINY
    # Exchanges may end in a local optimum: of these eight, seven are the best tree but for 3 %, one but for 8 %.
    assert planned - start >= 0.9 * (best - start) - TINY


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ask", ["attributes", "auto"])
def test_nor_is_it_worse_about_attributes_or_both(ask, seed):
    policy = small_policy(d=6, seed=seed, ask=ask, reading_cost=ReadingCost(0.05, 0.01))
    made = rather.plan(policy, questions=3, least_share=0)
    assert made.regret.gain >= -TINY
    assert any(node.attributes for node in made.root.walk())
    assert ask == "auto" or not any(node.items for node in made.root.walk())


@pytest.mark.parametrize(("cost", "asked"), [(ReadingCost(0, 10), "items"), (ReadingCost(10, 0), "attributes")])
def test_of_both_kinds_it_asks_what_is_not_too_dear_to_read(cost, asked):
    made = rather.plan(small_policy(d=6, ask="auto", reading_cost=cost), 2)
    assert made.root.is_question
    assert all(getattr(node, asked) for node in made.root.walk() if node.is_question)


def test_about_attributes_exchanges_find_a_better_tree_than_the_myopic_one():
    policies = [small_policy(n=40, d=8, seed=seed, ask="attributes") for seed in range(6)]
    assert max(rather.plan(policy, 2, least_share=0).regret.gain for policy in policies) > 100 * TINY


def test_only_single_attributes_are_planned():
    with pytest.raises(InvalidInputError, match="single attributes, but `p` of the policy is 2"):
        rather.plan(small_policy(d=6, ask="attributes", p=2))


@pytest.mark.parametrize(("k", "ask"), [(2, "items"), (3, "items"), (2, "attributes"), (3, "attributes"), (2, "auto")])
def test_the_stated_regret_is_that_of_the_tree(k, ask):
    policy = small_policy(d=6, seed=1, k=k, ask=ask)
    made = rather.plan(policy, questions=2, least_share=0)
    best = (policy.catalog.items.double() @ policy.prior.particles.double().T).amax(dim=0) @ weights(policy)
    assert made.regret.planned[-1] == pytest.approx(
        float(best) - tree_value(policy, made.root, weights(policy)), abs=TINY
    )


@pytest.mark.parametrize("slot", [0, 1])
def test_the_fast_exchange_of_pairs_is_the_general_one(slot):
    policy = small_policy()
    exchanger = Exchanger(Valuation(sampled_people(policy, 1, 0, "test"), (0.0, 1.0)), (torch.arange(12),))
    utilities = policy.catalog.items @ policy.prior.particles.T
    gains = torch.rand(2 * len(policy.prior), generator=torch.Generator().manual_seed(1))
    pairs = [[3, row] if slot else [row, 3] for row in range(12)]
    general = exchanger._linear(utilities[torch.tensor(pairs)], gains)
    torch.testing.assert_close(exchanger._exchanged([3, 3], slot, utilities, gains), general)


def test_the_myopic_tree_asks_what_the_policy_asks():
    policy = small_policy(seed=2)
    valuation = Valuation(sampled_people(policy, 1, 0, "test"), (0.0, 0.0, 1.0))
    root = Node(0)
    Growth(policy, valuation, 2, 0.0).grow(root)
    session = rather.Session(policy)
    assert session.ask().slate == root.slate
    session.tell(1, 1)
    assert session.ask().slate == root.children[1].slate


def test_shares_are_those_of_the_answers():
    policy = small_policy(seed=4)
    made = rather.plan(policy, questions=2, least_share=0)
    for node in made.root.walk():
        if node.children:
            assert sum(child.share for child in node.children) == pytest.approx(node.share, abs=TINY)


def test_planning_on_sampled_people_holds_for_others():
    policy = small_policy(n=60, m=40, d=5, smooth=True)
    regret = rather.plan(policy, questions=3, people=2_000).regret
    assert regret.gain > 3 * regret.gain_error
    lost = regret.myopic_fresh[-1] - regret.planned_fresh[-1]
    assert lost == pytest.approx(regret.gain, abs=TINY)


def test_a_plan_ends_where_another_question_is_not_worth_asking():
    policy = small_policy(seed=5)
    all_the_way = rather.plan(policy, questions=3, least_share=0)
    assert not rather.plan(policy, questions=3, least_gain=100.0).root.items
    shorter = rather.plan(policy, questions=3, least_share=0, least_gain=0.05)

    def asked(plan):
        return sum(bool(node.items) for node in plan.root.walk())

    assert 0 < asked(shorter) < asked(all_the_way)
    assert shorter.regret.planned[-1] <= all_the_way.regret.planned[-1] + 0.05 * 3


def test_the_same_seed_gives_the_same_plan_and_leaves_global_randomness_alone():
    policy = small_policy(n=30, m=30, smooth=True)
    before = torch.random.get_rng_state()
    assert rather.plan(policy, 2, 300, seed=1) == rather.plan(policy, 2, 300, seed=1)
    assert torch.equal(before, torch.random.get_rng_state())


def test_only_allowed_items_are_asked_about_and_recommended():
    allowed = torch.arange(12) % 2 == 0
    made = rather.plan(small_policy(allowed=allowed), questions=3, least_share=0)
    for node in made.root.walk():
        assert all(item % 2 == 0 for item in (*node.items, node.recommended))


def test_no_question_is_asked_twice_in_a_conversation():
    made = rather.plan(small_policy(n=4, response=Logistic(2.0)), questions=4, least_share=0)

    def paths(node, above):
        if node.items:
            assert frozenset(node.items) not in above
            for child in node.children:
                paths(child, above | {frozenset(node.items)})

    paths(made.root, frozenset())


def test_progress_ends_with_everything_done():
    seen = []
    rather.plan(small_policy(), questions=2, on_progress=lambda *step: seen.append(step))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"questions": 0}, "`questions`"),
        ({"people": 0}, "`people`"),
        ({"leaving": {9: 1}}, "`leaving`"),
        ({"leaving": {1: -1}}, "`leaving`"),
        ({"leaving": {1: 0}}, "`leaving`"),
        ({"leaving": {2: 1}, "questions": 3}, "`leaving`"),
        ({"least_share": 2}, "`least_share`"),
        ({"least_gain": -1}, "`least_gain`"),
        ({"sweeps": 0}, "`sweeps`"),
    ],
)
def test_wrong_arguments_are_named(wrong, named):
    with pytest.raises(InvalidInputError, match=named):
        rather.plan(small_policy(), **wrong)


def test_people_leave_in_shares():
    assert leaving_shares(3, {1: 1, 3: 3}) == (0.0, 0.25, 0.0, 0.75)
    assert leaving_shares(2, None) == (0.0, 0.0, 1.0)
