"""`rather study compare`: how the arms of a study differ."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.console import say
from rather.cli.export import Since, StoredSource
from rather.cli.json_output import print_json
from rather.cli.options import Json
from rather.errors import InvalidInputError
from rather.extras import require_extra

if TYPE_CHECKING:
    from rather.insights.arms import ComparedArm, Interview
    from rather.insights.estimates import Estimate
    from rather.server.sessions.records import StoredSession

MEASURES = {
    "finished": "finished",
    "questions": "questions",
    "regret_left": "regret left",
    "hit_rate": "hold-out hits",
}
SHARES = ("finished", "regret_left", "hit_rate")


def compare(
    source: StoredSource,
    catalog: Annotated[
        str | None,
        typer.Option(help="Only interviews about this catalogue: its name, or its file.", show_default="all"),
    ] = None,
    study: Annotated[
        str | None, typer.Option(help="The name of the study.", show_default="the only one there is")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="The arm that the others are compared with.", show_default="the first by name")
    ] = None,
    since: Since = None,
    plot: Annotated[Path | None, typer.Option(help="Write a plot of the arms to this SVG file.")] = None,
    json_output: Json = False,
) -> None:
    """Compare the arms of a study: who finished, questions, regret that is left, and how well hold-outs are predicted.

    Every number has its 95 % interval. A difference whose interval leaves out 0 is marked by a star.

    Examples:
        rather study compare sessions.db
        rather study compare export --study spring --plot arms.svg
        rather study compare sessions.db --catalog cars.csv --json
    """
    require_extra("serve", "`rather study compare`")
    from rather.insights.arms import compare as compare_arms

    interviews = _interviews(source, catalog, study, since, json_output)
    arms = compare_arms(interviews, against)
    if not arms:
        wanted = "a study" if study is None else f"the study {study!r}"
        raise InvalidInputError(f"The source holds no interview of {wanted}.")
    if plot is not None:
        _write_plot(arms, plot)
        say(f"wrote {plot}", stderr=json_output)
    if json_output:
        print_json([_as_data(arm) for arm in arms])
    else:
        _print_tables(arms)


def _interviews(
    source: str, catalog: str | None, study: str | None, since: datetime | None, quiet: bool
) -> "Iterator[Interview]":
    """The interviews of one study, one after the other."""
    from rather.cli.progress import counted_progress
    from rather.server.exports.sources import open_sessions

    name = None if catalog is None else Path(catalog).stem or catalog
    with open_sessions(source, since) as sessions, counted_progress("sessions", quiet) as (_, advance):
        about = (session for session in sessions if name in (None, session.catalog))
        yield from _of_one_study(about, study, advance)


def _of_one_study(
    sessions: "Iterable[StoredSession]", study: str | None, advance: Callable[[], None]
) -> "Iterator[Interview]":
    found = study
    for session in sessions:
        advance()
        campaign = session.study.get("campaign")
        if campaign is None or (study is not None and campaign != study):
            continue
        if campaign != (found := found or campaign):
            raise InvalidInputError(
                f"The source has interviews of several studies, such as {found!r} and {campaign!r}. "
                "Name one by --study."
            )
        yield _interview(session)


def _interview(session: "StoredSession") -> "Interview":
    from rather.insights.arms import Interview
    from rather.server.exports.columns import is_finished

    summary = session.summary or {}
    start = summary.get("start_regret") or 0.0
    holdouts = summary.get("holdouts", {})
    return Interview(
        arm=session.study.get("arm", ""),
        answered=len(session.answers),
        finished=bool(session.answers) and is_finished(session),
        regret_left=summary["regret"] / start if start > 0 else None,
        holdouts=holdouts.get("answered", 0),
        hits=holdouts.get("hits", 0),
    )


def _as_data(arm: "ComparedArm") -> dict[str, object]:
    return {
        "arm": arm.name,
        "began": arm.began,
        "finished": arm.finished,
        "holdouts": arm.holdouts,
        "measures": arm.measures.as_data(),
        "differences": None if arm.differences is None else arm.differences.as_data(),
    }


def _print_tables(arms: "list[ComparedArm]") -> None:
    from rich.table import Table
    from rich.text import Text

    from rather.cli.console import plain_console

    table = Table("arm", "began", *MEASURES.values(), title="95 % intervals in brackets", title_justify="left")
    for arm in arms:
        cells = [_cell(getattr(arm.measures, name), name) for name in MEASURES]
        table.add_row(Text(arm.name or "(no arm)"), f"{arm.began:,}", *cells)
    plain_console().print(table)
    if len(arms) < 2:
        return
    base, *others = arms
    title = f"Difference from {base.name or '(no arm)'}; * leaves out 0"
    table = Table("arm", *MEASURES.values(), title=Text(title), title_justify="left")
    for arm in others:
        table.add_row(
            Text(arm.name or "(no arm)"), *(_difference(getattr(arm.differences, name), name) for name in MEASURES)
        )
    plain_console().print(table)


def _cell(found: "Estimate | None", name: str) -> str:
    if found is None:
        return "–"
    if name in SHARES:
        return f"{found.value:.1%} ({100 * found.low:.1f} to {100 * found.high:.1f})"
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def _difference(found: "Estimate | None", name: str) -> str:
    if found is None:
        return "–"
    star = "*" if found.is_clear else ""
    if name in SHARES:
        return f"{100 * found.value:+.1f} ({100 * found.low:+.1f} to {100 * found.high:+.1f}){star}"
    return f"{found.value:+.2f} ({found.low:+.2f} to {found.high:+.2f}){star}"


def _write_plot(arms: "list[ComparedArm]", path: Path) -> None:
    from rather.insights.plots import stacked

    panels = []
    for name, title in MEASURES.items():
        found = [(arm.name or "(no arm)", getattr(arm.measures, name)) for arm in arms]
        known = [(label, estimate) for label, estimate in found if estimate is not None]
        if known:
            texts = [_cell(estimate, name) for _, estimate in known]
            panels.append((title, [label for label, _ in known], [estimate for _, estimate in known], texts))
    try:
        path.write_text(stacked(panels), encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"Cannot write {str(path)!r}: {error.strerror or error}.") from None
