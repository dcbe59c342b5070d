"""Array functions of elementwise operators, and the forms made from them: the function, the in-place method, Python's operators.

Small tensors are the common case: their arrays go to the inner loop of a ufunc (`loop`), which answers None to whatever is
not small, contiguous and of one usual dtype. Larger float arrays go to the ufunc itself (`fast`), large ones of half types
to a kernel that computes in single precision and arrays of any one dtype to the ufunc (`same`), everything else to the operator's own function.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ..arrays.constants import (
    ABSENT,
    EXACT_SIZE,
    FLOAT32,
    FLOAT64,
    FLOATS32,
    FLOATS64,
    INT64,
    NUMBERS,
    UNUSUAL,
    WHOLE32,
    WHOLE64,
)
from ..arrays.door import ASKED
from ..arrays.extents import meets
from ..arrays.layout import dense_as, is_expanded
from ..arrays.parallel import lay
from ..arrays.state import here
from ..arrays.switches import ever
from ..graph.fields import Version
from ..kernels import PRECISE, kernel
from ..numerics.halves import by_table, computed, number
from ..tensors.inplace import write
from ..tensors.tensor import Tensor

KERNEL: Any = "kernel"
"""For `ufunc`: the operator's own function is its fastest way."""


def enter(op: Any, ufunc: Any, options: dict) -> None:
    """Enter the array functions of an operator that has a ufunc in its record. What is several steps in double has no loop there."""
    many = len(op.tensors) == 2
    single = len(op.params) == 1
    loops: tuple = ()
    if ufunc is not KERNEL:
        exact = options.get("exact", False)
        op.fast = precisely(ufunc, options) if exact else at_default(ufunc, op.rest) if many and op.rest else ufunc
        if many or single:
            precise = PRECISE.get(options.get("precise", ufunc)) if exact else None
            loop = options.get("loop", precise if exact else ufunc)
            double = loop if type(loop) is type(ufunc) is np.ufunc and loop.ntypes > 1 else ufunc
            loops = () if many else (loop, double)
            whole = many and not options.get("floats", False)
            halves = op.wide and (op.check is None or op.takes_floats)
            numbers, exact = many and op.scalars, halves + (halves and op.exact_numbers)
            op.loop = loop_of(1 + many, loop, double, ufunc if whole else None, numbers, exact)
        if many:
            op.same = on_one_dtype(op, ufunc, options)
        elif single and op.wide and (op.check is None or op.takes_floats):
            op.same = partial(computed, loop or ufunc)
    if len(op.tensors) == 1 and op.wide and (ufunc is KERNEL or options.get("exact", False)):
        op.same = by_table(op, op.same)
    if many:
        loops = () if ufunc is KERNEL or options.get("exact", False) else (ufunc, ufunc)
    op.within = partial(within, op, dict(zip((FLOAT32, FLOAT64), loops, strict=False)))
    if many:
        op.shorten_inplace = partial(inplace_of, op, inplace(op, ufunc, options))
    op.operands = 0 if op.loop is None else 2 if many else 1


def within(op: Any, loops: dict, arrays: list, to: Any = None) -> Callable | None:
    """What computes a function of each element of a large array, or of two, in the first one's own memory or in `to`: one ufunc, of
    arrays and numbers. None where it is several steps, or another dtype comes of it."""
    x, *rest = arrays
    to = x if to is None else to
    if type(x) is not np.ndarray or not to.flags.carray or to.dtype is not x.dtype or to.shape != x.shape:
        return None
    dtype, ufunc = x.dtype, loops.get(x.dtype)
    numbers: tuple = ()
    if len(op.tensors) == 2:
        y, *rest = rest
        if op.scalars and (type(y) is float or type(y) is int) and dtype in loops:
            y = dtype.type(y)
        elif type(y) is not np.ndarray or y.dtype is not dtype or y.shape != x.shape:
            return None
        if rest != list(op.rest):
            return None
        numbers = (y,)
    elif any(type(y) is np.ndarray for y in rest):
        return None
    elif ufunc is None:
        operands = getattr(op.same, "operands", None)
        given = None if operands is None or dtype not in (FLOAT32, FLOAT64) else operands(*arrays)
        if given is None or op.same.ufunc is None or given[0] is not x or dtype is FLOAT64 and op.same.ufunc.ntypes < 2:
            return None
        ufunc, numbers = op.same.ufunc, tuple(map(dtype.type, given[1:]))
    return partial(ufunc, x, *numbers, out=to) if type(ufunc) is np.ufunc and keeps(ufunc, dtype) else None


@cache
def keeps(ufunc: np.ufunc, dtype: Any) -> bool:
    """Whether operands of a dtype have a result of it."""
    try:
        return ufunc.resolve_dtypes((*[dtype] * ufunc.nin, None))[-1] is dtype
    except TypeError:
        return False


def loop_of(inputs: int, single: Any, double: Any, whole: Any, numbers: bool, halves: int) -> Any:
    """The inner loops of the ufuncs of three dtypes; None without kernels. halves: whether float32's computes half types too;
    2: with numbers that are not rounded to them."""
    made = kernel("Loop")
    ufuncs = [u if type(u) is np.ufunc else None for u in (single, double, whole)]
    return None if made is None or ufuncs[0] is None else made(inputs, *ufuncs, numbers, halves)


