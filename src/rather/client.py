"""A conversation that a server holds: `ask`, `tell`, `hint`, `undo`, `revise`, `recommend` as with the local `Session`.

Needs neither torch nor the extra `serve`.
"""

import http.client
import json
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from rather.conversation.excluded import excluded_ids
from rather.conversation.stopping import Stop
from rather.errors import InvalidInputError, RatherError, StaleQuestionError, UnknownNameError
from rather.model.statements import Statement, statement_record

ItemId = str | int


class ServiceError(RatherError, OSError):
    """The server could not be reached, or rejected a request.

    Attributes:
        problem: The problem details (RFC 9457) that it sent; empty if there are none.
    """

    def __init__(self, message: str, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.problem = dict(problem or {})


@dataclass(frozen=True)
class RemoteOption:
    """One of the options of a question, like `rather.model.questions.Option`."""

    label: str
    facts: Mapping[str, str]
    id: ItemId | None
    image: str | None = None
    link: str | None = None
    images: tuple[str, ...] = ()


@dataclass(frozen=True)
class RemoteQuestion:
    """A question that a server asks.

    Attributes:
        number: Its number in the conversation, from 1.
        options: What the person chooses between.
        evoi: What the answer is expected to add to the utility of the recommendation.
        id: Identifies it in an answer.
        kind: "items" or "attributes".
        prompt: The question in words.
        answers: The possible answers.
    """

    number: int
    options: tuple[RemoteOption, ...]
    evoi: float
    id: str
    kind: str
    prompt: str
    answers: tuple[int | str, ...]

    def __len__(self) -> int:
        return len(self.options)


@dataclass(frozen=True)
class RemoteRecommendation:
    """An item and how sure the server is of it, like `rather.Recommendation`.

    `reasons` are in words, and so is for whom it is on the list, `stands_for`; `wishes` are ways to wish it otherwise,
    each a column, which way, and a text.
    """

    id: ItemId
    label: str
    facts: Mapping[str, str]
    expected_utility: float
    spread: float
    probability_best: float
    match: float
    probability_good: float
    match_text: str
    reasons: tuple[str, ...] = ()
    link: str | None = None
    images: tuple[str, ...] = ()
    wishes: tuple[tuple[str, str, str], ...] = ()
    stands_for: str = ""


@dataclass(frozen=True)
class RemoteContradiction:
    """Two answers that hardly fit together, like `rather.Contradiction`."""

    number: int
    earlier: int
    probability: float
    text: str


class Client:
    """A conversation that a server holds.

    Example::

        with rather.Client("http://localhost:8000", "films", k=2) as client:
            question = client.ask()
            client.tell(question, choice=0)
            print(client.recommend(5)[0].label)

    Every request can be sent twice without harm: an answer carries the id of its question, every other change a key. So
    while a server restarts or is busy, requests are sent again for some time before an error is raised.

    Args:
        url: The address of the server, such as "http://localhost:8000".
        catalog: The name of its catalogue to ask about; not needed when it has only one.
        session: The id of a session to continue, instead of a new one.
        log: A log of the library or of `to_json` to go on from in a new session.
        patience: Seconds to keep trying while the server is busy or cannot be reached.
        timeout: Seconds to wait for one response.
        settings: Of a new session: `k`, `ask`, `p`, `filters`, `where`, `seed`, `strategy`, `time_budget_ms`,
            `questions`; for a study `respondent`, `campaign`, `arm`, `source`.
    """

    def __init__(
        self,
        url: str,
        catalog: str | None = None,
        *,
        session: str | None = None,
        log: str | None = None,
        patience: float = 10.0,
        timeout: float = 60.0,
        **settings: Any,
    ) -> None:
        if session is not None and (catalog is not None or log is not None or settings):
            raise InvalidInputError(
                "`session` continues a session whose settings are fixed: pass neither `catalog` nor settings nor `log`."
            )
        if log is not None and settings:
            raise InvalidInputError(f"`log` has its own settings: do not pass {', '.join(settings)}.")
        self._http = _Http(url, patience, timeout)
        try:
            if session is not None:
                self._state = self._http.send("GET", f"/v1/sessions/{quote(session, safe='')}")
            elif log is not None:
                about = "" if catalog is None else "?" + urlencode({"catalog": catalog})
                self._state = self._http.send("POST", f"/v1/sessions/import{about}", json.loads(log), _new_key())
            else:
                self._state = self._http.send("POST", "/v1/sessions", {"catalog": catalog, **settings}, _new_key())
        except BaseException:
            self._http.close()
            raise

    @property
    def id(self) -> str:
        """The id of the session. Whoever has it may answer."""
        return str(self._state["id"])

    @property
    def share_url(self) -> str:
        """The address where others can see the session but not answer."""
        return f"{self._http.base}/shared/{self._state['share']}"

    @property
    def number(self) -> int:
        """The number of the open question, from 1."""
        return int(self._state["answers"]) + 1

    @property
    def stop(self) -> Stop | None:
        """Why to stop asking, for programs and in words; None while another question is worth asking."""
        stop = self._state["stop"]
        return None if stop is None else Stop(stop["code"], stop["text"])

    @property
    def expected_regret(self) -> float:
        """What recommending now is expected to lose against the person's true best item."""
        return float(self._state["expected_regret"])

    @property
    def start_regret(self) -> float:
        """The expected regret before the first answer."""
        return float(self._state["start_regret"])

    @property
    def catalog_changes(self) -> tuple[str, ...]:
        """What has changed in the catalogue since the last answer, in sentences; all answers still count."""
        return tuple(self._state.get("catalog_changes", ()))

    def ask(self) -> RemoteQuestion:
        """The open question. It stays the same until it is answered."""
        asked = self._state["question"]
        if asked is None:
            raise InvalidInputError("Every question has been asked.")
        return _question(asked)

    def tell(self, question: RemoteQuestion | int, choice: int | str) -> None:
        """Store the answer to the open question. Once this returns, it is safe, whatever happens to the server.

        Args:
            question: The question, or its number.
            choice: An option `0..k-1`, or "none", "same", "skip".
        """
        if isinstance(question, RemoteQuestion):
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

    def hint(self, statement: Statement) -> None:
        """Take in what the person says unasked, such as `rather.MoreLike(item)`; see `Session.hint`."""
        self._state = self._http.send("POST", self._path("hints"), statement_record(statement), _new_key())

    @property
    def hints(self) -> int:
        """How many hints were given and not taken back."""
        return int(self._state["hints"])

    def adjust(self, item: ItemId, wanted: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What becomes of a configuration when some choices are changed; nothing is learned.

        The result is what the server sends: the `item` that it becomes (None if the rules allow none), what else is
        `forced` to change, `because` of which rules, the `totals`, and under `decisions` what each value would take. To
        say that the person takes it, pass `rather.Adjust(item, found["item"]["id"])` to `hint`. See `Session.adjust`.

        Args:
            item: The id of the configuration.
            wanted: The values wanted, by the names of the decisions: `{"frame": "carbon"}`.
        """
        values = [{"column": column, "value": _as_text(value)} for column, value in (wanted or {}).items()]
        query = urlencode({"item": item, "wanted": json.dumps(values)})
        found: dict[str, Any] = self._http.send("GET", f"{self._path('adjustment')}?{query}")
        return found

    @property
    def adjusted(self) -> RemoteRecommendation | None:
        """The configuration that the person last adjusted one to, if they did and it can be had."""
        found = self._state.get("adjusted")
        return None if found is None else _recommendation(found)

    def undo(self) -> RemoteQuestion:
        """Take the last answer or hint back; the question of an answer is open again."""
        undo = {"answer": self._state["last_answer"]}
        self._state = self._http.send("POST", self._path("undo"), undo, _new_key())
        return self.ask()

    def revise(self, number: int, choice: int | str) -> None:
        """Answer an earlier question otherwise; what was answered and said after it stays.

        Args:
            number: Of the question.
            choice: As for `tell`.
        """
        turns = self._http.send("GET", self._path("history"))["turns"]
        given = [turn["answer"] for turn in turns if turn["number"] == number and not turn["undone"]]
        if not given:
            raise InvalidInputError(f"`number` must be that of an answered question, got {number}.")
        plain = str(choice) if isinstance(choice, str) else int(choice)
        self._state = self._http.send("PUT", self._path(f"answers/{given[0]}"), {"choice": plain}, _new_key())

    def contradictions(self) -> list[RemoteContradiction]:
        """Pairs of answers that hardly fit together, the most surprising first; `revise` corrects one."""
        found = self._http.send("GET", self._path("contradictions"))["contradictions"]
        return [
            RemoteContradiction(each["number"], each["earlier_number"], each["probability"], each["text"])
            for each in found
        ]

    def set_filters(self, filters: Sequence[Mapping[str, Any]] = (), where: str | None = None) -> None:
        """Ask about and recommend only items that match from now on; the answers stay.

        Args:
            filters: Such as `{"attribute": "price", "maximum": 500}`; the catalogue lists what can be filtered by.
            where: A filter expression, for catalogues that take one.
        """
        body = {"filters": [dict(item) for item in filters], "where": where}
        self._state = self._http.send("PUT", self._path("filters"), body, _new_key())

    def recommend(
        self, count: int = 5, *, offset: int = 0, exclude: Iterable[ItemId] = (), ranking: str = "list"
    ) -> list[RemoteRecommendation]:
        """The items to recommend together, as `Session.recommend` returns them."""
        page = {"limit": count, "offset": offset, "exclude": excluded_ids(exclude), "ranking": ranking}
        query = urlencode(page, doseq=True)
        found = self._http.send("GET", f"{self._path('recommendations')}?{query}")
        return [_recommendation(item) for item in found["recommendations"]]

    @property
    def probability_best(self) -> float | None:
        """The probability that one of the recommendations is the person's best item; None if it is not known."""
        found = self._state.get("probability_best")
        return None if found is None else float(found)

    def refresh(self) -> None:
        """Fetch what somebody else has answered in this session in the meantime."""
        self._state = self._http.send("GET", f"/v1/sessions/{self.id}")

    def to_json(self) -> str:
        """The session as the library's log, for `Session.from_json`."""
        return json.dumps(self._http.send("GET", self._path("export")), indent=1)

    def delete(self) -> None:
        """Delete the session and all its answers from the server."""
        self._http.send("DELETE", f"/v1/sessions/{self.id}", done=UnknownNameError)

    def close(self) -> None:
        """Close the connection; the session stays."""
        self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _path(self, part: str) -> str:
        return f"/v1/sessions/{self.id}/{part}"


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.12g}"


def _new_key() -> dict[str, str]:
    """The header by which the server knows a request that is sent again."""
    return {"Idempotency-Key": str(uuid.uuid4())}


class _Http:
    """JSON over one connection, which is opened again whenever it breaks."""

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
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        done: type[RatherError] | None = None,
    ) -> Any:
        """The JSON of the response; sends the request again while the server is busy or cannot be reached.

        An error of the class `done` then says that the first one arrived.
        """
        deadline, pause, again = time.monotonic() + self._patience, 0.1, False
        while True:
            try:
                return self._once(method, path, body, headers)
            except RatherError as error:
                if again and done is not None and isinstance(error, done):
                    return None
                if not isinstance(error, ServiceError):
                    raise
                busy = error.problem.get("status") in (None, 503)
                if not busy or time.monotonic() + pause > deadline:
                    raise
            time.sleep(pause)
            again = True
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


def _question(asked: Mapping[str, Any]) -> RemoteQuestion:
    options = tuple(
        RemoteOption(
            item["label"], _facts(item["facts"]), item["id"], item["image"], item["link"], tuple(item["images"])
        )
        for item in asked["options"]
    )
    return RemoteQuestion(
        asked["number"],
        options,
        asked["evoi"],
        asked["id"],
        asked["kind"],
        asked["prompt"],
        tuple(asked["answers"]),
    )


def _recommendation(item: Mapping[str, Any]) -> RemoteRecommendation:
    return RemoteRecommendation(
        item["id"],
        item["label"],
        _facts(item["facts"]),
        item["expected_utility"],
        item["spread"],
        item["probability_best"],
        item["match"],
        item["probability_good"],
        item["match_text"],
        tuple(reason["text"] for reason in item["reasons"]),
        item["link"],
        tuple(item["images"]),
        tuple((wish["column"], wish["toward"], wish["text"]) for wish in item.get("wishes", ())),
        item.get("stands_for", ""),
    )
