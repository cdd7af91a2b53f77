"""`rather plan`: plan the first questions of every conversation together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.console import say
from rather.cli.json_output import print_json
from rather.cli.options import Ask, CatalogName, Json, PriorOption, RetrieverKind, Seed, SlateSize, Strict, Temperature
from rather.errors import InvalidInputError
from rather.nouns import counted

if TYPE_CHECKING:
    from rather.conversation.plans import Plan, PlanRegret
    from rather.model.catalog import Catalog

DRAWINGS = (".svg", ".html")


def _validate_trees(paths: list[Path] | None) -> list[Path] | None:
    for path in paths or ():
        if path.suffix.lower() not in DRAWINGS:
            raise InvalidInputError(f"`--tree` must end in .svg or .html, got {path}.")
    return paths


def plan(
    catalog: CatalogName = "films",
    questions: Annotated[int | None, typer.Option(min=1, max=12, help="Questions in a row.", show_default="5")] = None,
    people: Annotated[int, typer.Option(min=1, help="People to plan for, and as many others to judge by.")] = 10_000,
    leaving: Annotated[
        str | None,
        typer.Option(
            metavar="N,N",
            help="For people who leave after so many questions, equally many each: 3,5,8; or 3:1,5:2 with weights.",
            show_default="all stay to the end",
        ),
    ] = None,
    least_share: Annotated[
        float, typer.Option(min=0, max=1, help="Plan no question that a smaller share of people comes to.")
    ] = 0.002,
    least_gain: Annotated[
        float, typer.Option(min=0, help="End the plan where another question adds less utility in the end.")
    ] = 0.0,
    tries: Annotated[int, typer.Option(min=1, help="Search so often, and take the best plan.")] = 1,
    k: SlateSize = 2,
    asking: Annotated[
        Ask, typer.Option("--ask", help="Ask about items, attributes, or whichever is worth more each time.")
    ] = Ask.ITEMS,
    temperature: Temperature = None,
    prior: PriorOption = None,
    out: Annotated[Path | None, typer.Option(help="Write the plan to this JSON file.", show_default=False)] = None,
    tree: Annotated[
        list[Path] | None,
        typer.Option(
            callback=_validate_trees,
            help="Draw the tree of questions into this .svg or .html file; repeat it for both.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    retriever: RetrieverKind = "auto",
    json_output: Json = False,
    strict: Strict = False,
) -> None:
    """Plan the first questions together, for what is recommended in the end.

    Questions that are chosen one by one are each worth most at the moment. A plan is the tree of questions whose
    recommendations at the leaves are expected to be best. Use it with `--plan` of ask, simulate, serve and publish;
    where a conversation leaves it, questions are chosen one by one.

    Examples:
        rather plan films --questions 5 --out plan.json
        rather plan films --out plan.json --tree tree.svg --tree tree.html
        rather plan films --leaving 3,5,8 --out plan.json
        rather plan films --ask attributes --out plan.json
        rather plan cars.csv --people 2000 --json
    """
    from rather.caching import user_cache
    from rather.cli.progress import byte_progress, open_with_progress
    from rather.conversation.policy import Policy
    from rather.conversation.policy_settings import everyday_response
    from rather.planning import plan as make
    from rather.retrieval import choose_retriever

    shares = None if leaving is None else _shares(leaving)
    depth = questions or (max(shares) if shares else 5)
    for path in (*(tree or ()), *([out] if out else [])):
        if not path.parent.is_dir():
            raise InvalidInputError(f"There is no folder {path.parent}.")
    source = open_with_progress(catalog, strict=strict, prior=prior)
    response = everyday_response(source.catalog, source.belief, temperature)
    search = choose_retriever(source.catalog, source.belief, retriever, cache=user_cache())
    policy = Policy(source.catalog, source.belief, k, seed, ask=asking.value, response=response, retriever=search)
    with byte_progress(of_bytes=False) as show:
        made = make(
            policy,
            depth,
            people,
            leaving=shares,
            least_share=least_share,
            least_gain=least_gain,
            tries=tries,
            seed=seed,
            on_progress=lambda done, total, note: show("planning", done, total),
        )
    if out is not None:
        made.save(out)
    for path in tree or ():
        _draw(made, source.catalog, path)
    if json_output:
        print_json(_report(catalog, made))
        return
    _print(made, source.catalog)
    for name, path in [("plan", out), *(("tree", each) for each in tree or ())]:
        if path is not None:
            say(f"{name}: {path}", stderr=True)


def _shares(text: str) -> dict[int, float]:
    """The weights that "3,5,8" or "3:1,5:2" stands for."""
    shares = {}
    for part in text.split(","):
        count, _, weight = part.partition(":")
        try:
            shares[int(count)] = float(weight or 1)
        except ValueError:
            raise InvalidInputError(f"`--leaving` must be like 3,5,8 or 3:1,5:2; got {text!r}.") from None
    return shares


def _draw(made: "Plan", catalog: "Catalog", path: Path) -> None:
    from rather.planning.drawing import plan_svg
    from rather.planning.page import plan_html

    draw = plan_svg if path.suffix.lower() == ".svg" else plan_html
    try:
        path.write_text(draw(made, catalog), encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"Cannot write {path}: {error.strerror}.") from None


def _report(catalog: str, made: "Plan") -> dict[str, object]:
    from dataclasses import asdict

    return {
        "catalog": catalog,
        "questions": made.questions,
        "nodes": sum(node.is_question for node in made.root.walk()),
        "k": made.k,
        "people": made.people,
        "seed": made.seed,
        "leaving": {str(count): share for count, share in made.leaving.items()},
        "key": made.key,
        "ask": made.ask,
        "first_question": list(made.root.items or made.root.attributes),
        "regret": asdict(made.regret),
    }


def _compared(regret: "PlanRegret") -> str:
    """What a plan gains, in words."""
    if regret.gain == regret.gain_error == 0:
        return (
            "They are the ones that would be chosen one by one: none were found that are better for other people. "
            "With more --people or --tries there may be some."
        )
    clear = "" if regret.gain > 2 * regret.gain_error else ", which is no clear gain"
    gain = f"{regret.gain:+.4f} ±{regret.gain_error:.4f}"
    return f"For others, the utility changes by {gain} against questions chosen one by one{clear}."


def _print(made: "Plan", catalog: "Catalog") -> None:
    from rich.table import Table

    from rather.cli.console import plain_console
    from rather.planning.drawing import drawn_tree

    console, regret = plain_console(), made.regret
    table = Table("questions", "planned", "one by one", "less", title="Expected regret of those who leave after")
    for number, (planned, myopic) in enumerate(zip(regret.planned_fresh, regret.myopic_fresh, strict=True)):
        less = round(100 * (1 - planned / myopic), 1) + 0.0 if myopic > 0 else None  # + 0.0: no "-0.0"
        table.add_row(str(number), f"{planned:.4f}", f"{myopic:.4f}", "–" if less is None else f"{less:.1f} %")
    console.print(table)
    if not made.root.is_question:
        console.print(f"No question is worth planning for {counted(made.people, 'person')}: the plan is empty.")
        return
    asked = sum(node.is_question for node in made.root.walk())
    console.print(f"{counted(asked, 'question')} planned for {counted(made.people, 'person')}. {_compared(regret)}")
    console.print(f"The first: {' or '.join(drawn_tree(made, catalog).options)}?")
