"""The people of a soak: they use sessions in every way, and compare what they are told with what was acknowledged."""

import asyncio
import json
import random
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rather.research.bench.served import Http
from rather.research.bench.soak.disturbing import TABLE
from rather.research.bench.traffic import Traffic

# A person tries again after this long, as the page does.
RETRY_SECONDS = 0.5

# A person who has not been answered for this long is reported as lost.
PATIENCE_SECONDS = 120.0

# Why a request about a table that has changed may be rejected.
OF_CHANGED_CATALOGS = ("catalog-changed", "stale-question", "no-question-left", "impossible-answer")


@dataclass
class _Session:
    """What a person knows of a session: its latest response, and what was acknowledged."""

    state: dict[str, Any]
    events: list[Any] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.state['id']}"


class _LostError(Exception):
    """A person was never answered."""


class _RejectedError(Exception):
    """The server rejected a request, as this code says."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code


class Crowd:
    """People who use sessions in every way, and note whatever is not as it was acknowledged."""

    def __init__(self, address: tuple[str, int], catalogs: Sequence[str], traffic: Traffic) -> None:
        self.address, self.catalogs, self.traffic = address, catalogs, traffic
        self.start = 0.0
        self.latencies: list[tuple[float, float]] = []
        self.retried_at: list[float] = []
        self.requests: Counter[str] = Counter()
        self.retries: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.compared = 0

    async def person(self, number: int, end: float) -> None:
        """Use one session after the other until the end."""
        moods, http = random.Random(self.traffic.seed * 1_000_003 + number), Http(*self.address)
        await asyncio.sleep(moods.random() * self.traffic.think_seconds)
        try:
            while time.monotonic() < end:
                await self._visit(http, moods, end)
        except (_LostError, _RejectedError) as error:
            self.wrong.append(str(error))
        finally:
            http.close()

    async def _visit(self, http: Http, moods: random.Random, end: float) -> None:
        """One session from its opening to its end, and sometimes its deletion."""
        body = {"catalog": moods.choice(self.catalogs), "seed": moods.randrange(20)}
        session = _Session(await self._send(http, "open", "POST", "/v1/sessions", body))
        try:
            for _ in range(moods.randint(3, 15)):
                await asyncio.sleep(self.traffic.think_seconds * moods.expovariate(1.0))
                if time.monotonic() >= end or not session.state["question"]:
                    break
                session = await self._step(http, moods, session)
        except _RejectedError as error:
            self._note(session, error)
        await self._compare(http, session)
        if moods.random() < 0.3:
            await self._delete(http, session)

    async def _step(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        steps = {self._answer: 70, self._undo: 8, self._filter: 8, self._read: 8, self._import: 6}
        (step,) = moods.choices(list(steps), list(steps.values()))
        return await step(http, moods, session)

    async def _answer(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        question = session.state["question"]
        choice = moods.choice([*range(len(question["options"])), "skip"])
        body = {"question": question["id"], "choice": choice}
        try:
            answered = await self._send(http, "answer", "POST", f"{session.path}/answers", body)
        except _RejectedError as error:  # another question is open, if there is one
            self._note(session, error)
            return self._now(session, await self._send(http, "read", "GET", session.path))
        session.events.append(choice)
        return self._now(session, answered["session"])

    async def _undo(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        if session.state["last_answer"] is None:
            return session
        undo = {"answer": session.state["last_answer"]}
        state = await self._send(http, "undo", "POST", f"{session.path}/undo", undo)
        session.events.append("undo")
        return self._now(session, state)

    async def _filter(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        cheap = session.state["catalog"] == TABLE and moods.random() < 0.5
        filters = [{"attribute": "price", "maximum": moods.choice([300, 400])}] if cheap else []
        state = await self._send(http, "filters", "PUT", f"{session.path}/filters", {"filters": filters})
        if [item["maximum"] for item in state["filters"]] != [item["maximum"] for item in filters]:
            self.wrong.append(f"filters {filters} became {state['filters']}")
        return self._now(session, state)

    async def _read(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        for part in ("history", "recommendations?limit=20", "profile"):
            await self._send(http, "read", "GET", f"{session.path}/{part}")
        return session

    async def _import(self, http: Http, moods: random.Random, session: _Session) -> _Session:
        """Go on in a copy."""
        log = await self._send(http, "export", "GET", f"{session.path}/export")
        state = await self._send(http, "import", "POST", "/v1/sessions/import", log)
        await self._compare(http, session)
        return self._now(_Session(session.state, session.events.copy()), state)

    def _now(self, session: _Session, state: dict[str, Any]) -> _Session:
        """The session in a new state, which must have as many answers as were acknowledged."""
        if state["answers"] != (expected := len(standing(session.events))):
            self.wrong.append(f"{state['answers']} answers stand where {expected} were acknowledged")
        return _Session(state, session.events)

    async def _compare(self, http: Http, session: _Session) -> None:
        """Compare what is stored with what was acknowledged."""
        log = await self._send(http, "export", "GET", f"{session.path}/export")
        stored = ["undo" if "undo" in event else event["answer"] for event in log["events"]]
        if stored != session.events:
            self.wrong.append(f"stored are {stored}, acknowledged were {session.events}")
        self.compared += 1

    async def _delete(self, http: Http, session: _Session) -> None:
        await self._send(http, "delete", "DELETE", session.path, accepted=(204, 404))
        status, _ = await self._persist(http, "GET", session.path, None, {})
        if status != 404:
            self.wrong.append(f"a deleted session was found: {status}")

    async def _send(
        self,
        http: Http,
        kind: str,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        accepted: Sequence[int] = (200, 201),
    ) -> Any:
        """The response to a request, which is sent until it is answered."""
        key = {} if method == "GET" else {"Idempotency-Key": str(uuid.uuid4())}
        status, content = await self._persist(http, method, path, body, key, timed=kind == "answer")
        if status in accepted:
            self.requests[kind] += 1
            return json.loads(content) if content else None
        problem = json.loads(content)
        raise _RejectedError(f"{method} {path.rpartition('/')[2]}: {status} {problem['detail']}", problem["code"])

    def _note(self, session: _Session, error: _RejectedError) -> None:
        """Note a rejection as wrong, unless the table of the session has changed."""
        self.requests["rejected"] += 1
        if session.state["catalog"] != TABLE or error.code not in OF_CHANGED_CATALOGS:
            self.wrong.append(str(error))

    async def _persist(
        self,
        http: Http,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        headers: dict[str, str],
        timed: bool = False,
    ) -> tuple[int, bytes]:
        """The response once the server does respond, and is not busy."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            start = time.monotonic()
            try:
                status, content = await asyncio.wait_for(http.send(method, path, body, headers), PATIENCE_SECONDS)
            except (OSError, asyncio.IncompleteReadError, ValueError) as error:
                reason = type(error).__name__
            else:
                if status != 503:
                    if timed:
                        self.latencies.append((start - self.start, 1000 * (time.monotonic() - start)))
                    return status, content
                reason = str(json.loads(content)["code"])
            self.retries[reason] += 1
            self.retried_at.append(start - self.start)
            http.close()
            await asyncio.sleep(RETRY_SECONDS)
        raise _LostError(f"{method} was not answered for {PATIENCE_SECONDS:.0f} s")


def standing(events: Sequence[Any]) -> list[Any]:
    """The answers that have not been taken back."""
    left: list[Any] = []
    for event in events:
        if event == "undo":
            left.pop()
        else:
            left.append(event)
    return left
