"""An adjusted configuration as assistants see it."""

from collections.abc import Sequence

from rather.assistants.conversation_views import matched_item
from rather.assistants.results import AdjustmentResult, ChangeResult, RuleResult, TotalResult
from rather.conversation.adjusting import Adjustment, Change
from rather.conversation.display_text import DisplayText

TAKE_IT = (
    "Tell the person what changes, what changes with it and why, and the new totals. Nothing is recorded yet: "
    "if they want it, call adjust_item again with the same arguments and `take` true."
)
TAKEN = (
    "Recorded: the person prefers this to the original. Call recommend for what is recommended now, or next_question "
    "to go on; take_back undoes it."
)
ALREADY_SO = "It already has these values, so there is nothing to take. Ask the person what else they would change."
IMPOSSIBLE = (
    "No configuration has all of this: tell the person which rules clash with it, and ask which other value would do. "
    "Nothing is recorded."
)
LOOSEN = f"{IMPOSSIBLE} They may loosen their own must-haves (`must_have`): ask, then call set_must_haves."


def adjustment_result(id: str, adjustment: Adjustment, *, taken: bool, display: DisplayText) -> AdjustmentResult:
    """What becomes of a configuration; what it holds is in the language of the reader already."""
    item = adjustment.item
    return AdjustmentResult(
        conversation=id,
        item=None if item is None else matched_item(item, display),
        changes=_changes(adjustment.wanted, display),
        changes_with_it=_changes(adjustment.forced, display),
        because=[RuleResult(text=display.text(each.text), must_have=each.is_must_have) for each in adjustment.because],
        totals=[
            TotalResult(
                name=display.text(each.name),
                before=display.text(each.before),
                after=display.text(each.after),
                difference=display.text(each.difference),
            )
            for each in adjustment.totals
        ],
        taken=taken,
        next_step=_after_adjusting(adjustment, taken=taken),
    )


def _changes(changes: Sequence[Change], display: DisplayText) -> list[ChangeResult]:
    return [
        ChangeResult(
            column=each.column,
            name=display.text(each.name),
            before=display.text(each.before),
            after=display.text(each.after),
        )
        for each in changes
    ]


def _after_adjusting(adjustment: Adjustment, *, taken: bool) -> str:
    """What to do about an adjustment."""
    if adjustment.item is None:
        return LOOSEN if any(each.is_must_have for each in adjustment.because) else IMPOSSIBLE
    if adjustment.item.id == adjustment.start.id:
        return ALREADY_SO
    return TAKEN if taken else TAKE_IT
