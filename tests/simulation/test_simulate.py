"""Simulated conversations: paired, repeatable, and honest about regret."""

import math
import pickle
from dataclasses import replace

import pytest
import torch

from rather import Belief, Catalog, Logistic, MoreLike, Noiseless, Policy, Session, SimulatedUser
from rather.conversation.hints import wishes
from rather.errors import InvalidInputError
from rather.numerics.randomness import derive_seed
from rather.retrieval import ShortlistRetriever
from rather.simulation import as_rows, draw_users, simulate, summarise
from rather.simulation.conversations import ndcg
from rather.simulation.hinting import given_hint


@pytest.fixture(scope="module")
def policies():
    generator = torch.Generator().manual_seed(0)
    catalog = Catalog(torch.randn(60, 3, generator=generator))
    belief = Belief.from_users(torch.randn(40, 3, generator=generator))
    return {
        name: Policy(catalog, belief, response=Logistic(0.2), strategy=name) for name in ("query-iteration", "random")
    }


@pytest.fixture(scope="module")
def policy(policies):
    return policies["query-iteration"]


@pytest.fixture(scope="module")
def users(policy):
    return draw_users(policy.prior, 6, seed=1)


@pytest.fixture(scope="module")
def conversations(policies, users):
    return simulate(policies, users, 4, seed=5)


def facts(conversations):
    """What does not depend on the machine."""
    return [(each.policy, each.user, each.regret, each.ndcg, each.hit, each.evoi) for each in conversations]


def test_regret_is_never_negative_and_starts_alike_for_all_policies(conversations, users):
    assert len(conversations) == 2 * len(users)
    assert all(regret >= 0 for conversation in conversations for regret in conversation.regret)
    starts = {(each.user, each.regret[0]) for each in conversations}
    assert len(starts) == len(users)


def test_workers_do_not_change_the_result(policies, users, conversations):
    assert facts(simulate(policies, users, 4, seed=5, workers=2)) == facts(conversations)


def test_one_conversation_does_not_depend_on_the_others(policies, users, conversations):
    alone = simulate({"random": policies["random"]}, users[:4], 4, seed=5)[3]
    among = next(each for each in conversations if each.policy == "random" and each.user == 3)
    assert facts([alone]) == facts([among])


def test_the_seeds_of_the_policies_do_not_matter(policies, users, conversations):
    reseeded = {name: policy.with_seed(99) for name, policy in policies.items()}
    assert facts(simulate(reseeded, users, 4, seed=5)) == facts(conversations)
    assert facts(simulate(policies, users, 4, seed=6)) != facts(conversations)


def test_every_question_and_answer_is_timed(conversations):
    for conversation in conversations:
        assert len(conversation.question_seconds) == len(conversation.answer_seconds) == 4
        assert all(seconds > 0 for seconds in (*conversation.question_seconds, *conversation.answer_seconds))


def test_noiseless_users_among_particles_are_found_in_the_end(policy):
    belief = replace(policy.prior, prior=None)
    asked = Policy(policy.catalog, belief, response=Noiseless(), rejuvenation=None)
    users = draw_users(belief, 10, seed=2, among_particles=True)
    summary = summarise(simulate({"auto": asked}, users, 12))[0]
    assert summary.regret[-1] < 0.01 * summary.regret[0]


def test_better_questions_lower_regret():
    generator = torch.Generator().manual_seed(3)
    catalog = Catalog(torch.randn(300, 5, generator=generator))
    belief = Belief.from_users(torch.randn(100, 5, generator=generator), smooth=False)
    settings = {"response": Logistic(0.05), "rejuvenation": None}
    policies = {name: Policy(catalog, belief, strategy=name, **settings) for name in ("query-iteration", "random")}
    smart, blind = summarise(simulate(policies, draw_users(belief, 60, seed=4), 5))
    # The difference after five questions is some ten standard errors; two keep the test from knowing the seed.
    assert smart.regret[-1] + 2 * smart.regret_error[-1] < blind.regret[-1] - 2 * blind.regret_error[-1]


def test_users_who_answer_otherwise_than_assumed_are_understood_less(policy):
    users = draw_users(policy.prior, 60, seed=4)
    as_assumed, erratic = (
        summarise(simulate({"it": policy}, users, 5, response=response))[0] for response in (None, Logistic(5.0))
    )
    assert as_assumed.regret[0] == erratic.regret[0]
    assert as_assumed.regret[-1] + 2 * as_assumed.regret_error[-1] < erratic.regret[-1]


