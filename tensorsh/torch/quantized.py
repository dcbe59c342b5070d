"""Quantized tensors: whole numbers that stand for the multiples of a scale, counted from a zero point.

    value = (code - zero_point) * scale          one scale for the tensor, or one for each channel of an axis

The tensor holds its codes. Functions reach it as they reach every class with ``__torch_function__``: what moves elements
moves the codes, what compares them does so with the values, and most others PyTorch has not for such tensors either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.arrays.dtype import INTEGER, dtype, float32
from ..engine.arrays.layout import Named
from ..engine.arrays.state import state
from ..engine.arrays.warning import warn
from ..engine.graph.fields import wrap
from ..engine.loading.table import find_function
from ..engine.operators.hooks import stay
from ..engine.operators.torch_function import DisableTorchFunctionSubclass
from ..engine.sparse.missing import recorded
from ..engine.tensors.tensor import Tensor, TensorMeta
from ..engine.tensors.text import print_options, tensor_text
from ..sandbox.integers import whole
from .containers import mapped

__all__ = [
    "dequantize", "int_repr", "per_channel_affine", "per_channel_symmetric", "per_tensor_affine", "per_tensor_symmetric",
    "q_per_channel_axis", "q_per_channel_scales", "q_per_channel_zero_points", "q_scale", "q_zero_point", "qint32", "qint8",
    "qscheme", "quantize_per_channel", "quantize_per_tensor", "quantize_per_tensor_dynamic", "quantized_max_pool1d",
    "quantized_max_pool2d", "quint2x4", "quint4x2", "quint8",
]  # fmt: skip


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


per_tensor_affine, per_channel_affine = qscheme("per_tensor_affine"), qscheme("per_channel_affine")
per_tensor_symmetric, per_channel_symmetric = qscheme("per_tensor_symmetric"), qscheme("per_channel_symmetric")
quint8 = quantized("quint8", INTEGER, 1, "QUInt8", False)
qint8 = quantized("qint8", INTEGER, 1, "QInt8")
qint32 = quantized("qint32", INTEGER, 4, "QInt32")
quint4x2, quint2x4 = (
    quantized("quint4x2", INTEGER, 1, "QUInt4x2", False),
    quantized("quint2x4", INTEGER, 1, "QUInt2x4", False),
)
CODES = {quint8: np.dtype(np.uint8), qint8: np.dtype(np.int8), qint32: np.dtype(np.int32)}
"""The numpy type of the codes of each quantized dtype."""
MOVING = frozenset(
    """select narrow view view_as reshape reshape_as flatten unflatten transpose permute t squeeze unsqueeze expand
    expand_as contiguous clone detach split chunk unbind flip ravel __getitem__ quantized_max_pool1d quantized_max_pool2d max_pool1d
    max_pool2d movedim swapaxes""".split()
)
"""What is done to the codes."""
COMPARING = frozenset("__eq__ __ne__ eq ne lt le gt ge equal allclose".split())
"""What is done with the values."""
ORDERING = frozenset("max min sort topk mean".split())
"""What is done with the values, and gives quantized ones."""
PLAIN = frozenset(
    "dim size numel nelement ndimension stride is_contiguous element_size __len__ __hash__ is_complex".split()
)


class QuantizedTensor(Tensor, metaclass=TensorMeta):
    """Codes with what says which values they stand for."""

    __module__, __qualname__ = "torch", "Tensor"
    _kind: Any
    _scale: Any
    _zero_point: Any
    _axis: int | None = None

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = func.__name__
        with DisableTorchFunctionSubclass():
            return answered(func, name, args, kwargs or {})

    dtype = property(lambda self: self._kind)
    is_quantized = property(lambda self: True)

    def dequantize(self) -> Tensor:
        """The values as float32."""
        codes = self._array.astype(np.int64)
        scale, zero = (along(x, self._axis, codes.ndim) for x in (self._scale, self._zero_point))
        return wrap((codes - zero).astype(np.float32) * np.float32(scale))

    def int_repr(self) -> Tensor:
        """The codes."""
        return wrap(self._array.copy())

    def qscheme(self) -> qscheme:
        return per_tensor_affine if self._axis is None else per_channel_affine

    def q_scale(self) -> float:
        self._check(self._axis is None, "quantizer->qscheme() == kPerTensorAffine")
        return self._scale

    def q_zero_point(self) -> int:
        self._check(self._axis is None, "quantizer->qscheme() == kPerTensorAffine")
        return self._zero_point

    def q_per_channel_scales(self) -> Tensor:
        self._check(self._axis is not None, CHANNELS)
        return wrap(self._scale)

    def q_per_channel_zero_points(self) -> Tensor:
        self._check(self._axis is not None, CHANNELS)
        return wrap(self._zero_point)

    def q_per_channel_axis(self) -> int:
        self._check(self._axis is not None, "quantizer->qscheme() == kPerChannelAffine")
        return self._axis  # type: ignore[return-value]

    def _check(self, holds: bool, what: str) -> None:
        if not holds:
            raise RuntimeError(
                f"Expected {what} to be true, but got false.  (Could this error message be improved?  If so, please report "
                "an enhancement request to PyTorch.)"
            )

    def __iter__(self) -> Any:
        return iter(self.unbind(0))

    def tolist(self) -> Any:
        raise RuntimeError("load_scalar: invalid type")

    def numpy(self, *, force: bool = False) -> Any:
        raise TypeError(f"Got unsupported ScalarType {self._kind.short}")

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        if self._axis is None:
            how = [f"scale={self._scale}", f"zero_point={self._zero_point}"]
        else:
            how = [f"scale={wrap(self._scale)!r}", f"zero_point={wrap(self._zero_point)!r}", f"axis={self._axis}"]
        return tensor_text(
            self.dequantize()._array, dtype="float32", default_dtype="float32", options=print_options(),
            more=[f"size={tuple(self._array.shape)}", f"dtype={self._kind}", f"quantization_scheme={self.qscheme()}", *how],
        )  # fmt: skip


DEPRECATED = (
    "torch.quantize_per_tensor, torch.quantize_per_channel and other quantized tensor creation functions that produce tensors "
    "with dtype torch.quint8, torch.qint8, and torch.qint32 are deprecated and will be removed in a future PyTorch release. "
    "Please see https://github.com/pytorch/pytorch/issues/184982 for more information."
)
CHANNELS = "quantizer->qscheme() == kPerChannelAffine || quantizer->qscheme() == kPerChannelAffineFloatQParams"


def along(parameter: Any, axis: int | None, ndim: int) -> Any:
    """Parameters of the channels, as an array that broadcasts against the tensor."""
    return parameter if axis is None else parameter.reshape([-1 if d == axis else 1 for d in range(ndim)])


def of_codes(codes: Any, like: Any) -> Any:
    """Codes, or several tensors of them, as quantized tensors with the scale of another."""
    return mapped(lambda each: made(each._array, like._kind, like._scale, like._zero_point, like._axis), codes)


def made(codes: Any, kind: dtype, scale: Any, zero_point: Any, axis: int | None = None) -> Any:
    stay("classes")
    tensor: Any = wrap(codes)
    tensor.__class__ = QuantizedTensor
    tensor._kind, tensor._scale, tensor._zero_point, tensor._axis = kind, scale, zero_point, axis
    return tensor


def plainly(value: Any, turn: Callable) -> Any:
    """Quantized tensors among arguments as plain ones."""
    return mapped(lambda each: turn(each) if isinstance(each, QuantizedTensor) else each, value)


def codes_of(tensor: Any) -> Tensor:
    return wrap(tensor._array)


def answered(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    """What a function gives for quantized tensors."""
    first = next((each for each in args if isinstance(each, QuantizedTensor)), None)
    if name in ("cat", "stack") and first is None:
        first = args[0][0]
    if name in PLAIN:
        return func(*args, **kwargs)
    if name in MOVING or name in ("cat", "stack"):
        return of_codes(func(*plainly(args, codes_of), **kwargs), first)
    if name in ("relu", "relu_"):
        return made(np.maximum(args[0]._array, args[0]._zero_point), first._kind, first._scale, first._zero_point)
    if name in COMPARING:
        return func(*plainly(args, QuantizedTensor.dequantize), **kwargs)
    if name in ORDERING:
        return requantized(func(*plainly(args, QuantizedTensor.dequantize), **kwargs), first)
    if name == "__get__":
        found = func(codes_of(first))
        return of_codes(found, first) if isinstance(found, Tensor) else found
    if name in ("item", "__bool__", "__float__", "__int__") and first._array.size != 1:
        raise RuntimeError(f"a Tensor with {first._array.size} elements cannot be converted to Scalar")
    if name in ("item", "__float__"):
        return first.dequantize().item()
    if name in ("float", "double", "half", "to"):
        raise RuntimeError("Creation of quantized tensor requires quantized dtype like torch.quint8")
    if name == "__format__":
        return repr(first)
    name = name.strip("_") if name[:2] == "__" else name
    kernel = recorded().get(("QuantizedCPU", name), name)
    raise NotImplementedError(
        f"Could not run 'aten::{kernel}' with arguments from the 'QuantizedCPU' backend. This could be because the "
        "operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom "
        "build)."
    )


def requantized(found: Any, like: Any) -> Any:
    """Values of a result as quantized tensors with the scale of another; indices as they are."""
    kind = like._kind, like._scale, like._zero_point
    return mapped(lambda each: made(coded(each._array, *kind), *kind) if each.dtype is float32 else each, found)


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


def quantize_per_tensor(input: Any, scale: Any, zero_point: Any, dtype: Any) -> Any:
    """A tensor (or each of a list) in whole multiples of a scale from a zero point."""
    if isinstance(input, (list, tuple)):
        return tuple(quantize_per_tensor(*each, dtype) for each in zip(input, scale.float(), zero_point, strict=True))
    check(input, dtype)
    scale, zero_point = (x.item() if isinstance(x, Tensor) else x for x in (scale, zero_point))
    fitting("tensor", zero_point, dtype)
    return made(coded(input._array, dtype, scale, zero_point), dtype, float(scale), int(zero_point))


def _empty_affine_quantized(
    size: Any, *, scale: float = 1, zero_point: int = 0, dtype: Any, device: Any = None, **options: Any
) -> Any:
    """A quantized tensor whose codes are yet to be written: zeros."""
    return made(np.zeros(tuple(size), CODES[dtype]), dtype, float(scale), int(zero_point))


def check(input: Any, kind: Any) -> None:
    """The errors of what cannot be quantized; the warning that PyTorch gives once."""
    if not state.__dict__.get("quantized_before"):
        state.__dict__["quantized_before"] = True
        warn(DEPRECATED)
    if input.dtype is not float32:
        raise RuntimeError(f"Quantize only works on Float Tensor, got {input.dtype.short}")
    if kind not in CODES:
        raise RuntimeError(f"ScalarType {kind.short} is not supported in new_qtensor.")


def quantize_per_tensor_dynamic(input: Tensor, dtype: Any, reduce_range: bool) -> Any:
    """A tensor in the scale and zero point that suit its smallest and largest element."""
    check(input, dtype)
    limits = np.iinfo(CODES[dtype])
    least, most = (limits.min // 2, limits.max // 2) if reduce_range else (limits.min, limits.max)
    low, high = min(float(input._array.min()), 0.0), max(float(input._array.max()), 0.0)
    scale = (high - low) / (most - least)
    scale = scale if scale and not np.isinf(np.float32(1 / scale)) else 0.1
    from_low, from_high = least - low / scale, most - high / scale
    nearer = abs(least) + abs(low / scale) < abs(most) + abs(high / scale)
    zero = from_low if nearer else from_high
    zero_point = int(np.clip(np.rint(zero), least, most))
    return made(coded(input._array, dtype, scale, zero_point), dtype, scale, zero_point)


def quantize_per_channel(input: Tensor, scales: Tensor, zero_points: Tensor, axis: int, dtype: Any) -> Any:
    """A tensor with a scale and a zero point for each channel of an axis."""
    check(input, dtype)
    axis = whole(axis)
    if not 0 <= axis < input.ndim:
        raise RuntimeError(
            f"Channel axis out of range in per channel affine quantization. Got: {axis}Expected: [0, {input.ndim})"
        )
    if scales.numel() != zero_points.numel():
        raise RuntimeError("number of elements in scales and zero_points must match")
    if scales.numel() != input.shape[axis]:
        raise RuntimeError(
            f"length of scales must equal to channel, expected {input.shape[axis]} got, {scales.numel()}"
        )
    steps, zeros = scales._array.astype(np.float64), zero_points._array.astype(np.int64)
    for zero in zeros.ravel().tolist():
        fitting("channel", zero, dtype)
    ndim = input.ndim
    codes = coded(input._array, dtype, along(steps, axis, ndim), along(zeros, axis, ndim))
    return made(codes, dtype, steps, zeros, axis)


def dequantize(tensors: Any) -> Any:
    """The values of a quantized tensor, or of each of several, as float32."""
    if isinstance(tensors, (list, tuple)):
        return tuple(map(dequantize, tensors))
    return tensors.dequantize() if isinstance(tensors, QuantizedTensor) else tensors.float()


def pooled(name: str, count: int) -> Callable:
    def pool(
        input: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> Any:
        values = find_function(f"nn.functional.max_pool{count}d")(
            wrap(input._array.astype(np.float64)), kernel_size, stride or None, padding, dilation, ceil_mode
        )
        return of_codes(wrap(values._array.astype(input._array.dtype)), input)

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"`max_pool{count}d` of quantized tensors."
    return pool


quantized_max_pool1d, quantized_max_pool2d = pooled("quantized_max_pool1d", 1), pooled("quantized_max_pool2d", 2)


def method(name: str) -> Callable:
    def function(input: Any) -> Any:
        if not isinstance(input, QuantizedTensor):
            raise NotImplementedError(
                f"Could not run 'aten::{name}' with arguments from the 'CPU' backend. This could be because the operator "
                "doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom "
                "build)."
            )
        return getattr(input, name)()

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of a quantized tensor."
    return function


int_repr, q_scale, q_zero_point = method("int_repr"), method("q_scale"), method("q_zero_point")
q_per_channel_scales, q_per_channel_axis = method("q_per_channel_scales"), method("q_per_channel_axis")
q_per_channel_zero_points = method("q_per_channel_zero_points")
