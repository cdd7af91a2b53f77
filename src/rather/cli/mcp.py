"""`rather mcp`: tools for assistants, over standard input and output or HTTP."""

import logging
import signal
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rather.caching.folder import switch_off
from rather.cli.console import say
from rather.cli.options import CatalogName, NoCache, PriorOption, RetrieverKind, Strict
from rather.errors import InvalidInputError
from rather.extras import require_extra

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from rather.assistants import Limits

LOCAL = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::")


def mcp(
    catalog: CatalogName = "films",
    http: Annotated[
        bool, typer.Option("--http", help="Listen on HTTP instead of speaking over standard input and output.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to listen on, with --http; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on, with --http; 0 takes a free one.")
    ] = 8000,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            help="A name under which assistants reach the server, with --http; repeat it for more.",
            show_default="this machine",
        ),
    ] = None,
    link_host: Annotated[
        list[str] | None,
        typer.Option(help="A host that links to items' pages may lead to; repeat it for more, * for any."),
    ] = None,
    conversations: Annotated[int, typer.Option(min=1, help="Conversations that may be open at the same time.")] = 100,
    idle_minutes: Annotated[
        float, typer.Option(min=0.01, help="End a conversation that is not used for this long.")
    ] = 60,
    budget_ms: Annotated[float, typer.Option(min=1, max=60_000, help="Longest time to choose a question.")] = 2_000,
    prior: PriorOption = None,
    retriever: RetrieverKind = "auto",
    no_cache: NoCache = False,
    strict: Strict = False,
) -> None:
    """Let an assistant find out what a person likes, by tools of the Model Context Protocol.

    An assistant that starts the command itself speaks with it over standard input and output; with --http any number
    of them connect to http://HOST:PORT/mcp. Conversations are kept in memory alone.

    Examples:
        rather mcp films
        rather mcp cars.csv --link-host https://shop.example.org
        rather mcp cars.csv --http --port 9000
        rather mcp cars.csv --http --host 0.0.0.0 --allowed-host tools.example.org
    """
    require_extra("mcp", "`rather mcp`")
    if no_cache:
        switch_off()
    names = [host, *(allowed_host or ())] if host not in EVERYWHERE else list(allowed_host or ())
    if not names:
        raise InvalidInputError(f"`--host {host}` needs `--allowed-host`, the name under which assistants reach it.")
    from rather.assistants import Limits, create_server
    from rather.cli.progress import open_with_progress, spinner

    # Standard output belongs to the protocol.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    limits = Limits(conversations=conversations, idle_minutes=idle_minutes, budget_ms=budget_ms)
    source = open_with_progress(catalog, strict=strict, prior=prior)
    with spinner("preparing the items"):
        server = create_server(*source, limits=limits, link_hosts=tuple(link_host or ()), retriever=retriever)
    if http:
        _listen(server, limits, catalog, host, port, names)
    else:
        if sys.stdin.isatty():
            say("Waiting for an assistant to speak the Model Context Protocol; Ctrl-C ends.", stderr=True)
        # A thread waits for input, and Python would wait for that thread. There is nothing to lose.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        server.run("stdio")


def _listen(server: "MCPServer[Any]", limits: "Limits", catalog: str, host: str, port: int, names: list[str]) -> None:
    """Serve over HTTP until SIGTERM or SIGINT."""
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    from rather.server.connections import ConnectionLimits, limited
    from rather.server.running import listen

    known = [*LOCAL, *(f"[{name}]" if ":" in name else name for name in names)]
    hosts = [f"{name}{any_port}" for name in known for any_port in ("", ":*")]
    origins = [f"{scheme}://{each}" for scheme in ("http", "https") for each in hosts]
    app = server.streamable_http_app(
        stateless_http=True,  # a conversation has an id of its own
        max_request_body_size=limits.body_bytes,
        transport_security=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
    )
    listener = listen(host, port)
    shown = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/mcp"
    say(f"Tools for {catalog} at {shown}", stderr=True)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, http=limited(ConnectionLimits.of_process())
    )
    uvicorn.Server(config).run(sockets=[listener])
