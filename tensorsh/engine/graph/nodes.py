"""The tape: what its nodes are, what they keep, and how a node gives gradients.

Every tensor that needs a gradient has a `node`: the operation that made it, or, for a leaf, its AccumulateGrad. A node's
`edges` are the nodes of its operands (None where no gradient is wanted):

    x ── AccumulateGrad(x) <── MulBackward0 <── SumBackward0 ── loss

In an ordinary backward pass (`walk.py`) gradients are bare arrays and the formulas run on the kernels themselves; with
create_graph they are tensors and the same formulas run on the differentiable operators."""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...sandbox.sealed import Sealed, underived
from ..arrays.door import answers_below
from ..arrays.layout import contiguous_format, type_of
from ..arrays.state import here, state
from ..numerics.halves import cast
from .cut import DetachedInPlace
from .fields import Fields, Saved, Step, Version, Wrapped, new, tick, wrap
from .saved_hooks import Packed, Place


class Hidden:
    """A by-product of a kernel that its formulas need and no program sees. `shown`: the result that says the same to a program, and
    may not be changed, as its node keeps it."""

    __slots__ = ("_array", "shown")

    def __init__(self, array: Any, shown: Any = None) -> None:
        self._array, self.shown = array, shown


composed: list[Callable] = []
"""What takes nodes apart that stand for several, before a walk that is differentiated in turn; empty while there are none."""
FREED: Any = ("freed",)
PLAIN = frozenset((int, float, bool, tuple, str))
"""What nodes keep besides tensors and results, and is handed to formulas as it is."""

SECOND_TIME = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)

INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
    "`torch.no_grad()` instead of `torch.inference_mode()`."
)


class Node(Step, metaclass=Sealed):
    """A step of the graph. Instances of subclasses named as PyTorch names them: ``MulBackward0``."""

    _edges: tuple
    _saved: tuple
    _metas: tuple | None
    _sequence: Any
    _operator: Any = None
    _counts: tuple | None = None
    _outputs = 1
    _place = Place()
    _prehooks: dict | None = None
    _hooks: dict | None = None
    _backward_prehooks: dict | None = None
    _retained: Any = None
    _title = "Node"
    _norm: Any = None
    _watched = False
    """Whether a hook, or a tensor that wants its gradient kept, waits here."""
    _keeps = True
    """Whether there is anything to release after the walk."""
    _real: bool | None = None
    """Whether it leads to a leaf, and not to tangents alone, once that was asked."""
    _heard: dict | None = None
    """Of several results, weak references to those with hooks, by their numbers."""
    _awaits: Any = None
    """Called, where `_watched`, with the gradients that wait at leaves and at other nodes, before the step of a node that sums."""
    _within: Any = None
    """A weak reference to the CopySlices in which it stands, where it wrote a view."""
    _whole: Any = None
    """The node for which this one makes a step (`narrowed`)."""
    _forbidden: str | None = None
    """Why no gradient can go through: a part of a tensor that was written in place afterwards."""

    def name(self) -> str:
        return f"torch::autograd::{self._title}" if self._title in ("NotImplemented", "CopyBackwards") else self._title

    @property
    def next_functions(self) -> tuple:
        return tuple(
            (None, 0) if e is None else (e._parent, e._number) if type(e) is Slot else (e, 0) for e in self._edges
        )

    @property
    def requires_grad(self) -> bool:
        """True: nodes are made for what wants a gradient."""
        return True

    @property
    def metadata(self) -> dict:
        return self.__dict__.setdefault("_metadata", {})

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def register_hook(self, hook: Callable) -> Handle:
        """Call `hook(grad_inputs, grad_outputs)` after this node has run."""
        if self._hooks is None:
            self._hooks = {}
        self._watched = True
        return handle_of(self._hooks, hook)

    def register_prehook(self, hook: Callable) -> Handle:
        """Call `hook(grad_outputs)` before this node runs."""
        if self._backward_prehooks is None:
            self._backward_prehooks = {}
        self._watched = True
        return handle_of(self._backward_prehooks, hook)

    def _sequence_nr(self) -> int:
        return int(self._sequence)

    def _step(self, gradient: Any, world: Any) -> Sequence:
        """The gradients for `edges`, given that of the result (a list of them for several results)."""
        raise NotImplementedError

    def _release(self) -> None:
        """Forget what was saved, for nodes that keep anything; a second walk then fails."""


