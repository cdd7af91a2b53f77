"""Questions and answers as plain records: what a log holds, and how a question comes back from it.

A record of version 2 holds all that was shown, vectors included, so that it says the same whatever becomes of the
catalogue. One of version 1 holds only rows and indices.
"""

import base64
import json
import math
from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any, TypeGuard, get_args

import numpy as np
import torch
from torch import Tensor

from rather.conversation.policy import Policy
from rather.conversation.tasks import task_at
from rather.conversation.translations import Translations
from rather.conversation.wording import USUAL_VERB, item_sentence
from rather.errors import InvalidInputError
from rather.model.catalog import Catalog
from rather.model.questions import GONE, Option, Question, TaskKind, Words
from rather.model.responses import Choice


def answer_record(question: Question, answer: Choice, catalog: Catalog) -> dict[str, Any]:
    """An answer: enough to replay it without the catalogue, and to open its question again."""
    return {"tell": question.number, **question_record(question, catalog), "answer": answer}


def question_record(question: Question, catalog: Catalog) -> dict[str, Any]:
    """A question that is open."""
    task: dict[str, Any] = {} if question.task is None else {"task": question.task}
    if question.predicted:
        task["predicted"] = list(question.predicted)
    return {**question.about, "evoi": question.evoi, **task, "shown": _shown(question, catalog)}


def question_of(record: Any, policy: Policy, number: int, translations: Translations | None = None) -> Question:
    """The question that a record is about, as number `number` of a conversation under this policy.

    Args:
        record: As `question_record` or `answer_record` wrote it, perhaps about an earlier version of the catalogue.
        policy: Of the conversation as it is now.
        number: Of the question.
        translations: From the spaces of the log; not needed for records that hold no vectors.
    """
    logged = logged_question(record, number)
    if "shown" not in record:
        return _question_of_rows(record, policy, number, logged.evoi)
    task = task_at(policy.tasks, number)
    if len(logged) not in {policy.k, len(task.items) if task else policy.k} or translations is None:
        raise damaged(record)
    vectors = translations(text_of(record["shown"].get("space"), record), logged.vectors)
    catalog = policy.catalog
    if logged.kind == "attributes":
        known = attribute_indices(catalog)
        said = tuple(
            tuple(known.get(pair, GONE) for pair in _attributes(option, record))
            for option in record["shown"]["options"]
        )
        return replace(logged, attributes=said, vectors=vectors)
    return replace(located(logged, catalog), vectors=vectors)


def located(logged: Question, catalog: Catalog) -> Question:
    """A logged question about items, with the rows that these are in now."""
    rows = tuple(_found(option, hint, catalog) for option, hint in zip(logged.options, logged.slate, strict=True))
    return replace(logged, slate=rows)


def logged_question(record: Any, number: int) -> Question:
    """The question of a record as it was asked, without a catalogue: rows and vectors are those of its time."""
    if not isinstance(record, dict):
        raise damaged(record)
    evoi = record.get("evoi", 0.0)
    if not isinstance(evoi, float | int) or not math.isfinite(evoi):
        raise damaged(record)
    compared = record.get("attributes", record.get("items"))
    if not isinstance(compared, list) or not compared:
        raise damaged(record)
    shown = record.get("shown")
    if shown is None:
        labels = [f"{'attributes' if 'attributes' in record else 'item'} {each}" for each in compared]
        options = tuple(Option(label, {}, None) for label in labels)
        return Question(number, (), options, evoi, torch.zeros(len(compared), 0), (), item_sentence(labels))
    if not isinstance(shown, dict) or not isinstance(shown.get("options"), list):
        raise damaged(record)
    if len(shown["options"]) != len(compared):
        raise damaged(record)
    options = tuple(option_of(option, record) for option in shown["options"])
    vectors = unpacked(shown.get("vectors"), len(options), record)
    if "attributes" in record:
        said = {frozenset(_attributes(option, record)) for option in shown["options"]}
        if not all(_are_integers(each) for each in compared) or len(said) != len(options):
            raise damaged(record)
        return Question(number, (), options, evoi, vectors, tuple(map(tuple, compared)), _words(shown, record))
    if not _are_integers(compared) or len({option.id for option in options}) != len(options):
        raise damaged(record)
    verb, noun = text_of(shown.get("verb", USUAL_VERB), record), text_of(shown.get("noun", ""), record)
    words = item_sentence([option.named for option in options], verb, noun=noun)
    task, predicted = _task(record, len(options))
    return Question(number, tuple(compared), options, evoi, vectors, words=words, task=task, predicted=predicted)


def _task(record: Any, count: int) -> tuple[TaskKind | None, tuple[float, ...]]:
    """What kind of task the question of a record is, and what was predicted of it."""
    kind, predicted = record.get("task"), record.get("predicted", [])
    if kind not in (None, *get_args(TaskKind)) or not isinstance(predicted, list):
        raise damaged(record)
    if predicted and len(predicted) != count:
        raise damaged(record)
    if not all(type(each) in (float, int) and 0 <= each <= 1 for each in predicted):
        raise damaged(record)
    return kind, tuple(map(float, predicted))


