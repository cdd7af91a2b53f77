"""The service and the command line as the golden tests call them.

What is renamed or reshaped at these edges is adapted here; what was recorded stays as it is.
"""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from golden_worlds import Plain, log_as_recorded, without, world

from rather import RatherError


@contextmanager
def client(folder: Path, names: tuple[str, ...]) -> Iterator[Any]:
    """An HTTP client of the service that serves these worlds, with all the time it wants for a question."""
    from starlette.testclient import TestClient

    from rather.server import Limits, Settings, create_app

    catalogs = {name: (world(name).catalog, world(name).belief) for name in names}
    settings = Settings(database=f"sqlite:///{folder / 'sessions.db'}", prefetch=False, limits=Limits(budget_ms=60_000))
    with TestClient(create_app(catalogs, settings)) as opened:
        yield opened


def response_as_recorded(content: Plain) -> Plain:
    """An object of a response under the names that it had when it was recorded."""
    if "rather" in content:
        return log_as_recorded(content)
    if content.get("catalog_changes") == []:
        content = without(content, "catalog_changes")
    if content.get("study", "") is None:
        content = without(content, "study")
    if "image" in content and not content.get("link") and not content.get("images"):
        content = without(without(content, "link"), "images")
    is_option = {"label", "image", "attributes"} <= content.keys()
    return {"statements" if is_option and key == "attributes" else key: value for key, value in content.items()}


def command(arguments: list[str], lines: list[str]) -> str:
    """What `rather` prints with these arguments and lines of input."""
    from rather.__main__ import main

    before, printed = (sys.argv, sys.stdin), io.StringIO()
    sys.argv, sys.stdin = ["rather", *arguments], io.StringIO("".join(f"{line}\n" for line in lines))
    try:
        with redirect_stdout(printed):
            code = main() or 0
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        sys.argv, sys.stdin = before
    if code:
        raise RatherError(f"`rather {' '.join(arguments)}` ended with {code}.")
    text = printed.getvalue()
    return text if arguments[0] != "simulate" else json.dumps(_simulation_as_recorded(json.loads(text)), indent=1)


def _simulation_as_recorded(report: Plain) -> Plain:
    """What `rather simulate --json` prints, under the names that it had when it was recorded."""
    summaries = [
        {"strategy": summary["policy"], "people": summary["users"], "seconds": summary["question_seconds"]}
        | {measure: summary[measure] for measure in ("regret", "regret_error", "ndcg", "hit", "evoi")}
        for summary in report["policies"]
    ]
    kept = {name: value for name, value in report.items() if name not in ("users", "policies")}
    return {**kept, "people": report["users"], "strategies": summaries}
