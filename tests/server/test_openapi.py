"""The description that clients are generated from is the one the server gives."""

import json
from pathlib import Path

from rather.server.openapi import document

STORED = Path(__file__).parents[2] / "web" / "openapi.json"


def test_the_stored_description_is_current():
    hint = "Run: python -m rather.server.openapi > web/openapi.json"
    assert json.loads(STORED.read_text(encoding="utf-8")) == document(), hint


def test_every_error_is_described_as_a_problem():
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            for status, response in operation["responses"].items():
                if int(status) >= 400:
                    assert list(response["content"]) == ["application/problem+json"], (path, method, status)


def test_every_route_is_documented():
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            assert operation.get("summary"), (path, method)
            assert operation.get("description"), (path, method)
            assert operation.get("tags"), (path, method)


def test_every_field_of_a_request_has_an_example_or_a_description():
    schemas = document()["components"]["schemas"]
    for name in ("NewSession", "NewAnswer", "Undo", "NewFilters"):
        assert schemas[name]["examples"], name