def attribute_indices(catalog: Catalog) -> dict[tuple[str, str], int]:
    """The index of each attribute by its column and text."""
    return {(attribute.column, attribute.text): index for index, attribute in enumerate(catalog.attributes)}


def damaged(part: Any) -> InvalidInputError:
    """The error for a log with something in it that no log has."""
    text = json.dumps(part)
    short = text if len(text) <= 200 else f"{text[:199]}…"
    return InvalidInputError(f"This session log is damaged: {short} is not allowed there.")


def item_record(option: Option) -> dict[str, Any]:
    """An item as it was shown."""
    shown: dict[str, Any] = {"id": option.id, "label": option.label}
    if option.facts:
        shown["facts"] = dict(option.facts)
    if option.link is not None:
        shown["link"] = option.link
    if option.images:
        shown["images"] = list(option.images)
    if option.phrase:
        shown["phrase"] = option.phrase
    return shown


def packed(vectors: Tensor) -> str:
    """Vectors as text, exactly: little-endian float32 in base64."""
    return base64.b64encode(vectors.contiguous().numpy().astype("<f4").tobytes()).decode()


def _shown(question: Question, catalog: Catalog) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if question.kind == "attributes":
        said = [[catalog.attributes[index] for index in option] for option in question.attributes]
        shown["options"] = [
            {
                "label": option.label,
                "attributes": [[each.column, each.text] for each in item],
                **({"phrase": option.phrase} if option.phrase else {}),
            }
            for option, item in zip(question.options, said, strict=True)
        ]
        shown["words"] = [[piece.text] if piece.stressed else piece.text for piece in question.words]
    else:
        shown["options"] = [item_record(option) for option in question.options]
        if catalog.verb != USUAL_VERB:
            shown["verb"] = catalog.verb
        if catalog.configurator is not None:
            shown["noun"] = catalog.name
    return {**shown, "vectors": packed(question.vectors), "space": catalog.space_hash}


def _question_of_rows(record: Mapping[str, Any], policy: Policy, number: int, evoi: float) -> Question:
    """The question of a record of version 1, about the catalogue as it is."""
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


def _found(option: Option, hint: int, catalog: Catalog) -> int:
    assert option.id is not None
    row = catalog.find(option.id, hint)
    return GONE if row is None else row


def option_of(option: Any, record: Any) -> Option:
    """What was shown of an option of a record."""
    if not isinstance(option, dict):
        raise damaged(record)
    label, facts = text_of(option.get("label"), record), option.get("facts", {})
    if "attributes" in option:
        said = tuple(text for _, text in _attributes(option, record))
        return Option(label, {}, None, said, phrase=text_of(option.get("phrase", ""), record))
    id = option.get("id")
    if type(id) not in (str, int) or not isinstance(facts, dict):
        raise damaged(record)
    if not all(isinstance(value, str) for value in facts.values()):
        raise damaged(record)
    link, images = option.get("link"), option.get("images", [])
    if not isinstance(images, list):
        raise damaged(record)
    link = None if link is None else text_of(link, record)
    phrase = text_of(option.get("phrase", ""), record)
    return Option(label, facts, id, link=link, images=tuple(text_of(each, record) for each in images), phrase=phrase)


def _attributes(option: dict[str, Any], record: Any) -> list[tuple[str, str]]:
    pairs = option.get("attributes")
    if not isinstance(pairs, list) or not pairs or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise damaged(record)
    return [(text_of(column, record), text_of(text, record)) for column, text in pairs]


def _words(shown: dict[str, Any], record: Any) -> tuple[Words, ...]:
    pieces = shown.get("words")
    if not isinstance(pieces, list):
        raise damaged(record)
    return tuple(
        Words(text_of(piece[0], record), True)
        if isinstance(piece, list) and len(piece) == 1
        else Words(text_of(piece, record))
        for piece in pieces
    )


def unpacked(text: Any, count: int, record: Any) -> Tensor:
    """The `count` vectors that `packed` wrote into a record."""
    try:
        numbers = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4").astype(np.float32)
        vectors = torch.from_numpy(numbers.reshape(count, -1))
    except (TypeError, ValueError):
        raise damaged(record) from None
    if not vectors.shape[1] or not torch.isfinite(vectors).all():
        raise damaged(record)
    return vectors


def text_of(text: Any, record: Any) -> str:
    """A text of a record."""
    if not isinstance(text, str):
        raise damaged(record)
    return text


def _are_integers(indices: Any) -> TypeGuard[Sequence[int]]:
    return isinstance(indices, list) and bool(indices) and all(type(index) is int for index in indices)


def _are_indices(indices: Any, of: Sized) -> TypeGuard[list[int]]:
    """Whether these are different indices of a sequence, at least one."""
    if not _are_integers(indices):
        return False
    return len(set(indices)) == len(indices) and all(index in range(len(of)) for index in indices)
