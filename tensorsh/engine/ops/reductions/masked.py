"""``torch.masked``: reductions and normalisations that leave out the elements where a mask is False.

Elements left out are replaced by what changes nothing: 0 for sums, 1 for products, the lowest value for maxima."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.dtype import COMPLEX, FLOAT, bool_, float32, iinfo, int64
from ...graph.fields import wrap
from ...loading.table import find_function
from ...operators.declare import composite
from ...tensors.tensor import Tensor


def where(mask: Any, input: Tensor, value: Any) -> Tensor:
    """The input with `value` where the mask is False."""
    if mask is None:
        return input
    mask = expanded_mask(mask, input)
    return find_function("where")(mask, input, wrap(np.asarray(value, input._array.dtype)))


def expanded_mask(mask: Any, input: Tensor) -> Tensor:
    """A mask in the shape of the input."""
    strided = input.layout
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
            )
        if mask.layout is strided:
            mask = find_function("broadcast_to")(mask, input.shape)
    return mask.to(dtype=bool_)


def lowest(input: Tensor) -> Any:
    d = input.dtype
    return -float("inf") if d.category in (FLOAT, COMPLEX) else iinfo(d).min if d.category else False


def highest(input: Tensor) -> Any:
    d = input.dtype
    return float("inf") if d.category in (FLOAT, COMPLEX) else iinfo(d).max if d.category else True


def all_dims(dim: Any, ndim: int) -> tuple:
    """The dimensions to reduce, checked; all where none is given."""
    if dim is None or (isinstance(dim, tuple) and not dim):
        return tuple(range(ndim))
    ndim = max(ndim, 1)
    dims: list[int] = []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in dims:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if d >= ndim or d < -ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {d})")
        dims.append(d % ndim)
    return tuple(sorted(dims))


def counted(input: Tensor, mask: Any, dims: tuple, keepdim: bool) -> Tensor:
    ones = find_function("ones_like")(input, dtype=find_function("tensor")(0).dtype)
    return where(mask, ones, 0).sum(dims, keepdim=keepdim) if dims else where(mask, ones, 0)


def summed(input: Tensor, dtype: Any) -> Any:
    """The dtype of sums and products: narrow integers give int64."""
    if dtype is not None:
        return dtype
    input.layout  # noqa: B018 (what is no tensor is found out here)
    return int64 if input.dtype.category < FLOAT else input.dtype


@composite("masked.sum", method=False)
def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The sum of the elements a mask keeps."""
    dtype = summed(input, dtype)
    dims = all_dims(dim, input.ndim)
    x = where(mask, input, 0)
    return find_function("sum")(x, dims, bool(keepdim), dtype=dtype)


@composite("masked.prod", method=False)
def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The product of the elements a mask keeps."""
    dtype = summed(input, dtype)
    dims = all_dims(dim, input.ndim)
    x = where(mask, input, 1).to(dtype=dtype)
    for d in reversed(dims):
        x = x.prod(dim=d, keepdim=bool(keepdim))
    return x


@composite("masked.mean", method=False)
def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The mean of the elements a mask keeps."""
    source, dtype = ("Input", input.dtype) if dtype is None else ("Optional", dtype)
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or complex dtype. Got: {dtype}"
        )
    mask = None if mask is None else expanded_mask(mask, input)
    dims = all_dims(dim, input.ndim)
    return sum(input, dims, keepdim=keepdim, dtype=dtype, mask=mask) / counted(input, mask, dims, bool(keepdim))


def publish(name: str, function: Any, doc: str) -> None:
    """Declare a function of `torch.masked` made for a name."""
    function.__doc__ = doc
    composite(f"masked.{name}", method=False)(function)


