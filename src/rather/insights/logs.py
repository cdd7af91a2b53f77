"""Conversations in files: logs as `Session.to_json` writes them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rather.conversation.held_events import held_events
from rather.conversation.log import parse
from rather.errors import InvalidInputError
from rather.insights.progress import Course
from rather.insights.respondents import Respondent


def logs_in(source: Path) -> Iterator[Respondent]:
    """The logs of a file (`.json`, or `.jsonl` with one in each line) or of all such files of a folder."""
    for path in _files(source):
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInputError(f"{path} cannot be read: {error}.") from None
        lines = [line for line in text.splitlines() if line.strip()] if path.suffix == ".jsonl" else [text]
        for number, line in enumerate(lines, 1):
            name = path.stem if len(lines) == 1 else f"{path.stem} {number}"
            try:
                yield Respondent(name, parse(line))
            except InvalidInputError as error:
                where = path.name if len(lines) == 1 else f"{path.name}, line {number}"
                raise InvalidInputError(f"{where}: {error}") from None


def course_of_log(log: dict[str, Any]) -> Course:
    """How a logged conversation went. A log does not say when, and of the stopping rule only what it shows is known."""
    answers = [event for event in held_events(log["events"]) if "hint" not in event]
    rule, open = log["stopping"] or {}, log["open"]
    most, cost = rule.get("questions"), rule.get("cost")
    finished = (most is not None and len(answers) >= most) or (
        cost is not None and isinstance(open, dict) and open.get("evoi", cost) < cost
    )
    return Course(None, len(answers), finished and bool(answers))


def _files(source: Path) -> list[Path]:
    if not source.exists():
        raise InvalidInputError(f"There is no file or folder {str(source)!r}.")
    if source.is_file():
        return [source]
    found = sorted(path for path in source.rglob("*") if path.suffix in (".json", ".jsonl") and path.is_file())
    if not found:
        raise InvalidInputError(f"The folder {str(source)!r} holds no .json or .jsonl file.")
    return found
