"""What can go wrong, by name. Every error is a `RatherError` and also the builtin error it resembles."""


def number_range(least: int, most: int) -> str:
    """The numbers that are allowed, for a message: "2..5", or "2" if there is no other."""
    return f"{least:,}..{most:,}" if least < most else f"{least:,}"


class RatherError(Exception):
    """Base of every error this package raises on purpose; its message is fit for a user's eyes."""


class InvalidInputError(RatherError, ValueError):
    """An argument, a file or an answer is not what it must be."""


class UnknownNameError(RatherError, LookupError):
    """A name (strategy, catalogue, id) that does not exist here."""


class StaleQuestionError(RatherError, ValueError):
    """An answer to a question that is not the open one of this session."""


class ImpossibleAnswerError(RatherError, ValueError):
    """An answer that no person in the belief could have given."""


class NoQuestionLeftError(RatherError, RuntimeError):
    """Every slate has been asked."""


class TooManySlatesError(RatherError, ValueError):
    """An exhaustive search that would not end."""


class MissingExtraError(RatherError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, extra: str, purpose: str, alternative: str = "") -> None:
        instead = f"; or {alternative}" if alternative else ""
        super().__init__(f"{purpose} needs an extra: pip install 'rather[{extra}]'{instead}")


class MissingDataError(RatherError, FileNotFoundError):
    """A data set that is not on this machine yet."""


class CorruptDownloadError(RatherError, OSError):
    """A download that is not what its publisher published."""
