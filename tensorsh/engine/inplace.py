"""Writing in place: what is forbidden, and how the history of a tensor, its base and its views is rewritten.

A write to a tensor that is no view replaces its node by the writing operation's. A write to a view `v` of `b` gives `b` a
CopySlices node (take the gradient of b, run the operation backward on the part that v is, put that part back), and every
living view of b a new AsStrided node on top of it.
"""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from .autograd import AccumulateGrad, Node, Slot, Version, tick
from .backend import fold_at
from .calls import with_elements
from .constants import FLOAT32, FLOAT64
from .dtype import can_hold, of
from .errors import broadcast_error
from .promotion import result_type
from .state import state
from .storage import address, extent, reach
from .table import find_function
from .tensor import Tensor, wrap
from .viewing import module_of

FLOATS = (FLOAT32, FLOAT64)

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
MULTIPLE = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the output views to be "
    "modified inplace. You should replace the inplace operation by an out-of-place one."
)
AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the "
    "view and the inplace either both inside the {mode} block (if you don't want the inplace to be tracked) or both outside "
    "(if you want the inplace to be tracked)."
)
INFERENCE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor "
    "before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)


def check(t: Tensor, tracked: bool, repeats: bool = False) -> None:
    """Raise what PyTorch raises, before anything is written. `tracked`: whether any operand wants a gradient; `repeats`:
    whether elements may share their memory, as where one number is written."""
    if t._inference and not state.inference:
        raise RuntimeError(INFERENCE)
    if tracked and state.grad_enabled:
        base = t._root
        if base is not None:
            if t._origin is not None:
                raise RuntimeError(forbidden(t))
            if base._node is not None and type(base._node) is AccumulateGrad:
                raise RuntimeError("a view of " + LEAF)
        if type(t._node) is AccumulateGrad:
            raise RuntimeError(LEAF)
    strides = t._array.strides
    if 0 in strides and t._array.size and not repeats:
        for n, s in zip(t._array.shape, strides, strict=True):
            if s == 0 and n > 1:
                raise RuntimeError(OVERLAP)


def forbidden(t: Tensor, doing: str = "is being") -> str:
    """Why a view that came about as `t` did may not be written, or its base not when it is used afterwards."""
    node = t._node._parent if type(t._node) is Slot else t._node
    mode = "inference_mode" if t._origin == "inference" else "no_grad"
    if t._origin == "multiple" and node is not None:
        title = node.name()
        message = f"Output {t.output_nr} of {title.removesuffix('Backward0')} is a view and {doing} modified inplace."
    else:
        message = f"A view was created in {mode} mode and {doing} modified inplace with grad mode enabled."
    return message + (MULTIPLE if t._origin == "multiple" else AMBIGUOUS.format(mode=mode))


