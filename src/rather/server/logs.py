"""Structured logs: one JSON object a line, with request ids but never answers, addresses or session ids."""

import json
import logging
import logging.config
from datetime import UTC, datetime

from rather.controls import escaped_json, visible, visible_line


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
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
            "loggers": {
                name: {"handlers": ["stderr"], "level": level, "propagate": False}
                for name in ("rather.server", "uvicorn")
            },
        }
    )
