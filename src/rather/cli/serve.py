"""`rather serve`: the page and the API."""

import socket
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.caching.folder import switch_off
from rather.cli.console import say
from rather.cli.options import NoCache, Noise, NoiseKind, RetrieverKind, Strict
from rather.cli.page_options import say_what_is_hidden, theme_of
from rather.cli.served_plans import plans_of
from rather.errors import InvalidInputError
from rather.extras import require_extra
from rather.nouns import counted

if TYPE_CHECKING:
    from rather.formats.opening import Source
    from rather.formats.prior_files import LearntPrior
    from rather.server.settings import Settings
    from rather.server.studies import Study

CatalogNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CATALOG", help="'films' (bundled), tables (cars.csv) or vectors files.", show_default="films"
    ),
]


def serve(
    catalogs: CatalogNames = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8000,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    database: Annotated[
        str | None,
        typer.Option(
            envvar="RATHER_DATABASE",
            help="Where to keep sessions: the URL of a SQLite or PostgreSQL database (needs rather[postgres]).",
            show_default="a SQLite file in your data directory",
        ),
    ] = None,
    keep_days: Annotated[
        float, typer.Option(min=0, help="Delete sessions this many days after their last use; 0 keeps them.")
    ] = 30,
    admin_token: Annotated[
        str | None,
        typer.Option(envvar="RATHER_ADMIN_TOKEN", help="Secret that opens /v1/admin."),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(help="Another site that may embed the page and call the API; repeat it for more."),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            envvar="RATHER_ALLOWED_HOST",
            help="A name under which the server is reached; repeat it for more, * for any.",
            show_default="addresses, names without a dot and this machine's",
        ),
    ] = None,
    image_host: Annotated[
        list[str] | None,
        typer.Option(
            envvar="RATHER_IMAGE_HOST",
            help="Another host that pictures may come from; repeat it for more.",
        ),
    ] = None,
    link_host: Annotated[
        list[str] | None,
        typer.Option(
            envvar="RATHER_LINK_HOST",
            help="A host that links to items' pages may lead to; repeat it for more, * for any.",
        ),
    ] = None,
    theme: Annotated[
        Path | None,
        typer.Option(
            envvar="RATHER_THEME",
            help="A TOML file with the look of the page: name, logo, colours, fonts, texts.",
        ),
    ] = None,
    plan: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|N",
            help="Ask the first questions of this plan, as `rather plan --out` wrote it, or plan N questions now; "
            "repeat it for more catalogues.",
            show_default=False,
        ),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(
            envvar="RATHER_STUDY",
            help="A TOML file with a study: arms, quotas, tasks, the end; see `rather study new`.",
        ),
    ] = None,
    sessions_per_day: Annotated[int, typer.Option(min=1, help="Sessions that one address may open per day.")] = 1_000,
    requests_per_minute: Annotated[
        int, typer.Option(min=1, help="Requests that one address may make per minute.")
    ] = 6_000,
    requests_per_session: Annotated[int, typer.Option(min=1, help="Requests about one session per minute.")] = 600,
    budget_ms: Annotated[float, typer.Option(min=1, max=60_000, help="Longest time to choose a question.")] = 2_000,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Questions to choose at the same time.", show_default="one per core"),
    ] = None,
    no_prefetch: Annotated[
        bool, typer.Option("--no-prefetch", help="Do not choose the next questions while people read.")
    ] = False,
    no_watch: Annotated[bool, typer.Option("--no-watch", help="Do not open files again when they change.")] = False,
    trusted_proxy: Annotated[
        str | None,
        typer.Option(help="Address of a proxy whose X-Forwarded-For header is trusted."),
    ] = None,
    drain_seconds: Annotated[int, typer.Option(min=0, help="Time to finish open requests after SIGTERM.")] = 30,
    language: Annotated[
        str | None,
        typer.Option(
            help="The language of the page and its questions: en, de, fr or es.", show_default="the browser's"
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Log only problems, as plain text instead of JSON lines.")
    ] = False,
    prior: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Start from what people want by their answers, as `rather learn answers --out` wrote it; with several "
            "catalogues NAME=FILE, repeated for more.",
            show_default="the catalogue's own prior",
        ),
    ] = None,
    learn: Annotated[
        str,
        typer.Option(
            metavar="off|daily|N",
            help="Learn what people want from their answers, once a day or after N new conversations, and start from "
            "it once it proves better on held-out ones.",
        ),
    ] = "off",
    learnt: Annotated[
        Path | None,
        typer.Option(
            help="With --learn: the folder to keep learnt priors in; servers of one database share it.",
            show_default="one in your data directory",
        ),
    ] = None,
    noise: NoiseKind = Noise.FIXED,
    retriever: RetrieverKind = "auto",
    no_cache: NoCache = False,
    check: Annotated[bool, typer.Option("--check", help="Check the catalogues and the database, then exit.")] = False,
    strict: Strict = False,
) -> None:
    """Serve a page that asks, and a REST API with its documentation under /docs.

    Every answer is stored before it is acknowledged, and conversations survive a restart. Several servers may share
    one database. A file that changes is opened again, and served once that has succeeded.

    Examples:
        rather serve films --open
        rather serve cars.csv laptops.parquet --port 9000 --keep-days 7
        rather serve films --database sqlite:///sessions.db
        rather serve films --database postgresql+psycopg://USER:PASSWORD@HOST/NAME
        rather serve cars.csv --origin https://shop.example.org
        rather serve cars.csv --image-host https://images.example.org
        rather serve cars.csv --link-host https://shop.example.org
        rather serve cars.csv --theme shop.toml
        rather serve cars.csv --prior population.npz
        rather serve cars.csv --learn daily
        rather serve fahrraeder.csv --language de
        rather serve films --plan plan.json
        rather serve cars.csv --study study.toml
        rather serve films --noise personal
        rather serve films --check
    """
    from rather.cli.progress import open_with_progress
    from rather.formats.opening import BUNDLED, Source

    require_extra("serve", "`rather serve`")
    if no_cache:
        switch_off()
    names = catalogs or ["films"]
    if len(set(names)) != len(names):
        raise InvalidInputError(f"`CATALOG` must name each catalogue once, got {', '.join(names)}.")
    short_names = dict(zip(_short_names(names), names, strict=True))
    settings = _settings(
        database=database,
        keep_days=keep_days or None,
        admin_token=admin_token,
        origins=tuple(origin or ()),
        hosts=(*(name.lower() for name in allowed_host or ()), *_own_names()),
        image_hosts=tuple(image_host or ()),
        link_hosts=tuple(link_host or ()),
        theme=theme_of(theme),
        study=_study(study),
        workers=workers,
        prefetch=not no_prefetch,
        watch=not no_watch,
        strict=strict,
        retriever=retriever,
        noise=noise.value,
        language=language,
        learn=_learn(learn),
        learnt=learnt,
        limits={
            "sessions_per_day": sessions_per_day,
            "requests_per_minute": requests_per_minute,
            "session_requests_per_minute": requests_per_session,
            "budget_ms": budget_ms,
        },
    )
    priors = _priors(prior or [], list(short_names))
    sources = [Source(short, *open_with_progress(name, strict=strict)) for short, name in short_names.items()]
    started = [_started(source, priors) for source in sources]  # rejects priors of other columns before all else
    for source in sources:
        say_what_is_hidden(source.name, source.catalog, settings.display())
    settings = replace(settings, plans=plans_of(plan or (), started, retriever))
    if check:
        _check(sources, settings)
    else:
        files = {short: name for short, name in short_names.items() if name not in BUNDLED}
        _run(sources, settings, files, priors, host, port, open_browser, drain_seconds, trusted_proxy, quiet)


