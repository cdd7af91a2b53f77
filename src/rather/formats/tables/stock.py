"""Whether an item can be had: `in stock`, `Sold out`, `0`, `ausverkauft`, `rupture de stock`."""

import re

import numpy as np
import numpy.typing as npt

from rather.formats.tables.cells import FLAGS, Cells

# Values in words, in English, German, French and Spanish.
_OUT = re.compile(
    r"out[ _-]?of[ _-]?stock|sold[ _-]?out|(currently |temporarily )?(unavailable|not available|not in stock)|no stock|"
    r"discontinued|no longer available|none left|(derzeit |zurzeit |momentan )?ausverkauft|vergriffen|"
    r"(derzeit |zurzeit |momentan )?nicht (mehr )?(verfügbar|lieferbar|vorrätig|auf lager|am lager)|"
    r"épuisé|(en )?rupture( de stock)?|indisponible|non disponible|pas en stock|"
    r"agotado|sin (stock|existencias)|no disponible|no hay( stock)?",
    re.IGNORECASE,
)
_IN = re.compile(
    r"in[ _-]?stock|available|low stock|limited( stock)?|few left|last one|pre-?order|back-?order(ed)?|"
    r"(sofort )?(verfügbar|lieferbar|vorrätig)|(auf|am|an) lager|wenige|vorbestell\w*|"
    r"(en )?stock|disponible|en existencia(s)?|últimas unidades|précommande",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"((only|just|nur( noch)?|noch|plus que|solo|quedan)\s+)?[<>~+]?\s*(?P<digits>-?\d[\d.,]*)\s*\+?\s*"
    r"((pcs|pieces?|units?|items?|stück|stk|st|unités?|uds?|unidades|unidad)\.?)?\s*"
    r"(left|remaining|available|in stock|on hand|auf lager|en stock|verfügbar)?",
    re.IGNORECASE,
)
# Names that leave no doubt, and those that hold an amount in stock only if some of it is 0.
_NAMED = re.compile(
    r"(is )?(in )?stock( (status|level|qty|quantity|count|amount))?|(is )?available|availability|"
    r"inventory( (qty|quantity|level))?|"
    r"(quantity|qty|units|items)( (available|left|on hand|in stock))|sold out|out of stock|"
    r"(lager|waren)?bestand|lager|verfügbar|verfügbarkeit|lieferbar|lieferstatus|vorrätig|auf lager|"
    r"en stock|disponible|disponibilité|disponibilidad|existencias|quantité en stock"
)
_PERHAPS = re.compile(r"qty|quantity|units|menge|anzahl|quantité|cantidad|stück")
_NEGATED = re.compile(r"sold out|out of stock")
_NO = frozenset(no for no, _ in FLAGS)
_YES = frozenset(yes for _, yes in FLAGS)


def holds_stock(words: str, cells: Cells) -> bool:
    """Whether a column says which items can be had.

    Args:
        words: Its name, in lower case with spaces between words.
        cells: Its values.
    """
    texts = cells.distinct
    if not texts:
        return False
    readings = [_is_out(text) for text in texts]
    if _NAMED.fullmatch(words):
        known = [reading is not None or bool(_IN.search(text)) for reading, text in zip(readings, texts, strict=True)]
        return sum(known) >= 0.5 * len(texts)
    if _PERHAPS.fullmatch(words):
        return cells.numbers.unreadable is None and bool((cells.numbers.values == 0).any())
    return len(texts) <= 50 and any(_OUT.fullmatch(text.strip(" .!")) for text in texts)


def out_of_stock(words: str, cells: Cells) -> npt.NDArray[np.bool_]:
    """`(n,)`, which rows cannot be had. A missing value says nothing, nor does a text that is not known."""
    negated = bool(_NEGATED.fullmatch(words))
    gone = [reading is not None and reading is not negated for reading in map(_is_out, cells.distinct)]
    return np.array([*gone, False], dtype=bool)[cells.codes]


def _is_out(text: str) -> bool | None:
    """Whether a value says that there is none; None where it does not say."""
    text = text.strip(" .!")
    if _OUT.fullmatch(text):
        return True
    if text.casefold() in _YES | _NO:
        return text.casefold() in _NO
    if _IN.fullmatch(text):
        return False
    count = _COUNT.fullmatch(text)
    if count is None:
        return None
    return count["digits"].startswith("-") or not re.search("[1-9]", count["digits"])
