"""The columns of the exported tables, each with what it means. Files, API and data dictionary follow from them."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from rather.server.sessions.records import STUDY_KEYS, StoredEvent, StoredSession

ColumnType = Literal["text", "integer", "number", "boolean", "time", "json"]
Cell = str | int | float | bool | datetime | None


class Answer(NamedTuple):
    """An event of a session, as a row.

    Attributes:
        session: That it is of.
        event: The answer or hint, or the withdrawal of one.
        seconds: Since the event before it, or since the session was opened.
        undone: Whether it was taken back later.
    """

    session: StoredSession
    event: StoredEvent
    seconds: float
    undone: bool

    @property
    def kind(self) -> str:
        """Whether it is an answer, a hint or a withdrawal."""
        return next((kind for kind in ("hint", "undo") if kind in self.event.event), "answer")

    @property
    def options(self) -> list[dict[str, Any]]:
        """What was shown; nothing in a withdrawal, and in answers of the first version of logs."""
        shown = self.event.event.get("shown", {})
        return list(shown.get("options", ())) if self.kind == "answer" else []

    @property
    def chosen(self) -> dict[str, Any]:
        """The option that was chosen, if one was."""
        choice = self.event.event.get("answer")
        return self.options[choice] if type(choice) is int and choice < len(self.options) else {}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: In files and in the dictionary.
        type: Of its cells; "json" is a text.
        meaning: For whoever reads the table.
        cell: Its cell in the row of an `Answer` or a `StoredSession`.
    """

    name: str
    type: ColumnType
    meaning: str
    cell: Callable[[Any], Cell]


def answers_of(session: StoredSession) -> Iterator[Answer]:
    """The rows of a session in the table of answers, oldest first."""
    held = {event.position for event in session.steps}
    before = session.created_at
    for event in session.events:
        undone = event.position not in held and "undo" not in event.event
        yield Answer(session, event, (event.at - before).total_seconds(), undone)
        before = event.at


def session_record(session: StoredSession) -> dict[str, Any]:
    """All of a session that is stored besides its events and what a study noted, as JSON holds it."""
    record = {name: value for name, value in vars(session).items() if name not in ("events", "study")}
    return {**record, "created_at": session.created_at.isoformat(), "touched_at": session.touched_at.isoformat()}


def is_finished(session: StoredSession) -> bool:
    """Whether the conversation went on until another question was not worth asking, or there was none."""
    return session.open is None or (session.summary or {}).get("stop") is not None


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _ids(options: list[dict[str, Any]]) -> str | None:
    return _compact([option["id"] for option in options]) if options and "id" in options[0] else None


def _labels(options: list[dict[str, Any]]) -> str | None:
    return json.dumps([option.get("label") for option in options], ensure_ascii=False) if options else None


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _number(summary: Mapping[str, Any] | None, name: str) -> float | None:
    return None if summary is None else float(summary[name])


def _hint(answer: Answer) -> str | None:
    return answer.event.event["shown"]["text"] if answer.kind == "hint" else None


def _hit(answer: Answer) -> bool | None:
    choice, predicted = answer.event.event.get("answer"), answer.event.event.get("predicted")
    if not predicted or type(choice) is not int:
        return None
    return bool(predicted.index(max(predicted)) == choice)


def _holdouts(session: StoredSession, name: str) -> int:
    return int((session.summary or {}).get("holdouts", {}).get(name, 0))


MEANINGS = {
    "respondent": "The person's id in the study, from the link or the request; empty if none was given.",
    "campaign": "The campaign of the study, from the link or the request; empty if none was given.",
    "arm": "The arm of the study; empty if none was given.",
    "source": "Where the person came from, from the link or the request; empty if none was given.",
}


def _of_study(of: Callable[[Any], StoredSession]) -> list[Column]:
    def cell(key: str) -> Callable[[Any], Cell]:
        return lambda row: of(row).study.get(key)

    return [Column(key, "text", MEANINGS[key], cell(key)) for key in STUDY_KEYS]


