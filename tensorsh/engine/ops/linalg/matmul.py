"""Products of matrices and vectors, one by one and in batches.

The primitives are `mm mv dot bmm`; `matmul` chooses among them by the numbers of dimensions and reshapes around them exactly
as PyTorch does, so that the graph shows the same nodes. Half types are computed in float32."""

from __future__ import annotations

import math

import numpy as np

from ...arrays.backend import on_gpu
from ...arrays.cupy_module import accelerator
from ...arrays.dtype import of
from ...arrays.errors import check_factors, common_shape, cpp_name
from ...arrays.on_arrays import on_arrays
from ...arrays.state import here
from ...arrays.switches import ever
from ...arrays.type_names import type_name
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...loading import table
from ...numerics import batches, products
from ...numerics.halves import MANY, converted
from ...numerics.products import matrices
from ...operators import matmul as fast_matmul
from ...operators.composite import not_tensor
from ...operators.declare import REQUIRED, Array, composite, operator
from ...operators.forms import public
from ...operators.matmul import FLOAT32, FLOAT64, renewed, reshaped
from ...operators.out_rules import store_results
from ...tensors.tensor import Tensor
from ..shapes.shape import expand, unsafe_view, view


def is_narrow(dtype) -> bool:
    """Whether a dtype is a half type or one of float8."""
    return dtype.itemsize <= 2 and dtype.kind in "fV"


def wide(x):
    """An array as the kernels compute with it: half types in float32."""
    return converted(x, FLOAT32) if is_narrow(x.dtype) else x


half_dot = kernel("half_dot", unsuited)


def product(a, b):
    """The matrix product of arrays (at most one of them a vector, or both)."""
    if on_gpu(a) and on_gpu(b):
        return accelerator().product(a, b)
    if is_narrow(a.dtype) and not (hasattr(a, "layout") or hasattr(b, "layout")):
        if a.ndim == b.ndim == 1 and a.size > MANY and (found := half_dot(a, b)) is not None:
            return converted(found, a.dtype)
        return converted(batches.matmul(wide(a), wide(b)), a.dtype)
    if type(a) is np.ndarray is type(b) and a.dtype is FLOAT32 is b.dtype:
        kernel = products.KERNELS.get((a.ndim, b.ndim))
        if kernel is not None:
            return kernel(a, b)
    if type(a) is np.ndarray is type(b) and a.ndim and b.ndim:
        if a.dtype.kind == "c" and a.dtype == b.dtype and (r := products.complex_product(a, b)) is not None:
            return r
        return batches.matmul(a, b)
    return dotted(a, b) if a.ndim <= 2 and b.ndim <= 2 or hasattr(b, "layout") else a @ b


def dotted(a, b):
    """The product of arrays of which none is a batch, and one may be sparse."""
    return b.__rmatmul__(a) if hasattr(b, "layout") else a.dot(b)


def adjoint(t, x):
    """The conjugate transpose of matrices, in both worlds."""
    return t.adjoint(x)


@on_arrays(product)
def times(t, a, b):
    """The product of two matrices in a gradient formula."""
    return t.matmul(a, b)


def in_columns(strides) -> bool:
    """Whether a matrix lies in memory column by column, as a transposed weight does; its gradient then lies so, too."""
    return strides[0] < strides[1]


def in_order(a, b, strides):
    """The product of float matrices, column by column where a matrix of such strides lies so; None for others."""
    if a.dtype is not FLOAT32 and a.dtype is not FLOAT64:
        return None
    multiplied = matrices if type(a) is np.ndarray else product
    return multiplied(b.T, a.T).T if in_columns(strides) else multiplied(a, b)


@on_arrays(lambda g, mat2, strides: in_order(g, mat2.T, strides))
def first_gradient(t, g, mat2, input_strides):
    """The gradient of a product's first factor."""
    return t.t(times(t, t.conj(mat2), t.t(g))) if in_columns(input_strides) else times(t, g, adjoint(t, mat2))