def at_default(ufunc: Any, rest: Any) -> Callable:
    """A ufunc of two arrays where the setting behind them, a whole number, is what it is when left out."""
    (default,) = rest

    def compute(a: Any, b: Any, setting: Any) -> Any:
        return ufunc(a, b) if type(setting) is int and setting == default else None

    return compute


LONG_REPEATED = 1 << 12
"""Elements of an array that repeats them from which a function is computed of each once, and copied."""


def precisely(ufunc: Any, options: dict) -> Callable:
    """A transcendental function of floats: by a kernel, or in double for small arrays of float32."""
    precise = PRECISE.get(options.get("precise", ufunc))

    def compute(a: Any) -> Any:
        dtype = a.dtype
        if precise is not None and (dtype is FLOAT32 or dtype is FLOAT64):
            if a.size > LONG_REPEATED and is_expanded(a):  # once for elements that repeat
                once = precise(a[tuple([slice(None) if step else slice(1) for step in a.strides])])
                lay(made := dense_as(a, np.empty), np.broadcast_to(once, a.shape))
                return made
            return precise(a)
        if dtype is FLOAT32:
            if a.size <= EXACT_SIZE:
                wide = a.astype(FLOAT64)
                return ufunc(wide, wide).astype(FLOAT32)
        return ufunc(a)

    return compute


def refused_kinds(options: dict) -> str:
    """The kinds of dtypes that the ufunc is not for."""
    return "biuc" if options.get("floats") else "c" if options.get("real") else ""


def on_one_dtype(op: Any, ufunc: Any, options: dict) -> Callable:
    """A ufunc of two arrays of one dtype that needs no promotion, or of a large array of a half type and a number; None
    for others."""
    refused = refused_kinds(options)
    exact, rest = op.exact_numbers, tuple(op.rest)

    def compute(a: Any, b: Any, *more: Any) -> Any:
        if more != rest or type(a) is not np.ndarray:
            return None
        if type(b) is float or type(b) is int:
            b = number(a, b, exact) if op.wide else None
            return None if b is None else computed(ufunc, a, b)
        dtype = a.dtype
        if type(b) is not np.ndarray or b.dtype is not dtype or dtype.kind in refused or dtype in UNUSUAL:
            return None
        if dtype.itemsize == 2 and (result := computed(ufunc, a, b)) is not None:
            return result
        return ufunc(a, b)

    return compute


def inplace(op: Any, ufunc: Any, options: dict) -> Callable:
    """``x op= y`` where no gradient is wanted: the ufunc writes into x's own memory."""
    floats, refused = options.get("floats", False), refused_kinds(options)
    rest = op.defaults[2:]
    whole = op.loop is not None and not floats and "i" not in refused

    def pair(input: Any, other: Any) -> Any:
        if not isinstance(input, Tensor):
            return NotImplemented
        a = input._array
        dt = a.dtype
        kind = type(other)
        if kind is float or kind is int:
            if dt is FLOAT32:
                b = FLOATS32[other] if kind is float else WHOLE32[other]
            elif dt is FLOAT64:
                b = FLOATS64[other] if kind is float else WHOLE64[other]
            elif whole and dt is INT64 and kind is int:
                b = other
            else:
                return write(op, [input, other, *rest])
            free = input._node is None
        elif isinstance(other, Tensor):
            b = other._array
            if dt is not b.dtype or dt.kind in refused or (floats and dt.itemsize == 2):
                return write(op, [input, other, *rest])
            if (cell := input._cell) is not None and cell is other._cell and b is not a and meets(a, b):
                return write(op, [input, other, *rest])  # which refuses where they overlap in part
            free = input._node is None and other._node is None
        elif isinstance(other, NUMBERS):
            return write(op, [input, other, *rest])
        else:
            return NotImplemented
        if (
            (not free and here.grad_enabled)
            or input._inference
            or (ever and here.born)
            or (a.base is not None and 0 in a.strides)
        ):
            return write(op, [input, other, *rest])
        if op.direct is not None and type(a) is not np.ndarray:
            if op.direct(a, b if isinstance(other, Tensor) else other, out=a) is None:
                return write(op, [input, other, *rest])
        else:
            try:
                ufunc(a, b, a)
            except (TypeError, ValueError, OverflowError):
                return write(op, [input, other, *rest])
        cell = input._cell
        if cell is None:
            input._cell = cell = Version()
        cell.bump()
        return input

    return pair


def inplace_of(op: Any, pair: Callable, call: Callable) -> Callable:
    """The public in-place method of an operator that has a ufunc; `call` is its form, `pair` what runs for two operands."""
    kinds: tuple = (Tensor, *NUMBERS) if op.scalars else (Tensor,)

    def function(input: Any = ABSENT, other: Any = ABSENT, /, *rest: Any, **keywords: Any) -> Any:
        if (type(other) is Tensor or isinstance(other, kinds)) and not (
            rest or keywords or ever and here.door >= ASKED
        ):
            return pair(input, other)
        return call(*[x for x in (input, other, *rest) if x is not ABSENT], **keywords)

    return function


def reflected(op: Any) -> Callable:
    """The Python operator ``number + x``, for an operator that takes numbers first."""
    run, rest = op.run, op.rest

    def form(other: Any, input: Any) -> Any:
        return run([input, other, *rest]) if isinstance(input, (Tensor, *NUMBERS)) else NotImplemented

    return form
