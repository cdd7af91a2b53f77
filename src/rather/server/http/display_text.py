"""Which texts and pictures of a catalogue are passed on: whoever wrote it is not trusted."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

# Facts that are the address of a picture.
IMAGE_FACTS = ("image", "picture", "poster", "photo")

LONGEST_ADDRESS = 2_000


@dataclass(frozen=True)
class Showing:
    """How much is shown of what a catalogue says.

    Attributes:
        length: Longest text; a longer one is cut.
        hosts: Origins that pictures may come from besides this server, as `https://images.example.org`.
    """

    length: int
    hosts: tuple[str, ...] = ()

    def text(self, text: str) -> str:
        """The text, ending in "…" when it is too long. Lone surrogates, which JSON cannot carry, become "?"."""
        short = text if len(text) <= self.length else text[: self.length - 1] + "…"
        return short.encode("utf-8", "replace").decode()

    def image(self, facts: Mapping[str, str]) -> str | None:
        """The address of the first picture that may be shown."""
        addresses = (str(facts[name]) for name in IMAGE_FACTS if name in facts)
        return next((address for address in addresses if self.allows(address)), None)

    def allows(self, address: str) -> bool:
        """Whether a picture's address leads to this server or to a host that is allowed."""
        # Browsers drop line breaks and tabs and take a backslash for a slash: `/\\host` would be another server.
        if len(address) > LONGEST_ADDRESS or "\\" in address or not address.isprintable() or " " in address:
            return False
        if address.startswith("/"):
            return not address.startswith("//")
        try:
            parts = urlsplit(address)
        except ValueError:
            return False
        return f"{parts.scheme}://{parts.netloc}".lower() in self.hosts
