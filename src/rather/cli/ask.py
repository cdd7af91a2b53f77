"""`rather ask`: a conversation in the terminal, or with a program over standard input and output."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.caching.folder import switch_off
from rather.caching.whole_files import written_whole
from rather.cli.console import say
from rather.cli.options import (
    Ask,
    Attributes,
    CatalogName,
    Json,
    NoCache,
    Noise,
    NoiseKind,
    PlanFile,
    PriorOption,
    RetrieverKind,
    Seed,
    SlateSize,
    Strict,
    Temperature,
    Where,
    chosen_response,
    chosen_strategies,
)
from rather.errors import InvalidInputError, RatherError
from rather.languages import validated_language

if TYPE_CHECKING:
    from rather.conversation.reading_cost import ReadingCost
    from rather.conversation.session import Session


def ask(
    catalog: CatalogName = "films",
    k: SlateSize = 2,
    asking: Annotated[
        Ask,
        typer.Option(
            "--ask", help="Ask about items, attributes (“funny or dark?”), or whichever is worth more each time."
        ),
    ] = Ask.ITEMS,
    p: Attributes = 1,
    strategy: Annotated[
        str | None,
        typer.Option(
            help="How to choose questions: a name of `rather strategies`, or your own as module:Class.",
            show_default="auto",
        ),
    ] = None,
    reading_cost: Annotated[
        str | None,
        typer.Option(
            metavar="CARD,ATTRIBUTE",
            help="For --ask auto: the cost of reading an item and of reading an attribute, in units of utility.",
            show_default="0.5 % and 0.05 % of the initial regret",
        ),
    ] = None,
    questions: Annotated[
        int | None,
        typer.Option(min=1, help="Stop after this many answers at the latest.", show_default="25"),
    ] = None,
    plan: PlanFile = None,
    prior: PriorOption = None,
    temperature: Temperature = None,
    noise: NoiseKind = Noise.FIXED,
    where: Where = None,
    seed: Seed = 0,
    json_output: Json = False,
    save: Annotated[Path | None, typer.Option(help="Save the conversation to this file after every answer.")] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Continue a saved conversation with its own settings, and keep saving it.")
    ] = None,
    language: Annotated[
        str, typer.Option(help="The language of the questions: en, de, fr or es. --json stays in English.")
    ] = "en",
    retriever: RetrieverKind = "auto",
    no_cache: NoCache = False,
    strict: Strict = False,
) -> None:
    """Answer a few questions about a catalogue and get recommendations.

    It stops by itself once more questions would hardly help. With --json it prints one JSON object per line and reads
    answers as lines of JSON: {"choice": 0}, {"choice": "none"}, "same", "skip", {"undo": true} or {"quit": true}, and
    hints: {"hint": {"says": "want", "attribute": "funny"}}. {"revise": 2, "choice": 1} answers question 2 differently.

    Examples:
        rather ask films
        rather ask films --k 3 --save evening.json
        rather ask films --resume evening.json
        rather ask films --ask attributes --p 2
        rather ask films --language de
        rather ask films --noise personal
        rather ask films --plan plan.json
        rather ask cars.csv --prior population.npz
        rather ask cars.csv --where "year >= 2025 and seats > 4"
        echo '{"choice": 1}' | rather ask films --json
    """
    if not json_output and not sys.stdin.isatty():
        raise InvalidInputError(
            "`rather ask` needs a person at a terminal. Use --json for a program, or watch `rather demo`."
        )
    validated_language(language, "--language")
    if no_cache:
        switch_off()
    from rather.caching import user_cache
    from rather.cli.progress import open_with_progress, spinner
    from rather.conversation.plans import Plan
    from rather.conversation.policy import Policy
    from rather.conversation.session import Session
    from rather.conversation.stopping import Stopping
    from rather.formats.opening import filtered_items
    from rather.retrieval import choose_retriever

    made = None if plan is None else Plan.load(plan)
    source, cache = open_with_progress(catalog, strict=strict, prior=prior), user_cache()
    with spinner("preparing the first question"):
        search = choose_retriever(source.catalog, source.belief, retriever, cache=cache)
        if resume is not None:
            parts = {"retriever": search, **({} if made is None else {"plan": made})}
            session = Session.from_json(_read(resume), source.catalog, source.belief, cache=cache, **parts)
        else:
            for_items, for_attributes = chosen_strategies(asking, strategy)
            policy = Policy(
                source.catalog,
                source.belief,
                k,
                seed,
                ask=asking.value,
                p=p,
                strategy=for_items,
                attribute_strategy=for_attributes,
                reading_cost=None if reading_cost is None else _reading_cost(reading_cost),
                response=chosen_response(source, noise, temperature),
                allowed=filtered_items(source.catalog, where, k),
                retriever=search,
                plan=made,
            )
            stopping = None if questions is None else Stopping.usual(policy.start_regret, questions)
            session = Session(policy, stopping, cache=cache)
    if session.carried_over is not None:
        say("\n".join(session.carried_over.sentences), stderr=True)
    file = save or resume
    if file is not None:
        _save(session, file)  # complain now, not after the first answer
    on_change = partial(_save, session, file) if file is not None else _nothing
    if json_output:
        from rather.cli.json_conversation import converse as answer_in_json

        answer_in_json(session, on_change)
    else:
        from rather.cli.terminal_conversation import converse

        converse(session, on_change, language)


def _nothing() -> None:
    """Save nothing."""


def _reading_cost(text: str) -> "ReadingCost":
    from rather.conversation.reading_cost import ReadingCost

    try:
        card, attribute = (float(cost) for cost in text.split(","))
    except ValueError:
        raise InvalidInputError(f"`--reading-cost` must be two numbers such as 0.01,0.001; got {text!r}.") from None
    return ReadingCost(card, attribute)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"Cannot read {path}: {error.strerror}.") from None


def _save(session: "Session", path: Path) -> None:
    """Write the log to a draft and move it into place, so that a crash leaves the old one or the new one."""
    try:
        with written_whole(path) as draft:
            draft.write_text(session.to_json(), encoding="utf-8")
    except OSError as error:
        raise RatherError(f"Cannot write {path}: {error.strerror}.") from None
