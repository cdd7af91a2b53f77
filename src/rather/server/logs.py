"""Structured logs: one JSON object a line, with request ids but never answers, addresses or session ids."""

import json
import logging
import logging.config
from datetime import UTC, datetime

from rather.controls import escaped_json, visible, visible_line

# Different messages whose repetitions are counted.
MOST_MESSAGES = 1_000


class JsonLines(logging.Formatter):
    """A record as one line of JSON, with the record's `fields` as members."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return escaped_json(json.dumps(line, ensure_ascii=False))


class PlainLines(logging.Formatter):
    """A record as a line for a terminal: what happened, then the record's `fields`."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        fields = ", ".join(f"{name} {value}" for name, value in getattr(record, "fields", {}).items())
        line = visible_line(f"{record.levelname.capitalize()}: {record.getMessage()}{f' ({fields})' if fields else ''}")
        return f"{line}\n{visible(self.formatException(record.exc_info))}" if record.exc_info else line


class Repeats(logging.Filter):
    """Lets the same warning or error through a few times a minute, so that no attack fills a disk.

    The next one after that says how many were left out.

    Args:
        most: Of each message in one period.
        seconds: How long a period is.
    """

    def __init__(self, most: int = 20, seconds: float = 60.0) -> None:
        super().__init__()
        self._most, self._seconds = most, seconds
        self._periods: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """See `logging.Filter.filter`."""
        if record.levelno < logging.WARNING:
            return True
        key = (record.name, str(record.msg)[:200])
        start, count = self._periods.get(key, (record.created, 0))
        left_out = 0
        if record.created - start >= self._seconds:
            start, count, left_out = record.created, 0, max(0, count - self._most)
        if len(self._periods) > MOST_MESSAGES:
            self._periods.clear()
        self._periods[key] = (start, count + 1)
        if left_out:
            record.fields = {**getattr(record, "fields", {}), "left_out_before": left_out}
        return count < self._most


def configure(level: str = "INFO", *, plain: bool = False) -> None:
    """Send the logs of the service and of the HTTP server below it to standard error.

    Args:
        level: The lowest level that is logged.
        plain: Whether to write lines for a terminal; else JSON.
    """
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"lines": {"()": PlainLines if plain else JsonLines}},
            "filters": {"repeats": {"()": Repeats}},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines", "filters": ["repeats"]}},
            "loggers": {
                name: {"handlers": ["stderr"], "level": level, "propagate": False}
                for name in ("rather.server", "uvicorn", "asyncio")
            },
        }
    )
