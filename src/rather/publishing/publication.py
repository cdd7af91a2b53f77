"""What a published conversation consists of: the items, the belief, and all that is said about them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from rather.conversation.display_text import DisplayText
from rather.conversation.log import dump_settings
from rather.conversation.plans import PlanNode
from rather.conversation.policy import Policy
from rather.conversation.stopping import Stopping
from rather.conversation.wording import OPTIONS, question_in
from rather.errors import InvalidInputError
from rather.languages import message
from rather.model.attributes import Attribute, attributes_hash
from rather.model.responses import Logistic
from rather.nouns import counted, plural
from rather.publishing.catalog_texts import CatalogTexts
from rather.publishing.coding import Arrays
from rather.publishing.packing import packed

# Above this, a phone would load for long, and think for seconds about every question.
MOST_ITEMS = 20_000

# Of a format that the engine of this version reads.
VERSION = 1

# What a catalogue calls its items unless it says what they are.
UNNAMED = "item"

# Items that say how much all differ in an attribute, as in the taste profile.
SAMPLED_ITEMS = 1_000

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Publication:
    """A conversation to be published.

    Attributes:
        name: What the catalogue is called in the log and the title.
        policy: How the conversation is held; with a plan, its first questions are planned.
        display: Which texts, links and pictures are shown.
        languages: Those that the page may be read in; English is always among them.
        stopping: When to stop.
    """

    name: str
    policy: Policy
    display: DisplayText
    languages: tuple[str, ...]
    stopping: Stopping

    def __post_init__(self) -> None:
        validate_size(self.name, len(self.policy.catalog))
        if type(self.policy.response) is not Logistic or self.policy.p != 1 or self.policy.tasks:
            raise InvalidInputError(
                "Only conversations with softmax answers, single attributes and no tasks can be published."
            )

    def packed(self, on_progress: OnProgress = lambda done, total: None) -> bytes:
        """The file that the engine reads.

        Args:
            on_progress: Called with the rows that have been written and how many there are.
        """
        arrays = Arrays()
        texts = CatalogTexts(self.policy.catalog, self.display, self.languages, arrays)
        count = len(self.policy.catalog)
        items = texts.items(lambda row: on_progress(row, 2 * count))
        attributes, said = texts.attributes()
        columns = texts.columns(attributes, {_english(fact["names"]) for fact in items["facts"]})
        comparatives = texts.comparatives(lambda row: on_progress(count + row, 2 * count))
        self._add_numbers(arrays, attributes)
        content = {
            "version": VERSION,
            **self._settings(),
            "messages": texts.messages(),
            "prompts": {"items": texts.said(self._prompt), "attributes": self._around_options()},
            "items": items,
            "attributes": said,
            "columns": columns,
            "comparatives": comparatives,
            "filters": texts.filters(),
        }
        return packed(content, arrays.named)

    def _settings(self) -> dict[str, Any]:
        policy, catalog = self.policy, self.policy.catalog
        rejuvenation = policy.rejuvenation
        return {
            "name": self.name,
            "noun": catalog.name,
            "nouns": plural(catalog.name),
            "verb": catalog.verb,
            "hash": catalog.content_hash,
            "languages": list(self.languages),
            "k": policy.k,
            "seed": policy.seed,
            "ask": policy.ask,
            "response": asdict(policy.response),  # type: ignore[call-overload]  # validated to be Logistic
            "startRegret": policy.start_regret,
            "stopping": asdict(self.stopping),
            "rejuvenation": None if rejuvenation is None else asdict(rejuvenation),
            "hasPrior": policy.prior.prior is not None,
            "log": dump_settings(policy, self.stopping),
            "statements": attributes_hash(catalog.attributes),
            "plan": None if policy.plan is None else self._planned(policy.plan.root),
            "first": None if policy.plan is not None else self._first(),
        }

    def _first(self) -> dict[str, Any]:
        """The first question, which is the same for everybody."""
        question = self.policy.question(self.policy.prior, [])
        return {"kind": question.kind, "options": [_single(each) for each in question.compared], "evoi": question.evoi}

    def _planned(self, node: PlanNode) -> list[Any] | None:
        """What is asked, what is planned after each answer, and the kind of question; None where the plan ends."""
        if not node.is_question:
            return None
        options = list(node.attributes) or [self.policy.catalog.row(item) for item in node.items]
        kind = "attributes" if node.attributes else "items"
        return [options, [self._planned(child) for child in node.children], kind]

    def _prompt(self, language: str) -> str:
        """The sentence above items, which is the same for all of them: "Which film would you rather watch?"."""
        catalog = self.policy.catalog
        question = question_in(self.policy.item_question(1, [0, 1]), catalog, language)
        key = "question.prompt_unnamed" if catalog.name == UNNAMED else "question.prompt"
        said = {"noun": self.display.text(catalog.name), "lead": question.lead, "start": question.start}
        return message(language, key, **said)

    def _around_options(self) -> dict[str, list[str]]:
        """What stands before and after the options of a question about attributes."""
        around = {}
        for language in self.languages:
            verb = self.policy.catalog.verb
            before, _, after = message(language, "question.attributes", verb=verb, options=OPTIONS).partition(OPTIONS)
            around[language] = [before, after]
        return around

    def _add_numbers(self, arrays: Arrays, attributes: list[Attribute]) -> None:
        """Item vectors, particles, the prior and the attributes."""
        policy, catalog = self.policy, self.policy.catalog
        belief, prior = policy.prior, policy.prior.prior
        numbers = {
            "items": catalog.vectors(range(len(catalog))),
            "average": catalog.average,
            "particles": belief.particles,
            "log weights": belief.log_weights,
        }
        if attributes:
            vectors = torch.stack([each.vector for each in attributes])
            numbers |= {"attributes": vectors, "amounts": _amounts(vectors, catalog.sample(SAMPLED_ITEMS))}
        if prior is not None:
            numbers |= {
                "prior centres": prior.centres,
                "prior log weights": prior.log_weights,
                "prior cholesky": prior.cholesky,
                "prior scales": prior.scales,
            }
        for name, tensor in numbers.items():
            arrays.add(name, tensor.numpy().astype(np.float32))


def validate_size(name: str, count: int) -> None:
    """Reject a catalogue that is too large for a browser."""
    if count > MOST_ITEMS:
        raise InvalidInputError(
            f"{name} has {count:,} items, and a published page holds at most {MOST_ITEMS:,}: it loads all of them and "
            "thinks on the device. Use `rather serve`, which has no such limit, or publish fewer."
        )
    if count < 2:
        raise InvalidInputError(f"A question compares at least 2 items, but {name} has {counted(count, 'item')}.")


def _amounts(vectors: torch.Tensor, sample: torch.Tensor) -> torch.Tensor:
    """`(a,)`: how much items differ in each of the attributes `(a, d)`, see `rather.conversation.tastes`."""
    directions = vectors / vectors.square().sum(dim=1, keepdim=True).clamp_min(1e-12)
    return (sample @ directions.T).std(dim=0, correction=0)


def _single(option: Any) -> int:
    """The row of an item, or the index of the only attribute of an option."""
    return int(option[0]) if isinstance(option, tuple) else int(option)


def _english(told: Any) -> str:
    return str(told if isinstance(told, str) else told["en"])
