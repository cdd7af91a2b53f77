"""What a browser loads: the page, the documentation of the API, the script that embeds it; nothing from elsewhere."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import fastapi_offline
from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from rather.languages import message
from rather.server.http.html_files import STATIC, HtmlFiles
from rather.server.http.language import Wishes
from rather.server.http.problems import on_http_exception
from rather.server.settings import Settings
from rather.server.theme import Theme

# Of that package we use the files of Swagger UI; its own page has an inline script, which our policy forbids.
SWAGGER = Path(fastapi_offline.__file__).parent / "static"
READ = ["GET", "HEAD"]
KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}


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
            response.headers.update(KEPT)
        return response


def wants_page(request: Request) -> bool:
    """Whether a person opened this address in a browser; what is under /v1 answers with JSON to anybody."""
    opened = request.method in READ and "text/html" in request.headers.get("accept", "")
    return opened and not request.url.path.startswith("/v1/")


def may_embed(request: Request, origins: tuple[str, ...]) -> bool:
    """Whether the site that says it embeds the page may do so. If it says nothing or lies, the policy decides."""
    site = request.query_params.get("parent")
    return site is None or site in origins or urlsplit(site).netloc == request.headers.get("host")


def in_language(
    request: Request, html: HtmlFiles, name: str, headers: Mapping[str, str], status: int = 200, origin: str = ""
) -> HTMLResponse:
    """A page in the language of whoever opens it; its script reads the language from `lang`."""
    language = Wishes.of(request).language()
    text = html.page(name, language, request.query_params.get("mode"), **_names(origin, language))
    return HTMLResponse(text, status, {**headers, "Content-Language": language, "Vary": "Accept-Language"})


def _names(origin: str, language: str) -> dict[str, str]:
    """A site and its origin in words. A page that was opened from a disk has no origin, and browsers say "null"."""
    if origin == "null":
        return {"site": message(language, "not_allowed.from_disk"), "origin": "https://HOST"}
    return {"site": origin[:200], "origin": origin[:200]}


def install(app: FastAPI, settings: Settings) -> None:
    """Serve the pages beside the API."""
    pages = APIRouter(include_in_schema=False)
    html = HtmlFiles(settings.theme)
    hosts = settings.display().image_hosts
    policy = {"Content-Security-Policy": page_policy(hosts), "Cache-Control": "no-cache"}
    framed = {"Content-Security-Policy": page_policy(hosts, ("'self'", *settings.origins))}
    anywhere = {"Content-Security-Policy": page_policy(framed_by=("*",))}
    documented = {"Content-Security-Policy": page_policy(("data:",))}  # the icons of its style sheet

    @pages.api_route("/", methods=READ)
    @pages.api_route("/shared/{token}", methods=READ)
    async def page(request: Request) -> HTMLResponse:
        return in_language(request, html, "index.html", policy)

    @pages.api_route("/embed", methods=READ)
    async def embedded(request: Request) -> HTMLResponse:
        if may_embed(request, settings.origins):
            return in_language(request, html, "index.html", {**policy, **framed})
        # An empty frame would not say why. This page has nothing to press, so any site may show it.
        origin = request.query_params["parent"]
        return in_language(request, html, "not-allowed.html", {**policy, **anywhere}, 403, origin)

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
        return in_language(request, html, "not-found.html", {"Content-Security-Policy": page_policy()}, 404)

    if settings.theme is not None:
        _serve_theme(pages, settings.theme)
    app.include_router(pages)
    app.mount("/swagger", StaticFiles(directory=SWAGGER))
    app.mount("/assets", Assets(directory=STATIC / "assets"))


def _serve_theme(pages: APIRouter, theme: Theme) -> None:
    """Serve the stylesheet, pictures and fonts of a theme, whose names change with their content."""
    style = theme.stylesheet()
    served = {**theme.files(), style.name: style}
    # An SVG that somebody opens by itself is a document: its policy lets it style itself, and nothing else.
    policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}

    @pages.api_route("/theme/{name}", methods=READ)
    async def theme_file(name: str) -> Response:
        if name not in served:
            raise HTTPException(404)
        file = served[name]
        return Response(file.content, media_type=file.media_type, headers={**KEPT, **policy})
