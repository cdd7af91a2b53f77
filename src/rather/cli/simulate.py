"""`rather simulate`: how fast does regret fall, question by question?"""

from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rather.cli.console import say
from rather.cli.json_output import print_json
from rather.cli.options import (
    Ask,
    Attributes,
    CatalogName,
    Json,
    Noise,
    NoiseKind,
    PlanFile,
    Plot,
    PriorOption,
    Ray,
    RetrieverKind,
    Seed,
    SlateSize,
    Strict,
    Temperature,
    Workers,
    chosen_response,
    chosen_strategies,
)
from rather.nouns import counted

if TYPE_CHECKING:
    from rich.table import Table

    from rather.conversation.policy import Policy
    from rather.formats.opening import Opened
    from rather.model.responses import ResponseModel
    from rather.simulation import PolicySummary
    from rather.simulation.questions_needed import QuestionsNeeded
    from rather.strategies import Strategy

    Strategies = tuple[str | Strategy, str | Strategy]


# Of the regret before the first question; with a fifth of it left, a list is a good one.
LEFT = 0.2


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
    hints: Annotated[
        int,
        typer.Option(
            min=0, help="Compare with users who also give this many hints, one after each of the first answers."
        ),
    ] = 0,
    adjustments: Annotated[
        int,
        typer.Option(
            min=0,
            help="After the questions, users adjust the recommended configuration this many times, each time in up to "
            "two choices. Only for products that are configured.",
        ),
    ] = 0,
    lists: Annotated[
        bool,
        typer.Option("--lists", help="Also show the regret of the best of five recommendations, chosen in two ways."),
    ] = False,
    plan: PlanFile = None,
    prior: PriorOption = None,
    k: SlateSize = 2,
    temperature: Temperature = None,
    noise: NoiseKind = Noise.FIXED,
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
    csv: Annotated[
        Path | None,
        typer.Option(help="Write a row for each strategy, user and question into this file.", show_default=False),
    ] = None,
    retriever: RetrieverKind = "auto",
    json_output: Json = False,
    strict: Strict = False,
) -> None:
    """Let simulated users answer, and show how the regret of the recommendation falls.

    Every strategy meets the same users, with the same utilities and the same noise. The users are fresh draws from
    the belief's density, with --prior from that of people who answered, unless --among-particles is given.

    Examples:
        rather simulate films --users 200
        rather simulate films --strategy auto --strategy random --plot regret.png
        rather simulate films --strategy cont-alter --users 100 --json
        rather simulate films --strategy auto --strategy greedy --csv out.csv
        rather simulate films --ask attributes --strategy auto --strategy random
        rather simulate films --ask items --ask attributes --ask auto
        rather simulate films --hints 2
        rather simulate laptop --questions 2 --adjustments 6
        rather simulate films --noise personal
        rather simulate films --plan plan.json --users 500
        rather simulate films --lists --users 200
        rather simulate films --users 10000 --ray 10.0.0.1:6379
    """
    from rather.cli.progress import open_with_progress, progress_bar
    from rather.simulation import Adjusting, as_rows, draw_users, summarise
    from rather.simulation import simulate as run
    from rather.simulation.questions_needed import questions_needed

    compared = _compared(asking or [Ask.ITEMS], strategy or [])
    source = open_with_progress(catalog, strict=strict, prior=prior)
    response = chosen_response(source, noise, temperature)
    policies = _policies(source, compared, k, p, response, retriever, rejuvenate=not among_particles)
    if plan is not None:
        policies |= _planned(policies, plan)
    hinting = {f"{name}, {counted(hints, 'hint')}": policy for name, policy in policies.items()} if hints else {}
    policies |= hinting
    drawn = draw_users(source.belief, users, seed, among_particles=among_particles)
    with progress_bar("conversations", len(policies) * users, json_output) as advance:
        conversations = run(
            policies,
            drawn,
            questions,
            seed=seed,
            hints=dict.fromkeys(hinting, hints),
            lists=lists,
            adjusting=Adjusting(adjustments) if adjustments else None,
            workers=workers,
            ray=ray,
            on_done=lambda conversation: advance(),
        )
    summaries = summarise(conversations)
    needed = questions_needed(conversations, LEFT) if hints else []
    if csv is not None:
        _write_csv(as_rows(conversations), csv)
    if plot is not None:
        from rather.research.plots import plot_summaries

        plot_summaries(summaries, plot)
    if json_output:
        first = next(iter(policies.values()))
        print_json(
            {
                "catalog": catalog,
                "items": len(source.catalog),
                "particles": len(source.belief),
                "users": users,
                "k": k,
                "seed": seed,
                "response": str(first.response),
                "rejuvenation": first.rejuvenation is not None,
                "policies": [asdict(summary) for summary in summaries],
                "ask": [*compared],
                "p": p,
                **({"adjustments": adjustments} if adjustments else {}),
                **({"questions_needed": [asdict(each) for each in needed]} if hints else {}),
            }
        )
        return
    _print_tables(summaries)
    _print_needed(needed)
    for name, path in (("rows", csv), ("plot", plot)):
        if path is not None:
            say(f"{name}: {path}", stderr=True)


