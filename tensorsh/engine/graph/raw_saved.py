"""What a node keeps, each tensor by itself: ``grad_fn._raw_saved_self``, which takes hooks of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...sandbox.sealed import Sealed
from .nodes import FREED, SECOND_TIME, unpack
from .saved_hooks import Packed

GONE = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are freed when you "
    "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if "
    "you need to access saved variables after calling backward."
)
TWICE = "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is allowed at a time."


class SavedTensor(metaclass=Sealed):
    """A tensor that a node keeps, before it is asked for."""

    __module__ = "torch._C._autograd"
    _node: Any
    _at: int
    _within: int | None
    _field: str

    def __init__(self, *args: Any) -> None:
        raise RuntimeError(
            "Trying to create a SavedTensor object from Python is forbidden. Use torch.autograd.graph.saved_tensors_hooks instead."
        )

    def register_hooks(self, *hooks: Callable) -> None:
        """Give the tensor to the first function and keep what that returns; the second one turns it into a tensor again.

        RuntimeError: hooks that are there already, a value that is None or freed. TypeError: no two functions."""
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError("register_hooks(): incompatible function arguments. The following argument types are supported:\n"
                            "    1. (self: torch._C._autograd.SavedTensor, arg0: Callable, arg1: Callable) -> None")  # fmt: skip
        kept = getattr(self._node, self._field)
        if kept is FREED:
            raise RuntimeError(GONE)
        entries = list(kept[self._at]) if self._within is not None else list(kept)
        at = self._at if self._within is None else self._within
        entry = entries[at]
        if entry is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if type(entry) is Packed:
            raise RuntimeError(TWICE)
        tensor = unpack(self._node, entry, False) if self._field == "_saved" else self._node.saved_tensors[at]
        entries[at] = Packed(tensor, hooks, self._node)  # type: ignore[arg-type]
        if self._within is not None:
            entries = [entries if i == self._at else each for i, each in enumerate(kept)]
        setattr(self._node, self._field, tuple(entries))


def raw(node: Any, at: int, within: int | None = None, field: str = "_saved") -> SavedTensor:
    """The tensor at a place of what a node keeps."""
    made = SavedTensor.__new__(SavedTensor)
    made._node, made._at, made._within, made._field = node, at, within, field
    return made


def raw_of(node: Any, at: int) -> Any:
    """What a node shows at a place: a tensor, or a tuple of those in a list."""
    kept = node._saved
    if kept is not FREED and type(kept[at]) in (list, tuple):
        return tuple(raw(node, at, i) for i in range(len(kept[at])))
    return raw(node, at)


def raw_tensors(node: Any) -> tuple:
    """What a custom function's node keeps."""
    if node._saved_values is FREED:
        raise RuntimeError(SECOND_TIME)
    return tuple(raw(node, i, None, "_saved_values") for i in range(len(node._saved_values)))
