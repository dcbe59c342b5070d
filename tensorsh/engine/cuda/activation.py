"""gelu, silu and mish, each in one pass, and their gradients; the gradient of relu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .kernels import Elementwise


def forward(name: str, operation: str) -> Elementwise:
    return Elementwise("T x", "T y", operation, f"tensorsh_{name}")


def backward(name: str, operation: str) -> Elementwise:
    return Elementwise("T g, T x", "T y", operation, f"tensorsh_{name}_backward")


GELU = forward("gelu", "y = T(0.5) * x * (T(1) + erf(x * T(0.70710678118654752)))")
GELU_BACKWARD = backward(
    "gelu",
    "T share = T(0.5) * (T(1) + erf(x * T(0.70710678118654752)));"
    "y = g * (share + x * exp(T(-0.5) * x * x) * T(0.39894228040143268))",
)
GELU_TANH = forward(
    "gelu_tanh", "y = T(0.5) * x * (T(1) + tanh(T(0.79788456080286536) * (x + T(0.044715) * x * x * x)))"
)
GELU_TANH_BACKWARD = backward(
    "gelu_tanh",
    "T s = tanh(T(0.79788456080286536) * (x + T(0.044715) * x * x * x));"
    "T slope = T(0.79788456080286536) * (T(1) + T(0.134145) * x * x);"
    "y = g * (T(0.5) * (T(1) + s) + T(0.5) * x * (T(1) - s * s) * slope)",
)
SILU = forward("silu", "y = x / (T(1) + exp(-x))")
SILU_BACKWARD = backward("silu", "T s = T(1) / (T(1) + exp(-x)); y = g * s * (T(1) + x * (T(1) - s))")
MISH = forward("mish", "y = x * tanh(x > T(20) ? x : T(log1p(exp(x))))")
MISH_BACKWARD = backward(
    "mish",
    "T s = T(1) / (T(1) + exp(-x)); T w = tanh(x > T(20) ? x : T(log1p(exp(x))));y = g * (w + x * s * (T(1) - w * w))",
)
RELU_BACKWARD = Elementwise("T g, T r", "T y", "y = r <= T(0) ? T(0) : g", "tensorsh_relu_backward")


def gelu(xp: Any, input: Any, *, approximate: str = "none") -> Any:
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return (GELU if approximate == "none" else GELU_TANH)(input)


def gelu_backward(t: Any, g: Any, input: Any, approximate: str) -> Any:
    return (GELU_BACKWARD if approximate == "none" else GELU_TANH_BACKWARD)(g, input)


KERNELS: dict[str, Callable] = {
    "nn.functional.gelu": gelu,
    "_silu": lambda xp, input: SILU(input),
    "_mish": lambda xp, input: MISH(input),
}
GRADIENTS: dict[str, Callable] = {
    "relu": lambda t, g, result: RELU_BACKWARD(g, result),
    "nn.functional.gelu": gelu_backward,
    "_silu": lambda t, g, input: SILU_BACKWARD(g, input),
    "_mish": lambda t, g, input: MISH_BACKWARD(g, input),
}