def _compared(kinds: list[Ask], names: list[str]) -> dict[Ask, dict[str, "Strategies"]]:
    """For each kind of question the strategies that are compared: those typed for it, or its default."""
    from rather.strategies import ATTRIBUTE_STRATEGIES, STRATEGIES

    compared = {}
    for kind in dict.fromkeys(kinds):
        known, other = (
            (ATTRIBUTE_STRATEGIES, STRATEGIES) if kind is Ask.ATTRIBUTES else (STRATEGIES, ATTRIBUTE_STRATEGIES)
        )
        mine = [name for name in names if name in known or len(set(kinds)) == 1 or name not in other]
        compared[kind] = {name: chosen_strategies(kind, name) for name in mine or [next(iter(known))]}
    return compared


def _policies(
    source: "Opened",
    compared: dict[Ask, dict[str, "Strategies"]],
    k: int,
    p: int,
    response: "ResponseModel",
    retriever: str,
    rejuvenate: bool,
) -> dict[str, "Policy"]:
    from rather.caching import user_cache
    from rather.conversation.policy import Policy
    from rather.model.rejuvenation import Rejuvenation
    from rather.retrieval import choose_retriever

    chosen = choose_retriever(source.catalog, source.belief, retriever, cache=user_cache())
    return {
        f"{kind} ({name})" if len(compared) > 1 else name: Policy(
            source.catalog,
            source.belief,
            k,
            ask=kind.value,
            p=p,
            strategy=items,
            attribute_strategy=attributes,
            response=response,
            retriever=chosen,
            rejuvenation=Rejuvenation() if rejuvenate else None,
        )
        for kind, strategies in compared.items()
        for name, (items, attributes) in strategies.items()
    }


def _planned(policies: dict[str, "Policy"], path: Path) -> dict[str, "Policy"]:
    """The policies that ask about what a plan asks about, after its questions."""
    from rather.conversation.plans import Plan
    from rather.errors import InvalidInputError

    made = Plan.load(path)
    fitting = {name: policy for name, policy in policies.items() if policy.ask == made.ask}
    if not fitting:
        raise InvalidInputError(f"{path} was made for other questions: add `--ask {made.ask}`, or make it again.")
    return {f"{name}, planned first": policy.following(made) for name, policy in fitting.items()}


def _write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    from csv import DictWriter

    with path.open("w", encoding="utf8", newline="") as file:
        writer = DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def _print_tables(summaries: list["PolicySummary"]) -> None:
    from rich.table import Table

    from rather.cli.console import plain_console

    console = plain_console()
    names = [summary.policy for summary in summaries]
    adjusted = len(summaries[0].regret) > len(summaries[0].evoi) + 1
    steps = "question, then after each adjustment," if adjusted else "question"
    regret = Table(
        "after" if adjusted else "question", *names, title=f"Mean regret after each {steps} ± standard error"
    )
    evoi = Table("question", *names, title="Mean EVOI of each question")
    for number in range(len(summaries[0].regret)):
        pairs = [(summary.regret[number], summary.regret_error[number]) for summary in summaries]
        regret.add_row(_after(number, summaries), *(f"{mean:.3f} ±{error:.3f}" for mean, error in pairs))
        if 0 < number <= len(summaries[0].evoi):
            evoi.add_row(str(number), *(f"{summary.evoi[number - 1]:.4f}" for summary in summaries))
    evoi.add_section()
    evoi.add_row("ms to choose a question", *(f"{1000 * fmean(summary.question_seconds):.1f}" for summary in summaries))
    evoi.add_row("ms to take in an answer", *(f"{1000 * fmean(summary.answer_seconds):.1f}" for summary in summaries))
    console.print(regret, evoi)
    if summaries[0].list_regret:
        console.print(_lists_table(summaries))
    console.print(f"{counted(summaries[0].users, 'simulated user')}. Question 0: before the first answer.", style="dim")


def _after(number: int, summaries: list["PolicySummary"]) -> str:
    """What a row of regrets comes after."""
    questions = len(summaries[0].evoi)
    return str(number) if number <= questions else f"{questions} + {counted(number - questions, 'adjustment')}"


def _lists_table(summaries: list["PolicySummary"]) -> "Table":
    """What the best of a list loses, chosen together and by expected utility alone."""
    from rich.table import Table

    names = [f"{summary.policy}, {how}" for summary in summaries for how in ("as a list", "by expected utility")]
    table = Table("question", *names, title="Mean regret of the best of five recommendations ± standard error")
    for number in range(len(summaries[0].list_regret)):
        cells = [
            f"{means[number]:.3f} ±{errors[number]:.3f}"
            for summary in summaries
            for means, errors in (
                (summary.list_regret, summary.list_regret_error),
                (summary.ranking_regret, summary.ranking_regret_error),
            )
        ]
        table.add_row(_after(number, summaries), *cells)
    return table


def _print_needed(needed: list["QuestionsNeeded"]) -> None:
    """What hints save."""
    from rich.table import Table

    from rather.cli.console import plain_console

    if not needed:
        return
    table = Table("", "questions", "saved", title=f"Questions until {LEFT:.0%} of the initial regret is left")
    for each in needed:
        saved = "" if each is needed[0] else f"{each.saved:.1f} ±{each.saved_error:.1f}"
        table.add_row(each.policy, f"{each.questions:.1f}", saved)
    plain_console().print(table)
