"""A session as bytes that need no replay: its log, and the particles of now. No pickle.

A snapshot is a line that names the format, a line with the log as JSON and the number of particles, and the particles
`(m, d)` and log-weights `(m,)` as little-endian float32. Particles of an earlier version of the catalogue or of another
starting belief say nothing about those of now: there, the log is replayed.
"""

import json
from typing import Any

import numpy as np
import torch

from rather.caching.storage import Cache
from rather.conversation.held_events import held_events
from rather.conversation.hint_records import hint_of_record
from rather.conversation.log import (
    as_data,
    has_changed,
    load_data,
    load_open,
    load_settings,
    parse,
    spaces_of,
    upgraded,
)
from rather.conversation.records import damaged, question_of
from rather.conversation.session import Session
from rather.conversation.translations import Translations
from rather.errors import InvalidInputError
from rather.model.belief import Belief, Evidence
from rather.model.catalog import Catalog
from rather.model.hints import Hint
from rather.model.questions import Question
from rather.model.responses import Answer, Choice, ResponseModel, answer_row, as_choice

FORMAT = b"rather snapshot 1"


def write(session: Session) -> bytes:
    """See `Session.snapshot`."""
    belief = session.belief
    log = {**as_data(session), "particles": len(belief)}
    arrays = (belief.particles, belief.log_weights)
    numbers = [array.contiguous().numpy().astype("<f4").tobytes() for array in arrays]
    return b"\n".join([FORMAT, json.dumps(log).encode(), b"".join(numbers)])


def read(snapshot: bytes, catalog: Catalog, belief: Belief, *, cache: Cache | None = None, **parts: Any) -> Session:
    """See `Session.restore`."""
    first, _, rest = snapshot.partition(b"\n")
    if first != FORMAT:
        raise InvalidInputError(f"This is not a snapshot of the form {FORMAT.decode()!r}.")
    header, _, numbers = rest.partition(b"\n")
    log = parse(header)
    if has_changed(log, catalog, belief):
        return load_data(log, catalog, belief, cache=cache, **parts)
    policy, stopping = load_settings(log, catalog, belief, **parts)
    log = upgraded(log, policy)
    spaces = spaces_of(log, catalog)
    translations = Translations(spaces, catalog)
    steps: list[tuple[Question, Choice] | Hint] = []
    for event in held_events(log["events"]):
        hints = sum(isinstance(step, Hint) for step in steps)
        if "hint" in event:
            steps.append(hint_of_record(event, hints + 1, catalog, translations))
            continue
        number = len(steps) - hints + 1
        question = question_of(event, policy, number, translations)
        if "answer" not in event or event.get("tell") != number:
            raise damaged(event)
        steps.append((question, as_choice(event["answer"])))
    now = _belief(numbers, log.get("particles"), steps, policy.response, belief)
    session = Session.resumed(policy, stopping, steps, log["events"], now, cache, spaces)
    if log["open"] is not None:
        load_open(log["open"], session)
    return session


def _belief(
    numbers: bytes, count: Any, steps: list[tuple[Question, Choice] | Hint], response: ResponseModel, prior: Belief
) -> Belief:
    d = prior.particles.shape[1]
    if not isinstance(count, int) or count < 1 or len(numbers) != 4 * count * (d + 1):
        raise InvalidInputError(f"This snapshot is damaged: it does not hold its {count} particles of {d} dimensions.")
    array = torch.from_numpy(np.frombuffer(numbers, dtype="<f4").astype(np.float32))
    if not torch.isfinite(array[: count * d]).all() or array.isnan().any():
        raise InvalidInputError("This snapshot is damaged: its particles are not finite.")
    evidence = []
    for step in steps:
        if isinstance(step, Hint):
            row = answer_row(step.answer, len(step.vectors), step.response)
            evidence.append(Evidence(step.vectors, row, step.response))
        elif step[1] is not Answer.SKIP and step[0].task != "holdout":
            row = answer_row(step[1], len(step[0]), response)
            evidence.append(Evidence(step[0].vectors, row, response))
    return Belief(array[: count * d].view(count, d), array[count * d :], prior.prior, tuple(evidence))
