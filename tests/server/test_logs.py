"""Logs for programs, and for somebody at a terminal."""

import json
import logging
import sys
import unicodedata

import pytest

from rather.server.logs import JsonLines, PlainLines


def record(message, error=None, **fields):
    made = logging.LogRecord("rather.server", logging.WARNING, "", 0, message, (), error)
    made.fields = fields
    return made


def test_a_line_for_programs_is_one_json_object():
    line = json.loads(JsonLines().format(record("storage unavailable", reason="a\nb")))
    assert (line["level"], line["event"], line["reason"]) == ("warning", "storage unavailable", "a\nb")


def test_a_line_for_people_is_no_json():
    assert PlainLines().format(record("draining")) == "Warning: draining"
    assert PlainLines().format(record("slow", route="/v1", ms=5)) == "Warning: slow (route /v1, ms 5)"


def test_both_tell_where_an_error_came_from():
    try:
        raise ValueError("here")
    except ValueError:
        failed = record("failed", sys.exc_info())
    assert "ValueError: here" in PlainLines().format(failed)
    assert "ValueError: here" in json.loads(JsonLines().format(failed))["traceback"]


@pytest.mark.parametrize("lines", [JsonLines(), PlainLines()])
def test_a_record_is_one_line_without_control_characters(lines):
    hostile = "a\x1b[2J\nWarning: forged\x9b31m\u2028\x00"
    line = lines.format(record(hostile, reason=hostile))
    assert all(unicodedata.category(sign) not in ("Cc", "Zl", "Zp") for sign in line)
    assert line.count("forged") == 2


def test_preparing_a_catalogue_is_logged(make_client, caplog):
    with caplog.at_level(logging.INFO, "rather.server"):
        make_client()
    said = [(item.getMessage(), item.fields) for item in caplog.records if hasattr(item, "fields")]
    assert said[0] == ("preparing", {"catalog": "things", "items": 24})
    event, fields = said[1]
    assert (event, fields["search"]) == ("prepared", "exact")
    assert fields["seconds"] >= 0
