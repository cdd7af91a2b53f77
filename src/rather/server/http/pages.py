"""What a browser loads: the page, the documentation of the API, the script that embeds it; nothing from elsewhere."""

from pathlib import Path

import fastapi_offline
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import FileResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from rather.server.http.display_text import DisplayText
from rather.server.http.problems import on_http_exception
from rather.server.settings import Settings

STATIC = Path(__file__).parents[1] / "static"
# Of that package we use the files of Swagger UI; its own page has an inline script, which our policy forbids.
SWAGGER = Path(fastapi_offline.__file__).parent / "static"
READ = ["GET", "HEAD"]


def page_policy(images: tuple[str, ...] = (), framed_by: tuple[str, ...] = ()) -> str:
    """The Content-Security-Policy of a page: everything from this server, no inline script or style.

    Args:
        images: Where pictures may come from besides this server.
        framed_by: Who may show the page in a frame.
    """
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            " ".join(("img-src 'self'", *images)),
            "font-src 'self'",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {' '.join(framed_by) or chr(39) + 'none' + chr(39)}",
        )
    )


class Assets(StaticFiles):
    """Files whose names change with their content, which a browser may keep for ever."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """See Starlette."""
        response = await super().get_response(path, scope)
        if response.status_code == 200:
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def wants_page(request: Request) -> bool:
    """Whether a person opened this address in a browser; what is under /v1 answers with JSON to anybody."""
    opened = request.method in READ and "text/html" in request.headers.get("accept", "")
    return opened and not request.url.path.startswith("/v1/")


def install(app: FastAPI, settings: Settings) -> None:
    """Serve the pages beside the API."""
    pages = APIRouter(include_in_schema=False)
    hosts = DisplayText.under(settings).image_hosts
    policy = {"Content-Security-Policy": page_policy(hosts), "Cache-Control": "no-cache"}
    framed = {"Content-Security-Policy": page_policy(hosts, ("'self'", *settings.origins))}
    documented = {"Content-Security-Policy": page_policy(("data:",))}  # the icons of its style sheet

    @pages.api_route("/", methods=READ)
    @pages.api_route("/shared/{token}", methods=READ)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers=policy)

    @pages.api_route("/embed", methods=READ)
    async def embedded() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={**policy, **framed})

    @pages.api_route("/embed.js", methods=READ)
    async def embed_script() -> FileResponse:
        return FileResponse(STATIC / "embed.js", headers={"Cross-Origin-Resource-Policy": "cross-origin"})

    @pages.api_route("/docs", methods=READ)
    async def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html", headers={**policy, **documented})

    @pages.api_route("/docs.js", methods=READ)
    async def docs_script() -> FileResponse:
        return FileResponse(STATIC / "docs.js")

    @app.exception_handler(404)
    async def not_found(request: Request, error: Exception) -> Response:
        if not wants_page(request):
            return on_http_exception(request, error)
        return FileResponse(STATIC / "not-found.html", 404, {"Content-Security-Policy": page_policy()})

    app.include_router(pages)
    app.mount("/swagger", StaticFiles(directory=SWAGGER))
    app.mount("/assets", Assets(directory=STATIC / "assets"))
