"""``torch.masked``: reductions and normalisations that leave out the elements where a mask is False.

Elements left out are replaced by what changes nothing: 0 for sums, 1 for products, the lowest value for maxima.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtype import FLOAT
from ..operator import composite
from ..table import find_function
from ..tensor import Tensor, wrap


def where(mask: Any, input: Tensor, value: Any) -> Tensor:
    """The input with `value` where the mask is False."""
    if mask is None:
        return input
    if mask.ndim > input.ndim:
        raise IndexError("mask tensor has more dimensions than the input")
    return find_function("where")(mask.expand(input.shape), input, wrap(np.asarray(value, input._array.dtype)))


def lowest(input: Tensor) -> Any:
    from ..dtype import iinfo

    d = input.dtype
    return -float("inf") if d.category == FLOAT else iinfo(d).min if d.category else False


def highest(input: Tensor) -> Any:
    from ..dtype import iinfo

    d = input.dtype
    return float("inf") if d.category == FLOAT else iinfo(d).max if d.category else True


def all_dims(input: Tensor, dim: Any) -> tuple:
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(input.ndim))
    return (dim,) if isinstance(dim, int) else tuple(dim)


def typed(input: Tensor, dtype: Any) -> Tensor:
    return input if dtype is None else input.to(dtype)


def counted(input: Tensor, mask: Any, dims: tuple, keepdim: bool) -> Tensor:
    ones = find_function("ones_like")(input, dtype=find_function("tensor")(0).dtype)
    return where(mask, ones, 0).sum(dims, keepdim=keepdim) if dims else where(mask, ones, 0)


@composite("masked.sum", method=False)
def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The sum of the elements a mask keeps."""
    x = where(mask, typed(input, dtype), 0)
    dims = all_dims(x, dim)
    return x.sum(dims, keepdim=keepdim) if dims else x.sum()


@composite("masked.prod", method=False)
def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The product of the elements a mask keeps."""
    x = where(mask, typed(input, dtype), 1)
    if x.dtype.category < FLOAT and dtype is None:
        x = x.long()
    for d in sorted((d % max(x.ndim, 1) for d in all_dims(x, dim)), reverse=True):
        x = x.prod(d, keepdim=keepdim)
    return x


@composite("masked.mean", method=False)
def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The mean of the elements a mask keeps."""
    x = typed(input, dtype)
    if x.dtype.category < FLOAT:
        raise ValueError(
            "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            f"{x.dtype}"
        )
    dims = all_dims(x, dim)
    return sum(x, dims, keepdim=keepdim, mask=mask) / counted(x, mask, dims, keepdim)


@composite("masked.amax", method=False)
def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest of the elements a mask keeps; ties share the gradient."""
    x = typed(input, dtype)
    return where(mask, x, lowest(x)).amax(all_dims(x, dim), keepdim)


@composite("masked.amin", method=False)
def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest of the elements a mask keeps; ties share the gradient."""
    x = typed(input, dtype)
    return where(mask, x, highest(x)).amin(all_dims(x, dim), keepdim)


@composite("masked.argmax", method=False)
def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The index of the largest of the elements a mask keeps."""
    x = typed(input, dtype)
    return where(mask, x, lowest(x)).argmax(dim, keepdim).to(x.dtype)  # PyTorch's odd choice


@composite("masked.argmin", method=False)
def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The index of the smallest of the elements a mask keeps."""
    x = typed(input, dtype)
    return where(mask, x, highest(x)).argmin(dim, keepdim).to(x.dtype)


@composite("masked.cumsum", method=False)
def cumsum(input, dim, *, dtype=None, mask=None):
    """Running sums of the elements a mask keeps."""
    return where(mask, typed(input, dtype), 0).cumsum(dim)


@composite("masked.cumprod", method=False)
def cumprod(input, dim, *, dtype=None, mask=None):
    """Running products of the elements a mask keeps."""
    return where(mask, typed(input, dtype), 1).cumprod(dim)


@composite("masked.median", method=False)
def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The median of the elements a mask keeps."""
    x = typed(input, dtype)
    whole = x.ndim == 0
    x = x.unsqueeze(0) if whole else x
    if mask is None:
        return x.nanmedian(dim, keepdim).values
    nans = x.isnan().any(dim, keepdim=True)
    values = where(mask.unsqueeze(0) if whole and mask.ndim == 0 else mask, x, float("nan")).nanmedian(dim, True).values
    values = values.masked_fill(nans, float("nan"))
    return values if keepdim else values.squeeze(dim)


@composite("masked.norm", method=False)
def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The vector norm of the elements a mask keeps."""
    x = typed(input, dtype)
    fill = float("inf") if ord == -float("inf") or ord < 0 else 0
    dims = all_dims(x, dim)
    return find_function("linalg.vector_norm")(where(mask, x, fill), ord, dims, keepdim)


def _variance(input, dim, correction, keepdim, dtype, mask):
    x = typed(input, dtype)
    if x.dtype.category < FLOAT:
        x = x.float()
    dims = all_dims(x, dim)
    n = counted(x, mask, dims, True)
    centre = sum(x, dims, keepdim=True, mask=mask) / n
    off = x - centre
    total = sum(off * off.conj(), dims, keepdim=keepdim, mask=mask)
    if x.dtype.is_complex:
        total = total.real
    n = n if keepdim or not dims else n.sum(dims)
    if correction:
        n = (n.to(total.dtype) - correction).clamp_min(0)  # An integer less a float would be float32.
    return (total / n).to(x.dtype)


@composite("masked.var", method=False)
def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The variance of the elements a mask keeps."""
    return _variance(input, dim, _corrected(unbiased, correction), keepdim, dtype, mask)


@composite("masked.std", method=False)
def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The standard deviation of the elements a mask keeps."""
    return _variance(input, dim, _corrected(unbiased, correction), keepdim, dtype, mask).sqrt()


def _corrected(unbiased: Any, correction: Any) -> Any:
    return correction if correction is not None else 1 if unbiased is None or unbiased else 0


@composite("masked.softmax", method=False)
def softmax(input, dim, *, dtype=None, mask=None):
    """Softmax over the elements a mask keeps."""
    return where(mask, typed(input, dtype), -float("inf")).softmax(dim)


@composite("masked.log_softmax", method=False)
def log_softmax(input, dim, *, dtype=None, mask=None):
    """Log-softmax over the elements a mask keeps."""
    return where(mask, typed(input, dtype), -float("inf")).log_softmax(dim)


@composite("masked.softmin", method=False)
def softmin(input, dim, *, dtype=None, mask=None):
    """Softmin over the elements a mask keeps."""
    return (-where(mask, typed(input, dtype), float("inf"))).softmax(dim)


@composite("masked.logsumexp", method=False)
def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The logarithm of the sum of exponentials of the elements a mask keeps."""
    x = typed(input, dtype)
    return (
        where(mask, x, -float("inf") if x.dtype.category >= FLOAT else lowest(x))
        .logsumexp(all_dims(x, dim), keepdim)
        .to(x.dtype)
    )


@composite("masked.logaddexp", method=False)
def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """log(exp(input) + exp(other)) with masked elements counting as minus infinity."""
    x, y = (where(m, typed(v, dtype), -float("inf")) for m, v in ((input_mask, input), (other_mask, other)))
    return find_function("logaddexp")(x, y)


@composite("masked.normalize", method=False)
def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """Vectors divided by the norm of the elements a mask keeps."""
    x = where(mask, typed(input, dtype), 0)
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return x / length.maximum(find_function("tensor")(eps, dtype=length.dtype))
