"""What people want, for the operator: as JSON, and as a page behind a login form."""

import hashlib
import hmac
import secrets
from html import escape
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from rather.insights.page import POLICY, STYLE, page
from rather.insights.report import as_data
from rather.server.conversations.insights import InsightReports
from rather.server.http.operations import administration
from rather.server.http.routes import AppConversations
from rather.server.problems import busy

COOKIE = "rather_admin"
# A browser stays logged in for this long.
COOKIE_SECONDS = 8 * 3600
REFRESH_SECONDS = 5
FORM_POLICY = POLICY.replace("form-action 'none'", "form-action 'self'") + "; frame-ancestors 'none'"
HEADERS = {"Cache-Control": "no-store", "Content-Security-Policy": FORM_POLICY}

Name = Annotated[str | None, Query(max_length=200, description="Of the catalogue; by default the first one.")]


@administration.get("/insights", summary="What people want", response_class=JSONResponse)
def read_insights(request: Request, conversations: AppConversations, catalog: Name = None) -> dict[str, Any]:
    """How conversations went and what people want, as `rather insights --json` prints it, without respondents.

    It is computed beside the requests and kept for ten minutes. While `complete` is false, what people want is being
    computed: ask again.
    """
    name = catalog or next(iter(conversations.catalogs)).name
    found, waiting = reports(request.app).report(name)
    if found is None:
        raise busy("The report is being computed.")
    return {"complete": not waiting, **as_data(found, people=False)}


def reports(app: FastAPI) -> InsightReports:
    """The reports of a server."""
    found: InsightReports = app.state.insights
    return found


def install(app: FastAPI) -> None:
    """Serve the page of the report and its login form, if there is an admin token."""
    pages = APIRouter(include_in_schema=False)
    token = app.state.settings.admin_token

    @pages.get("/admin/insights")
    def insights_page(request: Request, conversations: AppConversations, catalog: Name = None) -> Response:
        if token is None:
            return _form("This server was started without an admin token, so that nobody can log in.", 403)
        if not _is_logged_in(request, token):
            return _form("", 401)
        names = [served.name for served in conversations.catalogs]
        found, waiting = reports(request.app).report(catalog or names[0])
        if found is None:
            return _waiting()
        text = page(found, waiting=waiting, refresh=REFRESH_SECONDS if waiting else None)
        return HTMLResponse(text.replace("<body>", f"<body>{_links(names)}", 1), headers=HEADERS)

    @pages.post("/admin/login")
    async def login(request: Request) -> Response:
        fields = parse_qs((await request.body()).decode("utf-8", "replace"), max_num_fields=10)
        given = fields.get("token", [""])[0]
        if token is None or not secrets.compare_digest(given.encode(), token.encode()):
            return await run_in_threadpool(_form, "This is not the admin token.", 401)
        response = RedirectResponse("/admin/insights", 303, HEADERS)
        secure = request.url.scheme == "https"
        response.set_cookie(
            COOKIE, _proof(token), COOKIE_SECONDS, path="/admin", secure=secure, httponly=True, samesite="strict"
        )
        return response

    app.include_router(pages)


def _proof(token: str) -> str:
    """What the cookie holds: it tells that the token was known, not the token."""
    return hmac.new(token.encode(), b"rather admin cookie", hashlib.sha256).hexdigest()


def _is_logged_in(request: Request, token: str) -> bool:
    return secrets.compare_digest(request.cookies.get(COOKIE, "").encode("utf-8", "replace"), _proof(token).encode())


def _links(names: list[str]) -> str:
    if len(names) < 2:
        return ""
    links = " · ".join(f'<a href="/admin/insights?catalog={escape(name)}">{escape(name)}</a>' for name in names)
    return f"<p>{links}</p>"


def _form(problem: str, status: int) -> HTMLResponse:
    said = f'<p role="alert">{escape(problem)}</p>' if problem else ""
    form = (
        '<form method="post" action="/admin/login"><p><label>Admin token '
        '<input type="password" name="token" required autocomplete="current-password"></label> '
        "<button>Log in</button></p></form>"
    )
    return _document("Log in", f"<h1>What people want</h1>{said}{form if status == 401 else ''}", status)


def _waiting() -> HTMLResponse:
    text = "<h1>What people want</h1><p>The report is being computed. This page shows it when it is done.</p>"
    return _document("What people want", text, 200, f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">')


def _document(title: str, body: str, status: int, head: str = "") -> HTMLResponse:
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{head}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>{body}</body></html>\n"
    )
    return HTMLResponse(text, status, HEADERS)
