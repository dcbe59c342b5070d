"""Hooks for what nodes keep: a program may hold saved tensors elsewhere, or in another form, until backward asks for them.

While hooks are set, every node that is recorded gives each tensor it would keep to the first hook and keeps what that
returns; the second hook turns it into a tensor again. Numbers and shapes are kept as ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...sandbox.sealed import OpenSealed
from ..arrays.state import here
from .fields import Fields, Saved, wrap

WRITTEN = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified by "
    "in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to perform in-place "
    "operations on the input to a pack hook."
)


class Packed:
    """A tensor in the keeping of hooks; one that its own node made knows only its number, so that no cycle arises."""

    __slots__ = ("_kept", "_unpack", "_node", "_number")

    def __init__(self, tensor: Any, hooks: tuple[Callable, Callable], owner: Any) -> None:
        node: Any = tensor._node
        self._number = None
        if node is owner:
            node, self._number = None, 0
        elif getattr(node, "_parent", None) is owner:
            node, self._number = None, node._number
        self._node = node
        before, here.grad_enabled = here.grad_enabled, False
        version = tensor._cell.count if tensor._cell is not None else 0
        try:
            self._kept = hooks[0](tensor)
            if (tensor._cell.count if tensor._cell is not None else 0) != version:
                raise RuntimeError(WRITTEN)
        finally:
            here.grad_enabled = before
        self._unpack = hooks[1]

    def tensor(self, owner: Any) -> Any:
        """The tensor again, at its old place in the graph, for the node that keeps it."""
        found = here.given_back(self._unpack, self._kept)
        if not isinstance(found, Fields):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(found).__name__}"
            )
        node = self._node
        if self._number is not None:
            from .nodes import Slot

            node = Slot(owner, self._number) if owner._outputs > 1 else owner
        if found._node is node:
            return found
        again = wrap(found._array)
        again._node = node
        return again


def pack(node: Any) -> None:
    """Hand what a node keeps to the hooks in force."""
    node._saved = tuple([_packed(node, entry) for entry in node._saved])


def _packed(node: Any, entry: Any) -> Any:
    from .nodes import unpack

    if type(entry) is list:
        return [_packed(node, each) for each in entry]
    if type(entry) is Saved or isinstance(entry, Fields):
        return Packed(unpack(node, entry, False), here.packing[-1], node)
    return entry


class saved_tensors_hooks(metaclass=OpenSealed):
    """A context in which tensors saved for backward go through `pack_hook`, and come back through `unpack_hook`."""

    __module__ = "torch.autograd.graph"

    def __init__(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if here.packing_refused is not None:
            raise RuntimeError(here.packing_refused)
        keep_by((*here.packing, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exception: object) -> None:
        keep_by(here.packing[:-1])


def keep_by(hooks: tuple) -> None:
    """Put hooks in force, the innermost last."""
    here.packing = hooks
    here.settle()


def note(node: Any, place: Any) -> None:
    """Where a program recorded a node, and the one whose gradients were computed then."""
    node.__dict__["place"] = place
    if here.inducing is not None:
        node.__dict__["inducing"] = here.inducing


class Place:
    """``node._place``: where a program recorded it. Nodes set it last, and their hooks for saved tensors then run."""

    def __get__(self, node: Any, owner: type) -> Any:
        return None if node is None else node.__dict__.get("place")

    def __set__(self, node: Any, place: Any) -> None:
        note(node, place)
        if here.packing:
            pack(node)