def derive(op: Any) -> Callable:
    """The in-place form of an operator: ``name_``."""
    from .guards import guarded
    from .operator import Composite, Operator

    if isinstance(op, Composite):

        def composite_form(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
            tracked = input._node is not None or any(isinstance(a, Tensor) and a._node is not None for a in args)
            check(input, tracked)
            return input.copy_(op.function(input, *args, **kwargs))

        return guarded(composite_form, op.names)
    assert isinstance(op, Operator)

    def form(*args: Any, **kwargs: Any) -> Tensor:
        return bound(op, args, kwargs)

    form._operator = op  # type: ignore[attr-defined]
    form.__doc__ = f"In-place form of :func:`{op.name}`."
    return form


def bound(op: Any, args: tuple, kwargs: dict) -> Tensor:
    """The in-place form of an operator, called with any arguments; PyTorch's words where they are wrong."""
    types = (*map(type, args), *kwargs, *map(type, kwargs.values())) if kwargs else (*map(type, args),)
    if tuple in types or list in types:
        types = with_elements(types, args, kwargs)
    try:
        if types not in op.fitting:
            from .guards import checked

            args, kwargs = checked(op.fitting, types, op.names, args, kwargs, sys._getframe(1), op.params)
        return write(op, op.bind(args, kwargs))
    except Exception as error:
        from .overloads import worded

        told = worded(op.names, args, kwargs, error, sys._getframe(1), op.params)
        if told is error:
            raise
        raise told from None


def write(op: Any, values: list) -> Tensor:
    """Run an operator and store its result in its first argument."""
    t = values[0]
    if not isinstance(t, Tensor):
        from .errors import argument_error

        raise argument_error(op, 0, t)
    arrays, tracked = op.unwrap(values)
    tracked = tracked and state.grad_enabled
    # What has no formula, as a logical operator, leaves the history as it is.
    recorded = tracked and (op.joint is not None or any(f is not None for f, _ in op.formulas))
    check(t, recorded)
    if op.overwrite is not None and overwrites(op, arrays) and not (recorded and "input" in op.saved_names):
        positional = op.positional
        keywords = dict(zip(op.params[positional:], arrays[positional:], strict=True))
        op.overwrite(np, *arrays[:positional], **keywords)
        t._bump()
        if recorded:
            rewrite(t, op.make_node(values, [t], [t._array], op.inplace_node))
        return t
    if op.direct is not None and not recorded and type(arrays[0]) is np.ndarray and arrays[0].dtype in FLOATS:
        try:
            result = op.direct(*arrays)
        except (TypeError, ValueError, AttributeError):
            pass
        else:
            store(t, result)
            return t
    try:
        result = op.compute(arrays)
    except NotImplementedError:
        check_written(op, op.unwrap(values)[0])
        raise
    if type(result) is tuple:
        hidden, result = result, result[0]
    else:
        hidden = (result,)
    if recorded and "input" in op.saved_names:
        # The formulas want the operand as it was before the write.
        original = wrap(t._array.copy())
        original._node = t._node
        values = [original, *values[1:]]
    store(t, result)
    if recorded:
        node = op.make_node(values, [t], [t._array, *hidden[1:]], op.inplace_node)
        rewrite(t, node)
        for other in values[1:]:
            if isinstance(other, Tensor) and other._cell is t._cell:
                node._saved = tuple(overwritten(e, node) if e is other else e for e in node._saved)
    return t


def overwrites(op: Any, arrays: list) -> bool:
    """Whether a kernel that overwrites may work on the tensor's own memory: in row order, shared with no operand."""
    target = arrays[0]
    if type(target) is not np.ndarray or not target.flags.c_contiguous:
        return False
    return not any(np.may_share_memory(target, a) for a in arrays[1:] if type(a) is np.ndarray)


def overwritten(operand: Tensor, node: Node) -> Tensor:
    """What a node saved of an operand that its own write changed: the backward pass will find it modified."""
    stale = wrap(operand._array)
    stale._node = node
    stale._cell = cell = Version()
    count = 0 if operand._cell is None else operand._cell.count
    cell.count, cell.last, cell.stamps = count, sys.maxsize, deque([sys.maxsize])
    return stale


def mutate(op: Any, values: list, action: Callable, repeats: bool = False) -> Tensor:
    """Write into the first argument by `action(array)`, and record it as `op`, whose formulas tell the gradients."""
    t = values[0]
    if not isinstance(t, Tensor):
        from .errors import argument_error

        raise argument_error(op, 0, t)
    tracked = state.grad_enabled and any([isinstance(v, Tensor) and v._node is not None for v in values])
    check(t, tracked, repeats)
    if not tracked:
        action(t._array)
        t._bump()
        return t
    if "input" in op.saved_names:
        original = wrap(t._array.copy())
        original._node = t._node
        values = [original, *values[1:]]
    action(t._array)
    t._bump()
    rewrite(t, op.make_node(values, [t], [t._array]))
    return t


def store(t: Tensor, result: Any) -> None:
    """Write a computed result into a tensor's memory, checking shape and dtype, and count the version."""
    target = t._array
    if result.shape != target.shape:
        fits_shape(target, result.shape)
    if result.dtype is not target.dtype and result.dtype != target.dtype:
        fits_dtype(of(target), of(result))
    target[...] = result
    t._bump()


def fits_shape(target: Any, shape: tuple) -> None:
    """Raise PyTorch's error where a result's shape is not that of the tensor to write, nor broadcasts to it."""
    fits = False
    if math.prod(shape) == target.size or len(shape) < target.ndim:
        try:
            fits = np.broadcast_shapes(shape, target.shape) == target.shape
        except ValueError:
            raise broadcast_error(target.shape, shape) from None
    if not fits:
        raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(shape)}")


