"""What an attribute of a table says in a language other than English."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from rather.formats.tables.number_texts import Bounds, NumberTexts
from rather.formats.tables.settings import VALUE
from rather.languages import counted_in, message, name_in, translated
from rather.model.attributes import STRESS, Wording

# A number of things, and what is said of one thing instead.
COUNT, NAMED = "with {value} {name}", "whose {name} is {value}"


@dataclass(frozen=True)
class Saying:
    """A value of a column, to be said in any language; small, so that it can be sent to other processes.

    Attributes:
        name: What the column is called.
        template: How English says it, with `{value}` and perhaps `{name}`.
        section: What the template is about, because two languages rarely divide words alike: "from 2020" and "from
            Italy" are one preposition in English only.
        value: The value as the table has it.
        bounds: The range of a number.
        numbers: How numbers are written.
        own: What the owner says instead, in all languages or by language.
        counted: Whether the name follows the number: "4 doors".
        alone: Whether the value is clear without the name of its column.
    """

    name: str
    template: str
    section: str
    value: str
    bounds: Bounds | None
    numbers: NumberTexts
    own: str | Mapping[str, str] | None = None
    counted: bool = False
    alone: bool = True

    def __call__(self, language: str) -> Wording:
        """The text and the phrase of the attribute."""
        value = self._value(language)
        return Wording(self._text(value, language), self._phrase(value.replace(STRESS, ""), language))

    def _value(self, language: str) -> str:
        if self.bounds is not None:
            return self.numbers.range(self.bounds, language)
        return name_in(language, self.value) if self.value == self.name else self.value  # of a yes/no column

    def _text(self, value: str, language: str) -> str:
        name = name_in(language, self.name)
        if self.counted and not self._is_one:
            return f"{value} {name}"
        clear = self.alone and not self._is_one
        return value if clear else message(language, "cell.named", name=name, value=value)

    def _phrase(self, value: str, language: str) -> str:
        template = own_phrase(self.own, language)
        if template is None:
            said = NAMED if self.template == COUNT and self._is_one else self.template
            template = VALUE if self._has_preposition else translated(language, f"phrases.{self.section}", said)
            name = (counted_in if said == COUNT else name_in)(language, self.name)
            template = template.replace("{name}", name)
        return template.replace(VALUE, f"{STRESS}{value}{STRESS}") if VALUE in template else ""

    @property
    def _is_one(self) -> bool:
        """Whether it is a single thing, of which there is only the plural: "Sitze: 1", not "mit 1 Sitze"."""
        return self.counted and self.bounds == (1, 1)

    @property
    def _has_preposition(self) -> bool:
        """Whether the value has the preposition of its template: "vor 1930", not "von vor 1930"."""
        earliest = self.bounds is not None and self.bounds[0] == -math.inf
        return earliest and self.template == "from {value}" and (self.numbers.dates or not self.numbers.grouped)


def own_phrase(given: str | Mapping[str, str] | None, language: str) -> str | None:
    """What the owner says in a language; None where they left it to us."""
    return given if given is None or isinstance(given, str) else given.get(language)
