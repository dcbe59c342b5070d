"""``torch.multiprocessing.reductions``: weak references to memory; for plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

import weakref
from typing import Any


class StorageWeakRef:
    """A reference to the bytes under tensors that does not keep them; equal where the bytes are the same."""

    __slots__ = ("_reference", "cdata")

    def __init__(self, storage: Any) -> None:
        untyped = storage.untyped()
        self.cdata = untyped._cdata
        self._reference = weakref.ref(untyped._owner)

    def expired(self) -> bool:
        """Whether nobody holds the bytes any more."""
        return self._reference() is None

    def __hash__(self) -> int:
        return self.cdata

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, StorageWeakRef) and self.cdata == other.cdata