def fits_dtype(kind: Any, source: Any) -> None:
    if not can_hold(source, kind):
        raise RuntimeError(f"result type {source.short} can't be cast to the desired output type {kind.short}")


def check_written(op: Any, arrays: list) -> None:
    """What PyTorch finds out of an in-place call before it finds that a dtype is not implemented."""
    if op.promote is None:
        return
    operands = [arrays[i] for i in op.promoted]
    target = operands[0]
    fits_shape(target, np.broadcast_shapes(*[getattr(x, "shape", ()) for x in operands]))
    fits_dtype(of(target), result_type(operands))


def rewrite(t: Tensor, node: Node) -> None:
    """Give a tensor just written its new node, and its base and the base's views theirs."""
    root = t._root
    if t._node is not None and t._node._retained and t.retains_grad:
        # What wanted its gradient kept wants that of its new value.
        t._node._retained = [r for r in t._node._retained if r() is not t]
        node._retained, node._watched = [ref(t)], True
    if root is None:
        t._node = node
        refresh(t)
        return
    root._node = CopySlices(root, t, node)
    refresh(root)


def refresh(root: Tensor) -> None:
    """New nodes for the living views of a tensor whose history was rewritten."""
    if root._views is None:
        return
    alive = []
    for reference in root._views:
        view = reference()
        if view is not None:
            alive.append(reference)
            if root._node is None:
                view._node = None
            elif view._origin is not None and view._node is not None:
                view._node = Forbidden(root, forbidden(view, "its base or another view of its base has been"))
            elif view._array.dtype.kind in "fcV":
                view._node = AsStrided(root, view)
    root._views = alive


