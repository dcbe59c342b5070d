"""Recording: the node of an operator's call, the edges to its operands' nodes, what the node keeps.

Cython compiles this file together with `record.pxd`; without a compiler it runs as it stands."""

from weakref import ref

import numpy as np

from ..arrays.backend import device_of
from ..arrays.switches import holder as threads
from ..graph.fields import Fields, Version, keep_result, link, wrap, wrapped
from ..graph.formula_steps import FUSED, in_single
from ..graph.nodes import INFERENCE_SAVED, Hidden, OperatorNode, Slot, nowhere
from ..graph.saved_names import readers

try:
    import cython
except ImportError:
    from ..loading import interpreted as cython

ndarray = np.ndarray
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
PLAIN = frozenset((int, float, bool, complex))
"""Types of numbers that are kept for the next node, too."""
FORWARD = {"_nll_loss": "nll_loss_forward"}
"""Names in an error that are not the operator's own."""
NOTHING, TENSOR, ARGUMENT, LIST, SHAPE, SHAPES, STRIDES, RESULT = range(8)
"""The kinds of what a node keeps."""

if not cython.compiled:
    from ..arrays.switches import inferring, recording

    weak = ref

    def dtype_of(a):
        """The dtype of an array of numpy."""
        return a.dtype

    def size_of(a):
        """The number of elements of an array of numpy."""
        return a.size

    def is_added(a):
        """Whether an array's dtype is none of numpy's own."""
        return a.dtype.num >= 256

    def in_rows(a):
        """Whether an array of numpy's is a vector or lies in row order."""
        return a.ndim < 2 or a.flags.c_contiguous

    def likeness(a, b):
        """Of two arrays of numpy: 1 if they have one dtype, 2 if they have one shape; 0 where there are no elements: a
        backward pass makes the gradients of these by the shapes that the node keeps."""
        if a.size == 0:
            return 0
        return (1 if a.dtype is b.dtype else 0) | (2 if a.shape == b.shape else 0)

    def nodes_of(values, places, mask):
        """The nodes of the tensors at places, as far as a mask has them."""
        return tuple([values[i]._node if mask >> k & 1 else None for k, i in enumerate(places)])

    def meta_of(a):
        """The shape and dtype of an array of numpy."""
        return a.shape, a.dtype

    def metas_of(values, places, mask):
        """The shapes and dtypes of the tensors at places, as far as a mask has them."""
        return tuple([meta_of(values[i]._array) if mask >> k & 1 else None for k, i in enumerate(places)])


