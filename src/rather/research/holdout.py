"""A column of a table hidden from the model as the truth: do the questions find what ranks high in it?

A simulated user always prefers the item with more of the column, and the recommended items are ranked in it. The column
is neither learnt from nor shown, so this is a test on real outcomes instead of on simulated tastes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rather.conversation.policy import Policy
from rather.conversation.session import Session
from rather.errors import InvalidInputError
from rather.formats.tables.column_kinds import AMOUNTS, ColumnKind
from rather.formats.tables.encoded_table import EncodedTable, encode_table
from rather.model.questions import Question
from rather.strategies import Strategy


@dataclass(frozen=True)
class Holdout:
    """What was found.

    Attributes:
        column: The truth.
        quarter: The value from which an item is in the top quarter of the table.
        values: `(conversations, questions + 1)` mean value of the recommended items, before the first question and
            after each.
        beaten: `(conversations, questions + 1)` mean share of the table that the recommended items beat.
    """

    column: str
    quarter: float
    values: NDArray[np.float64]
    beaten: NDArray[np.float64]


def hold_out(
    table: Any,
    column: str,
    *,
    less: bool = False,
    questions: int = 10,
    conversations: int = 50,
    top: int = 5,
    k: int = 2,
    strategy: str | Strategy = "auto",
    on_done: Callable[[], None] | None = None,
) -> Holdout:
    """Conversations with a user who prefers more of a column that the model does not see.

    Args:
        table: A path or a frame, as for `encode_table`.
        column: A column of numbers.
        less: The user prefers less of it.
        questions: In each conversation.
        conversations: How many, each with newly drawn particles.
        top: Recommended items to rank.
        k: Items on a slate.
        strategy: How questions are chosen.
        on_done: Called after each conversation.
    """
    encoded = encode_table(table, ignore=[column])
    sign = -1 if less else 1
    truth = sign * _truth(encoded, column)
    known = ~np.isnan(truth)
    values, beaten = [], []
    for seed in range(conversations):
        belief = encoded.belief(seed=seed)
        session = Session(Policy(encoded.catalog, belief, k, seed, strategy=strategy, allowed=known))
        rows = [_top_rows(session, top)]
        for _ in range(questions):
            question = session.ask()
            session.tell(question, _preferred(question, truth))
            rows.append(_top_rows(session, top))
        values.append([float(truth[best].mean()) for best in rows])
        beaten.append([float(np.mean([(truth[known] < truth[row]).mean() for row in best])) for best in rows])
        if on_done is not None:
            on_done()
    quarter = float(np.quantile(truth[known], 0.75))
    return Holdout(column, sign * quarter, sign * np.array(values), np.array(beaten))


def _truth(table: EncodedTable, name: str) -> NDArray[np.float64]:
    column = table.column(name)
    if column.kind not in (*AMOUNTS, ColumnKind.DEGREE, ColumnKind.YES_NO, ColumnKind.DATE):
        raise InvalidInputError(f"`column` must hold numbers; {name!r} is {column.kind}.")
    return column.numbers


def _preferred(question: Question, truth: NDArray[np.float64]) -> int:
    return int(np.argmax(truth[list(question.slate)]))


def _top_rows(session: Session, count: int) -> list[int]:
    return [item.row for item in session.recommend(count, ranking="mean")]
