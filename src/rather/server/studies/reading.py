"""Reads a study from its TOML file. What is unknown or makes no sense is rejected, with the line and the key."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, NoReturn

from rather.conversation.tasks import Task
from rather.errors import InvalidInputError
from rather.server.studies.redirects import validated_redirect
from rather.server.studies.study import ANY_LANGUAGE, MOST_QUESTIONS, Arm, End, Study, Texts

SETTINGS = ("name", "catalog", "seed", "opens", "closes", "quota", "once", "needs_respondent")
SECTIONS = ("questions", "arms", "tasks", "end")
QUESTIONS = ("minimum", "maximum")
ARM = ("name", "weight", "quota", "strategy", "ask", "k", "p", "seeds")
TASK = ("question", "items", "holdout")
END = ("text", "results", "redirect", "automatic", "full", "closed", "away")

LONGEST_NAME = 100
LONGEST_TEXT = 600
LANGUAGE = re.compile(r"[a-z]{2,3}")


def read_study(path: Path) -> Study:
    """The study in a TOML file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        content = tomllib.loads(text)
    except OSError as error:
        raise InvalidInputError(f"Cannot read the study {str(path)!r}: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise InvalidInputError(f"{path.name} is not valid TOML: {error}. Correct that line.") from None
    return _Reader(path.name, text).study(content)


def line_of(text: str, section: str, index: int, key: str) -> int | None:
    """The number of the line that sets a key, from 1; None when it is not on a line of its own.

    Args:
        text: Of a TOML file.
        section: The table that it is in; "" for none.
        index: Which of the tables of this name, from 0.
        key: Its name.
    """
    now, counts = "", dict[str, int]()
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*(\[{1,2})\s*([\w.-]+)\s*\]", line):
            now = header[2]
            counts[now] = counts.get(now, -1) + 1
            if not key and now == section and counts[now] == index:
                return number
        elif key and now == section and counts.get(now, 0) == index and re.match(rf'\s*"?{re.escape(key)}"?\s*=', line):
            return number
    return None


class _Section:
    """A table of the file: its values, and where it stands."""

    def __init__(self, reader: "_Reader", values: Mapping[str, Any], name: str = "", index: int | None = None) -> None:
        self.reader, self.values, self.name, self.index = reader, values, name, index

    def reject(self, key: str, text: str) -> NoReturn:
        """Raise an error about one of its keys, or with "" about itself."""
        number = "" if self.index is None else f"[{self.index + 1}]"
        path = f"{self.name}{number}{'.' * bool(self.name and key)}{key}"
        line = line_of(self.reader.text, self.name, self.index or 0, key)
        where = self.reader.source if line is None else f"{self.reader.source}, line {line}"
        raise InvalidInputError(f"{where}: `{path}` {text}.")

    def check_names(self, known: Sequence[str]) -> None:
        for key in self.values:
            if key not in known:
                self.reject(key, f"is not a setting; there are {', '.join(known)}")

    def integer(self, key: str, low: int, high: int) -> int | None:
        value = self.values.get(key)
        if value is not None and (type(value) is not int or not low <= value <= high):
            self.reject(key, f"must be a number from {low} to {high:,}, got {value!r}")
        return value

    def switch(self, key: str, usual: bool) -> bool:
        value = self.values.get(key, usual)
        if not isinstance(value, bool):
            self.reject(key, f"must be true or false, got {value!r}")
        return value

    def name_of(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > LONGEST_NAME:
            self.reject(key, f"must be a text of 1 to {LONGEST_NAME} characters, got {value!r:.80}")
        return value

    def one_of(self, key: str, choices: Sequence[str]) -> str | None:
        value = self.values.get(key)
        if value is not None and value not in choices:
            self.reject(key, f"must be one of {', '.join(choices)}, got {value!r}")
        return value

    def texts(self, key: str) -> Texts:
        """A text, or one for each language: `text = "Thanks"` or `text = {en = "Thanks", de = "Danke"}`."""
        value = self.values.get(key, {})
        texts = value if isinstance(value, Mapping) else {ANY_LANGUAGE: value}
        for language, text in texts.items():
            if language != ANY_LANGUAGE and not LANGUAGE.fullmatch(language):
                self.reject(key, f"must have languages such as en or de as keys, got {language!r}")
            if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > LONGEST_TEXT:
                self.reject(key, f"must be a line of 1 to {LONGEST_TEXT} characters, got {text!r:.80}")
        return {language: text.strip() for language, text in texts.items()}

    def moment(self, key: str) -> datetime | None:
        """A date, which means its beginning, or a time; both in UTC unless it names another zone."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, date):
            self.reject(key, f"must be a date such as 2026-03-01 or a time such as 2026-03-01T18:00:00Z, got {value!r}")
        moment = value if isinstance(value, datetime) else datetime.combine(value, time())
        return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment

    def address(self, key: str) -> str | None:
        if key not in self.values:
            return None
        try:
            return validated_redirect(self.values[key], key)
        except InvalidInputError as error:
            self.reject(key, str(error).removeprefix(f"`{key}` ").removesuffix("."))


class _Reader:
    """Reads the settings of one file."""

    def __init__(self, source: str, text: str) -> None:
        self.source, self.text = source, text

    def study(self, content: Mapping[str, Any]) -> Study:
        top = _Section(self, content)
        top.check_names((*SETTINGS, *SECTIONS))
        name = top.name_of("name")
        if name is None:
            top.reject("name", 'is missing: add a line such as name = "cars-spring"')
        tasks, arms = self.tasks(top), self.arms(top)
        minimum, maximum = self.questions(top, max((task.number for task in tasks), default=0))
        opens, closes = top.moment("opens"), top.moment("closes")
        if opens is not None and closes is not None and opens >= closes:
            top.reject("closes", "must be later than `opens`")
        return Study(
            name=name,
            catalog=top.name_of("catalog"),
            seed=top.integer("seed", 0, 2**53 - 1) or 0,
            opens=opens,
            closes=closes,
            quota=top.integer("quota", 1, 10**9),
            once=top.switch("once", False),
            needs_respondent=top.switch("needs_respondent", False),
            minimum=minimum,
            maximum=maximum,
            arms=arms,
            tasks=tasks,
            end=self.end(top),
        )

    def table(self, top: _Section, name: str) -> _Section:
        values = top.values.get(name, {})
        if not isinstance(values, Mapping):
            top.reject(name, f"must be a section that starts with [{name}]")
        return _Section(self, values, name)

    def tables(self, top: _Section, name: str) -> list[_Section]:
        listed = top.values.get(name, [])
        if not isinstance(listed, list) or not all(isinstance(each, Mapping) for each in listed):
            top.reject(name, f"must be sections that start with [[{name}]]")
        return [_Section(self, values, name, index) for index, values in enumerate(listed)]

    def questions(self, top: _Section, last_task: int) -> tuple[int, int]:
        """The least and the most questions. Everybody sees all tasks, so there are at least so many questions."""
        section = self.table(top, "questions")
        section.check_names(QUESTIONS)
        minimum = section.integer("minimum", 1, MOST_QUESTIONS)
        maximum = section.integer("maximum", 1, MOST_QUESTIONS)
        if minimum is not None and minimum < last_task:
            section.reject("minimum", f"must be at least {last_task}, or some people never see the task at that number")
        least = minimum or max(1, last_task)
        if maximum is not None and maximum < least:
            section.reject("maximum", f"must be at least {least}, which is the least number of questions")
        return least, maximum or max(Study.maximum, least)

    def arms(self, top: _Section) -> tuple[Arm, ...]:
        arms: list[Arm] = []
        for section in self.tables(top, "arms"):
            arm = self.arm(section)
            if arm.name in [each.name for each in arms]:
                section.reject("name", f"must differ from arm to arm, got {arm.name!r} twice")
            arms.append(arm)
        return tuple(arms) or Study.arms

    def arm(self, section: _Section) -> Arm:
        from rather.strategies import STRATEGIES

        section.check_names(ARM)
        name = section.name_of("name")
        if name is None:
            section.reject("", 'needs a name: add a line such as name = "adaptive"')
        strategy = section.one_of("strategy", list(STRATEGIES))
        ask, k, p = (
            section.one_of("ask", ("items", "attributes", "auto")),
            *(section.integer(key, low, high) for key, low, high in (("k", 2, 100), ("p", 1, 10))),
        )
        given = {"strategy": strategy, "ask": ask, "k": k, "p": p}
        seeds = section.one_of("seeds", ("shared", "own"))
        return Arm(
            name=name,
            weight=section.integer("weight", 1, 100) or 1,
            quota=section.integer("quota", 1, 10**9),
            settings={key: value for key, value in given.items() if value is not None},
            # A strategy that draws its questions should draw others for everybody.
            seeds="own" if seeds == "own" or (seeds is None and strategy not in (None, "auto")) else "shared",
        )

    def tasks(self, top: _Section) -> tuple[Task, ...]:
        tasks: list[Task] = []
        for section in self.tables(top, "tasks"):
            section.check_names(TASK)
            number, items = section.integer("question", 1, MOST_QUESTIONS), section.values.get("items")
            if number is None:
                section.reject("", "needs the number of its question: add a line such as question = 3")
            if not isinstance(items, list) or not all(type(id) in (str, int) for id in items):
                section.reject("items", 'must list the ids of items, such as ["12", "31"]')
            if len(items) < 2 or len(set(items)) != len(items):
                section.reject("items", f"must list at least two different ids, got {items}")
            if number in [task.number for task in tasks]:
                section.reject("question", f"must differ from task to task, got {number} twice")
            tasks.append(Task(number, tuple(items), section.switch("holdout", False)))
        return tuple(sorted(tasks, key=lambda task: task.number))

    def end(self, top: _Section) -> End:
        section = self.table(top, "end")
        section.check_names(END)
        end = End(
            text=section.texts("text"),
            results=section.switch("results", not section.values.get("automatic", False)),
            redirect=section.address("redirect"),
            automatic=section.switch("automatic", False),
            full=section.texts("full"),
            closed=section.texts("closed"),
            away=section.address("away"),
        )
        if end.automatic and end.redirect is None:
            section.reject("automatic", "needs `redirect`, where the page shall go")
        if end.automatic and end.results:
            section.reject("automatic", "leaves no time to see the results: set `results = false`")
        return end
