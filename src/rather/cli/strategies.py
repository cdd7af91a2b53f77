"""`rather strategies`: what there is to choose from."""

from collections.abc import Mapping

from rather.cli.json_output import print_json
from rather.cli.options import Json


def strategies(json_output: Json = False) -> None:
    """List the strategies: what each does, and how many scans of the catalogue a question takes.

    A scan is one pass over all items for a batch of directions: the cost that grows with the catalogue.

    Examples:
        rather strategies
        rather strategies --json
    """
    from rich.table import Table
    from rich.text import Text

    from rather.cli.console import plain_console
    from rather.strategies import ATTRIBUTE_STRATEGIES, STRATEGIES, Named

    kinds: dict[str, Mapping[str, Named]] = {"items": STRATEGIES, "attributes": ATTRIBUTE_STRATEGIES}
    if json_output:
        rows = [
            {"name": name, "asks": kind, "paper": named.paper, "summary": named.summary, "scans": named.scans}
            for kind, strategies in kinds.items()
            for name, named in strategies.items()
        ]
        print_json(rows)
        return
    for kind, strategies in kinds.items():
        table = Table(title=f"Strategies for questions about {kind}")
        table.add_column("name", no_wrap=True, min_width=max(map(len, strategies)))
        for heading in ("in the paper", "what it does", "scans per question"):
            table.add_column(heading)
        for name, named in strategies.items():
            table.add_row(Text(name, style="bold"), named.paper, named.summary, named.scans)
        plain_console().print(table)
