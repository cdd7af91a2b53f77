"""The language of a response: what the operator fixed, else what the request asks for, else the browser's."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Request

from rather.languages import chosen_language
from rather.server.settings import Settings

LanguageQuery = Annotated[
    str | None, Query(max_length=35, description="The language of the texts, such as `de`; by default the session's.")
]


@dataclass(frozen=True)
class Wishes:
    """Which languages a reader would like, by where that is said.

    Attributes:
        fixed: What the operator decided.
        asked: The `language` of the address.
        accepted: The `Accept-Language` header.
    """

    fixed: str | None
    asked: str | None
    accepted: str | None

    @classmethod
    def of(cls, request: Request) -> "Wishes":
        """Those of a request."""
        settings: Settings = request.app.state.conversations.settings
        return cls(settings.language, request.query_params.get("language"), request.headers.get("accept-language"))

    def language(self, of_session: str | None = None) -> str:
        """The language to use, where a session was opened in `of_session` if in any."""
        return chosen_language(self.fixed, self.asked, of_session, self.accepted)


def wishes(request: Request, language: LanguageQuery = None) -> Wishes:
    """The wishes of a request; `language` is there to be described."""
    return Wishes.of(request)


Reader = Annotated[Wishes, Depends(wishes)]
