"""Simulated conversations: paired, repeatable, and honest about regret."""

import math
from dataclasses import replace

import pytest
import torch

from rather import Belief, Catalog, Logistic, Noiseless, Policy, Session, SimulatedUser
from rather.errors import InvalidInputError, RatherError
from rather.numerics.randomness import derive_seed
from rather.simulation.conversations import SimulationPlan, converse, draw_people, ndcg, simulate, summarise


@pytest.fixture(scope="module")
def plan():
    generator = torch.Generator().manual_seed(0)
    catalog = Catalog(torch.randn(60, 3, generator=generator))
    belief = Belief.from_users(torch.randn(40, 3, generator=generator))
    people = draw_people(belief, 6, seed=1)
    return SimulationPlan(catalog, belief, Logistic(0.2), people, ("query-iteration", "random"), questions=4, seed=5)


def test_regret_is_never_negative_and_starts_alike_for_all_strategies(plan):
    conversations = simulate(plan)
    assert all(regret >= 0 for conversation in conversations for regret in conversation.regret)
    starts = {(c.person, c.regret[0]) for c in conversations}
    assert len(starts) == len(plan.people)


def test_workers_do_not_change_the_result(plan):
    def told(conversations):
        return [(c.strategy, c.person, c.regret, c.evoi) for c in conversations]

    assert told(simulate(plan, workers=2)) == told(simulate(plan, workers=1))


def test_one_conversation_does_not_depend_on_the_others(plan):
    [alone] = converse(plan, "random", 3)
    among = next(c for c in simulate(plan) if c.strategy == "random" and c.person == 3)
    assert (alone.regret, alone.evoi) == (among.regret, among.evoi)


def test_noiseless_people_among_particles_are_found_in_the_end(plan):
    belief = replace(plan.belief, prior=None)
    people = draw_people(belief, 10, seed=2, among_particles=True)
    settings = {"response": Noiseless(), "people": people, "belief": belief, "questions": 12, "rejuvenation": None}
    summary = summarise(simulate(replace(plan, strategies=("auto",), **settings)))[0]
    assert summary.regret[-1] < 0.01 * summary.regret[0]


def test_better_questions_lower_regret(plan):
    generator = torch.Generator().manual_seed(3)
    catalog = Catalog(torch.randn(300, 5, generator=generator))
    belief = Belief.from_users(torch.randn(100, 5, generator=generator), smooth=False)
    people = draw_people(belief, 60, seed=4)
    names = ("query-iteration", "random")
    smart, blind = summarise(
        simulate(SimulationPlan(catalog, belief, Logistic(0.05), people, names, 5, rejuvenation=None))
    )
    # The difference after five questions is some ten standard errors; two keep the test from knowing the seed.
    assert smart.regret[-1] + 2 * smart.regret_error[-1] < blind.regret[-1] - 2 * blind.regret_error[-1]


def test_a_catalogue_runs_out_of_questions_without_an_error():
    plan = SimulationPlan(
        Catalog(torch.eye(2)), Belief.gaussian([0.0, 0.0], torch.eye(2)), Logistic(), torch.ones(1, 2), ("auto",), 3
    )
    [conversation] = converse(plan, "auto", 0)
    assert len(conversation.regret) == 4
    assert conversation.evoi[1:] == (0.0, 0.0)


def test_fresh_people_are_not_particles(plan):
    distance = torch.cdist(draw_people(plan.belief, 5, seed=0), plan.belief.particles).min()
    assert distance > 1e-4


def test_people_among_particles_are_particles(plan):
    people = draw_people(plan.belief, 5, seed=0, among_particles=True)
    known = {tuple(particle) for particle in plan.belief.particles.tolist()}
    assert {tuple(person) for person in people.tolist()} <= known


def test_an_empty_plan_is_refused(plan):
    with pytest.raises(InvalidInputError, match="at least one strategy"):
        replace(plan, strategies=())


@pytest.mark.parametrize("share", [1, 4, 6])
def test_shared_conversations_are_those_of_sessions(plan, share):
    shared = replace(plan, share=share, strategies=("query-iteration",))
    for conversation in simulate(shared):
        person = conversation.person
        truth = SimulatedUser(plan.people[person], plan.response, derive_seed(plan.seed, "person", person))
        session = Session(
            Policy(
                plan.catalog,
                plan.belief,
                plan.k,
                derive_seed(plan.seed, "session", person // share),
                strategy="query-iteration",
                response=plan.response,
                rejuvenation=plan.rejuvenation,
            )
        )
        regret, evoi = [truth.regret(session.recommend(1)[0].row, plan.catalog)], []
        for _ in range(plan.questions):
            question = session.ask()
            evoi.append(question.evoi)
            session.tell(question, truth.answer(question))
            regret.append(truth.regret(session.recommend(1)[0].row, plan.catalog))
        assert conversation.evoi == tuple(evoi)
        assert conversation.regret == pytest.approx(regret, abs=1e-6)


def test_ranking_metrics_are_perfect_once_the_person_is_known(plan):
    person = plan.people[:1]
    known = Belief.from_users(person, smooth=False)
    [conversation] = simulate(replace(plan, belief=known, people=person, strategies=("random",), rejuvenation=None))
    assert conversation.ndcg == (1.0,) * 5
    assert conversation.hit == (1.0,) * 5


def test_ndcg_discounts_by_rank():
    relevant = torch.tensor([7, 8])
    best = 1 + 1 / math.log2(3)
    assert ndcg(torch.tensor([7, 8, 1]), relevant) == pytest.approx(1.0)
    assert ndcg(torch.tensor([1, 7, 2]), relevant) == pytest.approx((1 / math.log2(3)) / best)
    assert ndcg(torch.tensor([1, 2, 3]), relevant) == 0.0


def test_on_a_shortlist_people_are_asked_nearly_as_well(plan):
    """What is measured is exact, whatever questions are found by."""
    generator = torch.Generator().manual_seed(2)
    large = replace(plan, catalog=Catalog(torch.randn(900, 3, generator=generator)), strategies=("query-iteration",))
    exact, short = (simulate(replace(large, retriever=kind)) for kind in ("exact", "shortlist"))
    assert [c.regret[0] for c in exact] == [c.regret[0] for c in short]
    assert sum(c.evoi[0] for c in short) >= 0.98 * sum(c.evoi[0] for c in exact)


def test_an_unknown_retriever_is_refused(plan):
    with pytest.raises(RatherError, match="No retriever is called 'fast'"):
        simulate(replace(plan, retriever="fast"))
