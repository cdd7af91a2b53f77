"""Requests at the same time, on two servers with one database, have results as if one had come after the other."""

import itertools
import random
from dataclasses import dataclass, replace
from functools import cache

import pytest
from interleaving import Turns, every_order
from serving import by_name, small_source

from rather import Policy, Want
from rather.conversation.session import Session
from rather.server import Limits, Settings, create_app
from rather.server.problems import ProblemError
from rather.server.requests import Filter, Log, NewAnswer, NewFilters, NewHint, NewSession, Undo

SOURCE = small_source()
GREEN = [Filter(attribute="colour", any_of=["green"])]
IMPORTED = (20, 21)
HINT = (None, None, None)
WANTED = Want("warm")


@dataclass(frozen=True)
class Model:
    """What a session must be, one request after the other; questions are the library's.

    Attributes:
        seed: Of the session.
        version: How often it has changed.
        green: Whether it is filtered.
        open: The items of the open question.
        events: (question id, items, choice) of an answer, HINT for a hint, None for the withdrawal of either.
        deleted: Whether it has been.
    """

    seed: int
    version: int = 0
    green: bool = False
    open: tuple[int, ...] = ()
    events: tuple = ()
    deleted: bool = False

    @classmethod
    def new(cls, seed):
        return cls(seed, open=next_slate(seed, False, ()))

    @property
    def answers(self):
        """(position, question id, items, choice) of the answers that hold."""
        left = []
        for position, event in enumerate(self.events, start=1):
            if event is None:
                left.pop()
            else:
                left.append((position, *event))
        return left

    @property
    def answered(self):
        return sum(event[1] is not None for event in self.answers)

    @property
    def question(self):
        return f"{self.answered + 1}-{self.version}"

    @property
    def view(self):
        return ("session", self.question, self.open, self.answered)

    def after(self, request):
        """The session after a request, and the response."""
        name, *arguments = request
        if name == "import":
            return self, ("session", "1-0", IMPORTED, 0)
        if self.deleted:
            return self, ("problem", "unknown-session")
        return getattr(self, f"_{name}")(*arguments)

    def _load(self):
        return self, self.view

    def _delete(self):
        return replace(self, deleted=True), ("deleted",)

    def _filter(self, green):
        slate = next_slate(self.seed, green, history(self.answers))
        changed = replace(self, version=self.version + 1, green=green, open=slate)
        return changed, changed.view

    def _answer(self, question, choice):
        if question == self.question:
            event = (question, self.open, choice)
            told = replace(self, version=self.version + 1, events=(*self.events, event))
            told = replace(told, open=next_slate(self.seed, self.green, history(told.answers)))
            return told, (*told.view, str(len(told.events)), False)
        given = [(position, event) for position, event in enumerate(self.events, 1) if event and event[0] == question]
        if not given:
            return self, ("problem", "stale-question")
        position, (_, _, before) = given[0]
        if position not in [held[0] for held in self.answers]:
            return self, ("problem", "answer-undone")
        if before != choice:
            return self, ("problem", "answer-conflict")
        return self, (*self.view, str(position), True)

    def _hint(self):
        said = replace(self, version=self.version + 1, events=(*self.events, HINT))
        said = replace(said, open=next_slate(self.seed, self.green, history(said.answers)))
        return said, said.view

    def _undo(self, answer):
        positions = [str(position) for position, *_ in self.answers]
        if answer is not None and answer not in positions[-1:]:
            if answer not in positions and any(str(number) == answer for number in range(1, len(self.events) + 1)):
                return self, self.view
            return self, ("problem", "not-the-last-answer")
        if not positions:
            return self, ("problem", "nothing-to-undo")
        slate = self.answers[-1][2]
        if self.answers[-1][1:] == HINT:
            slate = next_slate(self.seed, self.green, history(self.answers[:-1]))
        undone = replace(self, version=self.version + 1, events=(*self.events, None), open=slate)
        return undone, undone.view


def history(answers):
    return tuple((items, choice) for _, _, items, choice in answers)


@cache
def policy(green):
    allowed = [fact["colour"] == "green" for fact in SOURCE.catalog.facts] if green else None
    return Policy(SOURCE.catalog, SOURCE.belief, strategy="random", allowed=allowed)


@cache
def next_slate(seed, green, answers):
    """What the library asks after these answers."""
    session = Session(policy(green).with_seed(seed))
    for items, choice in answers:
        if items is None:
            session.hint(WANTED)
        else:
            session.record(session.policy.item_question(session.number, items, 0.0), choice)
    return session.ask().slate


