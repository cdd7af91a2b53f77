"""A conversation as a static site: the page, the catalogue and the belief, with the engine in the browser."""

from rather.publishing.publication import MOST_ITEMS, Publication

__all__ = ["MOST_ITEMS", "Publication"]
