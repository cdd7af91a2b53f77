"""What people want, for the operator: as JSON, as CSV, and as a page behind a login form."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.responses import Response

from rather.errors import InvalidInputError, UnknownNameError
from rather.insights.page import page
from rather.insights.report import Insights, Wishes, as_data
from rather.insights.tables import csv_text, find, people_tables, tables
from rather.server.conversations.insights import InsightReports
from rather.server.http import admin_pages
from rather.server.http.operations import administration
from rather.server.http.routes import AppConversations
from rather.server.problems import ProblemError, busy, invalid_request

CSV = "text/csv; charset=utf-8"
# Items to compare and changes to try in one request.
MOST_WISHES = 50

Name = Annotated[str | None, Query(max_length=200, description="Of the catalogue; by default the first one.")]
Items = Annotated[
    list[str] | None,
    Query(description="Ids or names of at least two items to compare by share; by default the five that win most."),
]
Changes = Annotated[
    list[str] | None,
    Query(description="Changes to try: `ID: price=900`, or `+ID: price=900` for a new item that is otherwise like it."),
]
Price = Annotated[
    str | None, Query(max_length=200, description="The column that is the price; by default the first one of money.")
]


def asked_of(
    conversations: AppConversations,
    catalog: Name = None,
    items: Items = None,
    what_if: Changes = None,
    price: Price = None,
) -> admin_pages.Asked:
    """What a request asks for, with one wish in each line of each value."""
    name = catalog or next(iter(conversations.catalogs)).name
    return admin_pages.Asked(name, _lines(items), _lines(what_if), price or "")


def _lines(values: list[str] | None) -> tuple[str, ...]:
    return tuple(line.strip() for value in values or () for line in value.splitlines() if line.strip())


What = Annotated[admin_pages.Asked, Depends(asked_of)]


@administration.get("/insights", summary="What people want", response_class=JSONResponse)
def read_insights(request: Request, asked: What) -> dict[str, Any]:
    """How conversations went and what people want, as `rather insights --json` prints it, without respondents.

    It is computed beside the requests and kept for ten minutes. While `complete` is false, what people want is being
    computed: ask again.
    """
    found, waiting = reports(request.app).report(asked.catalog, wishes_of(asked))
    if found is None:
        raise busy("The report is being computed.")
    return {"complete": not waiting, **as_data(found, people=False)}


@administration.get(
    "/insights/{table}.csv",
    summary="A table of the report",
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}},
)
def read_insights_table(table: str, request: Request, asked: What) -> Response:
    """One table of the report as CSV: `part_worths`, `importances`, `winners`, `respondents` and others.

    Texts are never taken for formulas by a spreadsheet.
    """
    return table_response(reports(request.app), asked, table)


def reports(app: FastAPI) -> InsightReports:
    """The reports of a server."""
    found: InsightReports = app.state.insights
    return found


def wishes_of(asked: admin_pages.Asked) -> Wishes | None:
    """What a request asks for besides; None if it asks for nothing."""
    wishes = Wishes(tuple(asked.items), tuple(asked.what_if), asked.price or None)
    if max(len(wishes.items), len(wishes.what_if)) > MOST_WISHES:
        raise invalid_request(f"At most {MOST_WISHES} items can be compared, and as many changes be tried, at a time.")
    return None if wishes == Wishes() else wishes


def table_response(found: InsightReports, asked: admin_pages.Asked, table: str) -> Response:
    """A table of a report as a CSV file."""
    wishes = wishes_of(asked)
    if table.startswith("respondent"):
        report, waiting = found.with_people(asked.catalog), False
        listed = people_tables(report.wants) if report is not None and report.wants is not None else []
    else:
        report, waiting = found.report(asked.catalog, wishes)
        listed = tables(report) if report is not None else []
    wanted = find(listed, table)
    if wanted is not None:
        headers = {"Content-Disposition": f'attachment; filename="{wanted.name}.csv"', "Cache-Control": "no-store"}
        return Response(
            "\ufeff" + csv_text(wanted), media_type=CSV, headers=headers
        )  # the mark tells Excel that it is UTF-8
    if report is None or waiting:
        raise busy("The report is being computed.")
    known = ", ".join(each.name for each in listed)
    raise ProblemError(404, "unknown-name", f"The report has no table {table!r}.", f"It has: {known}.")


def install(app: FastAPI) -> None:
    """Serve the page of the report and its login form."""
    pages = APIRouter(include_in_schema=False)
    login = admin_pages.Login(app.state.settings.admin_token)

    @pages.get("/admin/insights")
    def insights_page(request: Request, conversations: AppConversations, asked: What) -> Response:
        if (rejected := login.rejected(request)) is not None:
            return rejected
        names = [served.name for served in conversations.catalogs]
        problem = ""
        try:
            found, waiting = reports(app).report(asked.catalog, wishes_of(asked))
        except (InvalidInputError, UnknownNameError, ProblemError) as error:
            if asked.catalog not in names:
                raise
            problem = str(error)
            found, waiting = reports(app).report(asked.catalog)
        return _page(found, waiting, names, asked, problem)

    @pages.get("/admin/insights/{table}.csv")
    def insights_table(table: str, request: Request, asked: What) -> Response:
        if (rejected := login.rejected(request)) is not None:
            return rejected
        return table_response(reports(app), asked, table)

    @pages.post("/admin/login")
    async def log_in(request: Request) -> Response:
        return await login.log_in(request, "/admin/insights")

    @pages.post("/admin/logout")
    async def log_out() -> Response:
        return login.log_out("/admin/insights")

    @pages.get("/admin")
    async def start() -> Response:
        return RedirectResponse("/admin/insights", 303)

    app.include_router(pages)


def _page(
    found: Insights | None, waiting: bool, names: list[str], asked: admin_pages.Asked, problem: str
) -> HTMLResponse:
    if found is None:
        return admin_pages.waiting()
    text = page(found, waiting=waiting, controls=admin_pages.controls(names, asked, problem, waiting))
    return HTMLResponse(text, headers=admin_pages.HEADERS)
