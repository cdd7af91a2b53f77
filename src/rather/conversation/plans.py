"""A plan: the first questions of every conversation, chosen together beforehand. A tree, and a JSON file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, get_args

import torch

from rather.caching.keys import digest
from rather.caching.whole_files import written_whole
from rather.conversation.policy_settings import AskKind
from rather.errors import InvalidInputError
from rather.model.allowed import Allowed, are_allowed
from rather.model.attributes import attributes_hash
from rather.model.belief import Belief
from rather.model.catalog import Catalog, ItemId
from rather.model.questions import Question, QuestionKind
from rather.model.responses import Answer, ResponseModel

T = TypeVar("T")

VERSION = 1

PLANNED = "plan"
"""The name of the strategy that asks what a plan says, and where that says nothing what `auto` chooses."""


@dataclass(frozen=True)
class PlanNode:
    """After some answers: what is asked next, and what would be recommended now.

    Attributes:
        share: Of all people, how many are expected to come here.
        recommended: Id of the item of highest expected utility.
        items: Ids of the items asked about.
        children: One for each answer: the options in their order, then the extra answers of the response model.
        attributes: Indices of the attributes asked about instead. Neither these nor items where the plan ends.
    """

    share: float
    recommended: ItemId
    items: tuple[ItemId, ...] = ()
    children: tuple[PlanNode, ...] = ()
    attributes: tuple[int, ...] = ()

    @property
    def is_question(self) -> bool:
        """Whether something is asked; otherwise the plan ends."""
        return bool(self.items or self.attributes)

    def walk(self) -> Iterator[PlanNode]:
        """This node and all below, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class PlanRegret:
    """What leaving after 0, 1, 2, … questions is expected to lose against everybody's own best item.

    Attributes:
        planned: With the plan, for the people it was made for.
        myopic: With the policy's own questions, which the plan started from, for the same people.
        planned_fresh: With the plan, for people it was not made for; equal to `planned` where there are no others.
        myopic_fresh: With the policy's own questions, likewise.
        gain: How much more utility the plan is expected to give fresh people when they leave.
        gain_error: Its standard error over fresh people.
    """

    planned: tuple[float, ...]
    myopic: tuple[float, ...]
    planned_fresh: tuple[float, ...]
    myopic_fresh: tuple[float, ...]
    gain: float
    gain_error: float


