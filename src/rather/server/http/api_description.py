"""The OpenAPI description: what the framework derives, with our error body in place of its own."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from rather.server.http.problems import InvalidField, ProblemDetails


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of an app, made once."""
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
    template = "#/components/schemas/{model}"
    for model in (ProblemDetails, InvalidField):
        schema = model.model_json_schema(ref_template=template)
        schema.pop("$defs", None)
        schemas[model.__name__] = schema
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return document
