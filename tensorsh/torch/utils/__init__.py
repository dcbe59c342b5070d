"""``torch.utils``."""

from __future__ import annotations

import copyreg
import sys
import weakref
from typing import Any

from ...engine.graph.nodes import AccumulateGrad
from ...engine.tensors.tensor import Tensor

__all__: list[str] = []

FIELDS = ("_array", "_grad", "_root", "_cell", "_views", "_origin", "_inference", "_node")


def poisoned(grad_outputs: Any) -> Any:
    """RuntimeError: the graph was made for what a tensor was before it was exchanged."""
    raise RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run backward on "
        "a tensor that was swapped. For a module m with `torch.__future__.set_swap_module_params_on_conversion(True)` you should "
        "not change the device or dtype of the module (e.g. `m.cpu()` or `m.half()`) between running forward and backward. To "
        "resolve this, please only change the device/dtype before running forward (or after both forward and backward)."
    )


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange two tensors: all that one is, its class and attributes as well, becomes the other. Plain Python's alone.

    RuntimeError: one has hooks, or a graph holds it, as after a forward pass.
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if not isinstance(t, Tensor):
            raise TypeError(f"swap_tensors(): {name} must be Tensor, not {type(t).__name__}")
    for t in (t1, t2):
        if t._node is not None and type(t._node) is not AccumulateGrad:
            raise RuntimeError("tensorsh swaps leaves: detach the tensors first")
        watched = weakref.getweakrefs(t)
        if len(watched) > (t._node is not None or t._root is not None):
            raise RuntimeError(f"Cannot swap {'t1' if t is t1 else 't2'} because it has weakref associated with it")
    slots = [set(copyreg._slotnames(type(t))) for t in (t1, t2)]  # type: ignore[attr-defined]
    if slots[0] != slots[1]:
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    for t in (t1, t2):
        if t._node is not None and sys.getrefcount(t._node) > 2:  # a graph has it, too
            t._node.register_prehook(poisoned)
    for slot in slots[0]:
        values = [getattr(t, slot, None) for t in (t1, t2)]
        setattr(t1, slot, values[1])
        setattr(t2, slot, values[0])
    if type(t1) is not type(t2):
        t1.__class__, t2.__class__ = type(t2), type(t1)
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for field in FIELDS:
        one, other = getattr(t1, field), getattr(t2, field)
        setattr(t1, field, other)
        setattr(t2, field, one)
    for t, was in ((t1, t2), (t2, t1)):
        if t._root is not None and t._root is not was._root:  # its base finds it among its views
            t._root._views = [weakref.ref(t) if r() is was else r for r in t._root._views or ()]
    for t in (t1, t2):
        if t._node is not None:
            t._node._reference = weakref.ref(t)
