"""The linear and the bilinear layer's functions."""

from __future__ import annotations

import math

import numpy as np

from ...arrays.errors import cpp_name, fits_into, length, not_implemented
from ...operators import matmul as fast_matmul
from ...operators.composite import not_tensor
from ...operators.declare import REQUIRED, Array, composite, operator
from ...tensors.tensor import Tensor
from ..linalg.matmul import matmul, mm
from ..linalg.matmul_add import addmm
from ..shapes.shape import t, unsafe_view, view


def linear_any(input: Tensor = REQUIRED, weight: Tensor = REQUIRED, bias: Tensor | None = None) -> Tensor:
    """`linear` for inputs of any number of dimensions."""
    if not (isinstance(input, Tensor) and isinstance(weight, Tensor)):
        raise not_tensor("linear", input=input, weight=weight)
    n, m = input._array.ndim, weight._array.ndim
    if n == 0 or m == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {n}D and {m}D")
    if bias is None:
        return matmul(input, weight.t())
    layout = getattr(weight._array, "layout", None)
    if layout is not None and (n != 2 or str(layout) != "torch.sparse_coo"):
        return matmul(input, weight.t()) + bias
    shape = input._array.shape
    if n == 2 or m > 2:
        return addmm.function(bias, input, weight.t())
    if input._array.flags.c_contiguous and (
        bias._array.ndim == 1 or n == bias._array.ndim - 1 == len(bias._array) == 1
    ):
        rows = input.view((-1 if input._array.size else int(np.prod(shape[:-1])), shape[-1]))
        return addmm.function(bias, rows, weight.t()).view((*shape[:-1], weight._array.shape[0]))
    product = matmul(input, weight.t())
    fits_into(product._array.shape, bias._array.shape)  # the bias is added in place
    return product + bias


linear = composite("nn.functional.linear", method=False)(
    fast_matmul.linear(mm, addmm, t, view, unsafe_view, linear_any)
)
linear.__name__ = linear.__qualname__ = linear._operator.name = "linear"
linear.__doc__ = """``input @ weight.T + bias``: (..., in), (out, in), (out,) give (..., out).

`bias` may be left out; a `weight` of one dimension gives (...) without the last. The three have one dtype, which the result
has, too. Gradients reach all of them. RuntimeError: sizes that do not fit, dtypes that differ."""


@operator("_trilinear", method=False, node="TrilinearBackward0", wide=True)
def trilinear(xp, input1: Array, weight: Array, input2: Array):
    """``sum_ij input1[b, i] weight[o, i, j] input2[b, j]``, (b, o)."""
    return xp.ascontiguousarray(xp.sum(xp.matmul(input1, weight) * input2, axis=-1, dtype=input1.dtype).T)


trilinear.gradient(
    input1=lambda t, g, weight, input2: t.einsum("bo,oij,bj->bi", g, t.conj(weight), t.conj(input2)),
    weight=lambda t, g, input1, input2: t.einsum("bo,bi,bj->oij", g, t.conj(input1), t.conj(input2)),
    input2=lambda t, g, input1, weight: t.einsum("bo,bi,oij->bj", g, t.conj(input1), t.conj(weight)),
)


@composite("nn.functional.bilinear bilinear", method=False)
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x1^T W_o x2 + b_o`` for each output o: (..., i), (..., j), (o, i, j), (o,) give (..., o)."""
    a, b, w = input1._array, input2._array, weight._array
    named = {"input1": a, "input2": b, "weight": w} | ({} if bias is None else {"bias": bias._array})
    if any(x.dtype != a.dtype for x in named.values()):
        shown = ", ".join(f"{name}: {cpp_name(x)}" for name, x in named.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {shown}")
    if a.ndim != b.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {a.ndim} and {b.ndim}")
    for d in range(a.ndim - 1):
        if a.shape[d] != b.shape[d]:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {d}: got {a.shape[d]} and {b.shape[d]}"
            )
    for number, x in ((1, a), (2, b)):
        if x.shape[-1] != length(w.shape, number):
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {x.shape[-1]} but expected {w.shape[number]}"
            )
    if bias is not None and length(bias._array.shape, 0) != w.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._array.shape[0]} but expected {w.shape[0]}"
        )
    if a.dtype.kind == "b":
        raise not_implemented("bmm", a)
    count = math.prod(a.shape[:-1])
    x, y = input1.reshape((count, a.shape[-1])), input2.reshape((count, b.shape[-1]))
    result = trilinear.function(x, weight, y).reshape((*a.shape[:-1], w.shape[0]))
    return result if bias is None else result + bias
