"""The report: all insights about one catalogue as one value."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from rather.errors import InvalidInputError
from rather.insights.aspects import Aspect, aspects
from rather.insights.deciding import Deciding, Effect, deciding
from rather.insights.estimates import Estimate, Replicates, respondent_means
from rather.insights.items import item_of
from rather.insights.part_worths import Importance, PartWorths, importance_shares, importances, part_worths
from rather.insights.progress import Progress
from rather.insights.respondents import Sampled
from rather.insights.segments import Segment, segments
from rather.insights.shares import Share, shares
from rather.insights.taste_map import TasteMap, taste_map
from rather.insights.what_if import WhatIf, parsed_change, row_of, what_if
from rather.insights.willingness import Pricing, price_of, pricing
from rather.insights.winners import Winners, winners
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.numerics.randomness import derive_generator
from rather.retrieval.protocol import Retriever
from rather.retrieval.selection import choose_retriever

# Items that are compared by share where none are named.
COMPARED = 5
# Winners that the map names.
MAPPED = 12
# Below this many respondents the report warns that they are few.
FEW = 30


@dataclass(frozen=True)
class Wishes:
    """What the owner wants to know besides.

    Attributes:
        items: Ids or labels of the items to compare by share; those that win most if there are none.
        what_if: Changes to try, see `what_if.parsed_change`.
        price: The name of the column that is the price; the first column of money if None.
    """

    items: tuple[str, ...] = ()
    what_if: tuple[str, ...] = ()
    price: str | None = None


@dataclass(frozen=True)
class Person:
    """What one respondent wants.

    Attributes:
        name: What a study calls them, or the number of their conversation.
        segment: The name of theirs; "" where there is only one.
        answered: Their answers and hints.
        importances: Of each column.
        worths: Of every value, column by column.
    """

    name: str
    segment: str
    answered: int
    importances: tuple[Estimate, ...]
    worths: tuple[Estimate, ...]


@dataclass(frozen=True)
class Wants:
    """What the respondents want.

    Attributes:
        respondents: How many.
        answering: How many conversations with an answer there are, of which these are a random sample.
        unread: Why other conversations of the sample could not be read, with how many.
        importances: Of the columns, the most important first.
        part_worths: Column by column.
        segments: Groups of people; at most one where tastes do not fall apart.
        pricing: None without a price.
        shares: Of some items.
        what_ifs: What changes would do to them.
        winners: Which items win.
        deciding: Which questions decided.
        map: Items and tastes.
        columns: The names of the columns, in the order of `Person.importances`.
        people: Every respondent, where they are wanted.
    """

    respondents: int
    answering: int
    unread: dict[str, int]
    importances: tuple[Importance, ...]
    part_worths: tuple[PartWorths, ...]
    segments: tuple[Segment, ...]
    pricing: Pricing | None
    shares: tuple[Share, ...]
    what_ifs: tuple[WhatIf, ...]
    winners: Winners
    deciding: Deciding
    map: TasteMap
    columns: tuple[str, ...]
    people: tuple[Person, ...] = field(repr=False)


@dataclass(frozen=True)
class Insights:
    """A report about one catalogue.

    Attributes:
        catalog: Its name.
        noun: What an item is called.
        created_at: When the report was made, in ISO 8601.
        progress: How conversations went.
        wants: What people want; None while it is computed, or where nobody has answered.
    """

    catalog: str
    noun: str
    created_at: str
    progress: Progress
    wants: Wants | None


def wants_of(
    sampled: Sampled,
    catalog: Catalog,
    belief: Belief,
    wishes: Wishes | None = None,
    *,
    effects: Sequence[Sequence[Effect]] = (),
    answering: int | None = None,
    retriever: Retriever | None = None,
    people: bool = True,
    seed: int = 0,
) -> Wants:
    """What respondents want.

    Args:
        sampled: The respondents, with draws of what each wants.
        catalog: What they were asked about.
        belief: Where conversations start.
        wishes: What the owner wants to know besides.
        effects: What each answer did, for some of them.
        answering: Of how many conversations with an answer they are a sample; by default there are no others.
        retriever: Finds the best items, by default the one that fits the catalogue.
        people: Whether to list every respondent; `people_of` does so later.
        seed: Of the intervals.
    """
    draws = sampled.draws
    if not len(draws):
        reasons = "; ".join(sampled.unread) or "no conversation has an answer"
        raise InvalidInputError(f"There is nothing to report on: {reasons}.")
    generator = derive_generator(seed, "insights")
    replicates = Replicates.of(draws, generator)
    columns = aspects(catalog)
    groups = segments(draws, columns, _owned(draws, columns), replicates, generator, sampled.belonging)
    found = Wants(
        respondents=len(draws),
        answering=len(draws) if answering is None else answering,
        unread=sampled.unread,
        importances=importances(draws, columns, replicates),
        part_worths=part_worths(draws, columns, replicates),
        segments=groups,
        pricing=None,
        shares=(),
        what_ifs=(),
        winners=(won := winners(draws, catalog, retriever or choose_retriever(catalog, belief), generator)),
        deciding=deciding(effects),
        map=taste_map(draws, catalog, columns, [each.row for each in won.items[:MAPPED]]),
        columns=tuple(column.name for column in columns),
        people=people_of(sampled, catalog, groups) if people else (),
    )
    return with_wishes(found, sampled, catalog, wishes, seed=seed)


def with_wishes(
    wants: Wants, sampled: Sampled, catalog: Catalog, wishes: Wishes | None = None, *, seed: int = 0
) -> Wants:
    """The same with other answers to what the owner wants to know besides.

    Args:
        wants: What `wants_of` returned for the same respondents and catalogue.
        sampled: The respondents.
        catalog: What they were asked about.
        wishes: What the owner wants to know besides.
        seed: Of the intervals.
    """
    wishes = wishes if wishes is not None else Wishes()
    draws, columns, noise = sampled.draws, aspects(catalog), sampled.temperatures
    replicates = Replicates.of(draws, derive_generator(seed, "insights"))
    price = price_of(columns, wishes.price)
    rows = [row_of(catalog, id) for id in dict.fromkeys(wishes.items)]
    if len(rows) == 1:
        raise InvalidInputError(f"Shares need at least two items to choose from, got only {wishes.items[0]!r}.")
    rows = rows or [each.row for each in wants.winners.items[:COMPARED]]
    tried = [parsed_change(text, catalog) for text in wishes.what_if]
    return dataclasses.replace(
        wants,
        pricing=None if price is None else pricing(draws, columns, price, replicates),
        shares=_shares(draws, rows, catalog, noise, replicates),
        what_ifs=tuple(what_if(draws, rows, change, catalog, noise, replicates) for change in tried),
    )


def _shares(
    draws: Tensor, rows: Sequence[int], catalog: Catalog, temperatures: Tensor, replicates: Replicates
) -> tuple[Share, ...]:
    if len(rows) < 2:
        return ()
    items = [item_of(catalog, row) for row in rows]
    return shares(draws, catalog.vectors(list(rows)), items, temperatures, replicates)


def _owned(draws: Tensor, columns: Sequence[Aspect]) -> Tensor:
    """How much each column decides for each respondent and draw, `(r, s, c)`."""
    return importance_shares(draws, columns) if columns else draws[:, :, :0]


def people_of(sampled: Sampled, catalog: Catalog, groups: Sequence[Segment]) -> tuple[Person, ...]:
    """What each respondent wants, with what their own answers leave uncertain.

    Args:
        sampled: The respondents.
        catalog: What they were asked about.
        groups: Their segments.
    """
    columns = aspects(catalog)
    named = {member: group.name for group in groups if len(groups) > 1 for member in group.members}
    worths: list[list[Estimate]] = [[] for _ in sampled.names]
    for column in columns:
        for own, found in zip(worths, respondent_means(column.worths(sampled.draws)), strict=True):
            own += found
    weighed = respondent_means(_owned(sampled.draws, columns))
    rows = zip(sampled.names, sampled.answered, weighed, worths, strict=True)
    return tuple(
        Person(name, named.get(number, ""), answered, tuple(shares), tuple(own))
        for number, (name, answered, shares, own) in enumerate(rows)
    )


def as_data(insights: Insights, *, people: bool = True) -> dict[str, Any]:
    """A report in plain JSON, without single respondents if they are not wanted."""
    kept = insights
    if not people and insights.wants is not None:
        groups = tuple(dataclasses.replace(each, members=()) for each in insights.wants.segments)
        kept = dataclasses.replace(insights, wants=dataclasses.replace(insights.wants, people=(), segments=groups))
    return dataclasses.asdict(kept)
