"""Arrays one behind another, however they lie in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.constants import undispatched
from ..arrays.dtype import COMPLEX_HALF
from ..arrays.layout import channels_are_last, channels_before, channels_behind, joined
from ..arrays.parallel import lay
from ..kernels import kernel, unsuited

concatenate = undispatched(np.concatenate)
join = kernel("join", unsuited)  # of few elements, or short lines


def together(xp: Any, arrays: list, dim: int) -> Any:
    """Arrays one behind another, in row order, or with the channels last where all of them have, without a second copy."""
    first = arrays[0]
    plain = xp is np and all([type(a) is np.ndarray for a in arrays]) and first.dtype is not COMPLEX_HALF
    if not plain:
        return joined(xp.concatenate(arrays, dim), arrays)
    if all([a.flags.c_contiguous for a in arrays]):
        found = join(arrays, dim)
        return joined(concatenate(arrays, dim) if found is None else found, arrays)
    if any([a.ndim != first.ndim for a in arrays]) or not -first.ndim <= dim < first.ndim:
        raise ValueError
    if all(map(channels_are_last, arrays)):
        at = (0, first.ndim - 1, *range(1, first.ndim - 1))[dim]
        return channels_before(by_rows([channels_behind(a) for a in arrays], at))
    return by_rows(arrays, dim)


def by_rows(arrays: list, dim: int) -> Any:
    """The same in row order."""
    shape = list(arrays[0].shape)
    shape[dim] = sum([a.shape[dim] for a in arrays])
    found = join(arrays, dim)
    return beside(arrays, dim, np.empty(shape, arrays[0].dtype)) if found is None else found


def beside(arrays: list, dim: int, out: Any) -> Any:
    """Arrays that lie in any way, one behind another in memory of their own."""
    at, before = 0, (slice(None),) * (dim := dim % out.ndim)
    around = out.dtype, out.shape[:dim], out.shape[dim + 1 :]
    if any([around != (a.dtype, a.shape[:dim], a.shape[dim + 1 :]) for a in arrays]):
        return np.concatenate(arrays, dim, out=out)
    for a in arrays:
        lay(out[(*before, slice(at, at + a.shape[dim]))], a)
        at += a.shape[dim]
    return out
