"""Kernels for large arrays where numpy and scipy have no fast loop: the error function, gelu, the logistic function.

They work on pieces in the cache, with one buffer for each intermediate result. erf is tanh(x P(x^2)): atanh(erf(x)) / x is
smooth, grows without end, and seven coefficients (least squares, reweighted until the error of erf is even) give 1e-7.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .constants import constant
from .parallel import PIECE, elementwise

FLOAT32 = np.dtype(np.float32)
COEFFICIENTS = (1.1283792737597407, 0.1027690596285661, -0.0001918367045866877, -0.0006197821438118079,
                8.763743125408153e-05, -5.668684149310733e-06, 1.418768974780547e-07)  # fmt: skip
ONE, HALF = constant(1.0, FLOAT32), constant(0.5, FLOAT32)


def folded(scale: float) -> list:
    """The coefficients for erf(scale * x) as arrays, the highest first."""
    return [constant(c * scale ** (2 * i + 1), FLOAT32) for i, c in reversed(list(enumerate(COEFFICIENTS)))]


PLAIN, SHRUNK = folded(1.0), folded(math.sqrt(0.5))


def erf_piece(out: Any, x: Any, coefficients: list = PLAIN) -> None:
    z = np.multiply(x, x)
    np.multiply(z, coefficients[0], out)
    for c in coefficients[1:-1]:
        np.add(out, c, out)
        np.multiply(out, z, out)
    np.add(out, coefficients[-1], out)
    np.multiply(out, x, out)
    np.tanh(out, out)


def gelu_piece(out: Any, x: Any) -> None:
    erf_piece(out, x, SHRUNK)
    np.add(out, ONE, out)
    np.multiply(out, HALF, out)
    np.multiply(out, x, out)


def sigmoid_piece(out: Any, x: Any) -> None:
    np.negative(x, out)
    np.exp(out, out)
    np.add(out, ONE, out)
    np.reciprocal(out, out)


def suits(x: Any) -> bool:
    """Whether an array is one of those meant here; smaller ones are computed in double (see `constants.EXACT_SIZE`)."""
    return type(x) is np.ndarray and x.dtype is FLOAT32 and x.size > 2 * PIECE and x.flags.c_contiguous


def erf(x: Any) -> Any:
    return elementwise(erf_piece, np.empty_like(x), x)


def gelu(x: Any) -> Any:
    return elementwise(gelu_piece, np.empty_like(x), x)


def sigmoid(x: Any) -> Any:
    return elementwise(sigmoid_piece, np.empty_like(x), x)