def masked_extremum(name: str, fill: Any, doc: str) -> None:
    def function(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        dtype = input.dtype if dtype is None else dtype
        x = where(mask, input, None if mask is None else fill(input))
        dims = dim if name[:3] == "arg" else all_dims(dim, x.ndim)
        return find_function(name)(x, dims, bool(keepdim)).to(dtype=dtype)

    publish(name, function, doc)


masked_extremum("amax", lowest, "The largest of the elements a mask keeps; ties share the gradient.")
masked_extremum("amin", highest, "The smallest of the elements a mask keeps; ties share the gradient.")
masked_extremum("argmax", lowest, "The index of the largest of the elements a mask keeps, in the dtype of the input.")
masked_extremum("argmin", highest, "The index of the smallest of the elements a mask keeps, in the dtype of the input.")


def running(name: str, neutral: int, doc: str) -> None:
    def function(input, dim, *, dtype=None, mask=None):
        dtype = input.dtype if dtype is None else dtype
        axis = all_dims(dim, input.ndim)[0]
        return getattr(where(mask, input, neutral), name)(axis, dtype=dtype).to(dtype=dtype)

    publish(name, function, doc)


running("cumsum", 0, "Running sums of the elements a mask keeps.")
running("cumprod", 1, "Running products of the elements a mask keeps.")


@composite("masked.median", method=False)
def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The median of the elements a mask keeps."""
    dtype = input.dtype if dtype is None else dtype
    axis = all_dims(dim, input.ndim)[0]
    whole = not input.dtype.is_floating_point
    x = input.to(dtype=float32) if whole else input
    values = where(mask, x, float("nan")).nanmedian(axis, keepdim).values
    if not whole:
        return values
    if values.isnan().any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return values.to(dtype=dtype)


@composite("masked.norm", method=False)
def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The vector norm of the elements a mask keeps."""
    input.dtype  # noqa: B018 (what is no tensor is found out here)
    dtype = None if dtype is None or dtype is input.dtype else dtype
    x = input if mask is None else where(mask, input, float("inf") if ord < 0 else 0)
    return find_function("linalg.vector_norm")(x, ord, all_dims(dim, input.ndim), bool(keepdim), dtype=dtype)


def _variance(input, dim, unbiased, correction, keepdim, dtype, mask):
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    less = float(correction) if correction is not None else 1.0 if unbiased is None or unbiased else 0.0
    if dtype is None:
        dtype = input.dtype
        if not (dtype.is_floating_point or dtype.is_complex):
            dtype = float32
    kind = dtype if dtype.is_floating_point or dtype.is_complex else float32
    mask = None if mask is None else expanded_mask(mask, input)
    dims = all_dims(dim, input.ndim)
    n = counted(input, mask, dims, True)
    off = find_function("subtract")(input, sum(input, dims, keepdim=True, dtype=dtype, mask=mask) / n)
    total = sum(off * off.conj(), dims, keepdim=keepdim, dtype=kind, mask=mask)
    n = n if keepdim or not dims else n.sum(dims)
    if less:
        n = (n.to(total.dtype.to_real() if total.dtype.is_complex else total.dtype) - less).clamp_min(
            0
        )  # An integer less a float would be float32.
    return (total / n).to(dtype)


@composite("masked.var", method=False)
def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The variance of the elements a mask keeps."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)


@composite("masked.std", method=False)
def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The standard deviation of the elements a mask keeps."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()


def soft(name: str, fill: Any, doc: str) -> None:
    def function(input, dim, *, dtype=None, mask=None):
        dtype = input.dtype if dtype is None else dtype
        axis = all_dims(dim, input.ndim)[0]
        x = where(mask, input, None if mask is None else fill(input))
        return find_function(f"nn.functional.{name}")(x, axis, dtype=dtype)

    publish(name, function, doc)


soft("softmax", lowest, "Softmax over the elements a mask keeps.")
soft("log_softmax", lowest, "Log-softmax over the elements a mask keeps.")
soft("softmin", highest, "Softmin over the elements a mask keeps.")


@composite("masked.logsumexp", method=False)
def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The logarithm of the sum of exponentials of the elements a mask keeps."""
    dtype = input.dtype if dtype is None else dtype
    dims = all_dims(dim, input.ndim)
    x = where(mask, input, None if mask is None else lowest(input))
    return x.logsumexp(dims, keepdim=keepdim).to(dtype=dtype)


@composite("masked.logaddexp", method=False)
def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """log(exp(input) + exp(other)) with masked elements counting as minus infinity."""
    dtype = input.dtype if dtype is None else dtype
    input.layout, other.layout  # noqa: B018 (what is no tensor is found out here)
    x, y = (where(m, v, None if m is None else lowest(v)) for m, v in ((input_mask, input), (other_mask, other)))
    return find_function("logaddexp")(x, y).to(dtype=dtype)


@composite("masked.normalize", method=False)
def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """Vectors divided by the norm of the elements a mask keeps."""
    dtype = input.dtype if dtype is None else dtype
    x = where(mask, input, 0)
    input.layout  # noqa: B018 (what is no tensor is found out here)
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return find_function("divide")(x, find_function("maximum")(length, length.new_full([], eps)))
