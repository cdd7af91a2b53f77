"""`rather simulate`: how fast does regret fall, question by question?"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.json_output import print_json
from rather.cli.options import (
    Ask,
    Attributes,
    CatalogName,
    Json,
    Plot,
    Ray,
    RetrieverKind,
    Seed,
    SlateSize,
    Temperature,
    Workers,
)
from rather.nouns import counted

if TYPE_CHECKING:
    from rather.simulation.conversations import Conversation, SimulationPlan, Summary


def simulate(
    catalog: CatalogName = "films",
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="How to choose questions; repeat it to compare strategies on the same users.",
            show_default="auto",
        ),
    ] = None,
    asking: Annotated[
        list[Ask] | None,
        typer.Option(
            "--ask",
            help="Ask about items, attributes, or whichever is worth more; repeat it to compare.",
            show_default="items",
        ),
    ] = None,
    p: Attributes = 1,
    users: Annotated[int, typer.Option(min=1, help="Simulated users.")] = 100,
    questions: Annotated[int, typer.Option(min=1, help="Questions per user.")] = 10,
    k: SlateSize = 2,
    temperature: Temperature = None,
    among_particles: Annotated[
        bool,
        typer.Option(
            "--among-particles",
            help="As in the paper: true users are particles of the belief, which are reweighted but never rejuvenated.",
        ),
    ] = False,
    seed: Seed = 0,
    workers: Workers = 1,
    ray: Ray = None,
    plot: Plot = None,
    retriever: RetrieverKind = "auto",
    json_output: Json = False,
) -> None:
    """Let simulated users answer, and show how the regret of the recommendation falls.

    Every strategy meets the same users, with the same utilities and the same noise. The users are fresh draws from
    the belief's density unless --among-particles is given.

    Examples:
        rather simulate films --users 200
        rather simulate films --strategy auto --strategy random --plot regret.png
        rather simulate films --strategy cont-alter --users 100 --questions 10 --json
        rather simulate films --ask attributes --strategy auto --strategy random
        rather simulate films --ask items --ask attributes --ask auto
        rather simulate films --users 10000 --ray 10.0.0.1:6379
    """
    from rather.cli.progress import opened_source
    from rather.conversation.policy import everyday_response
    from rather.model.rejuvenation import Rejuvenation
    from rather.retrieval import choose_retriever
    from rather.simulation.conversations import SimulationPlan, draw_people, summarise

    contests = _contests(asking or [Ask.ITEMS], strategy or [])
    source = opened_source(catalog)
    plan = SimulationPlan(
        source.catalog,
        source.belief,
        everyday_response(source.catalog, source.belief, temperature),
        draw_people(source.belief, users, seed, among_particles=among_particles),
        next(iter(contests.values())),
        questions,
        k,
        seed,
        None if among_particles else Rejuvenation(),
        p=p,
        retriever=retriever,
    )
    choose_retriever(plan.catalog, plan.belief, plan.retriever)  # complain before the work
    summaries = summarise(_run(plan, contests, workers, ray, quiet=json_output))
    if plot is not None:
        from rather.research.plots import plot_summaries

        plot_summaries(summaries, plot)
    if json_output:
        print_json({**_report(plan, catalog, summaries), "ask": [*contests], "p": p})
    else:
        _print_table(summaries, plot)


def _contests(kinds: list[Ask], names: list[str]) -> dict[Ask, tuple[str, ...]]:
    """For each kind of question the strategies that are compared: those named for it, or its default."""
    from rather.model.questions import QuestionKind
    from rather.strategies import ATTRIBUTE_STRATEGIES, STRATEGIES, strategy_named

    contests = {}
    for kind in dict.fromkeys(kinds):
        about: QuestionKind = "attributes" if kind is Ask.ATTRIBUTES else "items"
        known, other = STRATEGIES, ATTRIBUTE_STRATEGIES
        if about == "attributes":
            known, other = other, known
        mine = [name for name in names if name in known or len(set(kinds)) == 1 or name not in other]
        for name in mine:
            strategy_named(name, about)  # reject before the work
        contests[kind] = tuple(dict.fromkeys(mine)) or (next(iter(known)),)
    return contests


def _run(
    plan: "SimulationPlan", contests: dict[Ask, tuple[str, ...]], workers: int, ray: str | None, quiet: bool
) -> list["Conversation"]:
    from dataclasses import replace

    from rather.cli.progress import progress_bar
    from rather.simulation.conversations import simulate as run

    done = []
    total = sum(len(names) for names in contests.values()) * len(plan.people)
    with progress_bar("conversations", total, quiet) as advance:
        for kind, names in contests.items():
            of_kind = replace(plan, ask=kind.value, strategies=names)
            conversations = run(of_kind, workers, lambda conversation: advance(), ray=ray)
            if len(contests) > 1:
                conversations = [replace(c, strategy=f"{kind} ({c.strategy})") for c in conversations]
            done += conversations
    return done


def _report(plan: "SimulationPlan", catalog: str, summaries: list["Summary"]) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "catalog": catalog,
        "items": len(plan.catalog),
        "particles": len(plan.belief),
        "users": len(plan.people),
        "k": plan.k,
        "seed": plan.seed,
        "response": str(plan.response),
        "rejuvenation": plan.rejuvenation is not None,
        "strategies": [asdict(summary) for summary in summaries],
    }


def _print_table(summaries: list["Summary"], plot: Path | None) -> None:
    from rich.table import Table

    from rather.cli.console import plain_console

    console = plain_console()
    names = [summary.strategy for summary in summaries]
    regret = Table("question", *names, title="Mean regret after each question ± standard error")
    evoi = Table("question", *names, title="Mean EVOI of each question")
    for number in range(len(summaries[0].regret)):
        pairs = [(summary.regret[number], summary.regret_error[number]) for summary in summaries]
        regret.add_row(str(number), *(f"{mean:.3f} ±{error:.3f}" for mean, error in pairs))
        if number:
            evoi.add_row(str(number), *(f"{summary.evoi[number - 1]:.4f}" for summary in summaries))
    evoi.add_section()
    means = (1000 * sum(summary.seconds) / len(summary.seconds) for summary in summaries)
    evoi.add_row("ms each", *(f"{mean:.1f}" for mean in means))
    console.print(regret, evoi)
    console.print(
        f"{counted(summaries[0].people, 'simulated user')}. Question 0: before the first answer.", style="dim"
    )
    if plot is not None:
        print(f"plot: {plot}", file=sys.stderr)
