"""Gradients of elementwise operators as steps: the loops that the operators' own formulas take, in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.kernels import compiled, kernel
from ...engine.loading import table
from .reading import Refused

UFUNCS = {"tanh_backward": 2, "sigmoid_backward": 2, "relu_backward": 2, "gelu": 1, "gelu_backward": 2}
"""Ufuncs of the kernels that are no operator's, and how many operands they have."""
_loops: dict[str, Any] = {}


def loops() -> dict[str, Any]:
    """The loops that formulas use."""
    if not _loops:
        for name in ("add", "mul", "true_divide", "neg"):
            _loops[name] = table.find_operator(name).loop
        for name, inputs in UFUNCS.items():
            ufunc = getattr(compiled, name)
            _loops[name] = kernel("Loop")(inputs, ufunc, ufunc if ufunc.ntypes > 1 else None, None, False)
    return _loops


def to_a_power(s: Any, g: Any, x: Any, y: Any) -> Any:
    if s.settings.get("exponent") != 2:
        raise Refused
    return s("mul", g, s("add", x, x))


def of_gelu(s: Any, g: Any, x: Any, y: Any) -> Any:
    if s.settings.get("approximate") != "none" or x.dtype != np.float32:
        raise Refused
    return s("gelu_backward", g, x)


def of_mean(s: Any, g: Any, x: Any, y: Any) -> Any:
    if s.settings.get("dim") is not None or g.shape:
        raise Refused
    return s.filled(s("true_divide", g, int(np.prod(s.shape))))


def of_sum(s: Any, g: Any, x: Any, y: Any) -> Any:
    if s.settings.get("dim") is not None or g.shape:
        raise Refused
    return s.filled(g)


RULES: dict[str, tuple[Callable, ...]] = {
    "add": (lambda s, g, a, b, y: g, lambda s, g, a, b, y: g),
    "sub": (lambda s, g, a, b, y: g, lambda s, g, a, b, y: s("neg", g)),
    "mul": (lambda s, g, a, b, y: s("mul", g, b), lambda s, g, a, b, y: s("mul", g, a)),
    "true_divide": (
        lambda s, g, a, b, y: s("true_divide", g, b),
        lambda s, g, a, b, y: s("mul", s("neg", g), s("true_divide", s("true_divide", a, b), b)),
    ),
    "neg": (lambda s, g, x, y: s("neg", g),),
    "reciprocal": (lambda s, g, x, y: s("mul", s("neg", g), s("mul", y, y)),),
    "exp": (lambda s, g, x, y: s("mul", g, y),),
    "log": (lambda s, g, x, y: s("true_divide", g, x),),
    "sqrt": (lambda s, g, x, y: s("true_divide", g, s("mul", y, 2)),),
    "tanh": (lambda s, g, x, y: s("tanh_backward", g, y),),
    "sigmoid": (lambda s, g, x, y: s("sigmoid_backward", g, y),),
    "_pow_number": (to_a_power,),
    "relu": (lambda s, g, x, y: s("relu_backward", g, y),),
    "gelu": (of_gelu,),
    "mean": (of_mean,),
    "sum": (of_sum,),
}
"""For each operand of an operator, its gradient: of the steps, the gradient of the result, the operands, the result. A plan compares
what they give with the formulas to the bit."""