def _started(source: "Source", priors: Mapping[str, "LearntPrior"]) -> "Source":
    """A source with the belief that its conversations start from."""
    from rather.formats.opening import Opened, Source

    if source.name not in priors:
        return source
    return Source(source.name, *priors[source.name].applied(Opened(source.catalog, source.belief)))


def _priors(texts: Sequence[str], names: Sequence[str]) -> dict[str, "LearntPrior"]:
    """The learnt priors by the name of their catalogue, from FILE or NAME=FILE."""
    from rather.formats.prior_files import load_prior

    found: dict[str, LearntPrior] = {}
    for text in texts:
        name, _, file = text.partition("=")
        if len(names) == 1 and (not file or name not in names):
            name, file = names[0], text
        if name not in names:
            raise InvalidInputError(f"`--prior` must be NAME=FILE, NAME one of {', '.join(names)}; got {text!r}.")
        if name in found:
            raise InvalidInputError(f"`--prior` must name one file for {name}, got two.")
        found[name] = load_prior(file)
    return found


def _learn(text: str) -> str | int | None:
    """What `--learn` says, for the settings."""
    if text in ("off", "daily"):
        return None if text == "off" else text
    if not text.isdigit():
        raise InvalidInputError(f"`--learn` must be off, daily or a number of conversations, got {text!r}.")
    return int(text)