class Handle(metaclass=Sealed):
    """What registering a hook returns; `remove()` takes the hook away."""

    _next = itertools.count().__next__

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        """A number for a hook, which the caller enters under it into the dict, and what stands beside it into others."""
        self._hooks, self.id = hooks_dict, Handle._next()
        self._beside = [extra_dict] if isinstance(extra_dict, dict) else list(extra_dict or ())

    def remove(self) -> None:
        for entries in (self._hooks, *self._beside):
            entries.pop(self.id, None)

    def hooks_dict_ref(self) -> dict:
        """The hooks among which this one stands, as long as it does."""
        return self._hooks

    @classmethod
    def _restored(cls, hooks: dict, number: int, beside: list) -> Handle:
        """The handle that was copied or pickled."""
        made = object.__new__(Handle)
        made._hooks, made.id, made._beside = hooks, number, beside
        return made

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return Handle._restored, (self._hooks, self.id, self._beside)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


Handle.__module__, Handle.__qualname__, Handle.__name__ = "torch.utils.hooks", "RemovableHandle", "RemovableHandle"
Handle.__init__.__qualname__ = "RemovableHandle.__init__"


def handle_of(hooks: dict, hook: Callable, *beside: dict) -> Handle:
    """The handle of a hook, entered among others; the dicts beside say what else is true of it."""
    handle = Handle(hooks, extra_dict=beside)
    hooks[handle.id] = hook
    for entries in beside:
        entries[handle.id] = True
    return handle


def copied_like(array: Any, like: Any) -> Any:
    """A copy that lies in memory as a leaf does, if that one has no gaps; else in row order."""
    if type(like) is np.ndarray and not like.flags.c_contiguous:
        laid = np.empty_like(like)
        if laid.strides == like.strides:
            laid[...] = array
            return laid
    return array.copy()


def laid_like(gradient: Any, leaf: Any) -> Any:
    """A copy of a gradient, differentiable, that lies in memory as a leaf does, if that one has no gaps; else in row order."""
    if hasattr(gradient._array, "layout"):
        return gradient.clone()
    strides, count = leaf.stride(), 1
    for stride, size in sorted(zip(strides, leaf.shape, strict=True)):
        if size != 1 and stride != count:
            return gradient.clone(memory_format=contiguous_format)
        count *= size
    return gradient.new_empty_strided(leaf.shape, strides).copy_(gradient)


def _added(old: Any, new: Any) -> Any:
    """The sum of a gradient and another; of a sparse one and a dense one, whichever comes first."""
    return new + old if hasattr(old._array, "layout") and not hasattr(new._array, "layout") else old + new


heeded: set = set()
"""Weak references to the leaves of which a program has asked to be told when their gradients have arrived: it is told at once."""


