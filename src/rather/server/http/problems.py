"""One error body for the whole API: problem details (RFC 9457), which say what went wrong and what to do."""

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
from rather.languages import ENGLISH, retold
from rather.server.http.language import Wishes
from rather.server.problems import ProblemError, invalid_request, out_of_memory

MEDIA_TYPE = "application/problem+json"


class InvalidField(BaseModel):
    """An invalid field of a request."""

    field: str = Field(description="Its path, such as `body.k`.")
    message: str = Field(description="What is wrong with it.")


class ProblemDetails(BaseModel):
    """What went wrong and what to do about it (RFC 9457)."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "/v1/problems/answer-conflict",
                    "title": "Answer conflict",
                    "status": 409,
                    "code": "answer-conflict",
                    "detail": "Question 3-2 has been answered differently. The open question is 4-3.",
                    "action": "Show the open question and answer that one.",
                    "open_question": "4-3",
                }
            ]
        }
    )

    type: str = Field(description="A reference that identifies the kind of problem.")
    title: str = Field(description="The kind of problem, in words.")
    status: int = Field(description="The HTTP status.")
    code: str = Field(description="The kind of problem, for programs.")
    detail: str = Field(description="What happened this time.")
    action: str = Field(description="What to do.")
    errors: list[InvalidField] | None = Field(None, description="For an invalid request, the invalid fields.")
    open_question: str | None = Field(None, description="For a conflict, the id of the question that is open.")
    redirect: str | None = Field(None, description="For who cannot take part in a study, where to go next.")


def problem_response(problem: ProblemError, language: str = ENGLISH) -> Response:
    """A problem as an HTTP response, in the language of the reader where it is one that people see."""
    body = ProblemDetails(
        type=f"/v1/problems/{problem.code}",
        title=problem.code.replace("-", " ").capitalize(),
        status=problem.status,
        code=problem.code,
        detail=retold(language, "problems", problem.detail),
        action=retold(language, "problems", problem.action),
        **problem.extra,
    )
    return JSONResponse(body.model_dump(exclude_none=True), problem.status, problem.headers, MEDIA_TYPE)


def of_library(error: RatherError) -> ProblemError:
    """An error of the library as a problem; its messages are written for users."""
    text = str(error)
    if isinstance(error, UnknownNameError):
        return ProblemError(404, "unknown-name", text, "Use a name that the server lists.")
    if isinstance(error, NoQuestionLeftError):
        return ProblemError(409, "no-question-left", text, "Read the recommendations.")
    if isinstance(error, ImpossibleAnswerError):
        return ProblemError(422, "impossible-answer", text, "Skip this question or choose another answer.")
    if isinstance(error, InvalidInputError | TooManySlatesError):
        return invalid_request(text)
    return internal_error()


def internal_error() -> ProblemError:
    """A mistake of ours."""
    action = "Tell its operator the id of the request, which is in the X-Request-Id header."
    return ProblemError(500, "internal-error", "The server failed on this request.", action)


def unexpected(error: Exception) -> ProblemError:
    """An error that nobody has foreseen: memory may be free again later, all else is a mistake of ours."""
    return out_of_memory(error) or internal_error()


def install(app: FastAPI) -> None:
    """Make every error of the app a problem, including those of the framework."""
    app.exception_handler(ProblemError)(_on_problem)
    app.exception_handler(RatherError)(_on_library_error)
    app.exception_handler(RequestValidationError)(_on_invalid_request)
    app.exception_handler(HTTPException)(on_http_exception)


def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return problem_response(error, Wishes.of(request).language())


def _on_library_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RatherError)
    return problem_response(of_library(error), Wishes.of(request).language())


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
        problem = ProblemError(422, "invalid-request", named, "Correct the fields under `errors`.", errors=fields)
    return problem_response(problem)


def on_http_exception(request: Request, error: Exception) -> Response:
    """An error of the framework, such as an unknown path, as a problem."""
    assert isinstance(error, HTTPException)
    actions = {
        400: ("malformed-json", "The body is not JSON that can be read.", "Send one JSON object."),
        404: ("not-found", "There is nothing at this address.", "See /docs for the addresses that exist."),
        405: ("method-not-allowed", f"This address does not accept {request.method}.", "See the Allow header."),
    }
    code, detail, action = actions.get(
        error.status_code,
        (HTTPStatus(error.status_code).phrase.lower().replace(" ", "-"), str(error.detail), "See /docs."),
    )
    return problem_response(ProblemError(error.status_code, code, detail, action, error.headers))


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that a route may respond with, for its OpenAPI description."""
    schema = {"$ref": "#/components/schemas/ProblemDetails"}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {MEDIA_TYPE: {"schema": schema}}}
        for status in statuses
    }