@dataclass(frozen=True, repr=False)
class Plan:
    """The first questions of conversations about a catalogue, for each way in which they can go.

    Made by `rather.plan`; a policy follows it with `rather.Policy(catalog, belief, plan=plan)`.

    Attributes:
        root: Before the first question.
        catalog: Content hash of the catalogue it was made for.
        belief: Content hash of the belief it was made for.
        k: Options of a question.
        extras: The extra answers that are offered.
        questions: At most this many in a row.
        leaving: The probability to leave after so many questions.
        people: How many it was made for.
        seed: Of the people and the search.
        regret: What it is expected to lose.
        ask: What it asks about.
        statements: A hash of the attributes it was made for; "" where it asks about items alone.
    """

    root: PlanNode
    catalog: str
    belief: str
    k: int
    extras: tuple[Answer, ...]
    questions: int
    leaving: Mapping[int, float] = field(hash=False)
    people: int
    seed: int
    regret: PlanRegret
    ask: AskKind = "items"
    statements: str = ""

    def __repr__(self) -> str:
        asked = sum(node.is_question for node in self.root.walk())
        return f"Plan({self.questions} questions deep, {asked} in all, k={self.k}, seed={self.seed})"

    @cached_property
    def key(self) -> str:
        """A hash of its questions: plans of one key ask the same."""
        return digest("plan", [_node_record(self.root), self.k, list(self.extras)])

    def is_for(self, catalog: Catalog, belief: Belief) -> bool:
        """Whether it was made for this catalogue and this belief."""
        made_for = (catalog.content_hash, belief.content_hash, self._statements_of(catalog))
        return made_for == (self.catalog, self.belief, self.statements)

    def _statements_of(self, catalog: Catalog) -> str:
        return attributes_hash(catalog.attributes) if self.statements else ""

    def validate_for(
        self, catalog: Catalog, belief: Belief, k: int, response: ResponseModel, ask: AskKind, p: int
    ) -> None:
        """Reject a policy that it was not made for."""
        for name, made_for, given in (
            ("catalogue", self.catalog, catalog.content_hash),
            ("belief", self.belief, belief.content_hash),
            ("list of attributes", self.statements, self._statements_of(catalog)),
        ):
            if made_for != given:
                raise InvalidInputError(
                    f"This plan was made for another {name}: its hash is {made_for}, the given one's {given}. "
                    "Make it again with `rather plan`."
                )
        if (problem := self._misfit(k, response, ask, p)) is not None:
            raise InvalidInputError(problem)

    def fits(self, k: int, response: ResponseModel, ask: AskKind, p: int) -> bool:
        """Whether its questions are such as a policy about the same catalogue and belief asks."""
        return self._misfit(k, response, ask, p) is None

    def _misfit(self, k: int, response: ResponseModel, ask: AskKind, p: int) -> str | None:
        if k != self.k:
            return f"This plan has questions of {self.k} options, but `k` is {k}."
        if tuple(response.extras) != self.extras:
            offered = _names(response.extras)
            return f"This plan was made for the extra answers {_names(self.extras)}, but there are {offered}."
        if ask != self.ask:
            return f'This plan was made for `ask` "{self.ask}", but it is "{ask}".'
        return None if ask == "items" or p == 1 else f"A plan asks about single attributes, but `p` is {p}."

    def next_node(self, history: Sequence[tuple[Sequence[ItemId], Sequence[int], int]] = ()) -> PlanNode | None:
        """The next question after these answers; None where the plan does not say.

        Args:
            history: For each question so far the ids of its items, the indices of its attributes, and the row of the
                answer, `0..k-1` for the options and then the extra answers.
        """
        node = self.root
        for items, attributes, row in history:
            if not node.is_question or (tuple(items), tuple(attributes)) != (node.items, node.attributes):
                return None
            node = node.children[row]
        return node if node.is_question else None

    def to_json(self) -> str:
        """The plan as text."""
        record = {
            "rather_plan": VERSION,
            "catalog": self.catalog,
            "belief": self.belief,
            "k": self.k,
            "extras": list(self.extras),
            "questions": self.questions,
            "leaving": {str(count): share for count, share in self.leaving.items()},
            "people": self.people,
            "seed": self.seed,
            "regret": asdict(self.regret),
            "ask": self.ask,
            "statements": self.statements,
            "root": _node_record(self.root),
        }
        return json.dumps(record, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """The plan that `to_json` wrote."""
        try:
            record = json.loads(text)
            if not isinstance(record, dict) or record.get("rather_plan") != VERSION:
                raise InvalidInputError(f"This is not a plan of version {VERSION}, as `rather plan` writes it.")
            return _plan_of(record)
        except InvalidInputError:
            raise
        except json.JSONDecodeError as error:
            raise InvalidInputError(f"This is not a plan: {error}.") from None
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError, RecursionError):
            raise InvalidInputError("This plan is damaged: something in it is not what `rather plan` writes.") from None

    def save(self, path: str | Path) -> None:
        """Write the plan to a file."""
        try:
            with written_whole(Path(path)) as draft:
                draft.write_text(self.to_json(), encoding="utf-8")
        except OSError as error:
            raise InvalidInputError(f"Cannot write {path}: {error.strerror}.") from None

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """The plan in a file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InvalidInputError(f"{path} is not a plan: it is not text.") from None
        except OSError as error:
            raise InvalidInputError(f"Cannot read {path}: {error.strerror}.") from None
        return cls.from_json(text)


def strategy_below(strategy: T, plan: Plan | None) -> T | str:
    """The strategy of the questions that a plan does not say; that of the name `PLANNED` needs a plan."""
    if strategy != PLANNED:
        return strategy
    if plan is None:
        raise InvalidInputError(f'`strategy` is "{PLANNED}": make a plan with `rather.plan` and pass it as `plan`.')
    return "auto"


def planned_options(
    plan: Plan, catalog: Catalog, prior: Belief, belief: Belief, asked: Sequence[Question], allowed: Allowed | None
) -> tuple[QuestionKind, tuple[int, ...]] | None:
    """What a plan asks about next: rows of items, or indices of attributes.

    None below the planned questions, and off them: after a skipped question, after a hint, or where an item must not
    be asked about.

    Args:
        plan: The plan.
        catalog: What is asked about.
        prior: Before the first question.
        belief: Now; its evidence says what was answered.
        asked: All questions so far, oldest first.
        allowed: The items that may be asked about, `(n,)` boolean, or rules.
    """
    evidence = belief.evidence[len(prior.evidence) :]
    if len(evidence) != len(asked):
        return None
    history = []
    for question, answer in zip(asked, evidence, strict=True):
        if not question.is_current or not torch.equal(question.vectors, answer.vectors):
            return None
        said = [index for option in question.attributes for index in option]
        history.append(([catalog.ids[row] for row in question.slate], said, answer.row))
    node = plan.next_node(history)
    if node is None or node.attributes:
        return None if node is None else ("attributes", node.attributes)
    rows = [catalog.find(item) for item in node.items]
    found = tuple(row for row in rows if row is not None and bool(are_allowed(allowed, torch.tensor(row))))
    return ("items", found) if len(found) == len(rows) else None


def _names(extras: Sequence[Answer]) -> str:
    return " and ".join(extras) or "(none)"


def _node_record(node: PlanNode) -> dict[str, Any]:
    record: dict[str, Any] = {"share": node.share, "recommended": node.recommended}
    if node.is_question:
        about = {"items": list(node.items)} if node.items else {"attributes": list(node.attributes)}
        record |= about | {"children": [_node_record(child) for child in node.children]}
    return record


def _plan_of(record: Mapping[str, Any]) -> Plan:
    k, questions = _count(record["k"], 2), _count(record["questions"], 1)
    extras = tuple(Answer(extra) for extra in record["extras"])
    return Plan(
        _node_of(record["root"], k, k + len(extras), questions),
        _text(record["catalog"]),
        _text(record["belief"]),
        k,
        extras,
        questions,
        {int(count): _number(share) for count, share in record["leaving"].items()},
        _count(record["people"], 1),
        _count(record["seed"], -math.inf),
        _regret_of(record["regret"]),
        _asked_of(record.get("ask", "items")),
        _text(record.get("statements", "")),
    )


def _asked_of(value: Any) -> AskKind:
    for kind in get_args(AskKind):
        if kind == value:
            asked: AskKind = kind
            return asked
    raise ValueError("ask")


def _regret_of(record: Mapping[str, Any]) -> PlanRegret:
    planned, myopic, planned_fresh, myopic_fresh = (
        tuple(_number(each) for each in record[name]) for name in ("planned", "myopic", "planned_fresh", "myopic_fresh")
    )
    gain, error = _number(record["gain"]), _number(record["gain_error"])
    return PlanRegret(planned, myopic, planned_fresh, myopic_fresh, gain, error)


def _node_of(record: Mapping[str, Any], k: int, answers: int, depth: int) -> PlanNode:
    items = tuple(_id(item) for item in record.get("items", ()))
    attributes = tuple(_count(index, 0) for index in record.get("attributes", ()))
    children, options = record.get("children", ()), items or attributes
    if options and (len(set(options)) != k or len(options) != k or len(children) != answers or not depth):
        raise ValueError("options")
    if (items and attributes) or (children and not options):
        raise ValueError("children")
    below = tuple(_node_of(child, k, answers, depth - 1) for child in children)
    return PlanNode(_number(record["share"]), _id(record["recommended"]), items, below, attributes)


def _id(value: Any) -> ItemId:
    if type(value) not in (str, int):
        raise ValueError("id")
    identity: ItemId = value
    return identity


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError("number")
    return float(value)


def _count(value: Any, least: float) -> int:
    if type(value) is not int or value < least:
        raise ValueError("count")
    return int(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("text")
    return value
