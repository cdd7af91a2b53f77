"""Conversations as they are recorded: with a session, over HTTP, and on the command line."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import golden_edges as edges
import golden_worlds as worlds
from golden_worlds import Plain

Act = int | str
"""An option, "none", "same", "skip", or "undo"."""

VOLATILE = {"id", "share", "created_at", "expires_at", "answered_at"}
"""Of a session or an answer over HTTP: other ones in every run."""

WORDS_OF_A_PROBLEM = {"detail", "action"}
"""What a problem says to people, which may be put better; its code is for programs and stays."""


def play(world: worlds.World, settings: Plain, acts: Sequence[Act]) -> Plain:
    """A conversation: its settings, then each question with its answer and what followed, then the next question."""
    session = worlds.open_session(world, settings)
    turns: list[Plain] = []
    for act in acts:
        if act == "undo":
            session = worlds.undo(session)
            turns.append({"undo": True, **worlds.describe_state(session)})
            continue
        question = worlds.ask(session)
        if question is None:
            break
        asked = worlds.describe_question(question)
        session = worlds.tell(session, question, act)
        turns.append({**asked, "answer": act, **worlds.describe_state(session)})
    turns.append(worlds.describe_question(worlds.ask(session)))
    return {"settings": settings, "turns": turns}


def acts_of(conversation: Plain) -> list[Act]:
    """The answers of a recorded conversation."""
    return [turn.get("answer", "undo") for turn in conversation["turns"][:-1]]


def go_on(session: Any) -> Plain:
    """What a loaded session says, and what it says after one more answer."""
    question = worlds.ask(session)
    before = {"question": worlds.describe_question(question), "state": worlds.describe_state(session)}
    if question is None:
        return before
    session = worlds.tell(session, question, 0)
    next_question = worlds.describe_question(worlds.ask(session))
    return {**before, "then": {"question": next_question, "state": worlds.describe_state(session)}}


def play_over_http(client: Any, requests: Sequence[Plain]) -> list[Plain]:
    """The requests, each with its response.

    In what is sent, `{session}`, `{share}` and `{question}` stand for those of the session as it was last seen, and the
    body "{export}" for the log that was exported last.
    """
    known: dict[str, str] = {}
    exported: Plain = {}
    played = []
    for request in requests:
        body = request.get("body")
        body = exported if body == "{export}" else _filled(body, known)
        response = client.request(request["method"], _filled(request["path"], known), json=body)
        content = response.json() if response.content else None
        seen = content.get("session", content) if isinstance(content, dict) else {}
        if "share" in seen:
            known = {"session": seen["id"] or known["session"], "share": seen["share"]}
            known["question"] = seen["question"]["id"] if seen["question"] else ""
        if request["path"].endswith("/export"):
            exported = content
        played.append({**request, "status": response.status_code, "response": _steady(content)})
    return played


def _filled(content: Any, known: Mapping[str, str]) -> Any:
    if isinstance(content, dict):
        return {key: _filled(value, known) for key, value in content.items()}
    if isinstance(content, str):
        for name, value in known.items():
            content = content.replace(f"{{{name}}}", value)
    return content


def _steady(content: Any) -> Any:
    """A response without what differs in every run.

    A session leaves out the facts of its items as well, to be short; its question and its ranking by themselves have
    them.
    """
    if isinstance(content, list):
        return [_steady(value) for value in content]
    if not isinstance(content, dict):
        return content
    if "code" in content and "status" in content:
        return {key: value for key, value in content.items() if key not in WORDS_OF_A_PROBLEM}
    is_session = "share" in content
    volatile = VOLATILE if is_session else VOLATILE - {"id"}
    content = edges.response_as_recorded(content)
    steady = {key: "…" if key in volatile and value else _steady(value) for key, value in content.items()}
    return _without(steady, "facts") if is_session else steady


def _without(content: Any, name: str) -> Any:
    """The content without the entries of this name, however deep."""
    if isinstance(content, dict):
        return {key: _without(value, name) for key, value in content.items() if key != name}
    return [_without(value, name) for value in content] if isinstance(content, list) else content


def play_on_the_command_line(folder: Path, arguments: Sequence[str], lines: Sequence[Any]) -> Any:
    """The objects that a command prints, without times; `{laptops}` in its arguments stands for that table's path."""
    table = folder / "laptops.csv"
    table.write_text(worlds.laptops_csv(), encoding="utf-8")
    given = [argument.replace("{laptops}", str(table)) for argument in arguments]
    printed = edges.command(given, [json.dumps(line) for line in lines])
    objects = (
        [json.loads(printed)] if printed.startswith("{\n") else [json.loads(line) for line in printed.splitlines()]
    )
    # The response model stands in the report as a text with all its digits.
    return _without(_without(objects, "seconds"), "response")
