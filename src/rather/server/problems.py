"""What a request can fail with: a status, a code for programs, and words for people."""

from collections.abc import Mapping
from typing import Any

# What PyTorch, Python and C++ say of it.
OUT_OF_MEMORY = ("can't allocate memory", "can't allocate lock", "can't start new thread", "bad_alloc")


class ProblemError(Exception):
    """Ends a request; the HTTP layer makes it the response.

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


def busy(detail: str, code: str = "busy") -> ProblemError:
    """The server cannot answer now but may be able to in a moment."""
    return ProblemError(503, code, detail, "Send the same request again in a few seconds.", {"Retry-After": "2"})


def out_of_memory(error: BaseException) -> ProblemError | None:
    """The problem of an error that says, in the words of Python or PyTorch, that memory did not suffice; else None."""
    if not isinstance(error, MemoryError) and not any(said in str(error) for said in OUT_OF_MEMORY):
        return None
    return busy("The server has too little memory for this request now.", "out-of-memory")


def invalid_request(detail: str) -> ProblemError:
    """A request that is well formed but cannot be met."""
    return ProblemError(422, "invalid-request", detail, "Correct the request as the detail says.")


def invalid_filter(detail: str) -> ProblemError:
    """A filter that does not fit its catalogue."""
    return ProblemError(422, "invalid-filter", detail, "See the catalogue's attributes for its filters.")


def invalid_log(detail: str) -> ProblemError:
    """A log to import that is damaged, or not about one of our catalogues."""
    return ProblemError(422, "invalid-log", f"This log cannot be continued here: {detail}", "Export it again.")
