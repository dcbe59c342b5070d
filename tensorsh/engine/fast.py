"""The short way of elementwise operators, for small tensors of the usual kinds.

Small tensors are the common case, so what can be decided beforehand is a free variable of the closures below: the ufunc,
the node's class, which operands it saves. They take what is usual (float tensors, two tensors of one dtype, a tensor and
a number) and hand the rest (promotion, ``out=``, keywords, half types, other devices, errors) to the operator's general
way. There are four shapes: `unary`, `parametric` (a tensor and settings), `binary` and `inplace`. A binary operator's
`pair` is its Python operator (``__add__``) as it stands; the public function calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .autograd import Saved
from .constants import ABSENT, EXACT_SIZE, FLOAT32, FLOAT64, asarray, ndarray
from .fast_pairs import binary, function_of, shortest
from .fields import link
from .halves import computed
from .kernels import PRECISE, run
from .parallel import SHARED, elementwise
from .state import state
from .tensor import Tensor, fresh

KERNEL: Any = "kernel"
"""For `ufunc`: the operator's own kernel on numpy arrays is its short way."""


def make(op: Any, ufunc: Callable, options: dict) -> Callable:
    """The public function of an operator that has a short way."""
    if len(op.tensors) == 1:
        if ufunc is KERNEL:
            ufunc = on_arrays(op)
        if len(op.params) == 1:
            return unary(op, ufunc, options)
        op.direct, op.short = ufunc, (short := parametric(op, ufunc))
        return short
    op.short = pair = binary(op, ufunc, options)
    return function_of(op, pair)


def on_arrays(op: Any) -> Callable:
    """An operator's kernel on numpy arrays, all its settings given by position."""
    kernel, count = op.kernel, op.positional
    names = op.params[count:]
    if not names:
        return partial(kernel, np)
    return lambda *values: kernel(np, *values[:count], **dict(zip(names, values[count:], strict=True)))


def unary(op: Any, ufunc: Any, options: dict) -> Callable:
    """``f(x)`` for float tensors. `exact`: computed in double for small float32 arrays. `loop`: the kernel that does the
    same in float32 where `ufunc` is none of numpy's."""
    exact = options.get("exact", False)
    precise = PRECISE.get(options.get("precise", ufunc)) if exact else None
    call, record = op.call, op.record
    defaults = op.defaults[1:]
    node_class: Any = None
    saves = ""
    loop = options.get("loop", precise if exact else ufunc)
    quick = shortest(1, loop, ufunc if type(ufunc) is np.ufunc else None, None)

    def prepare() -> Any:
        nonlocal node_class, saves
        saves = "".join("r" if kind == "result" else "i" if i == 0 else "?" for kind, i in op.sources)
        node_class = op.node_class(op.node) if type(op.node) is str and saves in ("", "i", "r") else False
        if quick is not None and node_class:
            quick.record = node_class, saves
        return node_class

    def function(input: Any = ABSENT, *rest: Any, **keywords: Any) -> Any:
        if quick is not None and not rest and not keywords:
            t = quick(input)
            if t is not None:
                return t
        if (type(input) is not Tensor and not isinstance(input, Tensor)) or rest or keywords:
            return call(*(() if input is ABSENT else (input,)), *rest, **keywords)
        a = input._array
        dt = a.dtype
        if (dt is not FLOAT32 and dt is not FLOAT64) or type(a) is not ndarray:
            r = computed(loop, a) if op.wide and (op.check is None or hasattr(op.check, "takes_floats")) else None
            if r is None:
                return call(input)
        elif dt is FLOAT32 and precise is not None:
            r = precise(a) if state.threads < 2 else run(precise, a)
        elif exact and dt is FLOAT32:
            size = a.size
            if size <= EXACT_SIZE:
                wide = a.astype(FLOAT64)
                r = ufunc(wide, wide).astype(FLOAT32)
            elif size >= SHARED and state.threads > 1 and a.flags.c_contiguous:
                r = elementwise(lambda out, x: ufunc(x, out), np.empty_like(a), a)
            else:
                r = ufunc(a)
        else:
            r = ufunc(a)
        if type(r) is not ndarray:
            r = asarray(r)
        edge = input._node
        if edge is not None and state.grad_enabled and op.differentiable:
            if not node_class and not prepare():
                return record([input, *defaults], r)
            t = fresh(r)
            saved: tuple = (input,) if saves else ()
            if saves == "r":
                t._cell = kept = Saved()
                kept._array = r
                saved = (kept,)
            t._node = link(node_class, (edge,), saved)
            return t
        if quick is not None and not op.differentiable:
            quick.record = False
        return fresh(r)

    return function


def parametric(op: Any, compute: Callable) -> Callable:
    """``f(x, *settings)`` for float tensors: `compute` on arrays; where it raises an error, the general way decides."""
    call, record = op.call, op.record
    defaults = tuple(op.defaults[1:])
    count = len(defaults)
    node_class: Any = None
    plan: list = []

    def prepare() -> Any:
        nonlocal node_class
        plan[:] = [-2 if kind == "result" else i - 1 for kind, i in op.sources]
        node_class = op.node_class(op.node) if type(op.node) is str and plan.count(-2) <= 1 else False
        return node_class

    def function(input: Any = ABSENT, *settings: Any, **keywords: Any) -> Any:
        if keywords or (type(input) is not Tensor and not isinstance(input, Tensor)):
            return call(*(() if input is ABSENT else (input,)), *settings, **keywords)
        return direct(input, settings)

    def direct(input: Any, settings: Any) -> Any:
        a = input._array
        dt = a.dtype
        if (dt is not FLOAT32 and dt is not FLOAT64) or type(a) is not ndarray:
            return call(input, *settings)
        if len(settings) != count:
            settings = (*settings, *defaults[len(settings) :])
        try:
            r = compute(a, *settings)
        except (TypeError, ValueError, AttributeError):
            return call(input, *settings)
        if type(r) is not ndarray:
            r = asarray(r)
        t = fresh(r)
        edge = input._node
        if edge is not None and state.grad_enabled and op.differentiable:
            if not node_class and not prepare():
                return record([input, *settings], r)
            saved = [input if k == -1 else settings[k] if k >= 0 else None for k in plan]
            if -2 in plan:
                t._cell = saved[plan.index(-2)] = kept = Saved()
                kept._array = r
            t._node = link(node_class, (edge,), tuple(saved))
        return t

    function.direct = direct  # type: ignore[attr-defined]
    return function