class Region:
    """Where a view lies in its base, in bytes from the base's first element, with strides of its own dtype."""

    __slots__ = ("root", "view", "offset", "size")

    def __init__(self, root: Any, view: Any) -> None:
        self.root = (root.shape, root.dtype, root.strides)
        self.view = (view.shape, view.dtype, view.strides)
        self.offset = address(view) - address(root) if view is not root else 0
        self.size = reach(root.shape, root.strides, root.itemsize)
        outside = self.offset < 0 or self.offset + reach(view.shape, view.strides, view.itemsize) > self.size
        if outside and view.size:
            # The base itself shows a part only of its storage (as_strided with another offset).
            start, end = extent(root)
            low, high = extent(view)
            self.size = max(end, high) - min(start, low)
            if low < start:
                raise RuntimeError("cannot write in place to a view that starts before its base")

    def buffers(self, like: Any) -> Any:
        """A zeroed array with the base's strides, and the part of it that is the view, where another array lies."""
        xp = module_of(like)
        memory = xp.zeros(self.size, np.uint8)
        parts = [(*self.root, 0), (*self.view, self.offset if self.size else 0)]
        if xp is np:
            return tuple([np.ndarray(shape, dtype, memory, at, strides) for shape, dtype, strides, at in parts])
        return tuple([xp.ndarray(shape, dtype, memory.data + at, strides) for shape, dtype, strides, at in parts])

    def indices(self, like: Any) -> Any:
        """For each element of the view, its flat index in the base (of its real numbers, when only the view is real),
        on the device of an array."""
        shape, dtype, strides = self.root
        kind = self.view[1]
        if dtype.kind == "c" and kind.kind != "c":
            shape, strides, size = (*shape, 2), (*strides, dtype.itemsize // 2), dtype.itemsize // 2
        else:
            size = dtype.itemsize
        lookup = np.full(self.size // size * 8, -1)
        scaled = lambda steps: tuple([s // size * 8 for s in steps])
        flat = np.arange(math.prod(shape)).reshape(shape)
        np.ndarray(shape, np.int64, lookup, 0, scaled(strides))[...] = flat
        found = np.ndarray(self.view[0], np.int64, lookup, self.offset // size * 8, scaled(self.view[2]))
        return module_of(like).asarray(found.reshape(-1))

    def flattened(self, gradient: Any) -> Any:
        """The base's gradient as one row of the numbers that `indices` counts."""
        if gradient._array.dtype.kind == "c" and self.view[1].kind != "c":
            gradient = find_function("view_as_real")(gradient)
        return gradient.reshape(-1)

    def restored(self, flat: Any) -> Any:
        shape, dtype, _ = self.root
        if dtype.kind == "c" and self.view[1].kind != "c":
            return find_function("view_as_complex")(flat.reshape((*shape, 2)))
        return flat.reshape(shape)


class CopySlices(Node):
    """The history of a base after a view of it was written."""

    _title = "CopySlices"

    def __init__(self, root: Tensor, view: Tensor, function: Node) -> None:
        self._function = function
        self._edges = (root._node, *function._edges[1:])
        self._region = Region(root._array, view._array)
        self._sequence = tick()
        if state.places:
            self._place = state.places()

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def _step(self, gradient: Any, world: Any) -> list:
        region = self._region
        if world.raw:
            whole, part = region.buffers(gradient)
            whole[...] = gradient
            answers = list(self._function._step(part.copy(), world))
            part[...] = 0 if answers[0] is None else answers[0]
            return [whole, *answers[1:]]
        where = wrap(region.indices(gradient._array))
        flat = region.flattened(gradient)
        part = flat.index_select(0, where).reshape(region.view[0])
        answers = list(self._function._step(part, world))
        inner = part * 0 if answers[0] is None else answers[0]
        return [region.restored(flat.index_copy(0, where, inner.reshape(-1))), *answers[1:]]

    def _release(self) -> None:
        if self._function._keeps:
            self._function._release()


class AsStrided(Node):
    """A view's node after its base was rewritten."""

    _title = "AsStridedBackward0"

    def __init__(self, root: Tensor, view: Tensor) -> None:
        self._edges = (root._node,)
        self._region = Region(root._array, view._array)
        self._sequence = tick()

    def _step(self, gradient: Any, world: Any) -> list:
        return [spread(world, gradient, self._region)]


def spread(t: Any, gradient: Any, region: Region) -> Any:
    """The gradient of a base from that of a view: zero outside, added up where elements of the view coincide."""
    if t.raw:
        whole, part = region.buffers(gradient)
        if not part.size:
            return whole
        if overlapping(*region.view):
            flat = whole.reshape(-1) if whole.dtype == part.dtype else whole.view(part.dtype).reshape(-1)
            xp = module_of(gradient)
            fold_at(xp, "add", flat, region.indices(gradient), gradient.reshape(-1))
            return flat.view(whole.dtype).reshape(whole.shape)
        part[...] = gradient
        return whole
    xp = module_of(gradient._array)
    flat = region.flattened(wrap(xp.zeros(region.root[0], region.root[1])))
    return region.restored(flat.index_add(0, wrap(region.indices(gradient._array)), gradient.reshape(-1)))


def overlapping(shape: tuple, dtype: Any, strides: tuple) -> bool:
    """Whether two elements of an array may lie in the same place."""
    reached = dtype.itemsize
    for s, n in sorted((s, n) for n, s in zip(shape, strides, strict=True) if n > 1):
        if s < reached:
            return True
        reached += (n - 1) * s
    return False


class Forbidden(Node):
    """The node of one of several views whose base was written in place: its gradient cannot be known."""

    _title = "AsStridedBackward0"

    def __init__(self, root: Tensor, message: str) -> None:
        self._edges = (root._node,)
        self._forbidden = message
        self._sequence = tick()

    def _step(self, gradient: Any, world: Any) -> list:
        raise RuntimeError(self._forbidden)


AsStrided.__name__ = Forbidden.__name__ = "AsStridedBackward0"
__all__ = ["check", "derive", "write", "mutate", "store", "rewrite", "refresh", "Slot", "CopySlices", "AsStrided"]