@on_arrays(lambda g, first, strides: in_order(first.T, g, strides))
def second_gradient(t, g, input, mat2_strides):
    """The gradient of a product's second factor."""
    return t.t(times(t, t.t(g), t.conj(input))) if in_columns(mat2_strides) else times(t, adjoint(t, input), g)


@on_arrays(product)
def batched_times(t, a, b):
    """The products of the matrices of two batches in a gradient formula."""
    return t.bmm(a, b)


def check_bool(name: str, x) -> None:
    if x.dtype.kind == "b":
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")


@operator()
def mm(xp, input: Array, mat2: Array):
    """The product of two matrices, (n, k) by (k, m).
    RuntimeError: no matrices, inner sizes or dtypes that differ."""
    for name, x in (("self", input), ("mat2", mat2)):
        if x.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    check_factors(input, mat2)
    if input.dtype != mat2.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {cpp_name(input)} != {cpp_name(mat2)}")
    check_bool("addmm_impl_cpu_", input)
    return product(input, mat2)


mm.loop, mm.operands = fast_matmul.product(2, 2), 2
mm.gradient(input=first_gradient, mat2=second_gradient)


@operator()
def mv(xp, input: Array, vec: Array):
    """A matrix times a vector, (n, k) by (k,).
    (n,) of the same dtype; `matmul` or ``@`` takes stacks of them, too. RuntimeError: sizes that do not fit, dtypes
    that differ."""
    check_mv(vec if input.ndim != 2 else None, input, vec)
    check_bool("addmv_impl_cpu", input)
    return product(input, vec)


mv.loop, mv.operands = fast_matmul.product(2, 1), 2
mv.gradient(input=lambda t, g, vec: outer_product(t, g, vec), vec=lambda t, g, input: t.mv(adjoint(t, input), g))


def outer_product(t, x, y):
    """The matrix ``x y^H`` of two vectors, in a gradient formula."""
    return x.reshape((-1, 1)) * t.conj(y)


def check_mv(input, mat, vec) -> None:
    """The conditions of `mv` (`input` None) and `addmv`, in PyTorch's words."""
    ndim = 1 if input is None else input.ndim
    if mat.ndim != 2 or vec.ndim != 1 or ndim > 1:
        shown = mat.ndim if input is None or input is vec else ndim
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {1 if input is None or input is vec else shown}, {mat.ndim}, {vec.ndim}"
        )
    size = mat.shape[0] if input is None or ndim == 0 else input.shape[0]
    if mat.shape[1] != vec.shape[0] or size not in (1, mat.shape[0]):
        raise RuntimeError(
            f"size mismatch, got input ({size}), mat ({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})"
        )
    first = vec if input is None else input
    if not first.dtype == mat.dtype == vec.dtype:
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got "
            f"{of(first).short}, {of(mat).short}, and {of(vec).short}"
        )


def check_vectors(kernel: str, a, b) -> None:
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {of(a).short} and {of(b).short}")
    if a.shape != b.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of elements, "
            f"but got {a.size} and {b.size} elements respectively"
        )
    check_bool(kernel, a)


@operator()
def dot(xp, input: Array, tensor: Array):
    """The sum of the products of two vectors' elements; complex vectors are not conjugated.
    RuntimeError: no vectors, sizes or dtypes that differ."""
    check_vectors("dot", input, tensor)
    return product(input, tensor)


dot.loop, dot.operands = fast_matmul.product(1, 1), 2
dot.gradient(input=lambda t, g, tensor: g * t.conj(tensor), tensor=lambda t, g, input: g * t.conj(input))


@operator()
def vdot(xp, input: Array, other: Array):
    """The sum of conj(input) * other."""
    check_vectors("vdot", input, other)
    return product(input.conj() if input.dtype.kind == "c" else input, other)


vdot.gradient(input=lambda t, g, other: t.conj(g) * other, other=lambda t, g, input: g * input)


