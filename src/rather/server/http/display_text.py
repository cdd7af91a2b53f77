"""The texts and pictures of a catalogue, made safe to show: whoever wrote them is not trusted."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from rather.server.settings import Settings

# Facts whose value is the address of a picture.
IMAGE_FACTS = ("image", "picture", "poster", "photo")

LONGEST_ADDRESS = 2_000


@dataclass(frozen=True)
class DisplayText:
    """Which texts and pictures of a catalogue are shown.

    Attributes:
        longest: Of a text, in characters; a longer one is cut.
        image_hosts: Origins that pictures may come from besides this server, such as `https://images.example.org`.
    """

    longest: int
    image_hosts: tuple[str, ...] = ()

    @classmethod
    def under(cls, settings: Settings) -> "DisplayText":
        """What a server with these settings shows."""
        return cls(settings.limits.text_length, tuple(host.lower() for host in settings.image_hosts))

    def text(self, text: str) -> str:
        """The text, ending in "…" when it is too long. Lone surrogates, which JSON cannot carry, become "?"."""
        short = text if len(text) <= self.longest else text[: self.longest - 1] + "…"
        return short.encode("utf-8", "replace").decode()

    def image(self, facts: Mapping[str, str]) -> str | None:
        """The address of the first picture that is allowed."""
        addresses = (str(facts[name]) for name in IMAGE_FACTS if name in facts)
        return next((address for address in addresses if self.allows(address)), None)

    def allows(self, address: str) -> bool:
        """Whether the address of a picture leads to this server or to an allowed host."""
        # Browsers drop line breaks and tabs and take a backslash for a slash: `/\\host` would be another server.
        if len(address) > LONGEST_ADDRESS or "\\" in address or not address.isprintable() or " " in address:
            return False
        if address.startswith("/"):
            return not address.startswith("//")
        try:
            parts = urlsplit(address)
        except ValueError:
            return False
        return f"{parts.scheme}://{parts.netloc}".lower() in self.image_hosts
