"""What the commands that show a page have in common: its theme, and which links and pictures are shown."""

from pathlib import Path
from typing import TYPE_CHECKING

from rather.cli.console import say
from rather.nouns import counted

if TYPE_CHECKING:
    from rather.conversation.display_text import DisplayText
    from rather.model.catalog import Catalog
    from rather.server.theme import Theme

# Hosts that are named at start because what leads there is not shown; a table may have many.
MOST_HIDDEN = 3


def theme_of(path: Path | None) -> "Theme | None":
    """The theme in a file; what its owner should know is printed."""
    from rather.server.theme import Theme

    if path is None:
        return None
    theme = Theme.from_file(path)
    for warning in theme.warnings:
        say(f"{path.name}: {warning}", stderr=True)
    return theme


def say_what_is_hidden(name: str, catalog: "Catalog", display: "DisplayText") -> None:
    """Say which links and pictures are not shown, and how to show them."""
    pictures = (address for addresses in catalog.images for address in addresses)
    hidden = {
        ("link", "--link-host"): display.hidden_links(catalog.links),
        ("picture", "--image-host"): display.hidden_images(pictures),
    }
    for (noun, option), counts in hidden.items():
        for origin, count in counts.most_common(MOST_HIDDEN):
            said = f"{counted(count, noun)} on {origin} {'is' if count == 1 else 'are'} not shown"
            say(f"{name}: {said}. To show {'it' if count == 1 else 'them'}: {option} {origin}", stderr=True)