ANSWERS: tuple[Column, ...] = (
    Column("session", "text", "The id of the session: whoever has it may answer in it.", lambda row: row.session.id),
    *_of_study(lambda row: row.session),
    Column("catalog", "text", "The name of the catalogue.", lambda row: row.session.catalog),
    Column("position", "integer", "The position in the session, from 1.", lambda row: row.event.position),
    Column("kind", "text", "`answer`, `hint` (said unasked), or `undo` (takes back what is above).", lambda r: r.kind),
    Column("at", "time", "When it was stored, in UTC.", lambda row: row.event.at),
    Column("seconds", "number", "Since the row before it, or since the session was opened.", lambda row: row.seconds),
    Column("question", "text", "The id of the question in the API.", lambda row: row.event.question),
    Column("number", "integer", "The number of the question, from 1.", lambda row: row.event.event.get("tell")),
    Column("option_ids", "json", "The ids of the items that were compared.", lambda row: _ids(row.options)),
    Column("options", "json", "The options as they were shown.", lambda row: _labels(row.options)),
    Column(
        "answer",
        "text",
        "The index of the chosen option, from 0, or `none`, `same`, `skip`.",
        lambda row: _text(row.event.event.get("answer")) if row.kind == "answer" else None,
    ),
    Column("chosen_id", "text", "The id of the chosen item.", lambda row: _text(row.chosen.get("id"))),
    Column("chosen", "text", "The chosen option as it was shown.", lambda row: row.chosen.get("label")),
    Column("hint", "text", "What was said unasked, in words.", _hint),
    Column(
        "task",
        "text",
        "`fixed` or `holdout` where everybody is asked it; else empty.",
        lambda r: r.event.event.get("task"),
    ),
    Column(
        "predicted",
        "json",
        "Of a hold-out, how likely each option was held to be when it was asked.",
        lambda row: _compact(row.event.event["predicted"]) if "predicted" in row.event.event else None,
    ),
    Column("hit", "boolean", "Whether the option that was most likely then was chosen; empty if none was.", _hit),
    Column("evoi", "number", "What the question was expected to be worth.", lambda row: row.event.event.get("evoi")),
    Column("regret", "number", "The expected regret right after it.", lambda row: row.event.regret),
    Column("undone", "boolean", "Whether it was taken back later.", lambda row: row.undone),
    Column("event", "json", "The whole record, as the library logs it.", lambda row: _compact(row.event.event)),
)


RESPONDENTS: tuple[Column, ...] = (
    Column("session", "text", "The id of the session: whoever has it may answer in it.", lambda row: row.id),
    *_of_study(lambda row: row),
    Column("catalog", "text", "The name of the catalogue.", lambda row: row.catalog),
    Column("opened_at", "time", "When the session was opened, in UTC.", lambda row: row.created_at),
    Column("changed_at", "time", "When it was last changed, in UTC.", lambda row: row.touched_at),
    Column(
        "seconds",
        "number",
        "From the opening to the last event.",
        lambda row: (row.events[-1].at - row.created_at).total_seconds() if row.events else 0.0,
    ),
    Column("events", "integer", "Its rows in the table of answers.", lambda row: len(row.events)),
    Column("answers", "integer", "Answers that were not taken back.", lambda row: len(row.answers)),
    Column(
        "skipped",
        "integer",
        "Those among them that skip the question.",
        lambda row: sum(event.event.get("answer") == "skip" for event in row.answers),
    ),
    Column("hints", "integer", "Hints that were not taken back.", lambda row: len(row.steps) - len(row.answers)),
    Column(
        "undone",
        "integer",
        "Answers and hints that were taken back.",
        lambda row: sum("undo" in event.event for event in row.events),
    ),
    Column(
        "finished",
        "boolean",
        "Whether it went on until another question was not worth asking, or none left.",
        is_finished,
    ),
    Column(
        "start_regret",
        "number",
        "The expected regret before the first answer.",
        lambda row: _number(row.summary, "start_regret"),
    ),
    Column("regret", "number", "The expected regret at the end.", lambda row: _number(row.summary, "regret")),
    Column("holdouts", "integer", "Hold-outs that were answered by an option.", lambda row: _holdouts(row, "answered")),
    Column(
        "holdout_hits",
        "integer",
        "Those of them that all other answers predict, at the end.",
        lambda row: _holdouts(row, "hits"),
    ),
    Column("strategy", "text", "How its questions were chosen.", lambda row: row.request.get("strategy")),
    Column(
        "ask", "text", "What it was asked about: `items`, `attributes` or `auto`.", lambda row: row.request.get("ask")
    ),
    Column("k", "integer", "Options per question.", lambda row: row.request.get("k")),
    Column("seed", "integer", "Its random seed.", lambda row: row.request.get("seed")),
    Column("language", "text", "The language that was asked for.", lambda row: row.request.get("language")),
    Column(
        "record", "json", "All else that is stored of it, to import it again.", lambda r: _compact(session_record(r))
    ),
)

TABLES: dict[str, tuple[Column, ...]] = {"answers": ANSWERS, "respondents": RESPONDENTS}


def dictionary() -> list[dict[str, str]]:
    """What every column of every table means, in the order of the files."""
    return [
        {"table": table, "column": column.name, "type": column.type, "meaning": column.meaning}
        for table, columns in TABLES.items()
        for column in columns
    ]
