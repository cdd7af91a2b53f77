"""A study as its owner describes it."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from rather.conversation.tasks import Task
from rather.languages import ENGLISH
from rather.server.studies.redirects import filled

# A text by language; "" stands for any.
Texts = Mapping[str, str]
ANY_LANGUAGE = ""

# The longest interview: as many answers as a session holds.
MOST_QUESTIONS = 200

Seeds = Literal["shared", "own"]


@dataclass(frozen=True)
class Arm:
    """One way to ask, which some of the respondents get.

    Attributes:
        name: As it is noted of each session.
        weight: How many respondents get it for each one of another arm with weight 1.
        quota: How many respondents it takes; None for no limit.
        settings: Of its sessions: `strategy`, `ask`, `k` and `p`, where they are not the usual ones.
        seeds: "own" gives each respondent other random numbers; with "shared", whoever answers alike is asked alike.
    """

    name: str
    weight: int = 1
    quota: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: Seeds = "shared"


@dataclass(frozen=True)
class End:
    """What respondents see at the end, and those who come when the study is over.

    Attributes:
        text: Above the end of the questions.
        results: Whether the recommendations are shown.
        redirect: Where respondents go next: an address, with `{respondent}` and the like filled in.
        automatic: Whether the page goes there by itself.
        full: What those read who come when the study has enough respondents.
        closed: What those read who come before or after the study.
        away: Where these two may go next, like `redirect`.
    """

    text: Texts = field(default_factory=dict)
    results: bool = True
    redirect: str | None = None
    automatic: bool = False
    full: Texts = field(default_factory=dict)
    closed: Texts = field(default_factory=dict)
    away: str | None = None


@dataclass(frozen=True)
class Study:
    """A study about one catalogue.

    Attributes:
        name: Noted as the campaign of each session.
        catalog: The name of the catalogue; None for the only one of a server.
        seed: Of the assignment to arms, and of the arms with seeds of their own.
        opens: From when on people may take part, in UTC without a zone; None for no limit.
        closes: Until when, likewise.
        quota: How many respondents it takes; None for no limit.
        once: Whether a respondent id may take part only once.
        needs_respondent: Whether everybody must come with a respondent id.
        minimum: Questions that everybody is asked.
        maximum: Questions after which the interview ends at the latest.
        arms: At least one.
        tasks: Questions that everybody is asked at their number.
        end: What comes after the last question.
    """

    name: str
    catalog: str | None = None
    seed: int = 0
    opens: datetime | None = None
    closes: datetime | None = None
    quota: int | None = None
    once: bool = False
    needs_respondent: bool = False
    minimum: int = 1
    maximum: int = 25
    arms: tuple[Arm, ...] = (Arm("all"),)
    tasks: tuple[Task, ...] = ()
    end: End = End()

    @classmethod
    def from_file(cls, path: str | Path) -> "Study":
        """The study in a TOML file; see the guide to studies.

        Args:
            path: Of the file.
        """
        from rather.server.studies.reading import read_study

        return read_study(Path(path))

    def arm(self, name: str) -> Arm:
        """The arm of this name."""
        return next(arm for arm in self.arms if arm.name == name)

    def arms_for(self, ticket: int) -> tuple[Arm, ...]:
        """The arms in the order in which a respondent may get them: the first, or if that is full the next.

        Respondents come in blocks, in each of which every arm stands as often as its weight says, in random order
        (permuted blocks). So the arms are as equal in size as they can be at any time.

        Args:
            ticket: How many respondents came before.
        """
        block, position = divmod(ticket, sum(arm.weight for arm in self.arms))
        listed = [arm.name for arm in self.arms for _ in range(arm.weight)]
        random.Random(f"{self.seed} {self.name} {block}").shuffle(listed)
        return tuple(self.arm(name) for name in dict.fromkeys([*listed[position:], *listed[:position]]))

    def seed_for(self, arm: Arm, ticket: int) -> int:
        """The seed of a respondent's session."""
        if arm.seeds == "shared":
            return self.seed
        return random.Random(f"{self.seed} {self.name} seed {ticket}").randrange(2**53)

    def redirect(self, notes: Mapping[str, str], *, away: bool = False) -> str | None:
        """Where a respondent goes next, with what was noted of them filled in.

        Args:
            notes: By `respondent`, `campaign`, `arm` and `source`.
            away: Whether they are not taking part.
        """
        template = self.end.away if away else self.end.redirect
        return None if template is None else filled(template, {**notes, "campaign": self.name})


def text_in(texts: Texts, language: str) -> str | None:
    """A text in a language, else in any, else in English; None when there is none."""
    return next((texts[key] for key in (language, ANY_LANGUAGE, ENGLISH) if key in texts), None)
