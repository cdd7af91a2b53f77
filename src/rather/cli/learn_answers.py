"""`rather learn answers`: what people want, from their answers in stored conversations."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rather.cli.console import say
from rather.cli.conversation_sources import (
    AboutCatalog,
    ConversationSource,
    ServedName,
    is_database,
    is_export,
    validate_name,
)
from rather.cli.json_output import print_json
from rather.cli.options import Json, Seed, Strict
from rather.errors import InvalidInputError
from rather.extras import require_extra
from rather.nouns import counted

if TYPE_CHECKING:
    from rather.conversation.tastes import TasteNumbers
    from rather.formats.opened import Opened
    from rather.learn import Conversations, Population


# Attributes in the table, and reasons why conversations were left out.
MOST_TASTES, MOST_REASONS = 12, 3


def learn_answers(
    source: ConversationSource,
    catalog: AboutCatalog,
    out: Annotated[Path, typer.Option(help="The prior to write, an .npz file.")] = Path("population.npz"),
    segments: Annotated[
        int | None,
        typer.Option(
            min=1, max=8, help="Groups of people.", show_default="one, unless held-out answers clearly ask for more"
        ),
    ] = None,
    name: ServedName = None,
    sample: Annotated[
        int, typer.Option(min=10, help="The most conversations to learn from, chosen at random.")
    ] = 5_000,
    seed: Seed = 0,
    json_output: Json = False,
    strict: Strict = False,
) -> None:
    """Learn what people want from their answers, as a prior for --prior of every other command.

    New people are then asked less and recommended better from the start. With few conversations the result is close to
    the catalogue's own prior, with many it is what people want. A fifth of the people is held out first, to measure how
    much better their answers are predicted. The file belongs to the columns of a table, not to its rows: items and
    prices may change. Nothing in it is about one person.

    Examples:
        rather learn answers sessions.db --catalog cars.csv --out population.npz
        rather learn answers sqlite:///sessions.db --catalog cars.csv
        rather learn answers export/ --catalog cars.csv --segments 3
        rather learn answers logs/ --catalog films --json
        rather serve cars.csv --prior population.npz
    """
    from rather.cli.progress import epoch_progress, open_with_progress
    from rather.formats.prior_files import learnt_prior, save_prior
    from rather.learn import conversations_of, population
    from rather.model.belief import Belief

    if out.suffix != ".npz":
        raise InvalidInputError(f"--out must end in .npz, got {out.name!r}.")
    if not out.parent.is_dir():
        raise InvalidInputError(f"There is no folder {out.parent}.")
    opened = open_with_progress(catalog, strict=strict)
    if opened.belief.prior is None:
        raise InvalidInputError(f"{catalog} holds scores of sampled people, which have no prior to learn.")
    found = conversations_of(
        _sampled(_logs(source, name or Path(catalog).stem or catalog), sample, seed), opened.catalog
    )
    if not found.used:
        raise InvalidInputError(f"{source} holds no conversation to learn from. {_left_out(found)}".rstrip())
    with epoch_progress("learning") as on_sweep:
        people = population(
            found.used,
            opened.belief.prior,
            seed=seed,
            segments=segments,
            on_progress=lambda done, total: on_sweep(done, total, ""),
        )
    save_prior(learnt_prior(people.prior, opened.catalog, people.about), out)
    tastes = _tastes(opened, Belief.from_prior(people.prior, seed=seed))
    if json_output:
        print_json(_report(out, found, people, tastes))
        return
    _print(found, people, tastes)
    say(f"wrote {out}")
    say(f"next: rather serve {catalog} --prior {out}")


def _logs(source: str, name: str) -> Iterator[tuple[str, Any]]:
    """The logs of a source with a name for each, those of a server only where it was about this catalogue."""
    if not (is_database(source) or is_export(source)):
        from rather.insights.logs import logs_in

        for respondent in logs_in(Path(source)):
            yield respondent.name, respondent.log
        return
    require_extra("serve", "Reading stored sessions")
    from rather.server.exports.sources import open_sessions

    names = Counter[str]()
    with ExitStack() as stack:
        for number, stored in enumerate(stack.enter_context(open_sessions(source)), 1):
            names[stored.catalog] += 1
            if stored.catalog == name and stored.events:
                yield f"conversation {number}", stored.log
    validate_name(name, names, Path(source).name)


def _sampled(logs: Iterator[tuple[str, Any]], most: int, seed: int) -> list[tuple[str, Any]]:
    """At most so many logs, each with the same probability (reservoir sampling, Vitter 1985)."""
    kept: list[tuple[str, Any]] = []
    generator = random.Random(seed)
    for number, log in enumerate(logs, 1):
        if len(kept) < most:
            kept.append(log)
        elif (slot := generator.randrange(number)) < most:
            kept[slot] = log
    return kept


def _tastes(opened: "Opened", learnt: Any) -> "list[TasteNumbers]":
    """What people want by attribute, beside what the catalogue's own prior supposes; those that changed most first."""
    from rather.conversation.tastes import attribute_tastes

    found = attribute_tastes(opened.catalog, learnt, opened.belief)
    return sorted(found, key=lambda taste: -abs(taste.mean - taste.prior_mean))


def _left_out(found: "Conversations") -> str:
    reasons = list(found.reasons.items())
    shown = [f"{count:,} left out: {reason.rstrip('.')}." for reason, count in reasons[:MOST_REASONS]]
    rest = sum(count for _, count in reasons[MOST_REASONS:])
    return " ".join([*shown, *([f"{rest:,} left out for other reasons."] if rest else [])])


def _report(out: Path, found: "Conversations", people: "Population", tastes: "list[TasteNumbers]") -> dict[str, Any]:
    return {
        "prior": str(out),
        "conversations": len(found.used),
        "answers": found.answers,
        "left_out": found.reasons,
        "temperature": people.prior.temperature,
        "held_out": people.about["held out"],
        "segments": people.segments.weights.tolist(),
        "tastes": [taste._asdict() for taste in tastes],
    }


def _print(found: "Conversations", people: "Population", tastes: "list[TasteNumbers]") -> None:
    from rich.table import Table

    from rather.cli.console import plain_console

    console = plain_console()
    if tastes:
        table = Table("", "before", "learnt", "± between people", title="What an attribute is worth to people")
        for taste in tastes[:MOST_TASTES]:
            table.add_row(taste.feature, f"{taste.prior_mean:+.2f}", f"{taste.mean:+.2f}", f"{taste.spread:.2f}")
        console.print(table)
    say(f"learnt from {counted(len(found.used), 'conversation')} with {counted(found.answers, 'answer')}")
    if found.left_out:
        say(_left_out(found))
    if len(people.segments) > 1:
        say("segments: " + ", ".join(f"{share:.0%}" for share in people.segments.weights.tolist()) + " of people")
    say(_measured(people.about["held out"]))


def _measured(held_out: dict[str, float] | None) -> str:
    if held_out is None:
        return "too few people to hold some out: how much better it is cannot be said"
    text = (
        f"answers of {counted(int(held_out['people']), 'person')} held out: an answer has a probability of "
        f"{held_out['after']:.3f}, by the catalogue's own prior {held_out['before']:.3f}"
    )
    if held_out["gain"] > 2 * held_out["error"]:
        return text
    return f"{text}; that is no clear gain, so learn again from more conversations before you use it"
