"""What a person may type below the recommendations: "cheaper", "like 2", "want funny", "don't care about colour"."""

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches

from rich.console import Console
from rich.text import Text

from rather.cli.cards import recommendations_view, show
from rather.cli.terminal_adjusting import adjust, change_typed, configuration_view
from rather.conversation.hints import wishes
from rather.conversation.session import Session
from rather.conversation.telling_apart import position_of
from rather.conversation.wording import recommendations_in
from rather.errors import InvalidInputError, RatherError
from rather.languages import ENGLISH
from rather.model.attributes import STRESS, Attribute
from rather.model.catalog import Catalog
from rather.model.configurators import Choosable
from rather.model.questions import Recommendation
from rather.model.statements import DontCare, LikeBut, MoreLike, Statement, Want

# How many recommendations are listed.
LISTED = 5

INVITATION = "Say more, or press Enter to {then}: {examples}, u undo."
EXAMPLES = "like 2, 2 {wish}, want {attribute}, don't care about {topic}"
EXAMPLES_OF_CONFIGURATIONS = "1 {changes}, like 2, 2 {wish}, want {attribute}, don't care about {topic}"
EXAMPLES_WITHOUT_NAMES = "like 2"
NO_SUCH_NUMBER = "There are {count} recommendations: type 1 to {count}."
NO_SUCH_WISH = "Nothing that a {noun} can have is called {text!r}. Try: {examples}."
NOT_UNDERSTOOD = "I do not understand {said!r}. Try: {examples}."


def hear(console: Console, session: Session, on_change: Callable[[], None], then: str = "end") -> None:
    """Take in what the person types, and recommend again, until they press Enter; `then` says what that does."""
    while True:
        listed = session.recommend(LISTED)
        console.print(Text(INVITATION.format(then=then, examples=examples(session, listed)), style="dim"))
        try:
            typed = console.input(Text("> ", style="bold")).strip()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return
        if typed.lower() in ("", "q"):
            return
        try:
            if typed.lower() == "u":
                session.withdraw()
            elif (change := change_typed(typed.lower(), session.policy.catalog)) is not None:
                number, wanted = change
                item = (session.adjusted or listed[0]) if number is None else _item(number, listed)
                if not adjust(console, session, item, wanted):
                    continue
            else:
                hint = session.hint(statement_typed(typed, session, listed))
                console.print(Text(f"→ {hint.text}", style="bold green"))
        except RatherError as error:
            console.print(Text(str(error), style="red"))
            continue
        on_change()
        show(
            console,
            recommendations_view(session.recommend(LISTED), session.expected_regret, session.policy.start_regret),
        )
        show_configuration(console, session)


def show_configuration(console: Console, session: Session, language: str = ENGLISH, heading: str = "") -> None:
    """All that is chosen of the configuration that the person made, or that comes first; nothing about other items.

    What comes first stands under the heading, if there is one.
    """
    if session.policy.catalog.configurator is not None:
        adjusted = session.adjusted
        if adjusted is not None:
            heading = "As you adjusted it:"
        if heading:
            console.print(Text(heading, style="bold"))
        item = adjusted or session.recommend(LISTED)[0]
        show(console, configuration_view(recommendations_in([item], session.policy.catalog, language)[0]))


def examples(session: Session, listed: Sequence[Recommendation]) -> str:
    """What may be typed about these recommendations."""
    policy = session.policy
    wished = wishes(listed[min(1, len(listed) - 1)].row, policy, session.belief, count=1)
    if not wished or not policy.catalog.attributes:
        return EXAMPLES_WITHOUT_NAMES
    first, last = policy.catalog.attributes[0], policy.catalog.attributes[-1]
    configurator = policy.catalog.configurator
    if configurator is not None:
        now = {each.column: listed_value(each, listed[0], policy.catalog) for each in configurator.decisions}
        others = {
            each.name: [value for value in each.values if value != now[each.column]] for each in configurator.decisions
        }
        changes = [f"{name} {values[0]}" for name, values in others.items() if values][:2]
        return EXAMPLES_OF_CONFIGURATIONS.format(
            changes=" and ".join(changes), wish=wished[0].text, attribute=first.text, topic=last.about
        )
    return EXAMPLES.format(wish=wished[0].text, attribute=first.text, topic=last.about)


def listed_value(decision: Choosable, item: Recommendation, catalog: Catalog) -> str:
    """What a configuration has chosen."""
    return decision.values[position_of(decision, item.row, catalog)]


def statement_typed(typed: str, session: Session, listed: Sequence[Recommendation]) -> Statement:
    """What somebody typed about the recommendations that are listed, as a statement."""
    catalog, said = session.policy.catalog, typed.strip().lower()
    if found := re.fullmatch(r"(?:i )?want (.+)", said):
        return _want(found[1], catalog)
    if found := re.fullmatch(r"(?:i )?do(?:n'?|n’| no)t care(?: about)? (.+)", said):
        return _dont_care(found[1], catalog)
    if found := re.fullmatch(r"(?:more )?like (\d+)", said):
        return MoreLike(_item(int(found[1]), listed).id)
    if found := re.fullmatch(r"(?:like )?(?:(\d+),? )?(?:but )?(.+)", said):
        item = _item(int(found[1] or 1), listed)
        for each in catalog.comparatives_of(item.row):
            if each.text.lower() in (found[2], f"with {found[2]}"):
                return LikeBut(item.id, each.column, each.toward)
    raise InvalidInputError(NOT_UNDERSTOOD.format(said=typed, examples=examples(session, listed)))


def _item(number: int, listed: Sequence[Recommendation]) -> Recommendation:
    if not 1 <= number <= len(listed):
        raise InvalidInputError(NO_SUCH_NUMBER.format(count=len(listed)))
    return listed[number - 1]


def _want(text: str, catalog: Catalog) -> Want:
    known: dict[str, Attribute] = {}
    for each in reversed(catalog.attributes):
        before, _, rest = each.phrase.partition(STRESS)
        value, _, after = rest.partition(STRESS)
        if before in ("that is ", "with ", "with a ", "with an ") and not after:
            known[value.lower()] = each  # "house trained" of "that is house trained"
    for each in reversed(catalog.attributes):
        known |= {each.phrase.replace(STRESS, "").lower(): each, each.text.lower(): each}
    if text not in known:
        near = get_close_matches(text, list(known), 3, 0.5) or list(known)[:3]
        raise InvalidInputError(NO_SUCH_WISH.format(noun=catalog.name, text=text, examples=", ".join(near)))
    return Want(known[text])


def _dont_care(text: str, catalog: Catalog) -> DontCare:
    for each in catalog.attributes:
        if text in (each.column.lower(), each.about.lower(), each.text.lower()):
            return DontCare(each.column)
    return DontCare(text)
