"""`python -m rather.server.openapi` prints the OpenAPI description, to generate clients from."""

import json
from tempfile import TemporaryDirectory
from typing import Any

import rather
from rather.server.http.app import create_app
from rather.server.settings import Settings


def document() -> dict[str, Any]:
    """The description of the API; the same on every machine and for every catalogue."""
    with TemporaryDirectory() as folder:
        settings = Settings(database=f"sqlite:///{folder}/sessions.db", prefetch=False)
        app = create_app({"films": rather.open("films")}, settings)
        described = app.openapi()
        app.state.conversations.close()
    return described


if __name__ == "__main__":
    print(json.dumps(document(), indent=2, ensure_ascii=False))
