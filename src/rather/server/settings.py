"""The settings of a server, as one immutable value."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from rather.conversation.display_text import DisplayText
from rather.conversation.plans import Plan
from rather.conversation.policy_settings import NoiseKind
from rather.errors import InvalidInputError
from rather.languages import ENGLISH, validated_language
from rather.numerics.threads import available_cores
from rather.retrieval.selection import RetrieverKind
from rather.server.studies import Study
from rather.server.theme import Theme
from rather.strategies import STRATEGIES

# It evaluates every possible slate: one request could keep a core busy for minutes.
NOT_SERVED = frozenset({"exhaustive-search"})

# Of sessions about attributes; new ones use the first. All of them keep a time budget.
SERVED_FOR_ATTRIBUTES = ("auto", "greedy")

# From this many items on, only strategies that scan them a few times (or keep a time budget) are offered.
LARGE = 50_000
FOR_LARGE = ("auto", "query-iteration", "rand-user-top-item", "top5-exhaustive", "random")

# The most time for choosing a question that an operator or a caller may ask for.
MOST_BUDGET_MS = 60_000

# New conversations after which a prior may be learnt again; with fewer it would hardly change.
FEWEST_NEW = 10

HOST_PATTERN = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


@dataclass(frozen=True)
class Limits:
    """How much of the server one caller may use.

    Attributes:
        body_bytes: Largest request body.
        sessions_per_day: Sessions that one address may open in a day.
        requests_per_minute: Requests to the API that one address may make, wide enough for a classroom behind it; as
            many may come at once.
        session_requests_per_minute: Requests about one session.
        text_length: Longest text of a catalogue that is shown; a longer one is cut and ends in "…".
        slate: Most options of a question.
        attributes: Most attributes that a question about attributes states, over all its options (k times p).
        answers: Most answers of a session, including those taken back.
        page: Most recommendations in one response.
        wait_seconds: Longest wait of a request for a free core; then it ends in 503.
        budget_ms: Most time for choosing a question, and the default.
    """

    body_bytes: int = 1_000_000
    sessions_per_day: int = 1_000
    requests_per_minute: int = 6_000
    session_requests_per_minute: int = 600
    text_length: int = 2_000
    slate: int = 10
    attributes: int = 24
    answers: int = 200
    page: int = 100
    wait_seconds: float = 20.0
    budget_ms: float = 2_000.0

    def __post_init__(self) -> None:
        for name, bound in vars(self).items():
            if not bound > 0:
                raise InvalidInputError(f"`{name}` must be above 0, got {bound}.")
        if self.budget_ms > MOST_BUDGET_MS:
            raise InvalidInputError(f"`budget_ms` must be at most {MOST_BUDGET_MS:,}, got {self.budget_ms:,g}.")


@dataclass(frozen=True)
class Settings:
    """How to serve.

    Attributes:
        database: SQLAlchemy URL; None for a SQLite file in the user's data directory.
        keep_days: Sessions that have not changed for this many days are deleted; None keeps all.
        admin_token: Gives access to `/v1/admin`; without one, these routes respond with 403.
        origins: Other sites that may call the API from a browser and embed the page, such as `https://example.org`.
        hosts: Names under which the server is reached, such as `shop.example.org`; requests for other names are
            rejected, but for addresses and names without a dot. `*` allows any.
        image_hosts: Other hosts that pictures may come from, such as `https://images.example.org`.
        link_hosts: Hosts that links to the pages of items may lead to, such as `https://shop.example.org`; links to
            others are not shown. `*` allows any.
        strategies: Names of the strategies that a caller may choose (see `strategies_for`).
        plans: Made by `rather.plan`; conversations about the catalogue that one was made for follow it. Where a
            catalogue has changed since, and where a person filters, questions are chosen one by one.
        workers: Computations at the same time; None for one on each core.
        prefetch: Whether to compute the next question for every likely answer while the person reads.
        watch: Whether to look every two seconds if files of catalogues have changed, and to serve what they hold.
        strict: Whether a changed table is rejected when it holds values that cannot be read, see `rather.open`.
        retriever: How items are found, a kind of `rather.retrieval.choose_retriever`.
        noise: How people differ in the noise of their answers: "fixed" assumes the same of everybody, "personal" learns
            each person's own (see `rather.PersonalNoise`). Sessions keep what they were opened with.
        cache_mb: Memory for cached states of conversations.
        theme: The look of the page, see `Theme.from_file`; None for that of `rather`.
        language: The language of all texts for people; None for that of each browser.
        limits: How much one caller may use.
        learn: When a prior is learnt from the answers: "daily", or after so many new conversations; None for never.
        learnt: The folder that learnt priors are kept in; None for one in the user's data directory.
        study: What is studied, see `Study.from_file`; None for nothing.
    """

    database: str | None = None
    keep_days: float | None = 30.0
    admin_token: str | None = None
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    image_hosts: tuple[str, ...] = ()
    link_hosts: tuple[str, ...] = ()
    strategies: tuple[str, ...] = tuple(name for name in STRATEGIES if name not in NOT_SERVED)
    plans: tuple[Plan, ...] = ()
    workers: int | None = None
    prefetch: bool = True
    watch: bool = True
    strict: bool = False
    retriever: str = "auto"
    noise: NoiseKind = "fixed"
    cache_mb: int = 256
    theme: Theme | None = None
    language: str | None = None
    limits: Limits = field(default_factory=Limits)
    learn: Literal["daily"] | int | None = None
    learnt: Path | None = None
    study: Study | None = None

    def __post_init__(self) -> None:
        if self.retriever not in get_args(RetrieverKind):
            raise InvalidInputError(
                f"`retriever` must be one of {', '.join(get_args(RetrieverKind))}, got {self.retriever!r}."
            )
        if self.noise not in get_args(NoiseKind):
            raise InvalidInputError(f"`noise` must be one of {', '.join(get_args(NoiseKind))}, got {self.noise!r}.")
        if self.keep_days is not None and not self.keep_days > 0:
            raise InvalidInputError(f"`keep_days` must be above 0, got {self.keep_days}.")
        if self.admin_token is not None and len(self.admin_token) < 16:
            raise InvalidInputError("`admin_token` must have at least 16 characters, so that nobody can guess it.")
        if self.learn not in (None, "daily") and not (isinstance(self.learn, int) and self.learn >= FEWEST_NEW):
            raise InvalidInputError(
                f"`learn` must be daily or a number of conversations of at least {FEWEST_NEW}, got {self.learn!r}."
            )
        validated_language(self.language)
        for host in self.hosts:
            if host != "*" and not HOST_PATTERN.fullmatch(host):
                raise InvalidInputError(f"`hosts` must hold names such as shop.example.org, got {host!r}.")
        for name in ("origins", "image_hosts", "link_hosts"):
            for origin in getattr(self, name):
                if not (name == "link_hosts" and origin == "*"):
                    _validate_origin(origin, name)

    @property
    def database_url(self) -> str:
        """Where sessions are stored."""
        return self.database if self.database is not None else default_database()

    @property
    def learnt_folder(self) -> Path:
        """Where learnt priors are kept."""
        from platformdirs import user_data_path

        return self.learnt if self.learnt is not None else Path(user_data_path("rather")) / "learnt"

    def strategies_for(self, items: int) -> tuple[str, ...]:
        """Names of the strategies that a caller may choose for a catalogue with this many items."""
        return self.strategies if items < LARGE else tuple(name for name in self.strategies if name in FOR_LARGE)

    def display(self, language: str = ENGLISH) -> DisplayText:
        """Which texts, links and pictures of a catalogue are shown to a reader of this language."""
        images, links = (tuple(map(str.lower, hosts)) for hosts in (self.image_hosts, self.link_hosts))
        return DisplayText(self.limits.text_length, images, links, language)

    @property
    def cores(self) -> int:
        """Computations at the same time."""
        return self.workers if self.workers is not None else available_cores()


def default_database() -> str:
    """A SQLite file in the user's data directory, which is created if it is missing."""
    from platformdirs import user_data_path

    return f"sqlite:///{Path(user_data_path('rather', ensure_exists=True)) / 'sessions.db'}"


def _validate_origin(origin: str, name: str) -> None:
    scheme, _, rest = origin.partition("://")
    # A space, quote or semicolon would end the directive of the Content-Security-Policy that it becomes part of.
    if scheme not in ("http", "https") or not rest or any(sign in rest for sign in "/ ;,'\"*\\"):
        raise InvalidInputError(f"`{name}` must hold origins such as https://example.org, got {origin!r}.")
