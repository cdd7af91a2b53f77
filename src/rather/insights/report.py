"""The report: all insights about one catalogue as one value."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from rather.errors import InvalidInputError
from rather.insights.aspects import Aspect, aspects
from rather.insights.deciding import Deciding, deciding
from rather.insights.estimates import Estimate, Replicates, respondent_means
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
    importances: tuple[float, ...]
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
        people: Every respondent.
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
    answering: int | None = None,
    retriever: Retriever | None = None,
    seed: int = 0,
) -> Wants:
    """What respondents want.

    Args:
        sampled: The respondents, with draws of what each wants.
        catalog: What they were asked about.
        belief: Where conversations start.
        wishes: What the owner wants to know besides.
        answering: Of how many conversations with an answer they are a sample; by default there are no others.
        retriever: Finds the best items, by default the one that fits the catalogue.
        seed: Of the intervals.
    """
    draws, wishes = sampled.draws, wishes if wishes is not None else Wishes()
    if not len(draws):
        reasons = "; ".join(sampled.unread) or "no conversation has an answer"
        raise InvalidInputError(f"There is nothing to report on: {reasons}.")
    generator = derive_generator(seed, "insights")
    replicates = Replicates.of(draws, generator)
    columns = aspects(catalog)
    owned = importance_shares(draws, columns) if columns else draws[:, :, :0]
    groups = segments(draws, columns, owned, replicates, generator)
    price = price_of(columns, wishes.price)
    won = winners(draws, catalog, retriever or choose_retriever(catalog, belief), generator)
    rows = [row_of(catalog, id) for id in wishes.items] or [each.row for each in won.items[:COMPARED]]
    return Wants(
        respondents=len(draws),
        answering=len(draws) if answering is None else answering,
        unread=sampled.unread,
        importances=importances(draws, columns, replicates),
        part_worths=part_worths(draws, columns, replicates),
        segments=groups,
        pricing=None if price is None else pricing(draws, columns, price, replicates),
        shares=_shares(draws, rows, catalog, sampled.temperature, replicates),
        what_ifs=tuple(
            what_if(draws, rows, parsed_change(text, catalog), catalog, sampled.temperature, replicates)
            for text in wishes.what_if
        ),
        winners=won,
        deciding=deciding(sampled.effects),
        map=taste_map(draws, catalog, columns, [each.row for each in won.items[:12]]),
        columns=tuple(column.name for column in columns),
        people=_people(sampled, columns, owned, groups),
    )


def _shares(
    draws: Tensor, rows: Sequence[int], catalog: Catalog, temperature: float, replicates: Replicates
) -> tuple[Share, ...]:
    if len(rows) < 2:
        return ()
    labels = [catalog.label(row) for row in rows]
    return shares(draws, catalog.vectors(list(rows)), labels, temperature, replicates)


def _people(
    sampled: Sampled, columns: Sequence[Aspect], owned: Tensor, groups: Sequence[Segment]
) -> tuple[Person, ...]:
    named = {member: group.name for group in groups if len(groups) > 1 for member in group.members}
    worths: list[list[Estimate]] = [[] for _ in sampled.respondents]
    for column in columns:
        for own, found in zip(worths, respondent_means(column.worths(sampled.draws)), strict=True):
            own += found
    average = owned.mean(dim=1).tolist()
    return tuple(
        Person(respondent.name, named.get(number, ""), respondent.answered, tuple(average[number]), tuple(own))
        for number, (respondent, own) in enumerate(zip(sampled.respondents, worths, strict=True))
    )


def as_data(insights: Insights, *, people: bool = True) -> dict[str, Any]:
    """A report in plain JSON, without single respondents if they are not wanted."""
    kept = insights
    if not people and insights.wants is not None:
        groups = tuple(dataclasses.replace(each, members=()) for each in insights.wants.segments)
        kept = dataclasses.replace(insights, wants=dataclasses.replace(insights.wants, people=(), segments=groups))
    return dataclasses.asdict(kept)
