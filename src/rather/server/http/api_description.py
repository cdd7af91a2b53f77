"""The OpenAPI description: what the framework derives, with our error body instead of its own."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from rather.server.http.problems import InvalidField, ProblemDetails

REFERENCE = "#/components/schemas/"


def describe(app: FastAPI) -> dict[str, Any]:
    """The API description of an app, made once."""
    if app.openapi_schema is None:
        app.openapi_schema = _described(app)
    return app.openapi_schema


def _described(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        tags=app.openapi_tags,
        separate_input_output_schemas=False,
    )
    schemas = document["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for model in (ProblemDetails, InvalidField):
        schema = model.model_json_schema(ref_template=REFERENCE + "{model}")
        schema.pop("$defs", None)
        schemas[model.__name__] = schema
    schemas = {_public_name(name): schema for name, schema in schemas.items()}
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    _rename(document)
    return document


def _rename(part: Any) -> None:
    """Give every reference to a schema, and every title of one, the public name of the schema."""
    if isinstance(part, list):
        for item in part:
            _rename(item)
    elif isinstance(part, dict):
        for key, value in part.items():
            if key in ("$ref", "title") and isinstance(value, str):
                part[key] = _public_name(value)
            else:
                _rename(value)


def _public_name(name: str) -> str:
    """What clients call a schema: `Session`, where our code says `SessionView` to tell it from the library's."""
    return name.removesuffix("View")
