"""The texts and pictures of a catalogue, made safe to show: whoever wrote them is not trusted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from rather.languages import ENGLISH
from rather.model.questions import Option, Recommendation

# Facts whose value is the address of a picture.
IMAGE_FACTS = ("image", "picture", "poster", "photo")

LONGEST_ADDRESS = 2_000


@dataclass(frozen=True)
class DisplayText:
    """Which texts and pictures of a catalogue are shown, and in which language.

    Attributes:
        longest: Of a text, in characters; a longer one is cut.
        image_hosts: Origins that pictures may come from besides this server, such as `https://images.example.org`.
        link_hosts: Origins that links may lead to, such as `https://shop.example.org`; "*" for any.
        language: That of the reader.
    """

    longest: int
    image_hosts: tuple[str, ...] = ()
    link_hosts: tuple[str, ...] = ()
    language: str = ENGLISH

    def text(self, text: str) -> str:
        """The text, ending in "…" when it is too long. Lone surrogates, which JSON cannot carry, become "?"."""
        short = text if len(text) <= self.longest else text[: self.longest - 1] + "…"
        return short.encode("utf-8", "replace").decode()

    def link(self, item: Option | Recommendation) -> str | None:
        """The address of the page of an item, if it leads to an allowed host by http or https."""
        return item.link if item.link is not None and self.allows_link(item.link) else None

    def allows_link(self, address: str) -> bool:
        """Whether the address of a page leads to an allowed host."""
        return is_web_address(address) and ("*" in self.link_hosts or origin_of(address) in self.link_hosts)

    def images(self, item: Option | Recommendation) -> list[str]:
        """The addresses of the pictures of an item that are allowed."""
        in_facts = (str(item.facts[name]) for name in IMAGE_FACTS if name in item.facts)
        return [address for address in (*item.images, *in_facts) if self.allows(address)]

    def allows(self, address: str) -> bool:
        """Whether the address of a picture leads to this server or to an allowed host."""
        if not _is_plain(address):
            return False
        if address.startswith("/"):
            return not address.startswith("//")
        return origin_of(address) in self.image_hosts

    def hidden_links(self, addresses: Iterable[str | None]) -> Counter[str]:
        """How many pages of each host are not shown."""
        return Counter(
            origin_of(address)
            for address in addresses
            if address is not None and is_web_address(address) and not self.allows_link(address)
        )

    def hidden_images(self, addresses: Iterable[str]) -> Counter[str]:
        """How many pictures of each host are not shown."""
        return Counter(origin_of(each) for each in addresses if is_web_address(each) and not self.allows(each))


def origin_of(address: str) -> str:
    """The scheme and host of an address, in small letters; "" if it cannot be read."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()


def is_web_address(address: str) -> bool:
    """Whether an address leads to a page by http or https, and a browser understands it as we do."""
    try:
        parts = urlsplit(address)
        return _is_plain(address) and parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _is_plain(address: str) -> bool:
    # Browsers drop line breaks and tabs and take a backslash for a slash: `/\\host` would be another server.
    return len(address) <= LONGEST_ADDRESS and "\\" not in address and address.isprintable() and " " not in address
