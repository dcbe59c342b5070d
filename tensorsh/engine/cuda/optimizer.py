"""Steps of optimizers, each in one pass over the parameter, its gradient and what is kept of earlier ones."""

from __future__ import annotations

from typing import Any

from .kernels import Elementwise

SGD = Elementwise(
    "T g, T lr, T decay, T sign",
    "T x",
    "x = x - lr * (sign * g + decay * x)",
    "tensorsh_sgd",
)
MOMENTUM = Elementwise(
    "T g, T lr, T decay, T sign, T momentum, T share, T nesterov",
    "T x, T m",
    "T d = sign * g + decay * x; m = momentum * m + share * d; x = x - lr * (nesterov > T(0) ? T(d + momentum * m) : m)",
    "tensorsh_sgd_momentum",
)
ADAM = Elementwise(
    "T g, T keep, T decay, T sign, T share, T beta, T rest, T correction, T eps, T size",
    "T x, T m, T v",
    "T p = keep * x; T d = sign * g + decay * p; m = m + share * (d - m);"
    "v = beta * v + rest * d * d; x = p - size * (m / (sqrt(v) / correction + eps))",
    "tensorsh_adam",
)


def sgd(x: Any, g: Any, lr: float, decay: float, maximize: bool) -> None:
    """``x -= lr * (g + decay * x)``, in place."""
    number = x.dtype.type
    SGD(g, number(lr), number(decay), number(-1 if maximize else 1), x)


def momentum_sgd(
    x: Any, g: Any, m: Any, lr: float, decay: float, maximize: bool, momentum: float, share: float, nesterov: bool
) -> None:
    """`m` becomes ``momentum * m + share * g``, and x goes a step along it, in place."""
    number = x.dtype.type
    numbers = map(number, (lr, decay, -1 if maximize else 1, momentum, share, nesterov))
    MOMENTUM(g, *numbers, x, m)


def adam(
    x: Any, g: Any, m: Any, v: Any, decay: float, keep: float, maximize: bool, betas: tuple, correction: float,
    eps: float, size: float,
) -> None:  # fmt: skip
    """Running means of the gradient and its square, and the step, in place; `keep`: what decoupled decay leaves of x."""
    number = x.dtype.type
    beta1, beta2 = betas
    numbers = (keep, decay, -1 if maximize else 1, 1 - beta1, beta2, 1 - beta2, correction, eps, size)
    ADAM(g, *map(number, numbers), x, m, v)
