"""The sentences of a report, for an owner who is no statistician."""

from collections.abc import Sequence

from rather.insights.deciding import Deciding
from rather.insights.progress import Progress
from rather.insights.report import FEW, Wants
from rather.insights.segments import Segment, in_words
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
        "have helped, or because the most that you allow had been asked."
    ]
    if total.answered:
        found.append(f"Those who answered gave {total.answers:.1f} answers on average.")
    if total.seconds is not None:
        times = total.seconds
        found.append(
            f"Half of them took less than {_time(times.median)} from the first question to the last answer; the middle "
            f"half took between {_time(times.lower)} and {_time(times.upper)}."
        )
    if progress.left_at:
        number, count = max(progress.left_at.items(), key=lambda each: each[1])
        people = "people" if count != 1 else "person"
        found.append(f"Most of those who left did so at question {number}: {count:,} {people}.")
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
        f"{top.column[:1].upper()}{top.column[1:]} matters most: it makes up {top.share.value:.0%} of the difference "
        f"between the best and the worst {noun} for an average person ({top.share.low:.0%} to {top.share.high:.0%})."
    )
    return found


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
            f"Nothing can be said in money: the answers do not show clearly that people prefer a lower {price.column}. "
            "More conversations may."
        ]
    return [
        f"How much more people would pay on average for a value, so that they like both offers equally well, given how "
        f"they weigh the {price.column}. Each amount is against the first value of its column.",
        "People are freer with money in questions than in shops: trust the order and the ratios more than the amounts.",
    ]


def shares_text(wants: Wants) -> list[str]:
    """What shares of preference are."""
    top = max(wants.shares, key=lambda each: each.first_choice.value)
    return [
        f"If people had to choose among these {len(wants.shares)}, {top.first_choice.value:.0%} would take {top.item} "
        f"({top.first_choice.low:.0%} to {top.first_choice.high:.0%}).",
        "“First choice” means that everybody takes what is best for them. “Logit” means that people choose as "
        "unsteadily as they answer, so that a close second is often taken. The truth is usually between the two. "
        "Neither knows about stock, advertising or habit.",
    ]


def winners_text(found: Winners, noun: str) -> list[str]:
    """Which items win, and how many do not."""
    texts = []
    if found.items:
        top = found.items[0]
        texts.append(f"{top.item} is the best {noun} for {top.best.value:.0%} of people, more than any other.")
    texts.append(
        f"{found.all_items - found.never_best:,} of {counted(found.all_items, noun)} are somebody’s best. "
        f"{found.never_top:,} are not even among anybody’s best five, as far as the answers tell."
    )
    return texts


def deciding_text(found: Deciding) -> list[str]:
    """What questions achieved."""
    first, last = found.steps[0], found.steps[-1]
    return [
        "How much worse the recommended one is expected to be than the best one for the person, compared with "
        "before the first question (100 %). A question that hardly lowers it can be left out.",
        f"The first answer left {first.regret:.0%} of the loss and changed the recommendation for {first.changed:.0%} "
        f"of people; after question {last.number}, {last.regret:.0%} was left. (Computed on "
        f"{counted(found.replayed, 'conversation')}.)",
    ]


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.0%})"


def _time(seconds: float) -> str:
    if seconds < 90:
        return counted(round(seconds), "second")
    if seconds < 5400:
        return counted(round(seconds / 60), "minute")
    return f"{seconds / 3600:.1f} hours"
