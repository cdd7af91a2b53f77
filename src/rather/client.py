"""A conversation with somebody over a server: `ask`, `tell`, `undo` and `recommend` as of the local `Session`.

Needs neither torch nor the extra of the server.
"""

import http.client
import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from rather.conversation.stopping import Stop
from rather.errors import InvalidInputError, RatherError, StaleQuestionError, UnknownNameError

ItemId = str | int


class ServiceError(RatherError, OSError):
    """The server could not be reached or refused a request.

    Attributes:
        problem: The problem details (RFC 9457) that it sent, if any.
    """

    def __init__(self, message: str, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.problem = dict(problem or {})


@dataclass(frozen=True)
class Option:
    """One of the things a person may choose; see `rather.model.questions.Option`."""

    label: str
    facts: Mapping[str, str]
    id: ItemId | None
    image: str | None = None


@dataclass(frozen=True)
class Question:
    """A question as the server asks it.

    Attributes:
        number: Its place in the conversation, from 1.
        options: What may be chosen.
        evoi: What the answer is expected to add to the utility of the recommendation.
        id: Names it in an answer.
        kind: "items" or "attributes".
        prompt: The question in words.
        answers: What may be answered.
    """

    number: int
    options: tuple[Option, ...]
    evoi: float
    id: str
    kind: str
    prompt: str
    answers: tuple[int | str, ...]

    def __len__(self) -> int:
        return len(self.options)


@dataclass(frozen=True)
class Recommendation:
    """An item and how sure we are of it, like `rather.Recommendation`. `why` is the reason in words, if any."""

    id: ItemId
    label: str
    facts: Mapping[str, str]
    expected_utility: float
    spread: float
    probability_best: float
    why: str | None = None


class Client:
    """One conversation with a server.

    Every request can be repeated without harm (answers carry the id of their question, opening carries a key), so a
    server that is restarted or busy is asked again for a while before an error is raised.

    Args:
        url: Where the server is, such as "http://localhost:8000".
        catalog: Its catalogue to talk about; not needed when it has only one.
        session: The id of a session to go on with, in place of a new one.
        patience: Seconds to keep trying while the server cannot be reached or is busy.
        timeout: Seconds to wait for one response.
        settings: Of a new session: `k`, `ask`, `p`, `filters`, `where`, `seed`, `strategy`, `time_budget_ms`,
            `questions`.
    """

    def __init__(
        self,
        url: str,
        catalog: str | None = None,
        *,
        session: str | None = None,
        patience: float = 10.0,
        timeout: float = 60.0,
        **settings: Any,
    ) -> None:
        if session is not None and (catalog is not None or settings):
            raise InvalidInputError("`session` goes on with a session whose settings are fixed: give nothing else.")
        self._http = _Http(url, patience, timeout)
        try:
            if session is not None:
                self._state = self._http.send("GET", f"/v1/sessions/{quote(session, safe='')}")
            else:
                body, key = {"catalog": catalog, **settings}, str(uuid.uuid4())
                self._state = self._http.send("POST", "/v1/sessions", body, {"Idempotency-Key": key})
        except BaseException:
            self._http.close()
            raise

    @property
    def id(self) -> str:
        """The id of the session. Whoever has it may answer."""
        return str(self._state["id"])

    @property
    def share_url(self) -> str:
        """Where others can see the session, but not answer."""
        return f"{self._http.base}/shared/{self._state['share']}"

    @property
    def number(self) -> int:
        """The number of the open question, from 1."""
        return int(self._state["answers"]) + 1

    @property
    def stop(self) -> Stop | None:
        """Why to stop asking, for programs and in words, or None while another question pays."""
        stop = self._state["stop"]
        return None if stop is None else Stop(stop["code"], stop["text"])

    @property
    def stop_reason(self) -> str | None:
        """Why to stop asking in words, or None while another question pays."""
        stop = self.stop
        return None if stop is None else stop.text

    @property
    def expected_regret(self) -> float:
        """What recommending now is expected to lose against the person's true best item."""
        return float(self._state["expected_regret"])

    @property
    def start_regret(self) -> float:
        """The expected regret before the first answer."""
        return float(self._state["start_regret"])

    def ask(self) -> Question:
        """The open question. It stays the same until it is answered."""
        asked = self._state["question"]
        if asked is None:
            raise InvalidInputError("Every question has been asked.")
        return _question(asked)

    def tell(self, question: Question | int, choice: int | str) -> None:
        """Store the answer to the open question. When this returns it is safe, whatever happens to the server.

        Args:
            question: The question, or its number.
            choice: An option `0..k-1`, or "none", "same", "skip".
        """
        if isinstance(question, Question):
            id = question.id
        elif question == self.number:
            id = self.ask().id
        else:
            raise StaleQuestionError(
                f"Question {question} is not open; the open question is number {self.number}. "
                "Call ask() and answer what it returns."
            )
        plain = str(choice) if isinstance(choice, str) else int(choice)
        self._state = self._http.send("POST", self._path("answers"), {"question": id, "choice": plain})["session"]

    def undo(self) -> Question:
        """Take the last answer back; its question is open again."""
        self._state = self._http.send("POST", self._path("undo"), {"answer": self._state["last_answer"]})
        return self.ask()

    def recommend(self, count: int = 5) -> list[Recommendation]:
        """The items of highest expected utility, best first."""
        query = urlencode({"limit": count})
        found = self._http.send("GET", f"{self._path('recommendations')}?{query}")
        return [_recommendation(item) for item in found["recommendations"]]

    def refresh(self) -> None:
        """See what somebody else has answered in this session meanwhile."""
        self._state = self._http.send("GET", f"/v1/sessions/{self.id}")

    def to_json(self) -> str:
        """The session as the library's log, for `Session.from_json`."""
        return json.dumps(self._http.send("GET", self._path("export")), indent=1)

    def delete(self) -> None:
        """Delete the session and all its answers from the server."""
        self._http.send("DELETE", f"/v1/sessions/{self.id}")

    def close(self) -> None:
        """Close the connection; the session stays."""
        self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _path(self, part: str) -> str:
        return f"/v1/sessions/{self.id}/{part}"


class _Http:
    """JSON over one connection that is opened again whenever it breaks."""

    def __init__(self, url: str, patience: float, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInputError(f"`url` must be an address such as http://localhost:8000, got {url!r}.")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self.base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._prefix = parts.path.rstrip("/")
        self._patience = patience
        self._connection = kind(parts.hostname, parts.port, timeout=timeout)

    def send(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        """The JSON that comes back; asks again while the server is away or busy."""
        deadline, pause = time.monotonic() + self._patience, 0.1
        while True:
            try:
                return self._once(method, path, body, headers)
            except ServiceError as error:
                busy = error.problem.get("status") in (None, 503)
                if not busy or time.monotonic() + pause > deadline:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, 2.0)

    def close(self) -> None:
        self._connection.close()

    def _once(self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str] | None) -> Any:
        text = None if body is None else json.dumps(body)
        sent = {"Accept": "application/json", **(headers or {})}
        if text is not None:
            sent["Content-Type"] = "application/json"
        try:
            self._connection.request(method, self._prefix + path, text, sent)
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise ServiceError(f"No answer from {self.base}: {error or type(error).__name__}.") from error
        if response.status >= 400:
            raise _error(response.status, content)
        return json.loads(content) if content else None


def _error(status: int, content: bytes) -> RatherError:
    try:
        problem = json.loads(content)
        detail, action = problem["detail"], problem["action"]
    except (ValueError, LookupError, TypeError):
        return ServiceError(f"The server answered with status {status}.", {"status": status})
    text = f"{detail} {action}"
    code = problem.get("code", "")
    if code in ("stale-question", "answer-conflict", "answer-undone"):
        return StaleQuestionError(text)
    if status in (409, 422) and not code.startswith("catalog-"):
        return InvalidInputError(text)
    if status == 404:
        return UnknownNameError(text)
    return ServiceError(text, problem)


def _facts(facts: list[dict[str, str]]) -> dict[str, str]:
    return {fact["name"]: fact["value"] for fact in facts}


def _question(asked: Mapping[str, Any]) -> Question:
    options = tuple(
        Option(item["label"], _facts(item["facts"]), item["id"], item["image"]) for item in asked["options"]
    )
    return Question(
        asked["number"],
        options,
        asked["evoi"],
        asked["id"],
        asked["kind"],
        asked["prompt"],
        tuple(asked["answers"]),
    )


def _recommendation(item: Mapping[str, Any]) -> Recommendation:
    return Recommendation(
        item["id"],
        item["label"],
        _facts(item["facts"]),
        item["expected_utility"],
        item["spread"],
        item["probability_best"],
        item["why"]["text"] if item["why"] else None,
    )