class Service:
    """Two servers on one database, to which requests are sent as function calls."""

    def __init__(self, database):
        limits = Limits(sessions_per_day=10**6)
        settings = Settings(database=database, prefetch=False, limits=limits)
        self.servers = [create_app(by_name(SOURCE), settings).state.conversations for _ in range(3)]
        self.seed = 0
        # What reads, and what a transaction that writes begins with: who stops before it keeps nobody waiting.
        begins = ("BEGIN IMMEDIATE",) if database.startswith("sqlite") else ("SELECT pg_advisory", "UPDATE", "DELETE")
        self.without_lock = lambda statement: statement.startswith(("SELECT sessions", "SELECT events", *begins))

    def close(self):
        for server in self.servers:
            server.close()

    def prepare(self):
        """A session with two answers on the first server, and what it must be."""
        model, first = Model.new(self.seed), self.servers[0]
        id = first.create(self.request, "a", None)[0].stored.id
        for choice in (0, 1):
            request = ("answer", model.question, choice)
            model, expected = model.after(request)
            assert self.send(first, id, request) == expected
        return id, model

    def send(self, server, id, request):
        """The response to a request, as the model has it."""
        name, *arguments = request
        try:
            if name == "answer":
                question, choice = arguments
                conversation, position, repeated = server.answer(id, NewAnswer(question=question, choice=choice))
                return (*view(conversation), position, repeated)
            if name == "delete":
                server.delete(id)
                return ("deleted",)
            if name == "import":
                return view(server.restore(*arguments)[0])
            if name == "hint":
                return view(server.hint(id, NewHint(says="want", attribute="warm")))
            if name == "undo":
                return view(server.undo(id, Undo(answer=arguments[0])))
            if name == "filter":
                return view(server.change_filters(id, NewFilters(filters=GREEN if arguments[0] else [])))
            return view(server.load(id))
        except ProblemError as problem:
            return ("problem", problem.code)

    @property
    def request(self):
        return NewSession(seed=self.seed, strategy="random")

    def log(self):
        """A log without answers whose open question nobody chose."""
        content = self.servers[2].export(self.servers[2].create(self.request, "a", None)[0].stored.id)
        return Log.model_validate({**content, "open": {"items": list(IMPORTED), "evoi": 0.0}})

    def race(self, programs, choose, *turns):
        """Run programs (lists of requests) at the same time, each on a server, and compare with the model."""
        id, model = self.prepare()
        log, clock, calls = self.log() if ("import",) in itertools.chain(*programs) else None, itertools.count(), []

        def work(number, program):
            for request in program:
                sent = (*request, log, "a") if request == ("import",) else request
                start = next(clock)
                response = self.send(self.servers[number % 2], id, sent)
                calls.append((start, next(clock), number, request, response))

        works = [
            lambda number=number, program=program: work(number, program) for number, program in enumerate(programs)
        ]
        Turns(works, *turns).run(choose)
        left = self.send(self.servers[2], id, ("load",))
        assert explained(model, calls, left), (calls, left)
        for server in self.servers:  # also those that have cached what they saw
            assert self.send(server, id, ("load",)) == left

    def check_others(self):
        """Whoever comes later, with the same seed and answers, is asked what the library asks."""
        for server in self.servers:
            twin, id = Model.new(self.seed), server.create(self.request, "b", None)[0].stored.id
            for choice in (0, 1, 0):
                request = ("answer", twin.question, choice)
                twin, expected = twin.after(request)
                assert self.send(server, id, request) == expected


def view(conversation):
    slate = conversation.state.question.slate
    return ("session", conversation.question_id, slate, len(conversation.stored.answers))


def explained(model, calls, left):
    """Whether the calls could have come one after the other, each between its start and its end, and left this."""
    if not calls:
        return model.after(("load",))[1] == left
    first_end = min(end for _, end, *_ in calls)
    for call in calls:
        start, _, _, request, response = call
        if start < first_end:
            after, expected = model.after(request)
            if expected == response and explained(after, [other for other in calls if other is not call], left):
                return True
    return False


REQUESTS = [
    ("load",),
    ("answer", "3-2", 0),
    ("answer", "3-2", 1),
    ("answer", "2-1", 1),
    ("undo", "2"),
    ("hint",),
    ("filter", True),
    ("delete",),
    ("import",),
]
PAIRS = list(itertools.combinations_with_replacement(REQUESTS, 2))


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def service(request, tmp_path_factory):
    if request.param == "sqlite":
        service = Service(f"sqlite:///{tmp_path_factory.mktemp('isolation') / 'sessions.db'}")
    else:
        service = Service(request.getfixturevalue("postgres").new_database())
    yield service
    service.close()


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=str)
def test_two_requests_in_every_order_of_their_statements(service, first, second):
    def run(choose):
        service.race([[first], [second]], choose, service.without_lock)

    service.seed = PAIRS.index((first, second))
    assert every_order(run) > 1
    service.check_others()


@pytest.mark.parametrize("seed", range(10))
def test_three_people_with_two_requests_each_in_a_random_order(service, seed):
    choices = random.Random(seed)
    programs = [[choices.choice(REQUESTS) for _ in range(2)] for _ in range(3)]
    service.seed = 1_000 + seed
    service.race(programs, choices.choice, lambda statement: True, 0.02)
    service.check_others()
