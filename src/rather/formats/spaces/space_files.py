"""Product spaces in files: `bike.toml`.

```toml
[space]
name = "bicycle"
rules = ["frame == 'carbon' implies brakes != 'rim'", "price <= 3000"]

[options.frame]
values = { steel = { price = 0 }, carbon = { price = 900 } }

[ranges.size]
from = 48
to = 62
step = 2
unit = "cm"

[extras.lights]
adds = { price = 60 }

[totals.price]
base = 400
unit = "EUR"
direction = "less"
```
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from rather.errors import InvalidInputError
from rather.formats.spaces.definition import (
    Decision,
    Extra,
    NumberRange,
    Option,
    ProductSpace,
    Total,
    located,
)
from rather.formats.tables.settings import setting_lines, suggestion

Made = TypeVar("Made")

SPACE_ENDINGS = (".toml",)

SECTIONS = ("space", "options", "ranges", "extras", "totals")
SPACE_KEYS = ("name", "verb", "label", "rules", "interactions")

BUNDLED_SPACES = ("bicycle", "laptop")


def names_space(source: str | Path) -> bool:
    """Whether a path is that of a product space, or a name that of a bundled one."""
    return str(source) in BUNDLED_SPACES or Path(source).suffix.lower() in SPACE_ENDINGS


def bundled_space(name: str) -> ProductSpace:
    """One of the example spaces that come with the package."""
    text = files("rather.formats.spaces").joinpath(f"examples/{name}.toml").read_text(encoding="utf-8")
    return parse_space(text, f"{name}.toml")


def read_space(path: Path) -> ProductSpace:
    """The product space in a file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInputError(f"Cannot read {str(path)!r}: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise InvalidInputError(f"{path.name} is not UTF-8: save it in that encoding.") from None
    return parse_space(text, path.name)


def parse_space(text: str, source: str) -> ProductSpace:
    """The product space that a text in TOML describes; `source` is what messages call it."""
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise InvalidInputError(f"{source} is not valid TOML: {error}.") from None
    lines = setting_lines(text)
    return _Reader(source, {**lines, **_rule_lines(content, text, lines)}).space(content)


def _rule_lines(
    content: Mapping[str, Any], text: str, lines: Mapping[tuple[str, ...], int]
) -> dict[tuple[str, ...], int]:
    """The line of each rule, as far as it is written as it is read."""
    found: dict[tuple[str, ...], int] = {}
    line = lines.get(("space", "rules"), 1)
    written = text.splitlines()
    own = content.get("space")
    rules = own.get("rules") if isinstance(own, Mapping) else None
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        there = (each for each in range(line, len(written) + 1) if str(rule) in written[each - 1])
        if (next_line := next(there, None)) is not None:
            line = found["space", "rules", str(number)] = next_line
    return found


class _Reader:
    """Reads sections; an error says which line is wrong."""

    def __init__(self, source: str, lines: Mapping[tuple[str, ...], int]) -> None:
        self.source, self.lines = source, lines

    def reject(self, path: tuple[str, ...], message: str) -> NoReturn:
        raise InvalidInputError(f"{located(self.source, self.lines, path)}: {message}")

    def space(self, content: Mapping[str, Any]) -> ProductSpace:
        if "space" not in content:
            table = " It holds the settings of a table: open the table beside it." if "columns" in content else ""
            self.reject((), f"it has no section [space], so it is no product space.{table}")
        for key in content:
            if key not in SECTIONS:
                known = f"{suggestion(key, SECTIONS)} There are: {', '.join(SECTIONS)}."
                # The first of its lines: [option.frame] is no line of [option].
                first = next((path for path in self.lines if path[:1] == (key,)), (key,))
                self.reject(first, f"unknown section {key!r}{known}")
        own = self.mapping(content, ("space",))
        for key in own:
            if key not in SPACE_KEYS:
                known = f"{suggestion(key, SPACE_KEYS)} There are: {', '.join(SPACE_KEYS)}."
                self.reject(("space", key), f"unknown setting {key!r}{known}")
        decisions = [
            *self.parts(content, "options", self.option),
            *self.parts(content, "ranges", self.range),
            *self.parts(content, "extras", self.extra),
        ]
        totals = self.parts(content, "totals", self.total)
        return ProductSpace(
            self.text(own, "name"),
            decisions,
            totals,
            self.texts(own, "rules"),
            self.pairs(own),
            own.get("verb"),
            own.get("label"),
            self.source,
            self.columns_lines(),
        )

    def columns_lines(self) -> dict[tuple[str, ...], int]:
        """The line of each column, under its name alone."""
        found = dict(self.lines)
        for path, line in self.lines.items():
            if len(path) >= 2 and path[0] in SECTIONS[1:]:
                found.setdefault(path[1:], line)
        return found

    def mapping(self, content: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
        section = content.get(path[-1], {})
        if not isinstance(section, Mapping):
            self.reject(path, f"`{path[-1]}` must be a section, got {section!r}.")
        return section

    def parts(
        self, content: Mapping[str, Any], section: str, make: Callable[[str, dict[str, Any]], Made]
    ) -> list[Made]:
        """What `make` makes of each part of a section; its errors say the line."""
        found = []
        for name in self.mapping(content, (section,)):
            part = dict(self.mapping(content[section], (section, name)))
            try:
                found.append(make(name, part))
            except InvalidInputError as error:
                if str(error).startswith(self.source):
                    raise
                message = str(error)
                self.reject((section, name), message[0].lower() + message[1:])
        return found

    def option(self, name: str, part: dict[str, Any]) -> Decision:
        values = part.pop("values", None)
        if not isinstance(values, list | Mapping):
            has = "" if values is not None or not part else f"; it has {', '.join(f'`{key}`' for key in part)}"
            self.reject(
                ("options", name),
                f'the option {name!r} needs `values`, such as ["red", "blue"] or {{ steel = {{ price = 0 }} }}{has}.',
            )
        return Option(name, values, **part)

    def range(self, name: str, part: dict[str, Any]) -> Decision:
        ends = {}
        for key, argument in (("from", "low"), ("to", "high"), ("step", "step")):
            if key not in part:
                self.reject(("ranges", name), f"the range {name!r} needs `from`, `to` and `step`; `{key}` is missing.")
            if argument != key and argument in part:
                self.reject(
                    ("ranges", name, argument), f"unknown setting of {name!r}: {argument!r}; it is `{key}` here."
                )
            ends[argument] = part.pop(key)
        return NumberRange(name, **ends, adds=self.adds("ranges", name, part), **part)

    def extra(self, name: str, part: dict[str, Any]) -> Decision:
        return Extra(name, adds=self.adds("extras", name, part), **part)

    def adds(self, section: str, name: str, part: dict[str, Any]) -> Mapping[str, float]:
        adds = part.pop("adds", {})
        if not isinstance(adds, Mapping):
            self.reject((section, name, "adds"), f"`adds` of {name!r} must be such as {{ price = 60 }}, got {adds!r}.")
        return adds

    def total(self, name: str, part: dict[str, Any]) -> Total:
        counts = part.pop("counts", [])
        if not isinstance(counts, list):
            self.reject(("totals", name, "counts"), f"`counts` of {name!r} must be a list of extras, got {counts!r}.")
        return Total(name, base=part.pop("base", 0), counts=counts, **part)

    def text(self, own: Mapping[str, Any], key: str) -> str:
        value = own.get(key)
        if not isinstance(value, str):
            got = f", got {value!r}" if key in own else "; it is missing"
            self.reject(("space", key), f'`{key}` must say what one configuration is called, such as "bicycle"{got}.')
        return value

    def texts(self, own: Mapping[str, Any], key: str) -> list[str]:
        values = own.get(key, [])
        if not isinstance(values, list):
            self.reject(("space", key), f'`{key}` must be a list such as ["price <= 3000"], got {values!r}.')
        return values

    def pairs(self, own: Mapping[str, Any]) -> list[tuple[str, str]]:
        pairs = own.get("interactions", [])
        for pair in pairs if isinstance(pairs, list) else [pairs]:
            if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
                self.reject(
                    ("space", "interactions"),
                    f'`interactions` must be pairs of columns such as [["weight", "use"]], got {pairs!r}.',
                )
        return [(pair[0], pair[1]) for pair in pairs]
