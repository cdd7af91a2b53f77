"""Vectors of earlier versions of a catalogue, read as vectors of the version of today."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from rather.errors import InvalidInputError
from rather.model.catalog import Catalog
from rather.model.spaces import Space, Translation


class Translations:
    """From the spaces that the records of a log were written in to that of a catalogue.

    Args:
        spaces: Descriptions of spaces by their hashes, as a log has them.
        catalog: Whose space vectors are translated to.
    """

    def __init__(self, spaces: Mapping[str, Any], catalog: Catalog) -> None:
        self.spaces = {**spaces, catalog.space_hash: catalog.space_description}
        self._dimensions = catalog.dimensions
        self._space: Space = catalog.space
        self._known = {catalog.space_hash: Translation()}

    def __call__(self, space: str, vectors: Tensor) -> Tensor:
        """Vectors `(k, c)` of the space of this hash, as `(k, d)`."""
        translation = self.of(space)
        expected = self._dimensions if translation.matrix is None else translation.matrix.shape[1]
        if vectors.shape[1] != expected:
            raise InvalidInputError(
                f"This session log is damaged: it holds vectors of {vectors.shape[1]} dimensions, not {expected}."
            )
        return translation(vectors)

    def of(self, space: str) -> Translation:
        """From the space of this hash; raises `CatalogChangedError` where the meaning is another one."""
        if space not in self._known:
            description = self.spaces.get(space)
            if not isinstance(description, Mapping):
                raise InvalidInputError(f"This session log is damaged: it does not describe the space {space!r}.")
            self._known[space] = self._space.translation(description)
        return self._known[space]

    def lost(self, events: Sequence[Any]) -> tuple[str, ...]:
        """What had a dimension in a space of these events and has none in that of the catalogue, in words."""
        spaces = dict.fromkeys(event["shown"]["space"] for event in events if "shown" in event)
        return tuple(dict.fromkeys(text for space in spaces for text in self.of(space).lost))
