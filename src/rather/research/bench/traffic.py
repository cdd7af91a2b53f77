"""How much a server is used by simulated users."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Traffic:
    """Simulated users of a server.

    Attributes:
        users: At the same time. They arrive over one mean thinking time.
        seconds: How long they use it.
        catalog: What to ask about: anything that `rather serve` takes.
        think_seconds: Mean time that a user reads before answering, exponentially distributed.
        seed: Of the users and what they do.
    """

    users: int = 200
    seconds: float = 60.0
    catalog: str = "films"
    think_seconds: float = 10.0
    seed: int = 0