@underived
class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds what arrives to `variable._grad`."""

    __module__ = "builtins"  # as that of nodes in C
    _title = "AccumulateGrad"
    _post_hooks: dict | None = None
    _sequence = sys.maxsize

    def __init__(self, variable: Any) -> None:
        self._reference = weakref.ref(variable)

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def register_hook(self, hook: Callable) -> Handle:
        self._heed()
        return super().register_hook(hook)

    def register_prehook(self, hook: Callable) -> Handle:
        self._heed()
        return super().register_prehook(hook)

    def _register_post_hook(self, hook: Callable) -> Handle:
        """Call `hook(variable)` after `grad` was added to."""
        self._heed()
        if self._post_hooks is None:
            self._post_hooks = {}
        return handle_of(self._post_hooks, hook)

    def _heed(self) -> None:
        heeded.add(weakref.ref(self, heeded.discard))

    @property
    def _is_heard(self) -> bool:
        """Whether somebody hears when a gradient arrives."""
        return bool(self._post_hooks or self._hooks or self._backward_prehooks or self._prehooks)

    @property
    def variable(self) -> Any:
        return self._reference()

    def _accumulate(self, gradient: Any) -> None:
        variable = self._reference()
        if variable is None or variable._node is None:  # it wants none any more
            return
        old = variable._grad
        if not isinstance(gradient, Fields):
            array = np.asarray(gradient) if isinstance(gradient, np.generic) else gradient
            like = variable._array
            if array.dtype is not like.dtype and array.dtype != like.dtype:
                array = cast(array, like.dtype)
            if old is None:
                # Stolen when nobody else can hold it: our caller's reference, `gradient`, `array`, the argument.
                # A view is, when it is all there is of its base (the gradient of a transposed weight).
                base = array.base
                if array.strides != like.strides or sys.getrefcount(array) > 4 or (
                    base is not None and (type(base) is not type(array) or sys.getrefcount(base) > 3
                                          or base.base is not None or base.size != array.size)
                ):  # fmt: skip
                    array = copied_like(array, like)
                variable._grad = wrap(array)
            elif here.grad_enabled:
                variable._grad = _added(old, wrap(array))
            else:
                target = old._array
                if type(target) is np.ndarray:
                    np.add(target, array, target)
                elif hasattr(array, "layout") and not hasattr(target, "layout"):
                    target[...] = array.__radd__(target)
                elif hasattr(target, "layout") and not hasattr(array, "layout"):
                    variable._grad = old = wrap(target + array)
                else:
                    old._array = target.__iadd__(array)
                cell = old._cell
                if cell is None:
                    old._cell = cell = Version()
                cell.bump()
        elif old is None:
            if gradient._node is None and (here.listening or answers_below(type(gradient))):
                variable._grad = gradient.detach()  # type: ignore[attr-defined]
            else:
                variable._grad = laid_like(gradient, variable)
        else:
            variable._grad = _added(old, gradient)

    def _tell(self) -> None:
        """Call those who hear of a gradient that was added."""
        variable = self._reference()
        for hook in list(self._post_hooks.values()) if self._post_hooks and variable is not None else ():
            found = hook(variable)
            if found is not None and not isinstance(found, Fields):
                raise TypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
            if found is not None and found is not variable:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def nowhere() -> AccumulateGrad:
    """The node of a view that wants a gradient because its base does, but was made unrecorded: what arrives is dropped."""
    node = new(AccumulateGrad)
    node._reference = lambda: None  # type: ignore[assignment]
    return node


class Slot(Node):
    """One result of a node that has several."""

    _watched = True  # the walk looks at it more closely, as at nodes with hooks

    def __init__(self, parent: Node, number: int) -> None:
        self._parent, self._number = parent, number
        self._edges = (parent,)
        self._sequence = tick()

    def name(self) -> str:
        return self._parent.name()

    def hear(self) -> None:
        """Let the parent tell this result's hooks as well that no gradient comes."""
        parent = self._parent
        parent._watched = True
        parent._heard = {**(parent._heard or {}), self._number: weakref.ref(self)}


@underived
class OperatorNode(Node):
    """A node of a declared operator; its subclasses carry the operator and the name."""

    @property
    def next_functions(self) -> tuple:
        """The nodes of the differentiable arguments; an index or a mask is none."""
        found = Node.next_functions.fget(self)  # type: ignore[attr-defined]
        if self._title == "NotImplemented":
            return tuple([f for f in found if f[0] is not None])
        operator = type(self)._operator
        shown = operator.shown() if hasattr(operator, "shown") else ()
        if all(shown) or len(shown) > len(found):
            return found
        widths = [1 if n is None else n for n in self._counts or (None,) * len(shown)]
        marks = [on for on, n in zip(shown, widths, strict=True) for _ in range(n)]
        return tuple([f for f, on in zip(found, marks, strict=False) if on])

    def _step(self, gradient: Any, world: Any) -> Sequence:
        from . import formula_steps, gradient_nodes

        made = type(self)
        made._keeps = self._operator.keeps
        made._step = step = gradient_nodes.as_kernel(formula_steps.step_of(self._operator), made._title)  # type: ignore[method-assign]
        return step(self, gradient, world)

    def narrowed(self, kept: list) -> OperatorNode:
        """A node that makes a step for some of the edges; others may walk through this one meanwhile. What was saved for the other
        edges is looked at all the same: it may have been written since."""
        for entry in self._saved:
            if isinstance(entry, (Fields, Saved)):
                unpack(self, entry, True)
        made = new(type(self))
        made.__dict__.update(self.__dict__)
        made._edges = tuple([edge if on else None for edge, on in zip(self._edges, kept, strict=True)])
        made._saved, made._metas, made._sequence, made._whole = self._saved, self._metas, self._sequence, self
        return made  # type: ignore[no-any-return]

    def _apply_jointly(self, gradient: Any, world: Any, values: Sequence) -> list:
        """As `_step`, for an operator with one formula for all arguments, or with lists of tensors among them."""
        operator, edges, counts = self._operator, self._edges, self._counts
        if operator.joint is not None:
            needs = _needs(edges, counts)
            found = operator.joint(world, gradient, needs, *values)
            return list(found) if counts else [g if on else None for g, on in zip(found, needs, strict=False)]
        gradients: list = [None] * len(edges)
        at = 0
        for many, (formula, slots) in zip(counts, operator.formulas, strict=True):  # type: ignore[arg-type]
            width = 1 if many is None else many
            if formula is not None and any(e is not None for e in edges[at : at + width]):
                found = formula(world, gradient, *[values[s] for s in slots])
                gradients[at : at + width] = [found] if many is None else found
            at += width
        return gradients

    def _release(self) -> None:
        self._saved = FREED

    def __dir__(self) -> list[str]:
        from .saved_names import names

        own = [name for name in super().__dir__() if name[:7] != "_saved_"]
        return [*own, *("_saved_" + name for name in names(type(self)))]