@operator()
def bmm(xp, input: Array, mat2: Array):
    """The products of the matrices of two batches, (b, n, k) by (b, k, m).
    RuntimeError: batches, inner sizes or dtypes that differ."""
    check_batches(input, mat2)
    check_kinds("bmm", input, mat2)
    return product(input, mat2)


bmm.loop, bmm.operands = fast_matmul.product(3, 3), 2
bmm.gradient(
    input=lambda t, g, mat2: batched_times(t, g, adjoint(t, mat2)),
    mat2=lambda t, g, input: batched_times(t, adjoint(t, input), g),
)


def check_batches(a, b) -> None:
    for name, x in (("batch1", a), ("batch2", b)):
        if x.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
            f"[{b.shape[0]}, {b.shape[1]}]."
        )


FEW_PRODUCTS = 400
"""Batches of matrices of fewer products are PyTorch's own loop, others those of its matrix products, which refuse in other words."""


def check_kinds(name: str, a, b) -> None:
    """Batches of one dtype, which is not bool."""
    large = a.shape[1] * a.shape[2] * b.shape[2] >= FEW_PRODUCTS
    if a.dtype.kind == "b" and (not large or b.dtype.kind == "b"):
        check_bool("addmm_impl_cpu_" if large else name, a)
    if a.dtype == b.dtype:
        return
    if not large:
        raise RuntimeError(f"expected scalar type {of(a).short} but found {of(b).short}")
    if b.dtype.char in "fdFD":
        raise RuntimeError(f"expected scalar type {of(b).short} but found {of(a).short}")
    if name == "bmm":
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {cpp_name(a)} != {cpp_name(b)}")
    raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {of(a).short} and {of(b).short}")


def free(a: Tensor, b: Tensor) -> bool:
    """Whether no gradient is asked for through either."""
    return not here.grad_enabled or (a._node is None and b._node is None)


def matmul_any(input: Tensor = REQUIRED, other: Tensor = REQUIRED, *, out=None) -> Tensor:
    """The product of two tensors: dot, matrix by vector, matrix by matrix, or in batches that broadcast.
    (4, 1, 2, 3) by (5, 3, 2) gives (4, 5, 2, 2). RuntimeError: inner sizes or dtypes that differ, a number."""
    if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
        raise not_tensor("matmul", input=input, other=other)
    if out is not None:
        return out_of(matmul_any(input, other), out)
    n, m = input._array.ndim, other._array.ndim
    if n == 0 or m == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {n}D and {m}D")
    if n == 1 and m == 1:
        return dot.function(input, other)
    if n == 2 and m == 1:
        return mv.function(input, other)
    if n == 1 and m == 2:
        return mm.function(input.unsqueeze(0), other).squeeze_(0)
    if n == 2 and m == 2:
        return mm.function(input, other)
    a, b = input._array, other._array
    if type(a) is type(b) is np.ndarray and b.dtype is a.dtype and (a.dtype is FLOAT32 or a.dtype is FLOAT64):
        result = plain(a, b, n, m) if free(input, other) else None
        if result is not None:
            return result
    if folds(input, other):
        return folded(input, other)
    return batched(input, other)


def plain(a, b, n: int, m: int) -> Tensor | None:
    """The product of float arrays with batches that fit, without a graph; None for all others."""
    if m == 2 and a.flags.c_contiguous and a.shape[-1] == b.shape[0] and a.size:
        result = wrap(product(a.reshape((-1, a.shape[-1])), b).reshape((*a.shape[:-1], b.shape[1])))
    elif n > 2 and a.shape[:-2] == b.shape[:-2] and a.size and b.size:
        try:
            left, right = a.reshape((-1, *a.shape[-2:])), b.reshape((-1, *b.shape[-2:]))
            result = wrap(product(left, right).reshape((*a.shape[:-1], b.shape[-1])))
        except ValueError:
            return None
    else:
        return None
    if ever and here.inference:
        result._inference = True
    return result


