"""`python -m rather.server.openapi` prints the OpenAPI description, to generate clients from."""

import json
from typing import Any

import rather
from rather.server.http.app import create_app
from rather.server.settings import Settings


def document() -> dict[str, Any]:
    """The description of the API; the same on every machine and for every catalogue."""
    app = create_app({"films": rather.open("films")}, Settings(database="sqlite://", prefetch=False))
    described = app.openapi()
    app.state.conversations.close()
    return described


if __name__ == "__main__":
    print(json.dumps(document(), indent=2, ensure_ascii=False))
