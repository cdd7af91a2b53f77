"""Documents that any program can read."""

import io
import json
import sys

import pytest

from rather.cli.json_output import print_json


@pytest.mark.parametrize(("encoding", "text"), [("utf-8", '["é…"]\n'), ("ascii", '["\\u00e9\\u2026"]\n')])
def test_text_is_readable_where_the_encoding_allows_it(monkeypatch, encoding, text):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    print_json(["é…"], indent=None)
    assert stream.buffer.getvalue().decode(encoding) == text


def test_numbers_that_json_does_not_have_are_null(capsys):
    print_json({"a": [1.5, float("nan")], "b": (float("inf"), {"c": -float("inf")})})
    assert json.loads(capsys.readouterr().out) == {"a": [1.5, None], "b": [None, {"c": None}]}
