"""Questions and answers as plain records: what a log holds, and how a question comes back from it."""

import json
import math
from collections.abc import Sized
from typing import Any, TypeGuard

from rather.conversation.policy import Policy
from rather.errors import InvalidInputError
from rather.model.questions import Question
from rather.model.responses import Choice


def answer_record(question: Question, answer: Choice) -> dict[str, Any]:
    """An answer: enough to replay it, and to open its question again."""
    return {"tell": question.number, **question.about, "answer": answer, "evoi": question.evoi}


def question_record(question: Question) -> dict[str, Any]:
    """A question that is open."""
    return {**question.about, "evoi": question.evoi}


def question_of(record: Any, policy: Policy, number: int) -> Question:
    """The question that a record is about, as number `number` of a conversation."""
    if not isinstance(record, dict):
        raise damaged(record)
    evoi = record.get("evoi", 0.0)
    if not isinstance(evoi, float | int) or not math.isfinite(evoi):
        raise damaged(record)
    if "attributes" in record:
        options = record["attributes"]
        if not isinstance(options, list) or not all(_are_indices(each, policy.catalog.attributes) for each in options):
            raise damaged(record)
        if not len(options) == len({frozenset(each) for each in options}) == policy.k:
            raise damaged(record)
        return policy.attribute_question(number, options, evoi)
    rows = record.get("items")
    if not _are_indices(rows, policy.catalog) or len(rows) != policy.k:
        raise damaged(record)
    return policy.item_question(number, rows, evoi)


def damaged(part: Any) -> InvalidInputError:
    """The error for a log with something in it that no log has."""
    return InvalidInputError(f"This session log is damaged: {json.dumps(part)} is not allowed there.")


def _are_indices(indices: Any, of: Sized) -> TypeGuard[list[int]]:
    """Whether these are different indices of a sequence, at least one."""
    if not isinstance(indices, list) or not indices or not all(type(index) is int for index in indices):
        return False
    return len(set(indices)) == len(indices) and all(index in range(len(of)) for index in indices)
