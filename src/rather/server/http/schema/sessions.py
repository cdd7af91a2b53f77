"""What a caller sends about a session."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from rather.server.http.schema.vocabulary import Ask, Choice, Filters, Name, Request, Where


class NewSession(Request):
    """How to talk with somebody. Only the catalogue must be said, and not even that when there is only one."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"catalog": "films"},
                {"catalog": "films", "k": 3, "filters": [{"attribute": "year", "minimum": 1990}], "seed": 7},
            ]
        },
    )

    catalog: Name | None = Field(None, description="Its name; may be left out when the server has only one.")
    k: int = Field(2, ge=2, le=100, description="Options in a question.")
    ask: Ask = Field("items", description="Compare items, single attributes, or whichever is worth more.")
    p: int | None = Field(
        None, ge=1, le=10, description="Statements in one option of a question about attributes; by default one."
    )
    filters: Filters = Field([], description="Must-haves; all of them hold.")
    where: Where | None = Field(None, description="Must-haves as an expression, where the catalogue takes one.")
    seed: int = Field(0, ge=0, lt=2**53, description="Same seed and answers, same questions.")
    strategy: Name = Field("auto", description="How questions are chosen; see the catalogue for names.")
    time_budget_ms: float | None = Field(
        None, ge=1, le=60_000, description="Most time to choose a question; for `auto` only."
    )
    questions: int | None = Field(None, ge=1, le=500, description="Stop after this many answers at the latest.")


class NewAnswer(Request):
    """An answer to the open question."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"question": "3-2", "choice": 0}]})

    question: Name = Field(description="The id of the question that is answered.")
    choice: Choice


class Undo(Request):
    """Which answer to take back."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"answer": "3"}]})

    answer: Name | None = Field(
        None, description="The id of the last answer. With it a repeated request takes back only that one answer."
    )


class NewFilters(Request):
    """Other must-haves from now on, in place of those before."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"filters": [{"attribute": "genres", "any_of": ["comedy"]}]}]}
    )

    filters: Filters = Field([], description="Must-haves; all of them hold.")
    where: Where | None = Field(None, description="Must-haves as an expression, where the catalogue takes one.")


class Log(BaseModel):
    """A session as the library writes it (`Session.to_json`): settings, events and the open question."""

    model_config = ConfigDict(extra="allow")

    rather: int = Field(description="Version of the format.")
    catalog: str = Field(description="Hash of the catalogue that it is about.")
    belief: str = Field(description="Hash of the belief that it started from.")
    events: list[dict[str, Any]] = Field(max_length=10_000)
    open: dict[str, Any] | None = None
