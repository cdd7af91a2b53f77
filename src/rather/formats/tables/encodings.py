"""The encoding of a text file that is not UTF-8, found from its bytes."""

import re
import unicodedata

# Central European text is sometimes all but Western European; the detector of a library confuses the two.
WESTERN, CENTRAL = "cp1252", "cp1250"
PLAUSIBLE = 0.9

# Bytes that decide: lines with a byte beyond ASCII, as many as are needed.
SAMPLE_BYTES = 2**17


def find_encoding(data: bytes) -> str:
    """The likeliest encoding of bytes that are not UTF-8."""
    sample = b"\n".join(re.findall(rb"[^\n]*[\x80-\xff][^\n]*", data))[:SAMPLE_BYTES]
    western, central = plausibility(sample, WESTERN), plausibility(sample, CENTRAL)
    if max(western, central) >= PLAUSIBLE:
        # A file with the sign for any currency was written with the one for euros.
        return CENTRAL if central > western else "iso8859-15" if b"\xa4" in sample else WESTERN
    from charset_normalizer import from_bytes  # takes a while to import

    best = from_bytes(sample).best()
    return WESTERN if best is None else best.encoding


def encoding_text(encoding: str) -> str:
    """What is said about a file that was read with an encoding that was found."""
    return f"the file is not UTF-8 and was read as {encoding}; if letters look wrong, set `encoding`"


def plausibility(sample: bytes, encoding: str) -> float:
    """The share of words beyond ASCII that a language with Latin letters might have."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    words = [word for word in re.split(r'[\s;,"|]+', text) if not word.isascii()]
    return sum(_is_plausible(word) for word in words) / len(words) if words else 0.0


# Signs that may follow a letter or a digit: a trade mark, square metres, closing quotes.
_AFTER_LETTERS = "®™©²³°ª’”»›…–—·"
_WITHIN = "’·–—"
_BEFORE_LETTERS = "’“„«‹–—·…"


def _is_plausible(word: str) -> bool:
    """Whether a word has no signs between letters, no capitals after small letters, and mostly plain letters."""
    letters = [letter for letter in word if letter.isalpha()]
    foreign = [letter for letter in letters if ord(letter) > 127]
    if any(unicodedata.category(letter) in ("Cc", "Cn", "Co") for letter in word):
        return False
    if any("LATIN" not in unicodedata.name(letter, "") for letter in foreign if letter not in "ªº"):
        return False
    if len(letters) >= 3 and len(foreign) > 0.6 * len(letters):
        return False
    triples = zip(f" {word[:-1]}", word, f"{word[1:]} ", strict=True)
    return all(_fits(before, sign, after) for before, sign, after in triples if not sign.isascii())


def _fits(before: str, sign: str, after: str) -> bool:
    """Whether a character beyond ASCII may stand between these two."""
    if sign.isalpha():
        return not (sign.isupper() and before.islower())
    if before.isalpha():
        return sign in _AFTER_LETTERS and (not after.isalpha() or sign in _WITHIN)
    return not after.islower() or sign in _BEFORE_LETTERS
