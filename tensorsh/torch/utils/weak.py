"""``torch.utils.weak``: dictionaries whose keys are objects, compared by what they are and not by what they equal, and kept by nobody."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from ...engine.tensors.tensor import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]
WeakRef = weakref.ref


class WeakIdRef(weakref.ref):
    """A weak reference that equals another to the same object, also after that is gone."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        self._id = id(key)
        super().__init__(key, callback)  # type: ignore[call-arg]

    def __call__(self) -> Any:
        return super().__call__()

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine, its = self(), other() if isinstance(other, weakref.ref) else None
        return mine is its if mine is not None and its is not None else self is other


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary whose entries go with their keys."""

    def __init__(self, dict: Any = None, ref_type: type = WeakIdRef) -> None:  # noqa: A002 - PyTorch's name
        self.data: Any = {}
        self.ref_type = ref_type
        home = weakref.ref(self)

        def remove(gone: Any) -> None:
            living = home()
            if living is not None:
                living.data.pop(gone, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator:
        for ref in list(self.data):
            key = ref()
            if key is not None:
                yield key

    def __contains__(self, key: Any) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def update(self, dict: Any = None, **kwargs: Any) -> None:  # type: ignore[override]  # noqa: A002 - PyTorch's name
        given = dict if hasattr(dict, "items") else {} if dict is None else type({})(dict)
        for key, value in given.items():
            self[key] = value
        for name, value in kwargs.items():
            self[name] = value

    def copy(self) -> WeakIdKeyDictionary:
        made = WeakIdKeyDictionary()
        made.update(self)
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> WeakIdKeyDictionary:
        made = type(self)()
        for key, value in self.items():
            made[key] = copy.deepcopy(value, memo)
        return made

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, Mapping):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, Mapping):
            return NotImplemented
        made = type(self)()
        made.update(other)
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def keyrefs(self) -> list:
        """The references to the keys."""
        return list(self.data)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeakIdKeyDictionary):
            return NotImplemented
        return {id(k): v for k, v in self.items()} == {id(k): v for k, v in other.items()}

    __hash__ = None  # type: ignore[assignment]


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor."""

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Any:
        return self.ref()