def _study(path: Path | None) -> "Study | None":
    from rather.server import Study

    return None if path is None else Study.from_file(path)


def _own_names() -> list[str]:
    """This machine's name, as others on its network may know it."""
    from rather.server.settings import HOST_PATTERN

    name = socket.gethostname().lower()
    return [each for each in (name, f"{name.partition('.')[0]}.local") if HOST_PATTERN.fullmatch(each)]


def _short_names(names: Sequence[str]) -> list[str]:
    """Names for URLs: a file without its folders and suffix; the second of the same name gets a number."""
    short: list[str] = []
    for name in names:
        stem = Path(name).stem or name
        taken = sum(other == stem or other.rsplit("-", 1)[0] == stem for other in short)
        short.append(stem if not taken else f"{stem}-{taken + 1}")
    return short


def _settings(*, limits: dict[str, float], **choices: object) -> "Settings":
    from rather.server import Limits, Settings

    return Settings(limits=Limits(**limits), **choices)  # type: ignore[arg-type]  # named as the fields are


def _run(
    sources: list["Source"],
    settings: "Settings",
    files: dict[str, str],
    priors: dict[str, "LearntPrior"],
    host: str,
    port: int,
    open_browser: bool,
    drain_seconds: int,
    trusted_proxy: str | None,
    quiet: bool,
) -> None:
    from rather.server import create_app
    from rather.server.logs import configure
    from rather.server.running import listen, run

    configure("WARNING" if quiet else "INFO", plain=quiet)
    listener = listen(host, port)
    opened = {source.name: (source.catalog, source.belief) for source in sources}
    app = create_app(opened, settings, files=files, priors=priors)
    if settings.study is not None and settings.keep_days is not None:
        say(f"Sessions are deleted {settings.keep_days:g} days after their last use; --keep-days 0 keeps a study's.")
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::1", "::") else host
    address = f"http://{shown}:{listener.getsockname()[1]}"

    def on_start() -> None:
        say(f"Asking about {', '.join(source.name for source in sources)} at {address}  (API: {address}/docs)")
        say("Press Ctrl-C to stop.")
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    run(app, listener, drain_seconds=drain_seconds, trusted_proxies=trusted_proxy, on_start=on_start)


def _check(sources: list["Source"], settings: "Settings") -> None:
    from rather.server.sessions.database import without_password
    from rather.server.sessions.sql_store import SqlStore
    from rather.server.sessions.store import StoreUnavailableError

    for source in sources:
        catalog = source.catalog
        say(f"{source.name}: {counted(len(catalog), catalog.name)}, {counted(catalog.dimensions, 'dimension')}")
    where = without_password(settings.database_url)
    try:
        store = SqlStore(settings.database_url)
        store.ping()
        count = store.page(1, 0)[1]
        store.close()
    except StoreUnavailableError as error:
        say(f"database: {where}: {error}", stderr=True)
        raise typer.Exit(1) from None
    say(f"database: {where} answers, {counted(count, 'session')}")
    kept = "forever" if settings.keep_days is None else f"for {settings.keep_days:g} days after their last use"
    admin = "open to the token" if settings.admin_token else "closed"
    say(f"sessions are kept {kept}; admin routes are {admin}")
