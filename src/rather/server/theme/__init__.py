"""The look of the page: colours, fonts, a logo and a few texts, from one file. `Theme.from_file("shop.toml")`."""

from rather.server.theme.theme import Theme as Theme

__all__ = ["Theme"]
