"""Examples for the documentation of the API."""

from typing import Any

from pydantic import ConfigDict


def example(**fields: Any) -> ConfigDict:
    """The configuration of a response that has this example in its documentation."""
    return ConfigDict(json_schema_extra={"examples": [fields]})
