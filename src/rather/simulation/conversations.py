"""Conversations with simulated users: how fast does the regret of the recommendation fall?"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor

from rather.conversation.adjusting import configurator_of
from rather.conversation.hints import after_hint, hint_of
from rather.conversation.policy import Policy
from rather.errors import InvalidInputError, NoQuestionLeftError
from rather.model.allowed import count_allowed
from rather.model.belief import Belief
from rather.model.questions import Question
from rather.model.responses import Choice, ResponseModel
from rather.model.statements import Statement
from rather.numerics.arrays import as_floats
from rather.numerics.randomness import derive_generator, derive_seed
from rather.numerics.threads import one_thread
from rather.retrieval import exact_retriever
from rather.simulation.hinting import Adjusting, given_adjustment, given_hint
from rather.simulation.parallel import run_parallel
from rather.simulation.users import SimulatedUser

# Length of the recommended list that the ranking metrics look at.
LIST_LENGTH = 10

QUESTION_MEASURES = ("ndcg", "hit", "evoi", "question_seconds", "answer_seconds")


@dataclass(frozen=True)
class Conversation:
    """What happened with one user under one policy.

    Attributes:
        policy: Its name.
        user: The user's index.
        regret: True regret of the top recommendation before the first question and after each, questions + 1 numbers;
            then after each adjustment.
        ndcg: Likewise NDCG of ten recommended items, where the user's true ten best are the relevant ones.
        hit: Likewise 1 if the user's true best item is among the ten recommended, else 0.
        evoi: Of each question.
        question_seconds: To choose each question. Users who share a question share its measurement.
        answer_seconds: To take in each answer, likewise.
        list_regret: Regret of the best item of the list that the policy recommends, where lists were asked for;
        ranking_regret: and of as many items of highest expected utility.
    """

    policy: str
    user: int
    regret: tuple[float, ...]
    ndcg: tuple[float, ...]
    hit: tuple[float, ...]
    evoi: tuple[float, ...]
    question_seconds: tuple[float, ...]
    answer_seconds: tuple[float, ...]
    list_regret: tuple[float, ...] = ()
    ranking_regret: tuple[float, ...] = ()


def simulate(
    policies: Mapping[str, Policy],
    users: Any,
    questions: int = 10,
    *,
    seed: int = 0,
    response: ResponseModel | None = None,
    users_per_seed: int = 1,
    hints: Mapping[str, int] | None = None,
    lists: bool = False,
    adjusting: Adjusting | None = None,
    workers: int = 1,
    ray: str | None = None,
    on_done: Callable[[Conversation], None] | None = None,
) -> list[Conversation]:
    """Conversations of every policy with every user, in that order. Each policy meets the same users and noise.

    >>> import rather
    >>> catalog = rather.Catalog([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]])
    >>> belief = rather.Belief.from_users([[1.0, 0.2], [0.3, 1.0], [0.7, 0.8]])
    >>> policies = {name: rather.Policy(catalog, belief, strategy=name) for name in ("auto", "random")}
    >>> conversations = simulate(policies, draw_users(belief, 4, seed=0), questions=2)
    >>> len(conversations)
    8
    >>> [summary.policy for summary in summarise(conversations)]
    ['auto', 'random']

    Args:
        policies: By the names that results call them.
        users: `(u, d)` true utility vectors, see `draw_users`.
        questions: Asked of every user.
        seed: Of all randomness, in place of the policies' own seeds.
        response: How users really answer; by default as each policy assumes.
        users_per_seed: How many users in a row get conversations of the same seed. Those who have answered alike so
            far are then asked the same question, which is chosen once.
        hints: How many hints users give, by the name of the policy: one after each of the first answers. What was
            measured after an answer includes the hint that followed it.
        lists: Also measure the best item of whole lists, of as many items as the policies' objective has.
        adjusting: How users adjust the configuration that is recommended, after the questions; by default they do not.
        workers: Processes, each on one torch thread.
        ray: Address of a Ray cluster to use instead, see `rather.cluster.connected`.
        on_done: Called after each conversation, for a progress bar.
    """
    true_utilities = as_floats(users, "users", rank=2)
    plan = _Plan(
        dict(policies), true_utilities, questions, seed, response, users_per_seed, hints or {}, lists, adjusting
    )
    plan.validate()
    pieces = [(name, group) for name in plan.policies for group in range(-(-len(plan.users) // users_per_seed))]
    done: dict[int, list[Conversation]] = {}
    for index, conversations in run_parallel(_converse, plan, pieces, workers=workers, ray=ray):
        done[index] = conversations
        for conversation in conversations:
            if on_done is not None:
                on_done(conversation)
    return [conversation for index in range(len(pieces)) for conversation in done[index]]


@dataclass(frozen=True, eq=False)
class _Plan:
    """The arguments of `simulate` that decide the result."""

    policies: Mapping[str, Policy]
    users: Tensor
    questions: int
    seed: int
    response: ResponseModel | None
    users_per_seed: int
    hints: Mapping[str, int]
    lists: bool
    adjusting: Adjusting | None

    def validate(self) -> None:
        if not self.policies or not all(isinstance(policy, Policy) for policy in self.policies.values()):
            raise InvalidInputError(
                '`policies` must hold at least one rather.Policy by its name, such as {"auto": policy}; '
                f"got {self.policies!r}."
            )
        counts = {"questions": self.questions, "users": len(self.users), "users_per_seed": self.users_per_seed}
        for name, count in counts.items():
            if count < 1:
                raise InvalidInputError(f"`{name}` must be at least 1, got {count}.")
        for policy in self.policies.values():
            if self.users.shape[1] != policy.catalog.dimensions:
                raise InvalidInputError(
                    f"`users` must have {policy.catalog.dimensions} columns like the item vectors, "
                    f"got {self.users.shape[1]}."
                )
            if self.adjusting is not None:
                configurator_of(policy.catalog)


def _converse(plan: _Plan, piece: tuple[str, int]) -> list[Conversation]:
    """The conversations of a policy with one group of users who share a seed."""
    with one_thread():
        group = _Group(plan, *piece)
        group.go_on(group.policy.prior, (), range(len(group.users)))
    return group.conversations()


class _Group:
    """The tree of conversations with users who share a seed."""

    def __init__(self, plan: _Plan, name: str, group: int) -> None:
        self.name = name
        self.questions, self.hints = plan.questions, plan.hints.get(name, 0)
        self.adjusting = plan.adjusting
        self.policy = plan.policies[name].with_seed(derive_seed(plan.seed, "session", group))
        self.first = group * plan.users_per_seed
        utilities = plan.users[self.first : self.first + plan.users_per_seed]
        response = self.policy.response if plan.response is None else plan.response
        self.users = [
            SimulatedUser(utility, response, derive_seed(plan.seed, "person", self.first + index))
            for index, utility in enumerate(utilities)
        ]
        # Found exactly, whatever retriever the policy has.
        allowed, catalog = self.policy.allowed, self.policy.catalog
        self.exact = partial(exact_retriever(catalog).top, allowed=allowed)
        available = count_allowed(allowed, len(catalog))
        self.best = self.exact(utilities, min(LIST_LENGTH, available))
        self.measured: list[list[tuple[float, float, float]]] = [[] for _ in self.users]
        self.listed: list[list[tuple[float, float]]] | None = [[] for _ in self.users] if plan.lists else None
        self.asked: list[list[tuple[float, float, float]]] = [[] for _ in self.users]

    def go_on(self, belief: Belief, asked: tuple[Question, ...], members: Sequence[int], said: int = 0) -> None:
        """Ask the members of the group, who have all answered and said alike so far, the remaining questions."""
        if said < min(self.hints, len(asked)):
            self._hear(belief, asked, members, said + 1)
            return
        self._measure(belief, members)
        if len(asked) == self.questions:
            self._adjust(belief, members, said)
            return
        start = time.perf_counter()
        try:
            question = self.policy.question(belief, asked)
        except NoQuestionLeftError:  # nothing can change any more
            left = self.questions - len(asked)
            for member in members:
                self.asked[member] += [(0.0, 0.0, 0.0)] * left
                self.measured[member] += [self.measured[member][-1]] * left
                if self.listed is not None:
                    self.listed[member] += [self.listed[member][-1]] * left
            self._adjust(belief, members, said)
            return
        chosen = time.perf_counter() - start
        by_answer: dict[Choice, list[int]] = {}
        for member in members:
            by_answer.setdefault(self.users[member].answer(question), []).append(member)
        for answer, alike in sorted(by_answer.items(), key=lambda pair: str(pair[0])):
            start = time.perf_counter()
            after = self.policy.after(belief, question, answer)
            taken_in = time.perf_counter() - start
            for member in alike:
                self.asked[member].append((question.evoi, chosen, taken_in))
            self.go_on(after, (*asked, question), alike, said)

    def _hear(self, belief: Belief, asked: tuple[Question, ...], members: Sequence[int], number: int) -> None:
        """Let the members give their next hint, and go on with those who gave the same one."""
        by_statement: dict[Statement, list[int]] = {}
        for member in members:
            statement = given_hint(self.users[member], self.policy, belief, number)
            by_statement.setdefault(statement, []).append(member)
        for statement, alike in by_statement.items():
            hint = hint_of(statement, number, self.policy, belief)
            self.go_on(after_hint(belief, hint, self.policy), asked, alike, number)

    def _adjust(self, belief: Belief, members: Sequence[int], said: int) -> None:
        """Let each of the members adjust what is recommended, after this many hints."""
        if self.adjusting is None:
            return
        for member in members:
            after, own = belief, None
            for number in range(1, self.adjusting.times + 1):
                statement = given_adjustment(self.users[member], self.policy, after, number, self.adjusting, own)
                if statement is not None:
                    own = statement.to
                    after = after_hint(after, hint_of(statement, said + number, self.policy, after), self.policy)
                self._measure(after, [member])

    def _measure(self, belief: Belief, members: Sequence[int]) -> None:
        found = self.exact(belief.mean[None], self.best.rows.shape[1])
        rows = found.rows[0]
        for member in members:
            true_rows = self.best.rows[member]
            loss = self.best.scores[member, 0] - found.vectors[0, 0] @ self.users[member].utility
            hit = bool((rows == true_rows[0]).any())
            self.measured[member].append((max(0.0, float(loss)), ndcg(rows, true_rows), float(hit)))
        if self.listed is not None:
            self._measure_lists(belief, members, self.listed)

    def _measure_lists(self, belief: Belief, members: Sequence[int], listed: list[list[tuple[float, float]]]) -> None:
        recommender = self.policy.recommender(belief)
        size = self.policy.objective.size
        lists = [self.policy.catalog.vectors(rows) for rows in (recommender.listed(size), recommender.by_mean(size))]
        for member in members:
            utility, best = self.users[member].utility, self.best.scores[member, 0]
            together, ranked = (max(0.0, float(best - (items @ utility).max())) for items in lists)
            listed[member].append((together, ranked))

    def conversations(self) -> list[Conversation]:
        """What was measured, user by user."""
        return [
            Conversation(
                self.name,
                self.first + index,
                *zip(*self.measured[index], strict=True),
                *zip(*self.asked[index], strict=True),
                *(zip(*self.listed[index], strict=True) if self.listed is not None else ()),
            )
            for index in range(len(self.users))
        ]


def ndcg(rows: Tensor, relevant: Tensor) -> float:
    """Normalised discounted cumulative gain of a ranked list of rows when the rows of `relevant` gain 1 each."""
    discount = 1 / torch.log2(torch.arange(len(rows), dtype=torch.float64) + 2)
    gained = discount[torch.isin(rows, relevant)].sum()
    return float(gained / discount[: len(relevant)].sum())


@dataclass(frozen=True)
class PolicySummary:
    """One policy over all users. Lists hold one number per question; `regret`, `ndcg`, `hit` start before the first.

    After those of the questions come those of the adjustments, if there were any.

    Attributes:
        policy: Its name.
        users: How many.
        regret: Mean true regret.
        regret_error: Its standard error.
        ndcg: Mean NDCG of ten recommended items.
        hit: Share of users whose best item is among the ten.
        evoi: Mean EVOI of the question.
        question_seconds: Mean time to choose it.
        answer_seconds: Mean time to take in its answer.
        list_regret: Mean true regret of the best item of the recommended list, where lists were asked for;
        list_regret_error: its standard error;
        ranking_regret: the same of as many items of highest expected utility;
        ranking_regret_error: and its standard error.
    """

    policy: str
    users: int
    regret: list[float]
    regret_error: list[float]
    ndcg: list[float]
    hit: list[float]
    evoi: list[float]
    question_seconds: list[float]
    answer_seconds: list[float]
    list_regret: list[float] = field(default_factory=list)
    list_regret_error: list[float] = field(default_factory=list)
    ranking_regret: list[float] = field(default_factory=list)
    ranking_regret_error: list[float] = field(default_factory=list)


def summarise(conversations: Sequence[Conversation]) -> list[PolicySummary]:
    """A summary for each policy, in order of appearance."""
    names = list(dict.fromkeys(conversation.policy for conversation in conversations))
    return [_summary(name, [each for each in conversations if each.policy == name]) for name in names]


def _summary(name: str, conversations: Sequence[Conversation]) -> PolicySummary:
    means = {
        measure: _mean_and_error([getattr(each, measure) for each in conversations])
        for measure in (*QUESTION_MEASURES, "regret", "list_regret", "ranking_regret")
    }
    errors = {f"{measure}_error": means[measure][1] for measure in ("regret", "list_regret", "ranking_regret")}
    return PolicySummary(name, len(conversations), **{measure: mean for measure, (mean, _) in means.items()}, **errors)


def _mean_and_error(numbers: Sequence[tuple[float, ...]]) -> tuple[list[float], list[float]]:
    """The means over users, and their standard errors; nothing of what was not measured."""
    if not numbers[0]:
        return [], []
    each = torch.tensor(numbers, dtype=torch.float64)
    users = len(numbers)
    error = each.std(dim=0) / math.sqrt(users) if users > 1 else torch.full_like(each[0], math.nan)
    return each.mean(dim=0).tolist(), error.tolist()


def as_rows(conversations: Sequence[Conversation]) -> list[dict[str, Any]]:
    """Conversations as a table: a row for each policy, user and number of questions answered.

    `pandas.DataFrame`, `polars.DataFrame` and `pyarrow.Table.from_pylist` take it as it is. What belongs to a question
    is None in the rows before the first one, and in those after each adjustment.
    """
    adjusted = any(len(each.regret) > len(each.evoi) + 1 for each in conversations)
    return [
        {
            "policy": each.policy,
            "user": each.user,
            "questions": min(number, len(each.evoi)),
            **({"adjustments": max(0, number - len(each.evoi))} if adjusted else {}),
            "regret": each.regret[number],
            "ndcg": each.ndcg[number],
            "hit": each.hit[number],
            **{
                measure: getattr(each, measure)[number - 1] if 0 < number <= len(each.evoi) else None
                for measure in ("evoi", "question_seconds", "answer_seconds")
            },
            **(
                {"list_regret": each.list_regret[number], "ranking_regret": each.ranking_regret[number]}
                if each.list_regret
                else {}
            ),
        }
        for each in conversations
        for number in range(len(each.regret))
    ]


def draw_users(belief: Belief, count: int, seed: int, *, among_particles: bool = False) -> Tensor:
    """`(count, d)` true utility vectors.

    Args:
        belief: Where conversations start.
        count: How many.
        seed: Of the draw.
        among_particles: Draw them among the particles, as in the paper; by default fresh from the prior density if
            the belief has one.
    """
    generator = derive_generator(seed, "people")
    if belief.prior is not None and not among_particles:
        return belief.prior.sample(count, generator)
    rows = torch.multinomial(belief.weights, count, replacement=count > len(belief), generator=generator)
    return belief.particles[rows]
