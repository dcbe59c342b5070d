"""How a call of an operator is recorded on the tape: its node, the edges to its operands' nodes, what the node keeps."""

from __future__ import annotations

from typing import Any
from weakref import ref as reference

import numpy as np

from .autograd import (
    INFERENCE_SAVED,
    Hidden,
    Node,
    OperatorNode,
    Slot,
    Version,
    keep_result,
    nowhere,
    tick,
    wrapped,
)
from .kernels import kernel
from .state import state
from .tensor import Tensor, wrap

FORWARD = {"_nll_loss": "nll_loss_forward"}
"""Names in an error that are not the operator's own."""


def camel(name: str) -> str:
    """``log_softmax`` -> ``LogSoftmax``, ``log1p`` -> ``Log1P``, ``expm1`` -> ``Expm1``, as PyTorch names its nodes."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class Recording:
    """The part of an Operator that makes nodes."""

    name: str
    node: Any
    promote: Any
    outputs: int
    view: bool
    tensors: tuple
    lists: tuple
    formulas: list
    joint: Any
    sources: list
    saved_names: tuple
    keeps: bool
    plans: dict
    classes: dict
    nondifferentiable: frozenset
    packaged: Any
    params: tuple
    fixed: tuple
    real_gradient: bool

    def title(self, values: list) -> str:
        node = self.node
        return node if type(node) is str else node(*values)

    def node_class(self, title: str, narrow: bool = False) -> type:
        """The class of the nodes of a name; `narrow`: of those of results in half precision."""
        made = self.classes.get((title, narrow))
        if made is None:
            body = {"__slots__": (), "__module__": "torch.autograd.graph"}
            if narrow:
                from .steps import FUSED, in_single

                made = self.node_class(title)
                if title in FUSED:
                    made = type(title, (made,), body | {"_step": in_single, "_keeps": self.keeps})
            else:
                from .saved import readers

                made = type(title, (OperatorNode,), body | {"_operator": self, "_title": title} | readers(title, self))
            self.classes[title, narrow] = made
        return made

    def recording(self, mask: int) -> Any:
        """What the compiled way of a call has to know: the class of the nodes, and what they keep where the tensors of a bit
        mask have nodes, each value by a letter and the place of an argument; False where it is not for it. The class is
        None where it depends on the arguments."""
        if self.lists or self.fixed or self.outputs != 1 or self.view:
            return False
        active = None
        if self.joint is None:
            pattern = [mask >> k & 1 for k in range(len(self.tensors))]
            active = {s for on, (f, slots) in zip(pattern, self.formulas, strict=True) if on and f for s in slots}
        plan = []
        for at, (kind, i) in enumerate(self.sources):
            if active is not None and at not in active and (kind != "argument" or i in self.tensors):
                plan.append(("n", 0))
            elif kind == "argument":
                plan.append(("t" if i in self.tensors else "a", i))
            elif kind == "shape":
                plan.append(("s", i))
            elif kind == "result" and i == 0:
                plan.append(("r", 0))
            else:
                return False
        return self.node_class(self.node) if type(self.node) is str else None, tuple(plan)

    def record(self, values: list, result: Any) -> Any:
        """The public results as tensors with a node."""
        several = type(result) is tuple or type(result) is list
        outs = list(result) if several else [result]
        public = self.outputs if self.outputs > 0 else len(outs)
        tensors = [wrap(a) for a in outs[:public]]
        node = self.make_node(values, tensors, outs)
        if node is not None:
            self.connect(node, tensors)
        if self.view:
            for t in tensors:
                attach(t, values[self.tensors[0]], "multiple" if several else None)
        return tensors[0] if not several else self.packaged(tensors)

    def connect(self, node: Node, tensors: list) -> None:
        if len(tensors) == 1:
            if tensors[0]._array.dtype.kind in "fcV":
                tensors[0]._node = node
            return
        node._outputs = len(tensors)
        for i, t in enumerate(tensors):
            if t._array.dtype.kind in "fcV" and i not in self.nondifferentiable:
                t._node = Slot(node, i)

    def make_node(self, values: list, tensors: list, outs: list, title: str | None = None) -> Any:
        """The node of a call: edges to the nodes of its tensor arguments, and what the formulas name."""
        for i in self.fixed:
            if isinstance(values[i], Tensor) and values[i]._node is not None:
                raise RuntimeError(
                    f"The function '{FORWARD.get(self.name, self.name.strip('_'))}' is not differentiable with respect to "
                    f"argument '{self.params[i]}'. This input cannot have requires_grad True."
                )
        if self.real_gradient and any(t._array.dtype.kind == "c" for t in tensors):
            name = self.name.strip("_")
            raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")
        result_array = outs[0]
        kind = result_array.dtype
        narrow = kind.itemsize == 2
        # A formula that multiplies by an operand of another dtype may leave the gradient's.
        fitted = narrow or self.promote is not None and mixed(values, self.tensors, kind)
        node: Any = self.node_class(title or self.title(values), narrow)()
        edges: list = []
        counts: list | None = [] if self.lists else None
        metas: list | None = None
        for i in self.tensors:
            x = values[i]
            if i in self.lists:
                edges.extend(y._node for y in x)
                counts.append(len(x))  # type: ignore[union-attr]
                if metas is None:
                    metas = [None] * (len(edges) - len(x))
                metas.extend((y._array.shape, y._array.dtype) if y._node is not None else None for y in x)
                continue
            if counts is not None:
                counts.append(None)
            if isinstance(x, Tensor) and x._node is not None:
                edges.append(x._node)
                a = x._array
                if metas is not None:
                    metas.append((a.shape, a.dtype))
                elif fitted or a.dtype is not kind or a.shape != result_array.shape:
                    metas = [None] * (len(edges) - 1)
                    metas.append((a.shape, a.dtype))
            else:
                edges.append(None)
                if metas is not None:
                    metas.append(None)
        if metas is not None:
            node._metas = tuple(metas)
            if len(metas) < len(edges):
                node._metas += (None,) * (len(edges) - len(metas))
        node._edges = tuple(edges)
        if counts is not None:
            node._counts = tuple(counts)
        if self.saved_names:
            node._saved = self.keep(values, tensors, outs, edges)
        node._sequence = tick()
        if state.places:
            node._place = state.places()
        return node

    def keep(self, values: list, tensors: list, outs: list, edges: list) -> tuple:
        """The values the formulas name, as far as a formula that will run names them."""
        active = None
        if self.joint is None and not self.lists:
            pattern = tuple(e is not None for e in edges)
            active = self.plans.get(pattern)
            if active is None:
                active = {s for on, (f, slots) in zip(pattern, self.formulas, strict=True) if on and f for s in slots}
                self.plans[pattern] = active
        saved: list = []
        for at, (kind, i) in enumerate(self.sources):
            if active is not None and at not in active and (kind != "argument" or i in self.tensors):
                saved.append(None)
            elif kind == "argument":
                x = values[i]
                if isinstance(x, Tensor):
                    if x._inference:
                        raise RuntimeError(INFERENCE_SAVED)
                    if type(x._array) is not type(outs[0]):
                        x = beside(x, outs[0])
                    saved.append(x)
                elif i in self.tensors:
                    saved.append(list(x) if i in self.lists else wrapped(x) if x is not None else x)
                else:
                    saved.append(x)
            elif kind == "shape":
                x = values[i]
                saved.append(
                    [y._array.shape for y in x] if i in self.lists else x._array.shape if isinstance(x, Tensor) else ()
                )
            elif kind == "strides":
                saved.append(values[i]._array.strides)
            elif i < len(tensors):
                saved.append(keep_result(tensors[i], i))
            else:
                saved.append(Hidden(outs[i]) if i < len(outs) else None)
        return tuple(saved)


def mixed(values: list, tensors: tuple, kind: Any) -> bool:
    """Whether there is an operand of another dtype."""
    for i in tensors:
        x = values[i]
        if isinstance(x, Tensor) and x._array.dtype is not kind:
            return True
    return False


def beside(x: Tensor, result: Any) -> Tensor:
    """An operand without dimensions on the CPU, moved to the device of the result, for the formulas."""
    if type(x._array) is np.ndarray and not x._array.ndim:
        from .backend import device_of

        return x.to(device_of(result))
    return x


def attach_anything(t: Tensor, source: Tensor, origin: str | None = None) -> None:
    """Make `t` a view of `source`'s storage: a common version cell, and a place in the base's list of views."""
    base = source._root
    cell = source._cell
    if base is None:
        if t is source:
            return
        root = source
        if cell is None:
            cell = source._cell = Version()
    else:
        if t is base:
            return
        root = base
        if cell is None:
            cell = source._cell = Version()
            if root._cell is None:
                root._cell = cell
        if origin is None:
            origin = source._origin
    t._root = root
    t._cell = cell
    views = root._views
    if views is None:
        root._views = [reference(t)]
    else:
        n = len(views)
        if n >= 32 and not n & (n - 1):
            views[:] = [r for r in views if r() is not None]
        views.append(reference(t))
    if source._inference:
        t._inference = True
    if origin is not None:
        t._origin = origin
    if not state.grad_enabled:
        if origin is None:
            t._origin = "no_grad"
        if root._node is not None and t._node is None and t._array.dtype.kind in "fcV":
            t._node = nowhere()


attach = kernel("attach", attach_anything)
if attaching := kernel("attaching"):
    attaching(Version, attach_anything)
