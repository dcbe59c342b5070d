"""``torch.autograd.graph``: the nodes of the graph, hooks on several tensors, and hooks for what nodes keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakValueDictionary, ref

from ...engine.arrays.state import here, state
from ...engine.graph.nodes import Handle, Node, Slot
from ...engine.graph.saved_hooks import saved_tensors_hooks
from ...engine.tape.backward import GradientEdge
from ...engine.tape.walk import reaching
from ...engine.tensors.tensor import Tensor
from ...sandbox.sealed import Sealed

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge",
    "increment_version", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
]  # fmt: skip


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where a tensor stands in the graph: ``autograd.grad`` takes it in the tensor's place."""
    node = tensor._node if isinstance(tensor, Tensor) else None
    if node is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    if type(node) is Slot:
        edge = GradientEdge(node._parent, node._number)
    else:
        edge = GradientEdge(node, 0)
    edge._node = node
    array = tensor._array
    edge._like, edge._form = array if array.size == 1 else None, (tensor.shape, tensor.dtype)
    return edge


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Say whether gradients added on another stream are warned of; on the CPU there are none."""


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Let autograd take tensors for written in place."""
    if not isinstance(tensor, (Tensor, Iterable)):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not isinstance(each, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        each._bump()


class save_on_cpu(saved_tensors_hooks):
    """A context in which tensors saved for backward lie on the CPU."""

    __module__ = "torch.autograd.graph"

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(
            lambda tensor: (tensor.device, tensor.detach().cpu()),
            lambda kept: kept[1].to(kept[0], non_blocking=pin_memory),
        )


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Any:
    """A context in which setting hooks for saved tensors is an error with this message."""
    if here.packing:
        raise RuntimeError(error_message)
    before, here.packing_refused = here.packing_refused, error_message
    try:
        yield
    finally:
        here.packing_refused = before


class _Kept:
    """A copy of a saved tensor, for all nodes that keep it as it was then."""

    __slots__ = ("value", "source", "version", "within", "__weakref__")

    def __init__(self, tensor: Tensor, within: Any) -> None:
        self.value, self.source, self.version, self.within = (
            tensor.detach().clone(),
            ref(tensor),
            tensor._version,
            within,
        )

    def told_apart(self) -> bool:
        """Whether the tensor was written since."""
        source = self.source()
        return source is not None and source._version != self.version


class _AllowMutation(metaclass=Sealed):
    """What a context of `allow_mutation_on_saved_tensors` keeps."""

    def __init__(self) -> None:
        self._kept: Any = WeakValueDictionary()

    @property
    def cloned(self) -> dict:
        """The saved tensors that were written since."""
        return {key: kept.value for key, kept in self._kept.items() if kept.told_apart()}

    @property
    def tid_to_weakhandle(self) -> dict:
        """The tensors that are saved."""
        return {key[0]: kept for key, kept in self._kept.items()}

    def _pack(self, tensor: Tensor) -> _Kept:
        key = id(tensor._array), tensor._version
        kept = self._kept.get(key)
        if kept is None or kept.source() is None:
            kept = self._kept[key] = _Kept(tensor, self)
        return kept


def _unpack(kept: _Kept) -> Tensor:
    if kept.within is not state.__dict__.get("mutable"):
        raise AssertionError(
            "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally "
            "recorded."
        )
    return kept.value


@contextmanager
def allow_mutation_on_saved_tensors() -> Any:
    """A context in which saved tensors may be written in place: backward, within it, sees them as they were.

    RuntimeError: one within another. AssertionError: a backward pass outside of it."""
    own = state.__dict__
    if own.get("mutable") is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    made = own["mutable"] = _AllowMutation()
    try:
        with saved_tensors_hooks(made._pack, _unpack):
            yield made
    finally:
        own["mutable"] = None


class _MultiHandle(Handle):
    """Takes several hooks away at once."""

    __module__ = "torch.autograd.graph"

    def __init__(self, handles: Sequence[Handle]) -> None:
        self._handles = tuple(handles)

    def remove(self) -> None:
        for each in self._handles:
            each.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable, *, mode: str = "all") -> Handle:
    """Call `fn` in a backward pass once the gradients of all `tensors` that take part are known, with a list of them (None for
    the others), or with the first one (mode "any")."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    seen: dict[str, Any] = {"walk": None}

    def taking_part() -> int:
        """How many of the tensors this backward pass comes to."""
        roots, targets = here.walk[:2]
        reached: set = reaching(roots, set(targets)) if targets is not None else set()
        ahead = list(roots) if targets is None else []
        while ahead:
            node = ahead.pop()
            if node is not None and node not in reached:
                reached.add(node)
                ahead.extend(node._edges)
        return sum(t._node in reached for t in tensors)

    def begun() -> bool:
        """Whether this is the first gradient of a backward pass."""
        if seen["walk"] is here.walk:
            return False
        seen.update(walk=here.walk, grads=[None] * len(tensors), left=None)
        return True

    def any_hook(grad: Tensor | None) -> None:
        if begun():
            fn(grad)

    def all_hook(at: int) -> Callable:
        def hook(grad: Tensor | None) -> None:
            if grad is None:  # of a result that takes no part, unlike another of its node
                return
            if begun():
                seen["left"] = taking_part()
            seen["grads"][at] = grad
            seen["left"] -= 1
            if not seen["left"]:
                fn(seen["grads"])

        return hook

    return _MultiHandle([t.register_hook(any_hook if mode == "any" else all_hook(i)) for i, t in enumerate(tensors)])
