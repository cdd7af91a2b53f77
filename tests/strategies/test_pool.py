import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Noiseless, value
from rather.strategies import pool as pools
from rather.strategies.discrete import Greedy, iterate
from rather.strategies.pool import Pool
from worlds import TINY, models, world, worlds


def now(problem):
    """The value of recommending at once."""
    return float(value.best_expected_utility(problem.belief, problem.search))


def whole(problem) -> Pool:
    return Pool.screened(problem, 8, 4, 0)


@given(worlds(n=(4, 12)), models, st.integers(0, 99))
def test_in_a_pool_of_all_items_values_are_exact(world, model, seed):
    problem = world.problem(model, seed=seed)
    pool, slates = whole(problem), problem.random_slates(5)
    ranked = pool.settled(pool.positions(slates), most_steps=1)
    assert torch.allclose(
        ranked.values - now(problem),
        problem.evoi(slates),
        atol=TINY,
    )


@given(worlds(n=(4, 12), whole=False), st.integers(0, 99))
def test_slates_settle_where_query_iteration_ends(world, seed):
    problem = world.problem(Noiseless(), k=2, seed=seed)
    pool, slates = whole(problem), problem.random_slates(5)
    settled = pool.settled(pool.positions(slates)).values.max() - float(
        value.best_expected_utility(problem.belief, problem.search)
    )
    assert float(settled) >= float(problem.evoi(iterate(slates, problem)).max()) - TINY


@given(worlds(n=(5, 12), whole=False), st.integers(2, 4))
def test_greedy_in_a_pool_of_all_items_is_greedy(world, k):
    problem = world.problem(k=k)
    assert sorted(whole(problem).rows[whole(problem).greedy()[0]].tolist()) == sorted(Greedy()(problem)[0].tolist())


@given(worlds(n=(6, 12)), st.integers(2, 4), st.integers(0, 99))
def test_exchanges_never_lower_the_slates_utility_and_end_where_no_single_one_raises_it(world, k, seed):
    problem = world.problem(k=k, seed=seed)
    pool = whole(problem)
    before = pool.positions(problem.random_slates(4))
    after, around = pool.exchanged(before, most=50, depth=12)

    def utility(slates):
        return value.slate_expected_utility(problem.vectors(pool.rows[slates]), problem.belief, problem.response)

    assert (utility(after) >= utility(before) - TINY).all()
    for slate in after.tolist():
        near = [like for like in around.tolist() if len({*slate} & {*like}) == k - 1]
        assert len({frozenset(like) for like in near}) == k * (len(pool.rows) - k)  # all slates but for one item
        assert utility(torch.tensor(near)).max() <= utility(torch.tensor([slate])) + TINY


def test_around_a_slate_are_those_that_differ_by_one_item():
    pool = whole(world(n=20).problem(k=3))
    after, around = pool.exchanged(torch.tensor([[3, 8, 11]]), most=50, depth=4)
    slate = set(after[0].tolist())
    assert around.shape == (12, 3)
    assert all(len({*row} & slate) == 2 and len({*row}) == 3 for row in around.tolist())


@given(worlds(n=(6, 12)), st.integers(0, 99))
def test_only_the_best_starts_go_on(world, seed):
    problem = world.problem(k=2, seed=seed)
    pool = whole(problem)
    slates = pool.positions(problem.random_slates(6))
    every, few = pool.settled(slates), pool.settled(slates, going_on=1)
    assert torch.equal(few.values[:6], every.values[:6])
    best = slates[every.values[:6].argmax()][None]
    assert torch.allclose(few.values[6:], pool.settled(best).values[1:], atol=TINY)


def test_a_pool_holds_the_best_items_of_the_belief():
    problem = world(n=300, m=40, d=4).problem(k=3)
    pool = Pool.screened(problem, 16, 2, 8, small_catalog=0)
    best = problem.search(problem.belief.mean[None], 3).rows[0].tolist()
    assert {*best} <= set(pool.rows.tolist())
    assert len(pool.rows) < 100


def test_a_pool_holds_what_any_of_few_people_likes_best():
    problem = world(n=300, m=40, d=4).problem(k=3)
    pool = Pool.screened(problem, 1, 1, pools.SEQUENCE, small_catalog=0)
    assert set(problem.search(problem.belief.particles, 1).rows[:, 0].tolist()) <= set(pool.rows.tolist())


def test_a_pool_holds_only_allowed_items():
    allowed = torch.arange(300) % 3 == 0
    pool = Pool.screened(world(n=300, m=40, d=4).problem(allowed=allowed), 16, 2, 8, small_catalog=0)
    assert allowed[pool.rows].all()


def test_the_best_of_ranked_slates_are_distinct_and_best_first():
    ranked = pools.Ranked(torch.tensor([[0, 1], [1, 0], [2, 3], [0, 2]]), torch.tensor([3.0, 3.0, 5.0, 1.0]))
    assert ranked.best(2).tolist() == [[2, 3], [0, 1]]
    assert ranked.best(9).tolist() == [[2, 3], [0, 1], [0, 2]]
