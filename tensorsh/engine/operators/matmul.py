"""The short ways of matrix products: float tensors of one dtype with the right numbers of dimensions.

numpy's ``a.dot(b)`` takes 0.35 us for small matrices, so what stands around it here is kept as small. Everything else (other
dtypes and devices, wrong shapes, ``out=``) goes the way given as `slow`, which finds the error or the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import cupy_module
from ..arrays.backend import follow_precision
from ..arrays.dtype import is_half
from ..arrays.state import here
from ..graph.fields import Version, fresh, link, new
from ..kernels import unsuited
from ..numerics.batches import matmul
from ..numerics.halves import MANY
from ..numerics.products import COMPILED, COMPLEX64, KERNELS, affine, complex_product, matrices
from ..tensors.tensor import Tensor
from .declare import REQUIRED, attach

ndarray = np.ndarray
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def product(left: int, right: int) -> Callable:
    """The loop of a product of float arrays of one dtype, with `left` and `right` dimensions; it answers None to others."""
    multiply, compiled = KERNELS[left, right], COMPILED.get((left, right), unsuited)

    def loop(a: Any, b: Any) -> Any:
        if (r := compiled(a, b)) is not None:
            return r
        if type(a) is not ndarray or type(b) is not ndarray or a.ndim != left or b.ndim != right:
            return None
        dt = a.dtype
        if b.dtype is dt and dt.itemsize == 2 and a.size + b.size <= MANY and is_half(dt):
            return np.asarray(matmul(a.astype(FLOAT32), b.astype(FLOAT32)), FLOAT32).astype(dt)
        if dt is COMPLEX64 and b.dtype is dt and left == right and a.shape[-1] == b.shape[-2 if right > 1 else -1]:
            return complex_product(a, b)
        return multiply(a, b) if b.dtype is dt and (dt is FLOAT32 or dt is FLOAT64) else None

    return loop


def share(x: Tensor, array: Any) -> Tensor:
    """A view of `x` that no program gets hold of: it shares the version, and is not entered among the views."""
    view = new(Tensor)
    view._array = array
    if x._cell is None:
        x._cell = Version()
    view._cell = x._cell
    view._root = x if x._root is None else x._root
    return view


def reshaped(op: Any, x: Tensor, shape: tuple) -> Tensor:
    """A contiguous tensor in another shape, by `op`, for the use of the next product only."""
    view = share(x, x._array.reshape(shape))
    if x._node is not None and here.grad_enabled:
        view._node = op.step(x._node, (x._array.shape,))
    return view


def renewed(op: Any, x: Tensor, shape: tuple) -> Tensor:
    """A result that nobody has seen yet, in another shape, by `op`."""
    if x._node is not None:
        x._node = op.step(x._node, (x._array.shape,))
    x._array = x._array.reshape(shape)
    return x


def on_gpu(a: Any, w: Any, bias: Any) -> Any:
    """``a @ w.T + bias`` on a GPU; None for what its products do not know."""
    if type(a) is not cupy_module.array_class or type(w) is not type(a):
        return None
    chosen = cupy_module.accelerator()
    if a.dtype not in chosen.KINDS:
        return None
    follow_precision()
    return chosen.product(a, w.T) if bias is None else chosen.affine(a, w, bias)


def linear(mm: Any, addmm: Any, t_operator: Any, view: Any, unsafe_view: Any, slow: Callable) -> Callable:
    """``f(input, weight, bias)`` for contiguous inputs of two or more dimensions, recorded as ``addmm(bias, input, weight.t())``
    or ``mm``, with views around them for more than two dimensions."""
    mm_class = mm.node_class(mm.node)
    addmm_class = addmm.node_class(addmm.node)
    t_class = t_operator.node_class("TBackward0")

    def function(input: Tensor = REQUIRED, weight: Tensor = REQUIRED, bias: Tensor | None = None) -> Tensor:
        try:
            a = input._array
            w = weight._array
            dt = a.dtype
            shape = None
            ours = type(a) is ndarray
            if w.dtype is not dt or (ours and dt is not FLOAT32 and dt is not FLOAT64) or w.ndim != 2 or a.ndim < 2:
                return slow(input, weight, bias)
            if bias is not None and (bias._array.dtype is not dt or bias._array.shape != w.shape[:1]):
                return slow(input, weight, bias)
            if a.ndim > 2:
                if not a.flags.c_contiguous or not a.size:
                    return slow(input, weight, bias)
                shape = (*a.shape[:-1], w.shape[0])
                a = a.reshape((-1, a.shape[-1]))
            if ours:
                r = matrices(a, w.T) if bias is None else affine(a, w.T, bias._array)
            else:
                r = on_gpu(a, w, None if bias is None else bias._array)
                if r is None:
                    return slow(input, weight, bias)
        except (AttributeError, ValueError, TypeError):
            return slow(input, weight, bias)
        first = input._node
        second = weight._node
        third = None
        if bias is not None:
            third = bias._node
        if (first is None and second is None and third is None) or not here.grad_enabled:
            return fresh(r if shape is None else r.reshape(shape))
        rows = input if shape is None else reshaped(view, input, (len(r), a.shape[-1]))
        turned = share(weight, w.T)
        if second is not None:
            second = turned._node = link(t_class, (second,))
        if first is not None:
            first = rows._node
        first_kept, second_kept = None if first is None else turned, None if second is None else rows
        kept: tuple = first_kept, a.strides, second_kept, turned._array.strides
        if bias is None:
            t = fresh(r, link(mm_class, (first, second), kept))
        else:
            kept = (1, *kept[:2], 1, *kept[2:])
            metas = ((w.shape[:1], dt), None, None) if third is not None else None
            t = fresh(r, link(addmm_class, (third, first, second), kept, metas))
        if shape is None:
            return t
        if bias is None:
            return renewed(unsafe_view, t, shape)
        result = reshaped(view, t, shape)
        attach(result, t)
        return result

    return function
