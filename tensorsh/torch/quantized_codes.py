"""The codes of quantized tensors: their dtypes and schemes, and how numbers become codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.arrays.dtype import INTEGER, dtype
from ..engine.arrays.layout import Named
from ..sandbox.sealed import given


class qscheme(Named):
    """How the codes of a tensor stand for values."""

    __module__ = "torch"
    __slots__ = ()


class quantized(dtype):
    """The dtype of a quantized tensor; no other tensor can have it."""

    __module__, __qualname__ = "torch", "dtype"
    __slots__ = ()

    @property
    def numpy(self) -> Any:
        raise RuntimeError(
            "empty_strided not supported on quantized tensors yet see https://github.com/pytorch/pytorch/issues/74540"
        )


per_tensor_affine, per_channel_affine = given(qscheme, "per_tensor_affine"), given(qscheme, "per_channel_affine")
per_tensor_symmetric, per_channel_symmetric = (
    given(qscheme, "per_tensor_symmetric"),
    given(qscheme, "per_channel_symmetric"),
)
quint8 = given(quantized, "quint8", INTEGER, 1, "QUInt8", False)
qint8 = given(quantized, "qint8", INTEGER, 1, "QInt8")
qint32 = given(quantized, "qint32", INTEGER, 4, "QInt32")
quint4x2, quint2x4 = (
    given(quantized, "quint4x2", INTEGER, 1, "QUInt4x2", False),
    given(quantized, "quint2x4", INTEGER, 1, "QUInt2x4", False),
)
CODES = {quint8: np.dtype(np.uint8), qint8: np.dtype(np.int8), qint32: np.dtype(np.int32)}
"""The numpy type of the codes of each quantized dtype."""


def along(parameter: Any, axis: int | None, ndim: int) -> Any:
    """Parameters of the channels, as an array that broadcasts against the tensor."""
    return parameter if axis is None else parameter.reshape([-1 if d == axis else 1 for d in range(ndim)])


def coded(values: Any, kind: dtype, scale: Any, zero_point: Any) -> Any:
    """The codes of float32 values: multiplied by 1/scale, from the zero point on, rounded to even, cut to the dtype's limits."""
    limits = np.iinfo(CODES[kind])
    inverse = np.float32(1) / np.asarray(scale, np.float32)
    counts = np.rint(np.asarray(zero_point, np.float32) + values * inverse)
    return np.clip(counts.astype(np.float64), limits.min, limits.max).astype(CODES[kind])


def fitting(scheme: str, zero_point: int, kind: dtype) -> None:
    """Refuses a zero point that is no code."""
    limits = np.iinfo(CODES[kind])
    if not limits.min <= zero_point <= limits.max:
        side = "below lower" if zero_point < limits.min else "above upper"
        raise RuntimeError(f"quantize_tensor_per_{scheme}_affine zero_point {zero_point} is {side} bound.")