def out_of(result: Tensor, out: Tensor | None) -> Tensor:
    """A product, or `out` with the product written to it."""
    if out is None:
        return result
    if not isinstance(out, Tensor):
        raise TypeError(f"matmul(): argument 'out' must be Tensor, not {type_name(out)}")
    store_results("mm" if result.ndim else "dot", [result._array], [out], result._node is not None, title="matmul")
    return out


def folds(a: Tensor, b: Tensor) -> bool:
    """Whether the larger operand's leading dimensions are folded into rows of one matrix."""
    large, small = (a, b) if a._array.ndim >= b._array.ndim else (b, a)
    if large._array.ndim < 3 or small._array.ndim > 2:
        return False
    if small._node is not None and here.grad_enabled:
        return True
    if a._array.ndim == 2:
        return False
    array = large._array if large is a else large._array.swapaxes(-1, -2)
    if array.size == 0:
        return True
    return all(array.strides[i] == array.strides[i + 1] * array.shape[i + 1] for i in range(array.ndim - 2))


def folded(input: Tensor, other: Tensor) -> Tensor:
    turned = other._array.ndim > input._array.ndim
    large = other.transpose(-2, -1) if turned else input
    small = other if not turned else input.t() if input._array.ndim == 2 else input
    shape = large._array.shape
    flat = (math.prod(shape[:-1]), shape[-1])
    rows = reshaped(view, large, flat) if large._array.flags.c_contiguous else large.reshape(flat)
    if small._array.ndim == 1:
        return renewed(unsafe_view, mv.function(rows, small), shape[:-1])
    result = renewed(unsafe_view, mm.function(rows, small), (*shape[:-1], small._array.shape[1]))
    return result.transpose(-2, -1).contiguous() if turned else result


def batched(input: Tensor, other: Tensor) -> Tensor:
    a, b = input._array, other._array
    n, m = a.ndim, b.ndim
    if n == 3 and m == 3 and a.shape[0] != b.shape[0]:
        # A batch of one goes the folded way, where that spares the other's gradient a copy.
        if a.shape[0] == 1 and input._node is not None and here.grad_enabled:
            return matmul_any(input.squeeze(0), other)
        if b.shape[0] == 1 and other._node is not None and here.grad_enabled:
            return matmul_any(input, other.squeeze(0))
    batch = common_shape(a.shape[:-2], b.shape[:-2] if m > 1 else ())
    rows = a.shape[-2] if n > 1 else 1
    left = stacked(input, (*batch, rows, a.shape[-1]))
    column = other if m > 1 else other.unsqueeze(1)
    inner, columns = column._array.shape[-2:]
    right = stacked(column, (*batch, inner, columns))
    result = bmm.function(left, right)
    if m == 1:
        result = result.squeeze(-1)
    shape = (*batch, *([rows] if n > 1 else []), *([columns] if m > 1 else []))
    return renewed(unsafe_view, result, shape) if m > 1 else unsafe_view.function(result, shape)


def stacked(x: Tensor, shape: tuple) -> Tensor:
    """A tensor broadcast to a shape, as one batch of matrices for the next product."""
    batch = (math.prod(shape[:-2]), *shape[-2:])
    if x._array.shape != shape or not x._array.flags.c_contiguous:
        return x.expand(shape).reshape(batch)
    return reshaped(view, reshaped(expand, x, shape), batch)


matmul_any.__name__ = matmul_any.__qualname__ = "matmul"
composite("matmul linalg.matmul", method="matmul", dtypes=False, out=False, executor=mm)(matmul_any)
matmul = table.FUNCTIONS["matmul"]


def matmul_operator(self: Tensor, other) -> Tensor:
    return matmul_any(self, other) if isinstance(other, Tensor) else NotImplemented


Tensor.__matmul__ = public("Tensor.__matmul__", lambda args, kwargs: matmul_operator(*args, **kwargs), executor=mm)
Tensor.__rmatmul__ = lambda self, other: matmul_any(other, self) if isinstance(other, Tensor) else NotImplemented