def test_a_catalogue_runs_out_of_questions_without_an_error():
    policy = Policy(Catalog(torch.eye(2)), Belief.gaussian([0.0, 0.0], torch.eye(2)), response=Logistic())
    [conversation] = simulate({"auto": policy}, torch.ones(1, 2), 3)
    assert len(conversation.regret) == 4
    assert conversation.evoi[1:] == conversation.question_seconds[1:] == conversation.answer_seconds[1:] == (0.0, 0.0)


def test_fresh_users_are_not_particles(policy):
    distance = torch.cdist(draw_users(policy.prior, 5, seed=0), policy.prior.particles).min()
    assert distance > 1e-4


def test_users_among_particles_are_particles(policy):
    users = draw_users(policy.prior, 5, seed=0, among_particles=True)
    known = {tuple(particle) for particle in policy.prior.particles.tolist()}
    assert len(users) == 5
    assert {tuple(user) for user in users.tolist()} <= known


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"policies": {}}, "`policies` must hold at least one rather.Policy"),
        ({"policies": {"auto": "auto"}}, "`policies` must hold at least one rather.Policy by its name"),
        ({"questions": 0}, "`questions` must be at least 1, got 0"),
        ({"users": torch.ones(0, 3)}, "`users` must be at least 1, got 0"),
        ({"users": torch.ones(2, 4)}, "`users` must have 3 columns like the item vectors, got 4"),
        ({"users_per_seed": 0}, "`users_per_seed` must be at least 1, got 0"),
    ],
)
def test_what_cannot_be_simulated_is_rejected(policies, users, changed, message):
    with pytest.raises(InvalidInputError, match=message):
        simulate(**{"policies": policies, "users": users, **changed})


