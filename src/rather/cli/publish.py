"""`rather publish`: a page that needs no server."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from rather.cli.json_output import print_json
from rather.cli.options import Ask, CatalogName, Json, PlanFile, PriorOption, Seed, SlateSize, Strict, Temperature
from rather.cli.page_options import say_what_is_hidden, theme_of
from rather.errors import InvalidInputError
from rather.languages import ENGLISH, LANGUAGES, validated_language
from rather.nouns import counted

if TYPE_CHECKING:
    from rather.conversation.display_text import DisplayText
    from rather.formats.opening import Opened
    from rather.publishing.page import PublishedPage


def _validate_collect(address: str | None) -> str | None:
    if address is None:
        return None
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or any(sign in address for sign in " ;,'\"\\"):
        raise InvalidInputError(
            f"`--collect` must be an address such as https://shop.example.org/answers, got {address}."
        )
    return address


def publish(
    catalog: CatalogName = "films",
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Where the site goes: new, empty or published before.")
    ] = None,
    single_file: Annotated[
        Path | None,
        typer.Option(help="Write one HTML file instead, which opens by a double click.", show_default=False),
    ] = None,
    k: SlateSize = 2,
    asking: Annotated[
        Ask, typer.Option("--ask", help="Ask about items, attributes, or whichever is worth more each time.")
    ] = Ask.ITEMS,
    questions: Annotated[
        int | None, typer.Option(min=1, max=500, help="Stop after so many.", show_default="25")
    ] = None,
    plan: PlanFile = None,
    prior: PriorOption = None,
    theme: Annotated[
        Path | None, typer.Option(help="A TOML file with the look of the page: name, logo, colours, fonts, texts.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="The only language: en, de, fr or es.", show_default="the browser's")
    ] = None,
    image_host: Annotated[
        list[str] | None, typer.Option(help="A host that pictures may come from; repeat it for more.")
    ] = None,
    link_host: Annotated[
        list[str] | None,
        typer.Option(help="A host that links to items' pages may lead to; repeat it for more, * for any."),
    ] = None,
    collect: Annotated[
        str | None,
        typer.Option(
            callback=_validate_collect,
            help="Send finished conversations to this address, unless the person refuses.",
            show_default="nothing leaves the device",
        ),
    ] = None,
    temperature: Temperature = None,
    seed: Seed = 0,
    json_output: Json = False,
    strict: Strict = False,
) -> None:
    """Publish a page that needs no server: the questions are chosen in the browser.

    The folder can be put on any web host. Answers stay on the device, and any number of people can answer at once.
    For up to 20,000 items, also as configurations of a product space; `rather serve` has no such limit.

    Examples:
        rather publish cars.csv site/
        rather publish films --single-file quiz.html
        rather publish cars.csv site/ --link-host https://shop.example.org
        rather publish cars.csv site/ --theme shop.toml
        rather publish films site/ --plan plan.json --language de
        rather publish cars.csv site/ --prior population.npz
        rather publish cars.csv site/ --collect https://shop.example.org/answers
    """
    from rather.cli.progress import open_with_progress, progress_bar
    from rather.conversation.plans import Plan
    from rather.conversation.policy import Policy
    from rather.conversation.policy_settings import everyday_response
    from rather.conversation.stopping import Stopping
    from rather.publishing.page import PublishedPage
    from rather.publishing.publication import Publication, validate_size

    if (folder is None) == (single_file is None):
        raise InvalidInputError("Name a FOLDER to write, or a file with --single-file, but not both.")
    validated_language(language)
    look = theme_of(theme)
    source = open_with_progress(catalog, strict=strict, prior=prior)
    name = Path(catalog).stem or catalog
    validate_size(name, len(source.catalog))
    display = _display(image_host, link_host)
    say_what_is_hidden(name, source.catalog, display)
    policy = Policy(
        source.catalog,
        source.belief,
        k,
        seed,
        ask=asking.value,
        response=everyday_response(source.catalog, source.belief, temperature),
        plan=None if plan is None else Plan.load(plan),
    )
    stopping = Stopping.usual(policy.start_regret)
    if questions is not None:
        stopping = replace(stopping, questions=questions)
    languages = LANGUAGES if language is None else tuple(dict.fromkeys((ENGLISH, language)))
    publication = Publication(name, policy, display, languages, stopping)
    with progress_bar("publishing", 2 * len(source.catalog)) as advance:
        data = publication.packed(lambda done, total: advance())
    page = PublishedPage(languages, look, language, display.image_hosts, collect)
    sizes = _write(page, data, folder, single_file)
    _report(sizes, folder or single_file, source, json_output)


def _write(
    page: "PublishedPage", data: bytes, folder: Path | None, single_file: Path | None
) -> dict[str, tuple[int, int]]:
    """Write the page; for each file its size and its size compressed."""
    from rather.publishing.writing import compressed_size, write_file, write_folder

    if single_file is not None:
        files = {single_file.name: page.single_file(data)}
        write_file(single_file, files[single_file.name])
    else:
        assert folder is not None
        files = page.folder(data)
        write_folder(folder, files)
    return {name: (len(content), compressed_size(name, content)) for name, content in files.items()}


def _report(sizes: dict[str, tuple[int, int]], target: Path | None, source: "Opened", json_output: bool) -> None:
    total, compressed = (sum(size[kind] for size in sizes.values()) for kind in (0, 1))
    if json_output:
        files = {name: {"bytes": size, "compressed": small} for name, (size, small) in sizes.items()}
        totals = {"bytes": total, "compressed": compressed, "items": len(source.catalog)}
        print_json({"target": str(target), **totals, "files": files})
        return
    from rich.table import Table

    from rather.cli.console import plain_console

    table = Table("file", "kB", "kB compressed", title=f"{target}: {counted(len(source.catalog), source.catalog.name)}")
    for name, (size, small) in sorted(sizes.items(), key=lambda each: -each[1][1]):
        table.add_row(name, f"{size / 1000:,.1f}", f"{small / 1000:,.1f}")
    table.add_row("all", f"{total / 1000:,.1f}", f"{compressed / 1000:,.1f}")
    plain_console().print(table)


def _display(image_hosts: list[str] | None, link_hosts: list[str] | None) -> "DisplayText":
    from rather.server.settings import Settings

    return Settings(image_hosts=tuple(image_hosts or ()), link_hosts=tuple(link_hosts or ())).display()
