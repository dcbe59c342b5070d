"""What computes an operator's results on the meta device, and which operators are refused there.

The formula itself, on arrays without elements. A matrix function, whose formula is LAPACK's, runs on the CPU on made-up
numbers: its results have sizes of its operands, so that smaller sizes in the same order do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.backend import device_of, flat
from ..arrays.deferred import RULES, bits
from ..arrays.device import META
from .array import MetaArray, ordered_strides
from .operators import OPERATORS
from .refusals import refusal

REFUSED = {
    "_nonzero": "nonzero", "masked_select": "masked_select", "_unique_dim": "unique_dim", "_unique_consecutive": "unique_consecutive",
}  # fmt: skip
"""Operators whose results have as many elements as values say, with PyTorch's name for them."""


def kernel_of(op: Any, arrays: list) -> Callable:
    """What takes the place of an operator's kernel. The operands are brought to the meta device."""
    name = op.names[0]
    if name in REFUSED:
        raise refusal(REFUSED[name])
    for i in op.tensors:
        arrays[i] = here(arrays[i])
    own = OPERATORS.get(name)
    if name in RULES and any(bits(arrays[op.tensors[0]])):
        rule = RULES[name]
        return lambda xp, *given: rule(*given)

    def run(xp: Any, *given: Any, **options: Any) -> Any:
        if own is None and op.hosted and name not in NATIVE:
            return smaller(op, given, options)
        return absent(given, (own or op.kernel)(xp, *given, **options))

    return run


def here(x: Any) -> Any:
    """An operand on the meta device: numbers stay what they are."""
    if type(x) is np.ndarray:
        return x[()] if not x.ndim else placed(x)
    return [here(y) for y in x] if isinstance(x, list) else x


def placed(array: Any) -> MetaArray:
    """An array of the CPU, or a GPU, on the meta device."""
    if isinstance(array, MetaArray):
        return array
    return MetaArray(array.shape, array.dtype, None, array.strides if array.size else None)


def absent(given: Any, found: Any) -> Any:
    """A kernel's results with those without elements that it made on the CPU; what it was given stays what it is."""
    if isinstance(found, (tuple, list)):
        many = [absent(given, f) for f in found]
        return type(found)(*many) if hasattr(found, "_fields") else type(found)(many)
    return emptied(found) if isinstance(found, (np.ndarray, np.generic)) else found


NATIVE = frozenset(
    "linalg.cross topk kthvalue mode cummax cummin logcumsumexp hash_tensor _ctc_loss "
    "poisson _sample_dirichlet _standard_gamma _segments _segments_spread".split()
)
"""Operators that run on the CPU for a GPU's arrays, but are no matrix functions: the sizes of their results come from elsewhere too."""


def made_up(x: Any, whole: int = 0) -> Any:
    """An argument with numbers in the place of those that are not there: the unit matrix, `whole` for integers."""
    if isinstance(x, MetaArray):
        if x.dtype.kind in "biu":
            return np.full(x.shape, whole, x.dtype)
        if x.ndim > 1 and x.shape[-1] == x.shape[-2]:
            return np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape).copy()
        return np.ones(x.shape, x.dtype)
    if type(x) in (list, tuple):
        return type(x)([made_up(y, whole) for y in x])
    if isinstance(x, dict):
        return {k: made_up(v, whole) for k, v in x.items()}
    return x


def emptied(found: Any) -> Any:
    """A result without its elements."""
    if isinstance(found, (np.ndarray, np.generic)):
        found = np.asarray(found)
        return MetaArray(found.shape, found.dtype, None, found.strides if found.size else None)
    if isinstance(found, (list, tuple)):
        many = [emptied(f) for f in found]
        return type(found)(*many) if hasattr(found, "_fields") else type(found)(many)
    return found


def smaller(op: Any, given: tuple, options: dict) -> Any:
    """The shapes of a matrix function's results, from a run with smaller sizes in the same order: small ones stay what they are."""
    given = tuple([getattr(x, "_array", x) for x in given])
    operands = [x for x in flat([*given, *options.values()]) if isinstance(x, (MetaArray, np.ndarray))]
    there = {0: 0, 1: 1}
    least = 1
    for n in sorted({n for x in operands for n in x.shape if n > 1}):
        there[n] = least = n if n < 7 else max(least + 2, 7)
    if all(x.size <= 4096 for x in operands):
        there = {n: n for n in there} | {n: n for x in operands for n in x.shape}
    back = {v: k for k, v in there.items()}
    whole = [1]

    def less(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)(map(less, x))
        if isinstance(x, (MetaArray, np.ndarray)) and x.ndim:
            return made_up(MetaArray([there[n] for n in x.shape], x.dtype), whole[0])
        return made_up(x, whole[0])

    def more(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            many = [more(y) for y in x]
            return type(x)(*many) if hasattr(x, "_fields") else type(x)(many)
        if not isinstance(x, (np.ndarray, np.generic)):
            return x
        x = np.asarray(x)
        shape = [back.get(n, n) for n in x.shape]
        order = sorted(range(x.ndim), key=lambda i: -x.strides[i])
        if shape == list(x.shape):
            return MetaArray(shape, x.dtype, None, x.strides if x.size else None)
        return MetaArray(shape, x.dtype, None, ordered_strides(tuple(shape), order, x.dtype.itemsize))

    with np.errstate(all="ignore"):
        try:
            return more(op.kernel(np, *map(less, given), **{k: less(v) for k, v in options.items()}))
        except (IndexError, RuntimeError):  # places counted from 0
            whole[0] = 0
            return more(op.kernel(np, *map(less, given), **{k: less(v) for k, v in options.items()}))


MIXED = frozenset(
    "mm bmm matmul _convolution gather index_select _index take _embedding _scatter _scatter_number "
    "_scatter_reduced scatter_add".split()
)
"""Operators that take what lies on the CPU beside a first operand of the meta device: factors and indices."""


def check_mixing(op: Any, arrays: Any, places: list) -> None:
    """Refuse operands of several devices, in PyTorch's words, but where the first lies on the meta device and the operator does
    not compare them."""
    if op is not None and op.names[0] in REFUSED:
        raise refusal(REFUSED[op.names[0]])
    first = places[0]
    if first is META and (op is None or op.names[0] in MIXED):
        return
    if op is not None and op.names[0] == "addmm":
        first = places[1]
    told = [device_of(x) for x in flat(arrays) if getattr(x, "ndim", 0)] or places
    first = told[0] if op is None or op.promote is not None else first
    raise RuntimeError(
        f"Tensor on device {next(p for p in places if p != first)} is not on the expected device {first}!"
    )
