"""Writing in place: what is forbidden, and how the history of a tensor, its base and its views is rewritten.

A write to a tensor that is no view replaces its node by the writing operation's. A write to a view `v` of `b` gives `b` a
CopySlices node (take the gradient of b, run the operation backward on the part that v is, put that part back), and every
living view of b a new AsStrided node on top of it."""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

import numpy as np

from ...sandbox.long_calls import HUGE
from ..arrays.backend import fold_at, module_of
from ..arrays.constants import FLOAT32, FLOAT64
from ..arrays.deferred import apply, bits
from ..arrays.dtype import of
from ..arrays.errors import argument_error, broadcast_error, not_fitting
from ..arrays.extents import address, extent, limits, meets, strided
from ..arrays.on_arrays import on_arrays
from ..arrays.promotion import fits_dtype, result_type
from ..arrays.state import here
from ..graph.fields import Version, tick, wrap
from ..graph.gradient_nodes import Underivable
from ..graph.nodes import AccumulateGrad, Node, Slot
from ..loading.table import find_function
from .captured import captured, refuse
from .overlap import alone, apart, check_inplace, repeats, sharing
from .tensor import Tensor

FLOATS = (FLOAT32, FLOAT64)
LARGE = 1 << 14
"""From so many elements on, a result that is copied costs more than to ask whether there need be one."""
ndarray = np.ndarray

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
MULTIPLE = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the output views to be "
    "modified inplace. You should replace the inplace operation by an out-of-place one."
)
CUSTOM = (
    " This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to handle "
    "view+inplace would override the custom backward associated with the custom Function, leading to incorrect gradients. This "
    "behavior is forbidden. You can fix this by cloning the output of the custom Function."
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


def check(t: Tensor, tracked: bool, names: Sequence[str] = (), values: Sequence = ()) -> None:
    """Raise what PyTorch raises, before anything is written. `tracked`: whether any operand wants a gradient; names: of the
    operator that writes; values: its operands."""
    if here.born and names and captured(t):
        refuse(names[0], values)
    check_history(t, tracked)
    if 0 in t._array.strides:
        alone(t._array, names)


def check_history(t: Tensor, tracked: bool) -> None:
    """As `check`, for what changes a tensor and writes no memory."""
    if t._inference and not here.inference:
        raise RuntimeError(INFERENCE)
    if tracked and here.grad_enabled:
        base = t._root
        if base is not None:
            if t._origin is not None:
                raise RuntimeError(forbidden(t))
            if type(base._node) is AccumulateGrad or base._node is None and t.requires_grad:
                raise RuntimeError("a view of " + LEAF)
        if type(t._node) is AccumulateGrad:
            raise RuntimeError(LEAF)


def forbidden(t: Tensor, doing: str = "is being") -> str:
    """Why a view that came about as `t` did may not be written, or its base not when it is used afterwards."""
    node = t._node._parent if type(t._node) is Slot else t._node
    origin, title = t._origin, "" if node is None else node.name().removesuffix("0").removesuffix("Backward")
    made = f"Output {t.output_nr} of {title} is a view"
    if title in ("", "torch::autograd::AccumulateGrad"):
        made, title = "A view was", ""
    else:
        made += " of a view which was"
    if origin == "inference":
        message = f"{made} created in inference mode and {doing} modified inplace in normal mode."
    elif origin == "no_grad" or not title:
        message = f"{made} created in no_grad mode and {doing} modified inplace with grad mode enabled."
    else:
        message = f"Output {t.output_nr} of {title} is a view and {doing} modified inplace."
    why = {"multiple": MULTIPLE, "custom": CUSTOM}.get(origin or "")
    return message + (why or AMBIGUOUS.format(mode="inference_mode" if origin == "inference" else "no_grad"))


def write(op: Any, values: list) -> Tensor:
    """Run an operator and store its result in its first argument."""
    t = values[0]
    if not isinstance(t, Tensor):
        raise argument_error(op, 0, t)
    arrays, tracked = op.unwrap(values)
    tracked = tracked and here.grad_enabled
    # What has no formula, as a logical operator, leaves the history as it is.
    recorded = tracked and (op.joint is not None or any(f is not None for f, _ in op.formulas))
    check(t, recorded, op.names, values)
    if type(t._array) is not ndarray and hasattr(t._array, "layout"):
        t._array.check_written(op.names)
    huge = False
    if len(op.arrays) > 1:
        target = t._array
        for x in arrays:
            if type(x) is not ndarray or x is target:
                continue
            huge = huge or x.size >= HUGE
            if (x.base is not None or target.base is not None) and meets(target, x):
                check_inplace(op.names, target, arrays[1:])
    kept = recorded and "input" in op.saved_names
    if op.overwrite is not None and not huge and overwrites(op, arrays) and not kept:
        positional = op.positional
        keywords = dict(zip(op.params[positional:], arrays[positional:], strict=True))
        op.overwrite(np, *arrays[:positional], **keywords)
        t._bump()
        if recorded:
            rewrite(t, op.make_node(values, [t], [t._array], op.inplace_node))
        return t
    within = op.within(arrays) if op.within is not None and LARGE <= t._array.size < HUGE else None
    try:
        result = t._array if within is not None else op.compute(arrays)
    except NotImplementedError:
        check_history(t, tracked)
        check_written(op, op.unwrap(values)[0])
        raise
    if op.follows:
        apart(arrays[0], arrays[1:])
    if type(result) is tuple:
        hidden, result = result, result[0]
    else:
        hidden = (result,)
    if recorded and "input" in op.saved_names:
        # The formulas want the operand as it was before the write.
        original = wrap(t._array.copy())
        original._node = t._node
        values = [original, *values[1:]]
    if within is not None:
        within()
        t._bump()
    else:
        store(t, result)
    if recorded:
        node = op.make_node(values, [t], [t._array, *hidden[1:]], op.inplace_node)
        rewrite(t, node)
        for other in values[1:]:
            if isinstance(other, Tensor) and other._cell is t._cell:
                node._saved = tuple(overwritten(e, node) if e is other else e for e in node._saved)
    return t


def computed_in(t: Tensor, op: Any, arrays: list) -> bool:
    """Whether an operator's result, in which no gradient has a part, was computed in a large tensor's own memory (``out=``), where
    nothing is to be said against it. What is read may be the same elements, or lie elsewhere."""
    to = t._array
    if type(to) is not ndarray or not LARGE <= to.size < HUGE or t._node is not None or t._inference or here.born:
        return False
    if any(x is not to for x in sharing(to, arrays)):
        return False
    within = op.within(arrays, to)
    if within is not None:
        within()
        t._bump()
    return within is not None


def overwrites(op: Any, arrays: list) -> bool:
    """Whether a kernel that overwrites may work on the tensor's own memory: in row order, shared with no operand."""
    target = arrays[0]
    return type(target) is np.ndarray and target.flags.c_contiguous and not sharing(target, arrays[1:])


def overwritten(operand: Tensor, node: Node) -> Tensor:
    """What a node saved of an operand that its own write changed: the backward pass will find it modified."""
    stale = wrap(operand._array)
    stale._node = node
    stale._cell = cell = Version()
    count = 0 if operand._cell is None else operand._cell.count
    cell.count, cell.last, cell.stamps = count, sys.maxsize, deque([sys.maxsize])
    return stale


def mutate(op: Any, values: list, action: Callable) -> Tensor:
    """Write into the first argument by `action(array)`, and record it as `op`, whose formulas tell the gradients."""
    t = values[0]
    if not isinstance(t, Tensor):
        raise argument_error(op, 0, t)
    target = t._array
    tracked = shared = False
    for v in values:
        if isinstance(v, Tensor):
            if v._node is not None:
                tracked = True
            array = v._array
            if array is not target and (array.base is not None or target.base is not None) and meets(target, array):
                shared = True
    tracked = tracked and here.grad_enabled
    check(t, tracked, op.names, values)
    if shared:
        check_inplace(op.names, target, values[1:])
    if not tracked:
        apply(action, target)
        t._bump()
        return t
    if "input" in op.saved_names:
        original = wrap(t._array.copy())
        original._node = t._node
        values = [original, *values[1:]]
    apply(action, t._array)
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
    if 0 in target.strides and repeats(target):
        # Of elements in one place those count that the operation changes, not those that it leaves as they were.
        apply(lambda a: module_of(a).copyto(a, result, "unsafe", where=result != a), target)
    else:
        if type(result) is not np.ndarray and hasattr(result, "layout") and not hasattr(target, "layout"):
            result = result.dense()
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
        raise not_fitting(target.shape, shape)


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
    if root is None:
        renew(t, node)
        refresh(t)
        return
    renew(root, CopySlices(root, t, node))
    refresh(root)


def renew(t: Tensor, node: Node | None) -> None:
    """Give a tensor another node. What wanted its gradient kept wants that of its new value."""
    before = t._node
    t._node = node
    if node is not None and before is not None and before._retained and any(r() is t for r in before._retained):
        before._retained = [r for r in before._retained if r() is not t]
        node._retained, node._watched = [*(node._retained or ()), ref(t)], True


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
                renew(view, Forbidden(root, forbidden(view, "its base or another view of its base has been")))
            elif view._array.dtype.kind in "fcV":
                renew(view, AsStrided(root._node, Region(root._array, view._array)))
    root._views = alive


class Region:
    """Where a view lies in its base, in bytes from the base's first element, with strides of its own dtype."""

    __slots__ = ("root", "view", "offset", "start", "size", "conj", "neg")

    def __init__(self, root: Any, view: Any) -> None:
        self.root = (root.shape, root.dtype, root.strides)
        self.view = (view.shape, view.dtype, view.strides)
        self.offset = address(view) - address(root) if view is not root else 0
        self.start, self.size = 0, limits(root.shape, root.strides, root.itemsize)[1]
        (conj, neg), (by_conj, by_neg) = bits(root), bits(view)
        parts = (
            root.dtype.kind == "c" != view.dtype.kind
        )  # the imaginary ones are negative where the base is a conjugate
        self.conj = conj is not by_conj and not parts
        self.neg = (neg is not by_neg) is not (conj and parts and self.offset % root.itemsize != 0)
        outside = self.offset < 0 or self.offset + limits(view.shape, view.strides, view.itemsize)[1] > self.size
        if outside and view.size:
            # The base itself shows a part only of its storage (as_strided with another offset).
            start, end = extent(root)
            low, high = extent(view)
            self.start = max(0, start - low)
            self.size = max(end, high) - min(start, low)

    def turned(self, t: Any, gradient: Any) -> Any:
        """The gradient of the view as that of its part of the base, or the other way round."""
        gradient = t.conj(gradient) if self.conj else gradient
        return -gradient if self.neg else gradient

    def buffers(self, like: Any) -> Any:
        """Zeroed memory, where another array lies: as the base, and as the view."""
        memory = module_of(like).zeros(self.size, np.uint8)
        return memory, *self.parts(memory)

    def parts(self, memory: Any) -> list:
        """The base and the view in so many bytes."""
        places = [(*self.root, self.start), (*self.view, self.start + self.offset if self.size else 0)]
        return [strided(memory, shape, strides, at, dtype) for shape, dtype, strides, at in places]

    def indices(self, like: Any) -> Any:
        """For each element of the view, its flat index in the base (of its real numbers, when only the view is real), or -1
        outside, on the device of an array."""
        shape, dtype, strides = self.root
        kind = self.view[1]
        if dtype.kind == "c" and kind.kind != "c":
            shape, strides, size = (*shape, 2), (*strides, dtype.itemsize // 2), dtype.itemsize // 2
        else:
            size = dtype.itemsize
        lookup = np.full(self.size // size * 8, -1)
        scaled = lambda steps: tuple([s // size * 8 for s in steps])
        flat = np.arange(math.prod(shape)).reshape(shape)
        strided(lookup, shape, scaled(strides), self.start // size * 8)[...] = flat
        found = strided(lookup, self.view[0], scaled(self.view[2]), (self.start + self.offset) // size * 8)
        return module_of(like).asarray(found.reshape(-1))

    def places(self, like: Any) -> Any:
        """For each element of the view, its index in the memory of `buffers`."""
        shape, dtype, strides = self.view
        steps = tuple([s // dtype.itemsize * 8 for s in strides])
        found = strided(
            np.arange(self.size // dtype.itemsize), shape, steps, (self.start + self.offset) // dtype.itemsize * 8
        )
        return module_of(like).asarray(found.reshape(-1))

    def flattened(self, gradient: Any) -> Any:
        """The base's gradient as one row of the numbers that `indices` counts."""
        if gradient._array.dtype.kind == "c" and self.view[1].kind != "c":
            gradient = find_function("view_as_real")(gradient.resolve_conj())
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
        function._within = ref(self)
        self._edges = (root._node, *function._edges[1:])
        self._region = Region(root._array, view._array)
        self._sequence = tick()
        if here.places:
            self._place = here.places()

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def _step(self, gradient: Any, world: Any) -> list:
        region = self._region
        if world.raw:
            _, whole, part = region.buffers(gradient)
            whole[...] = gradient
            answers = list(self._function._step(region.turned(world, part.copy()), world))
            part[...] = 0 if answers[0] is None else region.turned(world, answers[0])
            return [whole, *answers[1:]]
        where = wrap(region.indices(gradient._array))
        flat = region.flattened(gradient)
        part = region.turned(world, flat.index_select(0, where).reshape(region.view[0]))
        answers = list(self._function._step(part, world))
        inner = part * 0 if answers[0] is None else region.turned(world, answers[0])
        return [region.restored(flat.index_copy(0, where, inner.reshape(-1))), *answers[1:]]

    def part(self) -> AsStrided:
        """A node of the view that was written."""
        return AsStrided(self, self._region)

    def _release(self) -> None:
        if self._function._keeps:
            self._function._release()


class AsStrided(Node):
    """A view's node after its base was rewritten."""

    _title = "AsStridedBackward0"

    def __init__(self, root: Node | None, region: Region) -> None:
        self._edges = (root,)
        self._region = region
        self._sequence = tick()

    def _step(self, gradient: Any, world: Any) -> list:
        return [spread(world, self._region.turned(world, gradient), self._region)]


def spread_array(gradient: Any, region: Region) -> Any:
    if overlapping(*region.root) and region.root[1] == region.view[1]:
        # Of the base's elements in one place, as those of an expanded tensor, one has the gradient.
        xp, where, flat = module_of(gradient), region.indices(gradient), gradient.reshape(-1)
        whole = xp.zeros(math.prod(region.root[0]), region.root[1])
        fold_at(xp, "add", whole, where[where >= 0], flat[where >= 0])
        return whole.reshape(region.root[0])
    memory, whole, part = region.buffers(gradient)
    if part.size and overlapping(*region.view):
        fold_at(module_of(gradient), "add", memory.view(part.dtype), region.places(gradient), gradient.reshape(-1))
    elif part.size:
        part[...] = gradient
    return whole


@on_arrays(spread_array)
def spread(t: Any, gradient: Any, region: Region) -> Any:
    """The gradient of a base from that of a view: zero outside, added up where elements of the view coincide."""
    xp = module_of(gradient._array)
    flat = region.flattened(wrap(xp.zeros(region.root[0], region.root[1])))
    where, gradient = region.indices(gradient._array), gradient.reshape(-1)
    if (where < 0).any():
        inside = xp.flatnonzero(where >= 0)
        where, gradient = where[inside], gradient.index_select(0, wrap(inside))
    return region.restored(flat.index_add(0, wrap(where), gradient))


def overlapping(shape: tuple, dtype: Any, strides: tuple) -> bool:
    """Whether two elements of an array may lie in the same place."""
    reached = dtype.itemsize
    for s, n in sorted((s, n) for n, s in zip(shape, strides, strict=True) if n > 1):
        if s < reached:
            return True
        reached += (n - 1) * s
    return False


class Forbidden(Underivable):
    """The node of one of several views whose base was written in place: it is not shown either."""

    _title = "AsStridedBackward0"

    def __init__(self, root: Tensor, reason: str) -> None:
        super().__init__(root, "")
        self._forbidden = reason

    def _step(self, gradient: Any, world: Any) -> Any:
        raise RuntimeError(self._forbidden)


AsStrided.__name__ = Forbidden.__name__ = "AsStridedBackward0"
__all__ = ["check", "write", "mutate", "store", "rewrite", "refresh", "Slot", "CopySlices", "AsStrided"]
