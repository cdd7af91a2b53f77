"""`rather strategies`: what there is to choose from."""

import json

from rather.cli.options import Json


def strategies(json_output: Json = False) -> None:
    """List every strategy, what it does, and its catalogue scans per question.

    A scan is one look at every item for a batch of directions: the cost that grows with the catalogue.

    Example: rather strategies --json
    """
    from rich.console import Console
    from rich.table import Table

    from rather.strategies import STRATEGIES

    if json_output:
        rows = [
            {"name": name, "paper": named.paper, "summary": named.summary, "scans": named.scans}
            for name, named in STRATEGIES.items()
        ]
        print(json.dumps(rows, indent=1))
        return
    table = Table("name", "in the paper", "what it does", "scans per question", title="Strategies")
    for name, named in STRATEGIES.items():
        table.add_row(f"[bold]{name}[/bold]", named.paper, named.summary, named.scans)
    Console().print(table)
