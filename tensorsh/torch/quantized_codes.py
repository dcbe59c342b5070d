"""The codes of quantized tensors: their dtypes and schemes, and how numbers become codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.arrays.dtype import FLOAT, INTEGER, dtype
from ..engine.arrays.layout import Named
from ..sandbox.sealed import given


class qscheme(Named):
    """How the codes of a tensor stand for values."""

    __module__ = "torch"
    __slots__ = ()


class stated(dtype):
    """A dtype that has a name and a size: nothing is computed in it."""

    __module__, __qualname__ = "torch", "dtype"
    __slots__ = ()

    @property
    def abbr(self) -> str:
        return self.name

    @property
    def numpy(self) -> Any:
        raise NotImplementedError(f'"copy_" not implemented for {self.short!r}')


class bits(stated):
    """The dtype of bits that stand for nothing."""

    __module__, __qualname__ = "torch", "dtype"
    __slots__ = ()

    @property
    def is_signed(self) -> bool:
        raise RuntimeError("Bits types are undefined")


class quantized(stated):
    """The dtype of a quantized tensor; no other tensor can have it."""

    __module__, __qualname__ = "torch", "dtype"
    __slots__ = ()

    @property
    def is_signed(self) -> bool:
        raise RuntimeError("isSignedType not supported for quantized types")

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
STATED = {f"uint{n}": given(stated, f"uint{n}", INTEGER, 1, f"UInt{n}", False) for n in range(1, 8)}
STATED |= {f"int{n}": given(stated, f"int{n}", INTEGER, 1, f"Int{n}") for n in range(1, 8)}
STATED |= {
    name: given(bits, name, INTEGER, size, name.capitalize())
    for name, size in {"bits8": 1, "bits16": 2, "bits1x8": 1, "bits2x4": 1, "bits4x2": 1}.items()
}
STATED["float4_e2m1fn_x2"] = given(stated, "float4_e2m1fn_x2", FLOAT, 1, "Float4_e2m1fn_x2")
globals().update(STATED)
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
