"""Adjusting a configuration: another value in one decision, and as little else changed as the rules allow.

Of all configurations that have what is wanted, and are allowed, the one that differs from the first in the fewest other
decisions is the result, and among those the one of highest expected utility. That is one search for a longest path: an
unchanged choice is worth more than all that utilities can differ by.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from rather.conversation.policy import Policy
from rather.conversation.telling_apart import positions_of
from rather.errors import InvalidInputError, UnknownNameError
from rather.languages import ENGLISH, name_in
from rather.model.allowed import AllowedConfigurations
from rather.model.belief import Belief
from rather.model.catalog import Catalog, ItemId
from rather.model.configurators import Choosable, Configurator
from rather.model.configured_items import Configurations, ConfiguredItems
from rather.model.diagrams import Layer
from rather.model.questions import Recommendation
from rather.model.statements import Adjust
from rather.numerics.threads import one_thread
from rather.retrieval.paths import BATCH_NUMBERS, longest_paths

# Nobody reads a longer list of values.
MOST_OFFERED = 60


@dataclass(frozen=True)
class Change:
    """A decision that is taken otherwise.

    Attributes:
        column: Which one.
        name: What people read.
        before: Its value before, as it is shown.
        after: Its value after.
    """

    column: str
    name: str
    before: str
    after: str


@dataclass(frozen=True)
class TotalChange:
    """What becomes of a total, such as the price.

    Attributes:
        column: Which one.
        name: What people read.
        before: What it came to before, with its unit.
        after: What it comes to after.
        difference: The difference with its sign: "+€120".
        amount: The difference as a number.
    """

    column: str
    name: str
    before: str
    after: str
    difference: str
    amount: float


@dataclass(frozen=True)
class Obstacle:
    """A rule that stands in the way.

    Attributes:
        rule: As it was written.
        text: In words: "frame: carbon only goes with brakes: not rim".
        is_must_have: Whether the person set it, as a must-have.
    """

    rule: str
    text: str
    is_must_have: bool


@dataclass(frozen=True)
class Adjustment:
    """A configuration with something changed.

    Attributes:
        start: The configuration that is adjusted.
        item: What it becomes; None if no allowed configuration has what is wanted.
        wanted: What was wanted otherwise.
        forced: What else has to change.
        because: Why: the rules that the change alone would break, or would with one forced change taken back; without
            an item, the rules that clash.
        totals: What becomes of the totals.
    """

    start: Recommendation
    item: Recommendation | None
    wanted: tuple[Change, ...]
    forced: tuple[Change, ...] = ()
    because: tuple[Obstacle, ...] = ()
    totals: tuple[TotalChange, ...] = ()

    @property
    def statement(self) -> Adjust:
        """What taking it says about the person, for `Session.hint`."""
        if self.item is None or self.item.id == self.start.id:
            raise InvalidInputError("There is nothing to take: the adjustment leads to no other configuration.")
        return Adjust(self.start.id, self.item.id)


@dataclass(frozen=True)
class Alternative:
    """A value that a decision could have, and what it would take.

    Attributes:
        value: As ids say it ("carbon").
        text: As it is shown.
        is_chosen: Whether the configuration has it.
        item: The id of what the configuration would become; None if no allowed configuration has the value.
        forced: What else would have to change.
        totals: What would become of the totals.
    """

    value: str
    text: str
    is_chosen: bool
    item: ItemId | None
    forced: tuple[Change, ...] = ()
    totals: tuple[TotalChange, ...] = ()


@dataclass(frozen=True)
class Alternatives:
    """The values that a decision could have.

    Attributes:
        column: Of the decision.
        name: What people read.
        values: All of them.
    """

    column: str
    name: str
    values: tuple[Alternative, ...]


Wanted = Mapping[str, Any]
"""The values wanted, by the names of the decisions: `{"frame": "carbon"}`."""


def adjusted(policy: Policy, belief: Belief, item: ItemId, wanted: Wanted, language: str = ENGLISH) -> Adjustment:
    """A configuration with other values in some decisions, and as little else changed as possible.

    Args:
        policy: Of the conversation; what it allows is a rule too.
        belief: What we hold about the person.
        item: The id of the configuration.
        wanted: See `Wanted`.
        language: The language of the texts.
    """
    adjusting = _Adjusting(policy, belief, item, language)
    positions = adjusting.positions(wanted)
    row = adjusting.rows([positions])[0]
    return adjusting.adjustment(positions, row)


def alternatives(
    policy: Policy, belief: Belief, item: ItemId, wanted: Wanted | None = None, language: str = ENGLISH
) -> list[Alternatives]:
    """For every decision about a configuration, what each of its values would take; all found in one search.

    Args:
        policy: Of the conversation.
        belief: What we hold about the person.
        item: The id of the configuration.
        wanted: What is wanted otherwise already; it is kept. What the values would take is compared with that.
        language: The language of the texts.
    """
    adjusting = _Adjusting(policy, belief, item, language)
    kept = adjusting.positions(wanted or {})
    now = adjusting.rows([kept])[0]
    now = adjusting.start if now is None else now
    found: dict[str, list[Alternative]] = {decision.column: [] for decision in adjusting.decisions}
    for decision, position, row in adjusting.single_changes(kept):
        found[decision.column].append(adjusting.alternative(decision, position, now, row))
    return [
        Alternatives(decision.column, name_in(language, decision.name), tuple(found[decision.column]))
        for decision in adjusting.decisions
    ]


def single_changes(
    policy: Policy, belief: Belief, item: ItemId, wanted: Wanted | None = None
) -> list[tuple[Choosable, int, int | None]]:
    """What `alternatives` finds, without words: decisions, positions of their values, and the rows they lead to.

    Args:
        policy: Of the conversation.
        belief: What we hold about the person.
        item: The id of the configuration.
        wanted: What is wanted otherwise already; it is kept.
    """
    adjusting = _Adjusting(policy, belief, item, ENGLISH)
    return adjusting.single_changes(adjusting.positions(wanted or {}))


class _Adjusting:
    """What is known about one configuration that is adjusted."""

    def __init__(self, policy: Policy, belief: Belief, item: ItemId, language: str) -> None:
        self.policy, self.belief, self.language = policy, belief, language
        self.catalog = policy.catalog
        self.configurator = configurator_of(self.catalog)
        assert isinstance(self.catalog.storage, ConfiguredItems)
        self.storage = self.catalog.storage
        self.start = self.catalog.row(item)
        self.decisions = self.configurator.decisions
        self.before = positions_of(self.catalog, self.start)

    def positions(self, wanted: Wanted) -> dict[str, int]:
        """The positions of the values wanted, by column."""
        if not isinstance(wanted, Mapping):
            raise InvalidInputError(f'`wanted` must be such as {{"frame": "carbon"}}, got {wanted!r}.')
        known = {each.column: each for each in self.decisions}
        named = {each.name: each for each in self.decisions} | known
        found = {}
        for column, value in wanted.items():
            if column not in named:
                listed = ", ".join(known)
                raise UnknownNameError(f"Nothing called {column!r} is chosen about a {self.catalog.name}: {listed}.")
            found[named[column].column] = self.configurator.position(named[column], value)
        return found

    def offered(self, decision: Choosable, kept: Mapping[str, int]) -> list[int]:
        """The positions of the values to offer: all, or some spread evenly and those that it has or is to have."""
        now = self.before[decision.column]
        return sorted({*offered_positions(len(decision.values)), now, kept.get(decision.column, now)})

    def single_changes(self, kept: Mapping[str, int]) -> list[tuple[Choosable, int, int | None]]:
        """For every value to offer, the row of the result with what is kept and this value; all found in one search."""
        offered = [(decision, position) for decision in self.decisions for position in self.offered(decision, kept)]
        rows = self.rows([{**kept, decision.column: position} for decision, position in offered])
        return [(*case, row) for case, row in zip(offered, rows, strict=True)]

    def rows(self, cases: Sequence[Mapping[str, int]]) -> list[int | None]:
        """For each case the row of the result, None where no allowed configuration has what is wanted."""
        allowed = self.policy.allowed
        where = allowed.configurations if isinstance(allowed, AllowedConfigurations) else self.storage.configurations
        with one_thread():
            start, wanted = self._in_layers(self.before), [*map(self._in_layers, cases)]
            size = max(1, BATCH_NUMBERS // where.diagram.edges)
            batches = [wanted[first : first + size] for first in range(0, len(wanted), size)]
            found = [each for batch in batches for each in nearest(where, self.belief.mean, start, batch)]
        return [None if each is None else int(self.storage.diagram.numbers(each[None])) for each in found]

    def _in_layers(self, positions: Mapping[str, int]) -> dict[int, int]:
        return {each.layer: positions[each.column] for each in self.decisions if each.column in positions}

    def adjustment(self, wanted: Mapping[str, int], row: int | None) -> Adjustment:
        """What becomes of it in words."""
        rows = [self.start] if row is None else [self.start, row]
        found = self.policy.described(self.belief, rows, self.language)
        before = self.before
        asked = [each for each in self.decisions if wanted.get(each.column, before[each.column]) != before[each.column]]
        changes = tuple(self._change(each, before[each.column], wanted[each.column]) for each in asked)
        if row is None:
            clashing = self.configurator.clashing(wanted, self._must_haves)
            return Adjustment(found[0], None, changes, because=self._obstacles(clashing))
        forced = self._changes(self.start, row, wanted)
        broken = self._broken(row, wanted, forced)
        return Adjustment(found[0], found[-1], changes, forced, self._obstacles(broken), self._totals(self.start, row))

    def _broken(self, row: int, wanted: Mapping[str, int], forced: Sequence[Change]) -> list[str]:
        """The rules that the change alone would break, and those that each forced change, taken back, would break."""
        after = positions_of(self.catalog, row)
        without = [{**after, each.column: self.before[each.column]} for each in forced]
        cases = [{**self.before, **wanted}, *without] if forced else []
        broken = [rule for case in cases for rule in self.configurator.broken(case, self._must_haves)]
        return list(dict.fromkeys(broken))

    def alternative(self, decision: Choosable, position: int, now: int, row: int | None) -> Alternative:
        """What a value would take of the configuration in the row `now`, which would become that in `row`."""
        text, value = self.configurator.text(decision, position, self.language), decision.values[position]
        chosen = self.storage.choices(now)[decision.layer] == position
        if row is None:
            return Alternative(value, text, chosen, None)
        forced = self._changes(now, row, [decision.column])
        return Alternative(value, text, chosen, self.catalog.ids[row], forced, self._totals(now, row))

    @property
    def _must_haves(self) -> Sequence[str]:
        allowed = self.policy.allowed
        return allowed.expressions if isinstance(allowed, AllowedConfigurations) else ()

    def _obstacles(self, rules: Sequence[str]) -> tuple[Obstacle, ...]:
        return tuple(
            Obstacle(rule, self.configurator.said(rule, self.language), rule in self._must_haves) for rule in rules
        )

    def _changes(self, before: int, after: int, but: Collection[str]) -> tuple[Change, ...]:
        """In which decisions two configurations differ, but for these."""
        old, new = self.storage.choices(before), self.storage.choices(after)
        return tuple(
            self._change(each, old[each.layer], new[each.layer])
            for each in self.decisions
            if each.column not in but and new[each.layer] != old[each.layer]
        )

    def _change(self, decision: Choosable, before: int, after: int) -> Change:
        texts = [self.configurator.text(decision, each, self.language) for each in (before, after)]
        return Change(decision.column, name_in(self.language, decision.name), *texts)

    def _totals(self, start: int, end: int) -> tuple[TotalChange, ...]:
        before = self.configurator.amounts(start, self.language)
        after = self.configurator.amounts(end, self.language)
        return tuple(
            TotalChange(
                old.column,
                old.name,
                old.text,
                new.text,
                self.configurator.difference(old.column, amount, self.language),
                amount,
            )
            for old, new in zip(before, after, strict=True)
            for amount in [round(new.amount - old.amount, 6)]
        )


def offered_positions(count: int) -> Sequence[int]:
    """The positions of the values of a decision that has so many to list: all, or some spread evenly."""
    return range(count) if count <= MOST_OFFERED else torch.linspace(0, count - 1, MOST_OFFERED).long().tolist()


def configurator_of(catalog: Catalog) -> Configurator:
    """What is chosen about the items of a catalogue; an error if they are picked as they are."""
    if catalog.configurator is None:
        raise InvalidInputError(f"Only configurations can be adjusted; a {catalog.name} here is one of a list.")
    return catalog.configurator


def nearest(
    where: Configurations, utility: Tensor, start: Mapping[int, int], wanted: Sequence[Mapping[int, int]]
) -> list[Tensor | None]:
    """For each of several wishes the configuration with what is wanted that changes least, and the best among those.

    Args:
        where: The configurations that are allowed.
        utility: `(d,)`, what the best is measured by.
        start: For every layer of the diagram the value before; it need not be allowed.
        wanted: For some layers the values wanted.

    Returns:
        For each wish the values `(L,)`, None where no configuration has what is wanted.
    """
    if not wanted:
        return []
    gains = [effects.double() @ utility.double() for effects in where.effects]
    # More than two paths can differ by: fewer changes come first, whatever the utilities.
    unchanged = 1 + sum(float(gain.max() - gain.min()) for gain in gains)
    bonus = []
    for number, layer in enumerate(where.diagram.layers):
        values = _value_of_symbols(layer)
        kept = torch.where(values == start[number], unchanged, 0.0).double()
        each = kept[:, None].repeat(1, len(wanted))
        for index, wish in enumerate(wanted):
            if number in wish:
                each[:, index] = torch.where(values == wish[number], 0.0, -torch.inf)
        bonus.append(each)
    found = longest_paths(where, utility[None].expand(len(wanted), -1), 1, bonus)
    possible = found.scores[:, 0] > -torch.inf
    return [
        choices if is_possible else None
        for choices, is_possible in zip(found.choices[:, 0], possible.tolist(), strict=True)
    ]


def _value_of_symbols(layer: Layer) -> Tensor:
    """`(symbols,)`, the value of the edges that have each symbol; -1 for one that no edge has."""
    values = torch.full((layer.symbols,), -1)
    values[layer.symbol[layer.exists]] = layer.exists.nonzero()[:, 1]
    return values
