"""One error body for the whole API: problem details (RFC 9457) that say what went wrong and what to do."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from rather.errors import (
    ImpossibleAnswerError,
    InvalidInputError,
    NoQuestionLeftError,
    RatherError,
    TooManySlatesError,
    UnknownNameError,
)

MEDIA_TYPE = "application/problem+json"


class InvalidField(BaseModel):
    """One field of a request that is not what it must be."""

    field: str = Field(description="Where it stands, such as `body.k`.")
    message: str = Field(description="What it must be.")


class ProblemDetails(BaseModel):
    """What went wrong and what to do about it (RFC 9457)."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "/v1/problems/answer-conflict",
                    "title": "Question already answered",
                    "status": 409,
                    "code": "answer-conflict",
                    "detail": "Question 3-2 was answered otherwise. The open question is 4-3.",
                    "action": "Show the open question and answer that.",
                    "open_question": "4-3",
                }
            ]
        }
    )

    type: str = Field(description="A reference that names the kind of problem.")
    title: str = Field(description="The kind of problem, in words.")
    status: int = Field(description="The HTTP status.")
    code: str = Field(description="The kind of problem, for programs.")
    detail: str = Field(description="What happened this time.")
    action: str = Field(description="What to do.")
    errors: list[InvalidField] | None = Field(None, description="For an invalid request, each field at fault.")
    open_question: str | None = Field(None, description="For a conflict, the id of the question that is open.")


class ProblemError(Exception):
    """Raise it anywhere below a route; it becomes the response.

    Args:
        status: HTTP status.
        code: The kind of problem, in kebab case.
        detail: What happened.
        action: What to do.
        headers: Of the response.
        extra: Further members of the body.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        action: str,
        headers: Mapping[str, str] | None = None,
        **extra: Any,
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.action = status, code, detail, action
        self.headers, self.extra = dict(headers or {}), extra

    def response(self) -> Response:
        """The problem as an HTTP response."""
        body = ProblemDetails(
            type=f"/v1/problems/{self.code}",
            title=self.code.replace("-", " ").capitalize(),
            status=self.status,
            code=self.code,
            detail=self.detail,
            action=self.action,
            **self.extra,
        )
        return JSONResponse(body.model_dump(exclude_none=True), self.status, self.headers, MEDIA_TYPE)


def busy(detail: str, code: str = "busy") -> ProblemError:
    """The server cannot answer now but may in a moment."""
    return ProblemError(503, code, detail, "Send the same request again in a few seconds.", {"Retry-After": "2"})


def of_library(error: RatherError) -> ProblemError:
    """The response to a refusal by the library, whose messages are fit for a user's eyes."""
    text = str(error)
    if isinstance(error, UnknownNameError):
        return ProblemError(404, "unknown-name", text, "Use a name that the server lists.")
    if isinstance(error, NoQuestionLeftError):
        return ProblemError(409, "no-question-left", text, "Read the recommendations.")
    if isinstance(error, ImpossibleAnswerError):
        return ProblemError(422, "impossible-answer", text, "Skip this question or choose another answer.")
    if isinstance(error, InvalidInputError | TooManySlatesError):
        return ProblemError(422, "invalid-request", text, "Mend the request as the detail says.")
    return ProblemError(
        500, "internal-error", "The server failed on this request.", "Tell its operator the time of it."
    )


def install(app: FastAPI) -> None:
    """Make every error of the app a problem, those of the framework included."""
    app.exception_handler(ProblemError)(_on_problem)
    app.exception_handler(RatherError)(_on_library_error)
    app.exception_handler(RequestValidationError)(_on_invalid_request)
    app.exception_handler(HTTPException)(_on_http_exception)
    app.exception_handler(Exception)(_on_unexpected)


def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return error.response()


def _on_library_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RatherError)
    return of_library(error).response()


def _on_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    fields = [
        InvalidField(field=".".join(str(part) for part in item["loc"]), message=str(item["msg"]))
        for item in error.errors()[:20]
    ]
    if any(item["type"] == "json_invalid" for item in error.errors()):
        problem = ProblemError(400, "malformed-json", "The body is not JSON.", "Send one JSON object.", errors=fields)
    else:
        named = "; ".join(f"{field.field}: {field.message}" for field in fields[:3])
        problem = ProblemError(422, "invalid-request", named, "Mend the fields under `errors`.", errors=fields)
    return problem.response()


def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    actions = {
        404: ("not-found", "There is nothing at this address.", "See /docs for what there is."),
        405: ("method-not-allowed", f"This address does not take {request.method}.", "See the header Allow."),
    }
    code, detail, action = actions.get(
        error.status_code,
        (HTTPStatus(error.status_code).phrase.lower().replace(" ", "-"), str(error.detail), "See /docs."),
    )
    return ProblemError(error.status_code, code, detail, action, error.headers).response()


def _on_unexpected(request: Request, error: Exception) -> Response:
    return of_library(RatherError()).response()


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that a route may answer with, for its OpenAPI description."""
    schema = {"$ref": "#/components/schemas/ProblemDetails"}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {MEDIA_TYPE: {"schema": schema}}}
        for status in statuses
    }