@pytest.mark.parametrize("users_per_seed", [1, 4, 6])
def test_conversations_are_those_of_sessions(policy, users, users_per_seed):
    for conversation in simulate({"it": policy}, users, 4, seed=5, users_per_seed=users_per_seed):
        user = conversation.user
        truth = SimulatedUser(users[user], policy.response, derive_seed(5, "person", user))
        session = Session(policy.with_seed(derive_seed(5, "session", user // users_per_seed)))
        regret, evoi = [truth.regret(session.recommend(1)[0].row, policy.catalog)], []
        for _ in range(4):
            question = session.ask()
            evoi.append(question.evoi)
            session.tell(question, truth.answer(question))
            regret.append(truth.regret(session.recommend(1)[0].row, policy.catalog))
        assert conversation.evoi == tuple(evoi)
        assert conversation.regret == pytest.approx(regret, abs=1e-6)


def test_conversations_with_hints_are_those_of_sessions(policy, users):
    policy = Policy(Catalog(policy.catalog.items, features=["a", "b", "c"]), policy.prior, response=policy.response)
    for conversation in simulate({"it": policy}, users, 3, seed=5, hints={"it": 2}):
        user = conversation.user
        truth = SimulatedUser(users[user], policy.response, derive_seed(5, "person", user))
        session = Session(policy.with_seed(derive_seed(5, "session", user)))
        regret = [truth.regret(session.recommend(1)[0].row, policy.catalog)]
        for number in (1, 2, 3):
            session.tell(session.ask(), truth.answer(session.ask()))
            if number <= 2:
                session.hint(given_hint(truth, session.policy, session.belief, number))
            regret.append(truth.regret(session.recommend(1)[0].row, policy.catalog))
        assert conversation.regret == pytest.approx(regret, abs=1e-6)


def test_a_user_without_noise_says_what_is_true(policy, users):
    policy = Policy(Catalog(policy.catalog.items, features=["a", "b", "c"]), policy.prior, response=Logistic(1e-6))
    listed = policy.recommend(policy.prior, 5)
    for utility in users:
        user = SimulatedUser(utility, policy.response, seed=0)
        first, second = (given_hint(user, policy, policy.prior, number) for number in (1, 2))
        best = max(listed, key=lambda item: float(policy.catalog.vectors(item.row) @ utility))
        assert second == MoreLike(best.id)
        offered = wishes(listed[0].row, policy, policy.prior, count=5)
        gains = {(each.column, each.toward): float(each.step @ utility) for each in offered}
        if max(gains.values()) > 0:
            assert (first.column, first.toward) == max(gains, key=gains.get)
        else:
            assert first == second


def test_only_allowed_items_are_recommended_and_missed(policy, users):
    utilities = policy.catalog.items @ users[0]
    allowed = utilities < utilities.max()
    [conversation] = simulate({"it": policy.restricted(allowed)}, users[:1], 1, seed=5)
    start = int((policy.catalog.items @ policy.prior.mean).masked_fill(~allowed, -torch.inf).argmax())
    assert conversation.regret[0] == pytest.approx(float(utilities[allowed].max() - utilities[start]), abs=1e-6)


def test_ranking_metrics_are_perfect_once_the_user_is_known(policy, users):
    known = Belief.from_users(users[:1], smooth=False)
    sure = Policy(policy.catalog, known, response=Logistic(0.2), strategy="random", rejuvenation=None)
    [conversation] = simulate({"random": sure}, users[:1], 4)
    assert conversation.ndcg == (1.0,) * 5
    assert conversation.hit == (1.0,) * 5


def test_ndcg_discounts_by_rank():
    relevant = torch.tensor([7, 8])
    best = 1 + 1 / math.log2(3)
    assert ndcg(torch.tensor([7, 8, 1]), relevant) == pytest.approx(1.0)
    assert ndcg(torch.tensor([1, 7, 2]), relevant) == pytest.approx((1 / math.log2(3)) / best)
    assert ndcg(torch.tensor([1, 2, 3]), relevant) == 0.0


@pytest.fixture(scope="module")
def short_and_exact(policy):
    generator = torch.Generator().manual_seed(2)
    catalog = Catalog(torch.randn(900, 3, generator=generator))
    settings = {"response": Logistic(0.2), "strategy": "query-iteration"}
    return {kind: Policy(catalog, policy.prior, retriever=kind, **settings) for kind in ("exact", "shortlist")}


def test_on_a_shortlist_users_are_asked_nearly_as_well(short_and_exact, users):
    """What is measured is exact, whatever questions are found by."""
    conversations = simulate(short_and_exact, users, 4, seed=5)
    exact, short = ([each for each in conversations if each.policy == kind] for kind in short_and_exact)
    assert [each.regret[0] for each in exact] == [each.regret[0] for each in short]
    assert sum(each.evoi[0] for each in short) >= 0.98 * sum(each.evoi[0] for each in exact)


def test_a_policy_asks_the_same_in_another_process(short_and_exact):
    policy = short_and_exact["shortlist"]
    assert isinstance(policy.retriever, ShortlistRetriever)
    question = policy.question(policy.prior, ())
    copied = pickle.loads(pickle.dumps(policy))
    assert copied.question(copied.prior, ()) == question


def test_rows_hold_every_number_of_every_conversation(conversations):
    rows = as_rows(conversations)
    assert len(rows) == 2 * 6 * 5
    first = conversations[0]
    mine = [row for row in rows if (row["policy"], row["user"]) == (first.policy, first.user)]
    assert [row["questions"] for row in mine] == [0, 1, 2, 3, 4]
    for measure in ("regret", "ndcg", "hit"):
        assert tuple(row[measure] for row in mine) == getattr(first, measure)
    for measure in ("evoi", "question_seconds", "answer_seconds"):
        assert [row[measure] for row in mine] == [None, *getattr(first, measure)]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_rows_are_taken_by_other_libraries(conversations, library):
    module = pytest.importorskip(library)
    rows = as_rows(conversations)
    frame = module.Table.from_pylist(rows) if library == "pyarrow" else module.DataFrame(rows)
    assert frame.shape == (60, 9)


def test_a_summary_is_the_mean_of_its_conversations(conversations):
    summary = summarise(conversations)[1]
    mine = torch.tensor([each.regret for each in conversations if each.policy == "random"], dtype=torch.float64)
    assert (summary.policy, summary.users) == ("random", 6)
    assert summary.regret == pytest.approx(mine.mean(dim=0).tolist())
    assert summary.regret_error == pytest.approx((mine.std(dim=0) / 6**0.5).tolist())
