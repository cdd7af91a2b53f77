"""Routes that export all sessions, for whoever has the admin token."""

from datetime import date, datetime, time
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse

from rather.server.exports.writing import Format, Table, dictionary_csv, stream_table
from rather.server.http.operations import admin
from rather.server.http.problems import documented
from rather.server.http.routes import AppConversations

CSV, PARQUET = "text/csv; charset=utf-8", "application/vnd.apache.parquet"
FILE_SCHEMA = {"schema": {"type": "string", "format": "binary"}}

ExportFile = Literal["answers.csv", "answers.parquet", "respondents.csv", "respondents.parquet", "dictionary.csv"]
TABLES: dict[ExportFile, tuple[Table, Format]] = {
    "answers.csv": ("answers", "csv"),
    "answers.parquet": ("answers", "parquet"),
    "respondents.csv": ("respondents", "csv"),
    "respondents.parquet": ("respondents", "parquet"),
}

exports = APIRouter(
    prefix="/v1/admin/export",
    tags=["admin"],
    dependencies=[Depends(admin)],
    responses=documented(401, 403, 422, 429, 503),
)


@exports.get(
    "/{file}",
    summary="Export all sessions",
    response_class=Response,
    responses={200: {"content": {"text/csv": FILE_SCHEMA, PARQUET: FILE_SCHEMA}}},
)
def export_file(
    file: ExportFile,
    conversations: AppConversations,
    since: Annotated[date | None, Query(description="Only sessions that were opened since this day, in UTC.")] = None,
) -> Response:
    """One row per answer, or one per respondent (session), oldest first; or what every column means.

    Rows are read while they are sent, so that any number of sessions needs little memory. Texts in a CSV are never
    taken for formulas by a spreadsheet. The rows hold the ids of sessions, with which one can answer in them.
    """
    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    if file == "dictionary.csv":
        return Response(dictionary_csv(), media_type=CSV, headers=headers)
    conversations.store.ping()  # once the response has begun, only the connection can say that something failed
    table, format = TABLES[file]
    sessions = conversations.store.stream(since=None if since is None else datetime.combine(since, time.min))
    pieces = stream_table(sessions, table, format)
    return StreamingResponse(pieces, media_type=CSV if format == "csv" else PARQUET, headers=headers)
