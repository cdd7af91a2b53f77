"""Values computed once for an object, for as long as that object lives."""

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class ByIdentity(Generic[Value]):
    """Caches one value per object. The object is the key by identity and is not kept alive.

    Args:
        size: At most this many values; the one that was not used for longest is dropped first.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[int, tuple[weakref.ref[Any], Value]] = OrderedDict()

    def __reduce__(self) -> tuple[Any, ...]:
        """In another process, or in a copy, it starts empty: identities mean nothing there."""
        return ByIdentity, (self._size,)

    def __call__(self, owner: Any, compute: Callable[[], Value]) -> Value:
        """The value of `owner`, computed on the first call."""
        key = id(owner)
        found = self._values.get(key)
        if found is not None and found[0]() is owner:
            return found[1]
        value = compute()

        def forget(reference: weakref.ref[Any]) -> None:
            # Another object may have the same id by now.
            if (current := self._values.get(key)) is not None and current[0] is reference:
                self._values.pop(key, None)

        self._values[key] = (weakref.ref(owner, forget), value)
        while len(self._values) > self._size:
            try:
                self._values.popitem(last=False)
            except KeyError:  # another thread emptied it
                break
        return value
