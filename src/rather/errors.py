"""The errors of this package. Every error is a `RatherError` and also the builtin error it resembles."""


def number_range(least: int, most: int) -> str:
    """The numbers that are allowed, for a message: "2..5", or "2" if there is no other."""
    return f"{least:,}..{most:,}" if least < most else f"{least:,}"


class RatherError(Exception):
    """Base of every error this package raises on purpose; its message is meant for users."""


class InvalidInputError(RatherError, ValueError):
    """An argument, a file or an answer that is not valid."""


class CatalogChangedError(InvalidInputError):
    """A stored conversation whose catalogue has changed so much that its answers cannot be carried over."""


class UnknownNameError(RatherError, LookupError):
    """A name (of a strategy, a catalogue, an item) that does not exist."""


class StaleQuestionError(RatherError, ValueError):
    """An answer to a question that is not the open one of this session."""


class ImpossibleAnswerError(RatherError, ValueError):
    """An answer that has probability 0 under the belief."""


class NoQuestionLeftError(RatherError, RuntimeError):
    """Every slate has been asked."""


class TooManySlatesError(RatherError, ValueError):
    """An exhaustive search over more slates than it may evaluate."""


class NoneAllowedError(InvalidInputError):
    """Filters that no configuration satisfies."""


class NeedsListError(RatherError, ValueError):
    """Work on every single item of a product space that has too many to list."""

    def __init__(self, count: int, most: int) -> None:
        super().__init__(
            f"This needs a list of all items, and a product space of {count:,} configurations has none "
            f"(at most {most:,} are listed). Use a strategy that works by retrieval, such as auto, query-iteration or "
            "cont-alter."
        )


class MissingExtraError(RatherError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, extra: str, purpose: str, alternative: str = "") -> None:
        instead = f"; or {alternative}" if alternative else ""
        super().__init__(f"{purpose} needs an extra: pip install 'rather[{extra}]'{instead}")


class MissingDataError(RatherError, FileNotFoundError):
    """A data set that is not on this machine."""


class CorruptDownloadError(RatherError, OSError):
    """A download that does not match its checksum."""
