"""`rather strategies`: what there is to choose from."""

from collections.abc import Mapping

from rather.cli.json_output import print_json
from rather.cli.options import Json


def strategies(json_output: Json = False) -> None:
    """List every strategy, what it does, and its catalogue scans per question.

    A scan is one look at every item for a batch of directions: the cost that grows with the catalogue.

    Example: rather strategies --json
    """
    from rich.console import Console
    from rich.table import Table

    from rather.strategies import PARTIAL_STRATEGIES, STRATEGIES, Named

    kinds: dict[str, Mapping[str, Named[object]]] = {"items": STRATEGIES, "attributes": PARTIAL_STRATEGIES}
    if json_output:
        rows = [
            {"name": name, "asks": kind, "paper": named.paper, "summary": named.summary, "scans": named.scans}
            for kind, strategies in kinds.items()
            for name, named in strategies.items()
        ]
        print_json(rows)
        return
    for kind, strategies in kinds.items():
        title = f"Strategies for questions about {kind}"
        table = Table(title=title)
        table.add_column("name", no_wrap=True, min_width=max(map(len, strategies)))
        for heading in ("in the paper", "what it does", "scans per question"):
            table.add_column(heading)
        for name, named in strategies.items():
            table.add_row(f"[bold]{name}[/bold]", named.paper, named.summary, named.scans)
        Console().print(table)
