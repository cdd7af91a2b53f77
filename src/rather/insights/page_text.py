"""The sentences of a report, for an owner who is no statistician."""

from collections.abc import Sequence

from rather.insights.deciding import Deciding
from rather.insights.estimates import Estimate
from rather.insights.progress import Progress
from rather.insights.report import FEW, Wants
from rather.insights.segments import Segment, in_words
from rather.insights.taste_map import TasteMap
from rather.insights.willingness import Pricing
from rather.insights.winners import Winners
from rather.nouns import counted, plural


def progress_text(progress: Progress) -> list[str]:
    """How conversations went."""
    total = progress.total
    if not total.began:
        return ["No conversation has begun yet."]
    found = [
        f"Of {counted(total.began, 'conversation')}, {_share(total.answered, total.began)} had at least one answer and "
        f"{_share(total.finished, total.began)} were finished: the questions ended because another one would hardly "
        "have helped, or because the maximum number of questions had been asked."
    ]
    if total.answered:
        found.append(f"Those who answered gave {total.answers:.1f} answers on average.")
    if total.seconds is not None:
        times = total.seconds
        found.append(
            f"Half of them took less than {_time(times.median)} from the first question to the last answer; the middle "
            f"half took between {_time(times.lower)} and {_time(times.upper)}."
        )
    if (step := total.most_left_at) is not None:
        found.append(
            f"More people left at question {step.number} than at any other: {step.left:,} of the {step.asked:,} who "
            "saw it."
        )
    return found


def wants_text(wants: Wants, noun: str) -> list[str]:
    """Whom the report is about, and what matters most."""
    people = counted(wants.respondents, "conversation")
    sample = "" if wants.respondents >= wants.answering else f", a random sample of {wants.answering:,} with an answer"
    found = [f"From here on, everything is estimated from {people}{sample}."]
    if wants.unread:
        count = sum(wants.unread.values())
        reason = next(iter(wants.unread))
        found.append(f"{counted(count, 'conversation')} could not be used: {reason}")
    if wants.respondents < FEW:
        found.append(f"These are few: below {FEW}, take all that follows as a first impression.")
    if not wants.importances:
        found.append(f"The {plural(noun)} have no named columns, so that only whole {plural(noun)} can be compared.")
        return found
    top = wants.importances[0]
    found.append(
        f"“{top.column}” matters most: it makes up {_percent(top.share)} of the difference between the best and the "
        f"worst {noun} for an average person."
    )
    found.append(
        "The thin lines show how sure the estimates are: the truth lies within them in 19 of 20 cases. The same holds "
        "for the pale bands and for every “from” and “to” below."
    )
    return found


def worths_text(noun: str) -> list[str]:
    """What part-worths are."""
    return [
        f"A value above 0 makes {plural(noun)} more attractive than the average one, a value below 0 less. The numbers "
        "have no unit; compare them with each other: all plots cover the same range. For tags, of which one can have "
        "several, the number compares having it with not having it.",
        "These are averages. Where some people want what others avoid, a value is worth about 0, however much its "
        "column matters; the numbers say how many people like it.",
    ]


def segments_text(found: Sequence[Segment]) -> list[str]:
    """Whether there are groups."""
    if not found:
        return ["There are too few conversations to look for groups."]
    texts = [in_words(found)]
    if len(found) > 1:
        texts.append(
            "Each group is named by what its people want more than the others do. Use the groups to write to people "
            "differently, not to judge a single person."
        )
    return texts


def willingness_text(price: Pricing) -> list[str]:
    """What amounts of money mean, or why there are none."""
    if not price.clear:
        return [
            "Nothing can be said in money: the answers do not show clearly that people prefer a lower "
            f"“{price.column}”. More conversations may."
        ]
    return [
        f"How much more people would pay on average for a value, so that they like both offers equally well, given how "
        f"they weigh “{price.column}”. The table says what each value is compared with.",
        "People are freer with money in questions than in shops: trust the order and the ratios more than the amounts.",
    ]


def shares_text(wants: Wants) -> list[str]:
    """What shares of preference are."""
    top = max(wants.shares, key=lambda each: each.first_choice.value)
    return [
        f"If people had to choose among these {len(wants.shares)}, {_percent(top.first_choice)} would take "
        f"{top.item.label}.",
        "“First choice” means that everybody takes what is best for them. “Logit” means that people choose as "
        "unsteadily as they answer, so that a close second is often taken. The truth is usually between the two. "
        "Neither knows about stock, advertising or habit.",
    ]


def what_if_text() -> list[str]:
    """What the plots of changes show."""
    return [
        "The plots show by how many percentage points the share of each would change by first choice. A line that "
        "crosses 0 means that the answers do not tell whether it would gain or lose."
    ]


def winners_text(found: Winners, noun: str) -> list[str]:
    """Which items win, and how many do not."""
    texts = []
    if found.items:
        top = found.items[0]
        texts.append(
            f"{top.item.label} is the best {noun} for {_percent(top.best)} of people, more than any other {noun}."
        )
    rest = f"{found.never_top:,} are not even among anybody’s best five"
    if not found.never_top:
        rest = "each is among somebody’s best five"
    texts.append(
        f"Of {counted(found.all_items, noun)}, {found.all_items - found.never_best:,} may be somebody’s best, and "
        f"{rest}, as far as the answers tell."
    )
    return texts


def deciding_text(found: Deciding) -> list[str]:
    """What questions achieved."""
    first, last = found.steps[0], found.steps[-1]
    texts = [
        "How much worse the recommended one is expected to be than the best one for the person, compared with "
        "before the first question (100%). A question that hardly lowers it can be left out.",
        f"The first answer left {first.regret:.0%} of that loss and changed the recommendation for {first.changed:.0%} "
        f"of people; after question {last.number}, {last.regret:.0%} was left. (Computed from "
        f"{counted(found.replayed, 'conversation')}.)",
    ]
    if len(found.steps) < last.number:
        texts.append("Hold-outs are left out, as nothing is learnt from their answers.")
    return texts


def map_text(found: TasteMap, noun: str) -> list[str]:
    """How to read the map."""
    many = plural(noun)
    return [
        f"Each dot is one of your {many}; those close together are alike. The black ones are the winners. Blue lines "
        f"point to where there is more of something. Each tick on the rim is a person: the {many} on that side suit "
        "them.",
        f"The map shows {found.explained:.0%} of the differences between your {many}; the rest does not fit into two "
        "dimensions.",
    ]


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.0%})"


def _percent(found: Estimate) -> str:
    return f"{found.value:.0%} ({found.low:.0%} to {found.high:.0%})"


def _time(seconds: float) -> str:
    """A duration as one says it: to the second below ten minutes, to the minute below ten hours."""
    if seconds < 60:
        return counted(round(seconds), "second")
    if seconds < 600:
        minutes, rest = divmod(round(seconds), 60)
        return counted(minutes, "minute") + (f" {counted(rest, 'second')}" if rest else "")
    if seconds < 36_000:
        hours, minutes = divmod(round(seconds / 60), 60)
        return f"{counted(hours, 'hour')} {counted(minutes, 'minute')}" if hours else counted(minutes, "minute")
    return counted(round(seconds / 3600), "hour")
