"""Pages for the operator: a login form, what stands around a report, and forms that ask more of it."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import parse_qs, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.responses import Response

from rather.controls import visible
from rather.insights.page import POLICY, Controls, document

COOKIE = "rather_admin"
# A browser stays logged in for this long.
COOKIE_SECONDS = 8 * 3600
REFRESH_SECONDS = 5
FORM_POLICY = POLICY.replace("form-action 'none'", "form-action 'self'") + "; frame-ancestors 'none'"
HEADERS = {"Cache-Control": "no-store", "Content-Security-Policy": FORM_POLICY, "Referrer-Policy": "no-referrer"}


@dataclass(frozen=True)
class Login:
    """Who knows the admin token gets a cookie, which other sites cannot make a browser send.

    Attributes:
        token: The admin token; None where the server has none, so that nobody can log in.
    """

    token: str | None

    def rejected(self, request: Request) -> Response | None:
        """The form for those who are not logged in; None for those who are."""
        if self.token is None:
            return _form("This server was started without an admin token, so that nobody can log in.", 403)
        given = request.cookies.get(COOKIE, "").encode("utf-8", "replace")
        return None if secrets.compare_digest(given, _proof(self.token).encode()) else _form("", 401)

    async def log_in(self, request: Request, address: str) -> Response:
        """What a sent form leads to: the cookie and the page at this address, or the form again."""
        given = _sent((await request.body()).decode("utf-8", "replace"), "token")
        if self.token is None or not secrets.compare_digest(given.encode(), self.token.encode()):
            return _form("This is not the admin token.", 401)
        response = RedirectResponse(address, 303, HEADERS)
        secure = request.url.scheme == "https"
        proof = _proof(self.token)
        response.set_cookie(
            COOKIE, proof, COOKIE_SECONDS, path="/admin", secure=secure, httponly=True, samesite="strict"
        )
        return response

    def log_out(self, address: str) -> Response:
        """Forget the cookie and show the form at this address."""
        response = RedirectResponse(address, 303, HEADERS)
        response.delete_cookie(COOKIE, path="/admin", httponly=True, samesite="strict")
        return response


@dataclass(frozen=True)
class Asked:
    """What the operator has asked for.

    Attributes:
        catalog: The name of the catalogue.
        items: To compare.
        what_if: Changes to try.
        price: The column that is the price.
    """

    catalog: str
    items: Sequence[str]
    what_if: Sequence[str]
    price: str

    def address(self, path: str) -> str:
        """The same asked of another path."""
        fields = {"catalog": self.catalog, "items": list(self.items), "what_if": list(self.what_if)}
        return f"{path}?{urlencode({**fields, **({'price': self.price} if self.price else {})}, doseq=True)}"


def controls(names: Sequence[str], asked: Asked, problem: str, is_waiting: bool) -> Controls:
    """What stands around a report."""
    csv = asked.address("/admin/insights/TABLE.csv").replace("TABLE", "{name}", 1)
    return Controls(_top(names, asked.catalog), _wishes(asked, problem), csv, REFRESH_SECONDS if is_waiting else None)


def waiting() -> HTMLResponse:
    """A page that shows the report as soon as there is one."""
    text = "<h1>What people want</h1><p>The report is being computed. This page shows it when it is done.</p>"
    head = f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">'
    return HTMLResponse(document("What people want", text, head), headers=HEADERS)


def _top(names: Sequence[str], shown: str) -> str:
    links = "".join(
        f"<b>{_escaped(name)}</b>"
        if name == shown
        else f'<a href="/admin/insights?{escape(urlencode({"catalog": name}))}">{_escaped(name)}</a>'
        for name in names
    )
    out = '<form method="post" action="/admin/logout"><button>Log out</button></form>'
    return f'<nav aria-label="Reports">{links if len(names) > 1 else ""}{out}</nav>'


def _wishes(asked: Asked, problem: str) -> str:
    """The form that compares other items, or tries a change, and what was wrong with what was asked last."""
    said = f'<p class="problem" role="alert">{_escaped(problem)}</p>' if problem else ""
    return (
        '<form class="try" method="get" action="/admin/insights#choose" id="try">'
        f"<h3>Compare others, or try a change</h3>{said}"
        f'<input type="hidden" name="catalog" value="{_escaped(asked.catalog)}">'
        f'<input type="hidden" name="price" value="{_escaped(asked.price)}">'
        '<label for="items">Compare</label>'
        "<small>Ids or names, each on a line of its own, at least two. Empty: the five that win most.</small>"
        f'<textarea id="items" name="items" rows="3">{_escaped(chr(10).join(asked.items))}</textarea>'
        '<label for="what_if">What if</label>'
        "<small>One change on each line, such as <code>ID: price=900</code>; for a new one that is otherwise like it, "
        "<code>+ID: price=900, colour=red</code>.</small>"
        f'<textarea id="what_if" name="what_if" rows="2">{_escaped(chr(10).join(asked.what_if))}</textarea>'
        "<button>Show</button></form>"
    )


def _form(problem: str, status: int) -> HTMLResponse:
    said = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    form = (
        # Programs that keep passwords look for a name beside each.
        '<form method="post" action="/admin/login"><input name="name" value="admin" autocomplete="username" hidden>'
        '<p><label for="token">Admin token</label><br>'
        '<input id="token" type="password" name="token" required autofocus autocomplete="current-password" size="32"> '
        "<button>Log in</button></p></form>"
    )
    body = f"<h1>What people want</h1>{said}{form if status == 401 else ''}"
    return HTMLResponse(document("Log in", body), status, HEADERS)


def _sent(form: str, name: str) -> str:
    """A field of a form; "" where it is missing, or where there are far more fields than in ours."""
    try:
        return parse_qs(form, max_num_fields=10).get(name, [""])[0]
    except ValueError:
        return ""


def _proof(token: str) -> str:
    """What the cookie holds: it tells that the token was known, not the token."""
    return hmac.new(token.encode(), b"rather admin cookie", hashlib.sha256).hexdigest()


def _escaped(text: str) -> str:
    return escape(visible(text))