def camel(name):
    """``log_softmax`` -> ``LogSoftmax``, ``log1p`` -> ``Log1P``, ``expm1`` -> ``Expm1``, as PyTorch names its nodes."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class Recording:
    """The part of an operator that records its calls."""

    def title(self, values):
        """The name of the nodes of a call."""
        return self.node if type(self.node) is str else self.node(*values)

    def node_class(self, title, narrow=False):
        """The class of the nodes of a name; `narrow`: of those of results in half precision."""
        made = self.classes.get((title, narrow))
        if made is None:
            body = {"__slots__": (), "__module__": "builtins"}
            if narrow:
                made = self.node_class(title)
                if title in FUSED:
                    made = type(title, (made,), body | {"_step": in_single, "_keeps": self.keeps})
            else:
                made = type(title, (OperatorNode,), body | {"_operator": self, "_title": title} | readers(title, self))
            self.classes[title, narrow] = made
        return made

    def step(self, edge, saved):
        """A node of one operand, with what it keeps given."""
        return link(self.node_class(self.node), (edge,), saved)

    def recorded(self, values, result):
        """The public results as tensors with a node."""
        if type(result) is tuple or type(result) is list:
            outs = list(result)
            if not outs:
                return self.packaged(outs)
            tensors = [wrap(a) for a in (outs if self.outputs <= 0 else outs[: self.outputs])]
            node = self.made_node(values, tensors[0], tensors, outs, None)
            node._outputs = len(tensors)
            if len(tensors) == 1:
                tensors[0]._node = node if tensors[0]._array.dtype.kind in "fcV" else None
            else:
                for i, each in enumerate(tensors):
                    if each._array.dtype.kind in "fcV" and i not in self.nondifferentiable:
                        each._node = Slot(node, i)
            if self.view:
                for each in tensors:
                    attach(each, values[self.tensors[0]], "multiple")
            return self.packaged(tensors)
        t = wrap(result)
        node = self.made_node(values, t, None, None, None)
        kind = dtype_of(result) if type(result) is ndarray else t._array.dtype
        if kind is FLOAT32 or kind is FLOAT64 or kind.kind in "fcV":
            t._node = node
        if self.view:
            attach(t, values[self.tensors[0]], None)
        return t

    def make_node(self, values, tensors, outs, title=None):
        """The node of a call: edges to the nodes of its tensor arguments, and what the formulas name."""
        return self.made_node(tuple(values), tensors[0], tensors, outs, title)

    def made_node(self, values, result, tensors, outs, title):
        """As `make_node`; `tensors` and `outs` are None where there is one result only."""
        out = result._array if outs is None else outs[0]
        if self.fixed or self.real_gradient:
            self.refuse(values, out)
        plain = type(out) is ndarray
        kind = dtype_of(out) if plain else out.dtype
        narrow = kind is not FLOAT32 and kind is not FLOAT64 and kind.itemsize == 2
        if title is None and self.usual_class is not None and not narrow:
            node_class = self.usual_class
        else:
            named = title
            if title is None:
                named = self.title(values)
            if named is self.last_title and not narrow:
                node_class = self.last_class
            else:
                node_class = self.node_class(named, narrow)
                if title is None and not narrow:
                    self.last_title = named
                    self.last_class = node_class
                    if type(self.node) is str:
                        self.usual_class = node_class
        if self.lists:
            return self.node_of_lists(node_class, values, result, tensors, outs)
        # A formula that multiplies by an operand of another dtype may leave the gradient's.
        mixed = narrow
        mask = other = 0
        places = self.tensors
        for k in range(len(places)):
            x = values[places[k]]
            if isinstance(x, Fields):
                t = cython.cast(Fields, x)
                if plain and type(t._array) is ndarray:
                    like = likeness(t._array, out)
                else:
                    like = (1 if t._array.dtype is kind else 0) | (2 if t._array.shape == out.shape else 0)
                if t._node is not None:
                    mask |= 1 << k
                if like != 3:
                    if not like & 1 and self.promote is not None:
                        mixed = True
                    if t._node is not None and (self.broadcast or not like & 1):
                        other |= 1 << k
        if mixed:
            other = mask
        metas = None if other == 0 else metas_of(values, places, other)
        return link(node_class, nodes_of(values, places, mask), self.keep(mask, values, result, tensors, outs), metas)

    def node_of_lists(self, node_class, values, result, tensors, outs):
        """The node of a call with lists of tensors: an edge for each of their elements."""
        edges, counts, metas = [], [], []
        for i in self.tensors:
            x = values[i]
            many = x if i in self.lists else [x]
            counts.append(len(many) if i in self.lists else None)
            for each in many:
                has = isinstance(each, Fields) and each._node is not None
                edges.append(each._node if has else None)
                metas.append((each._array.shape, each._array.dtype) if has else None)
        node = link(node_class, tuple(edges), self.keep(-1, values, result, tensors, outs), tuple(metas))
        node._counts = tuple(counts)
        return node

    def kept_where(self, mask):
        """The values kept where the operands of a mask have nodes (-1: any), as far as a formula that will run names them:
        two bytes for each, its kind and the place of the argument or result. Where they are settings alone, the tuple of these
        at their defaults, which the nodes of usual calls have in common. The place of the operand, if one is all that is kept."""
        active = None
        if self.joint is None and not self.lists:
            active = set()
            for k, (formula, slots) in enumerate(self.formulas):
                if mask >> k & 1 and formula:
                    active.update(slots)
        found = bytearray()
        for at, (kind, i) in enumerate(self.sources):
            if active is not None and at not in active and (kind != "argument" or i in self.tensors):
                found += bytes((NOTHING, 0))
            elif kind == "argument":
                found += bytes((LIST if i in self.lists else TENSOR if i in self.tensors else ARGUMENT, i))
            elif kind == "shape":
                found += bytes((SHAPES if i in self.lists else SHAPE, i))
            elif kind == "strides":
                found += bytes((STRIDES, i))
            else:
                found += bytes((RESULT, i))
        settings = all(kind == ARGUMENT for kind in found[::2])
        usual = tuple([self.defaults[i] for i in found[1::2]]) if settings else None
        alone = sum(kind != NOTHING for kind in found[::2]) == 1 and TENSOR in found[::2]
        return bytes(found), usual, found[2 * found[::2].index(TENSOR) + 1] if alone else -1

    def keep(self, mask, values, result, tensors, outs):
        """The values that the formulas name."""
        if mask != self.last_mask or self.last_sources is None:
            if mask not in self.kept:
                self.kept[mask] = self.kept_where(mask)
            self.last_mask = mask
            self.last_sources, self.last_usual, self.last_place = self.kept[mask]
            self.last_number = None
        sources = self.last_sources
        usual = self.last_usual
        count = len(sources)
        if usual is not None:
            at = 0
            while at < count and values[sources[at + 1]] is usual[at >> 1]:
                at += 2
            if at == count:
                return usual
        place = self.last_place
        if place >= 0 and not isinstance(values[place], Fields):
            number = values[place]
            if number is None or number is not self.last_number:
                made = tuple(
                    [wrapped(number) if kind == TENSOR and number is not None else None for kind in sources[::2]]
                )
                if (
                    number is None or type(number) in PLAIN
                ):  # what goes runs no code of a program's, which would come here again
                    self.last_number, self.last_kept = number, made
                return made
            return self.last_kept
        if count == 2:
            return (self.value(sources[0], sources[1], values, result, tensors, outs),)
        if count == 4:
            return (
                self.value(sources[0], sources[1], values, result, tensors, outs),
                self.value(sources[2], sources[3], values, result, tensors, outs),
            )
        saved = []
        for at in range(0, count, 2):
            saved.append(self.value(sources[at], sources[at + 1], values, result, tensors, outs))
        return tuple(saved)

    def value(self, kind, i, values, result, tensors, outs):
        """One of the values that are kept."""
        if kind == NOTHING:
            return None
        if kind == RESULT:
            if tensors is None:
                return keep_result(result, i) if i == 0 else None
            if i < len(tensors):
                return keep_result(tensors[i], i)
            return Hidden(outs[i]) if i < len(outs) else None
        x = values[i]
        if isinstance(x, Fields):
            t = cython.cast(Fields, x)
            if kind == SHAPE:
                return t._array.shape
            if kind == STRIDES:
                return t._array.strides
            if t._inference:
                raise RuntimeError(INFERENCE_SAVED)
            return t if type(t._array) is type(result._array) else beside(t, result._array)
        if kind == LIST:
            return list(x)
        if kind == SHAPES:
            return [y._array.shape for y in x]
        if kind == SHAPE:
            return ()
        return wrapped(x) if kind == TENSOR and x is not None else x

    def refuse(self, values, out):
        """Refuse gradients that PyTorch has no formula for."""
        for i in self.fixed:
            if isinstance(values[i], Fields) and values[i]._node is not None:
                raise RuntimeError(
                    f"The function '{FORWARD.get(self.name, self.name.strip('_'))}' is not differentiable with respect to "
                    f"argument '{self.params[i]}'. This input cannot have requires_grad True."
                )
        if self.real_gradient and out.dtype.kind == "c":
            name = self.name.strip("_")
            raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")


def beside(x, result):
    """An operand without dimensions on the CPU, moved to the device of the result, for the formulas."""
    if type(x._array) is ndarray and not x._array.ndim:
        return x.to(device_of(result))
    return x


def view_of(array, source, node=None):
    """The tensor of an array that is a view of `source`'s memory."""
    t = wrap(array)
    if node is not None:
        t._node = node
    attach(t, source, None)
    return t


def attach(t, source, origin=None):
    """Make `t` a view of `source`'s storage: a common version cell, and a place in the base's list of views. What was made
    in inference mode has no views to keep a history of, nor have these one."""
    if source._inference:
        t._inference = True
        t._node = None
        return
    base = source._root
    cell = source._cell
    if base is None:
        if t is source:
            return
        root = source
        if cell is None:
            cell = Version()
            source._cell = cell
    else:
        if t is base:
            return
        root = base
        if cell is None:
            cell = Version()
            source._cell = cell
            if root._cell is None:
                root._cell = cell
        if origin is None:
            origin = source._origin
    t._root = root
    t._cell = cell
    views = root._views
    if views is None:
        root._views = [weak(t)]
    else:
        n = len(views)
        if n and views[n - 1]() is None:
            views[n - 1] = weak(t)
        elif n >= 32 and not n & (n - 1):
            views[:] = [*[r for r in views if r() is not None], weak(t)]
        else:
            views.append(weak(t))
    if origin is not None:
        t._origin = origin
    if not recording(threads):
        t._origin = "inference" if inferring(threads) else "no_grad"
        if root._node is not None and t._node is None and t._array.dtype.kind in "fcV":
            t._node = nowhere()
