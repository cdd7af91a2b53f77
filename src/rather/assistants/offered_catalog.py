"""The catalogue of a server for assistants: policies about it, must-haves, and what assistants may read of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from rather.assistants.arguments import MustHave
from rather.assistants.decisions import MOST_NAMED, decision_results
from rather.assistants.limits import Limits
from rather.assistants.problems import ProblemError, advising
from rather.assistants.results import AttributeResult, CatalogResult, ColumnResult, ItemsResult, ShownItem
from rather.caching.storage import user_cache
from rather.conversation.display_text import IMAGE_FACTS, DisplayText
from rather.conversation.policy import Policy
from rather.conversation.policy_settings import AskKind
from rather.languages import ENGLISH
from rather.model.allowed import Allowed, count_allowed
from rather.model.belief import Belief
from rather.model.catalog import Catalog, ItemId
from rather.model.catalog_filters import CatalogFilters, FilterColumn
from rather.model.filters import NumberColumn
from rather.model.questions import item_option
from rather.nouns import counted
from rather.retrieval import Retriever, choose_retriever

# Attributes that are listed; an assistant that reads more pays for every word.
MOST_ATTRIBUTES = 300

# Attributes that an error suggests.
MOST_LIKELY = 5

CHANGE_MUST_HAVES = "Nothing has changed. Correct the must-haves as described and call the tool again."


@dataclass(frozen=True)
class Wanted:
    """What items must have.

    Attributes:
        must_haves: All of these,
        where: and what this filter expression says.
    """

    must_haves: tuple[MustHave, ...] = ()
    where: str | None = None

    @property
    def texts(self) -> list[str]:
        """In words."""
        return [*(each.text for each in self.must_haves), *([self.where] if self.where else [])]


@dataclass(frozen=True, eq=False)
class OfferedCatalog:
    """What conversations are about.

    Attributes:
        catalog: What is asked about and recommended.
        belief: Where conversations start.
        limits: How much assistants may use.
        link_hosts: Hosts that links to the pages of items may lead to; "*" for any.
        retriever_kind: How items are found, a kind of `choose_retriever`.
    """

    catalog: Catalog
    belief: Belief
    limits: Limits
    link_hosts: tuple[str, ...] = ()
    retriever_kind: str = "auto"

    @property
    def is_configured(self) -> bool:
        """Whether the items are configurations, which are not listed anywhere."""
        return self.catalog.configurator is not None

    @property
    def ids_are(self) -> str:
        """Where an assistant finds ids."""
        if self.is_configured:
            return "Ids are in questions and in recommendations"
        return "Ids are in questions, in recommendations and in what find_items returns"

    @cached_property
    def retriever(self) -> Retriever:
        """Finds the best items."""
        return choose_retriever(self.catalog, self.belief, self.retriever_kind, cache=user_cache())

    @cached_property
    def filters(self) -> CatalogFilters:
        """What must-haves may be about."""
        return CatalogFilters(self.catalog)

    def display(self, language: str = ENGLISH) -> DisplayText:
        """Which texts and links are shown to somebody who reads this language."""
        return DisplayText(self.limits.text_length, link_hosts=self.link_hosts, language=language)

    def policy(self, k: int, seed: int, ask: AskKind, p: int, wanted: Wanted) -> Policy:
        """How to hold a conversation about the items that are wanted."""
        if ask != "items" and k * p > self.limits.attributes:
            raise ProblemError(
                f"`k` times `p` must be at most {self.limits.attributes}, the attributes that a question states; "
                f"got {k} x {p}.",
                "Call open_conversation again with fewer options or attributes.",
            )
        allowed = self.allowed(wanted, k)
        with advising("Call open_conversation again with arguments that fit this catalogue; describe_catalog helps."):
            return Policy(
                self.catalog,
                self.belief,
                k,
                seed,
                ask=ask,
                p=p,
                allowed=allowed,
                retriever=self.retriever,
                budget_ms=self.limits.budget_ms,
            )

    def allowed(self, wanted: Wanted, k: int) -> Allowed | None:
        """The items that are wanted; None for all. Fewer than a question needs are a problem."""
        for each in wanted.must_haves:
            self._validate_values(each)
        mask = self._mask(wanted)
        if mask is None or (left := count_allowed(mask, len(self.catalog))) >= k:
            return mask
        alone = "; ".join(
            f"{text!r} {counted(count_allowed(part, len(self.catalog)), self.catalog.name)}"
            for text, part in zip(wanted.texts, self._parts(wanted), strict=True)
        )
        has = "has" if left < 2 else "have"
        raise ProblemError(
            f"Of {counted(len(self.catalog), self.catalog.name)}, {left or 'none'} {has} all must-haves, but a "
            f"question needs {k}. Each of them alone leaves: {alone}.",
            "Nothing has changed. Tell the person, ask which must-have to loosen or drop, and call the tool again "
            "with the others.",
        )

    def _mask(self, wanted: Wanted) -> Allowed | None:
        if wanted.where and self.catalog.filters is None:
            raise ProblemError("This catalogue takes no `where` expression.", "Pass `must_haves` instead.")
        with advising(f"{CHANGE_MUST_HAVES} describe_catalog lists the columns."):
            return self.filters.mask(wanted.must_haves, wanted.where)

    def _parts(self, wanted: Wanted) -> list[Allowed]:
        """What each of the must-haves leaves alone."""
        parts = [Wanted((each,)) for each in wanted.must_haves] + ([Wanted((), wanted.where)] if wanted.where else [])
        return [mask for part in parts if (mask := self._mask(part)) is not None]

    def _validate_values(self, wanted: MustHave) -> None:
        """Reject a value that no item has: it is most likely misspelt."""
        column = self.filters.columns.get(wanted.column)
        if column is None or isinstance(column, NumberColumn) or wanted.any_of is None:
            return
        for value in wanted.any_of:
            if value not in column.values:
                likely = get_close_matches(value, column.values, n=MOST_NAMED) or [name for name, _ in column.counts]
                named = ", ".join(map(repr, likely[:MOST_NAMED]))
                raise ProblemError(
                    f"No {self.catalog.name} has the value {value!r} in the column {wanted.column!r}. "
                    f"Values are: {named}{', …' * (len(likely) > MOST_NAMED)}.",
                    CHANGE_MUST_HAVES,
                )

    def likely_attributes(self, text: str) -> list[str]:
        """Attributes that may have been meant by a text that is none."""
        texts = [each.text for each in self.catalog.attributes]
        return get_close_matches(text, texts, n=MOST_LIKELY, cutoff=0.4) or texts[:MOST_LIKELY]

    def describe(self) -> CatalogResult:
        """What the items are, and what can be said about them."""
        display = self.display()
        return CatalogResult(
            name=self.catalog.name,
            items=len(self.catalog),
            columns=[_column_result(column) for column in self.filters.columns.values()],
            attributes=[
                AttributeResult(text=each.text, column=each.column)
                for each in self.catalog.attributes[:MOST_ATTRIBUTES]
                if display.text(each.text) == each.text and display.text(each.column) == each.column
            ],
            decisions=decision_results(self.catalog, display),
            takes_where=self.catalog.filters is not None,
        )

    def page(self, offset: int, limit: int) -> ItemsResult:
        """Some items in the order of the catalogue."""
        rows = range(len(self.catalog))[offset : offset + limit]
        return self._items(rows, len(self.catalog))

    def find(self, text: str, limit: int) -> ItemsResult:
        """The items whose labels have all these words, the shortest labels first."""
        words = text.casefold().split()
        labels = (str(label).casefold() for label in (self.catalog.labels or self.catalog.ids))
        rows = [row for row, label in enumerate(labels) if all(word in label for word in words)]
        rows.sort(key=lambda row: len(self.catalog.label(row)))
        return self._items(rows[:limit], len(rows))

    def known_id(self, id: ItemId) -> ItemId:
        """An id as the catalogue has it: a number that was written as a text is that number."""
        row = self.catalog.find_written(id) if isinstance(id, str) else None
        return id if row is None else self.catalog.ids[row]

    def item(self, id: str) -> ShownItem:
        """The item of this id, which may be a number."""
        row = self.catalog.find_written(id)
        if row is None:
            raise ProblemError(f"No {self.catalog.name} has the id {id!r}.", f"{self.ids_are}.")
        return self._items([row], 1).items[0]

    def _items(self, rows: Sequence[int], total: int) -> ItemsResult:
        display = self.display()
        found = []
        for row in rows:
            option = item_option(self.catalog, row)
            found.append(
                ShownItem(
                    id=self.catalog.ids[row],
                    label=display.text(option.label),
                    facts=shown_facts(option.facts.items(), display),
                    link=display.link(option),
                )
            )
        return ItemsResult(items=found, total=total)


def shown_facts(facts: Iterable[tuple[str, str]], display: DisplayText) -> dict[str, str]:
    """Facts as they are shown: without addresses of pictures, and without those that are not known."""
    return {display.text(name): display.text(value) for name, value in facts if value and name not in IMAGE_FACTS}


def _column_result(column: FilterColumn) -> ColumnResult:
    if isinstance(column, NumberColumn):
        low, high = column.bounds
        return ColumnResult(
            name=column.name, kind="number", minimum=low, maximum=high, unit=column.unit or None, values={}
        )
    kind = "tags" if column.several else "value"
    return ColumnResult(name=column.name, kind=kind, minimum=None, maximum=None, unit=None, values=dict(column.counts))
