"""What simulated users get out of questions in a space: EVOI beside query iteration, and regret."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from rather.conversation.policy import Policy
from rather.model.belief import Belief
from rather.model.questions import Question
from rather.model.rejuvenation import Rejuvenation
from rather.numerics.threads import one_thread
from rather.research.bench.contest import Situation
from rather.research.bench.measurements import EvoiShare
from rather.research.bench.spaces.measurements import RegretSetting, SpaceEvoi, SpaceRegret
from rather.research.bench.spaces.worlds import World
from rather.simulation.conversations import draw_users, simulate
from rather.simulation.users import SimulatedUser
from rather.strategies import strategy_named
from rather.value import evoi

# Starts of query iteration, the best of which a question is compared with.
RESTARTS = 50


def evoi_shares(
    world: World, users: int, answers: int, on_step: Callable[[], None], k: int = 2, restarts: int = RESTARTS
) -> SpaceEvoi:
    """EVOI of `auto` over that of query iteration, exact, before each of some answers of every user."""
    policy = Policy(world.catalog, world.belief, k)
    rival = Policy(world.catalog, world.belief, k, strategy=strategy_named("query-iteration", restarts=restarts))

    def value(question: Question, situation: Situation) -> float:
        with one_thread():
            return float(evoi(question.vectors[None], situation.belief, policy.response, policy.retriever.top)[0])

    shares: list[list[float]] = []
    for seed, utility in enumerate(draw_users(world.belief, users, seed=0)):
        own, user = policy.with_seed(seed), SimulatedUser(utility, policy.response, seed)
        situation = Situation(world.belief)
        shares.append([])
        for _ in range(answers + 1):
            question = own.question(situation.belief, situation.asked)
            other = rival.with_seed(seed).question(situation.belief, situation.asked)
            shares[-1].append(value(question, situation) / max(value(other, situation), 1e-12))
            after = own.after(situation.belief, question, user.answer(question))
            situation = Situation(after, (*situation.asked, question))
        on_step()
    every = [share for user in shares for share in user]
    by_answers = tuple(statistics.fmean(column) for column in zip(*shares, strict=True))
    return SpaceEvoi(world.name, len(world.catalog), restarts, EvoiShare.of(every), by_answers)


def regret_share(world: World, setting: RegretSetting, users: int, answers: int = 8) -> SpaceRegret:
    """Regret after some answers over that at the start, of users from the prior.

    Args:
        world: A product space.
        setting: What they are asked, and how they adjust; their adjustments come last.
        users: How many.
        answers: Questions and adjustments together.
    """
    assert world.belief.prior is not None, "users are drawn from the prior's density"
    belief = Belief.from_prior(world.belief.prior, particles=setting.particles)
    rejuvenation = Rejuvenation(max_particles=setting.particles)
    policy = Policy(world.catalog, belief, setting.k, ask=setting.ask, p=setting.p, rejuvenation=rejuvenation)
    conversations = simulate(
        {setting.ask: policy},
        draw_users(world.belief, users, seed=1),
        answers - setting.adjustments,
        users_per_seed=users,
        lists=True,
        adjusting=setting.adjusting,
    )
    left = [conversation.regret[-1] for conversation in conversations]
    start = statistics.fmean(conversation.regret[0] for conversation in conversations)
    lists = [[conversation.list_regret[end] for conversation in conversations] for end in (0, -1)]
    return SpaceRegret(
        world.name,
        setting,
        users,
        answers,
        statistics.fmean(left) / start,
        _error(left) / start,
        statistics.fmean(lists[1]) / statistics.fmean(lists[0]),
    )


def _error(values: Sequence[float]) -> float:
    return statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