def _needs(edges: tuple, counts: tuple | None) -> list:
    if counts is None:
        return [e is not None for e in edges]
    needs, at = [], 0
    for many in counts:
        width = 1 if many is None else many
        needs.append(any(e is not None for e in edges[at : at + width]))
        at += width
    return needs


def unpack(node: Node, entry: Any, raw: bool) -> Any:
    """What was saved, as an array (`raw`) or a tensor; RuntimeError if it was written since."""
    kind = type(entry)
    if isinstance(entry, Fields):
        cell = entry._cell
        if cell is not None and cell.last > node._sequence:
            raise_modified(node, entry._array, cell, entry._node, view=entry._root is not None)
        if entry._inference:
            raise RuntimeError(INFERENCE_SAVED)
        return entry._array if raw else entry
    if kind is Saved:
        cell = entry.other or entry
        if cell.last > node._sequence:
            raise_modified(node, entry._array, cell, node, entry._number)
        if raw:
            return entry._array
        tensor = wrap(entry._array)
        tensor._cell = cell
        without = getattr(getattr(node, "_operator", None), "nondifferentiable", ())
        if entry._array.dtype.kind in "fcV" and entry._number not in without:
            tensor._node = result_node(node._whole or node, entry._number)
        return tensor
    if kind is Hidden:
        if entry.shown is not None:
            unpack(node, entry.shown, True)
        return entry._array if raw or entry._array is None else wrap(entry._array)
    if kind is Packed:
        tensor = entry.tensor(node._whole or node)
        return tensor._array if raw else tensor
    if kind is Wrapped:
        return entry.value
    if kind is list:
        return [unpack(node, each, raw) for each in entry]
    return entry


def result_node(node: Node, number: int) -> Node:
    """The node of a result that its own node saved: of a view that it wrote, a part of the base's history."""
    if node._outputs > 1:
        return Slot(node, number)
    return node if node._within is None else node._within().part()


def raise_modified(
    node: Node, array: Any, cell: Version, source: Node | None, number: int = 0, view: bool = False
) -> None:
    if type(cell) is DetachedInPlace and node._sequence < cell.begun:
        raise RuntimeError(
            "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
            "use out-of-place `.detach()` instead"
        )
    if type(source) is Slot:
        source, number = source._parent, source._number  # type: ignore[attr-defined]
    which = ""
    if source is not None and not isinstance(source, AccumulateGrad) and array.dtype.kind in "fcV":
        # A view that was written has, by now, a node that says only where it lies in its base.
        title = "AsStridedBackward0" if view else source.name()
        if title == "CopySlices":
            title = "torch::autograd::CopySlices"
        if "Backward" in title and not title.endswith("Backward"):
            title = title[: title.rindex("Backward")]
        which = f", which is output {number} of {title},"
    hint = (
        "the backtrace further above shows the operation that failed to compute its gradient. The variable in question "
        "was changed in there or anywhere later. Good luck!"
        if state.anomaly
        else "enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    error = RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{type_of(array)} {list(array.shape)}]{which} is at version {cell.count}; expected version "
        f"{cell.at(node._sequence)} instead. Hint: {hint}"
    )
    error._node = node  # type: ignore[attr-defined]
    error._cell = cell  # type: ignore[attr-defined]
    raise error
