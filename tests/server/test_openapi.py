"""The description that clients are generated from is the one the server gives."""

import json
import re
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


def test_every_request_has_examples_and_every_field_of_it_a_description():
    schemas = document()["components"]["schemas"]
    for name in ("NewSession", "NewAnswer", "Undo", "NewFilters", "Filter"):
        assert schemas[name]["examples"], name
        for field, schema in schemas[name]["properties"].items():
            assert schema.get("description"), (name, field)


def test_schemas_have_the_names_that_clients_know():
    names = set(document()["components"]["schemas"])
    assert {"Session", "Question", "Option", "Recommendation", "Stop", "Turn", "Catalog", "Attribute"} <= names
    assert not [name for name in names if name.endswith("View")]


def test_every_reference_leads_to_a_schema():
    described = document()
    references = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(described)))
    assert references == set(described["components"]["schemas"])
