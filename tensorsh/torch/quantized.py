"""Quantized tensors: whole numbers that stand for the multiples of a scale, counted from a zero point.

    value = (code - zero_point) * scale          one scale for the tensor, or one for each channel of an axis

The tensor holds its codes. Functions reach it as they reach every class with ``__torch_function__``: what moves elements
moves the codes, what compares them does so with the values, and most others PyTorch has not for such tensors either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.arrays.dtype import dtype, float32
from ..engine.arrays.errors import CPP_NAMES, unmet
from ..engine.arrays.state import state
from ..engine.arrays.warning import warn
from ..engine.graph.fields import wrap
from ..engine.loading.table import find_function
from ..engine.operators.hooks import stay
from ..engine.operators.torch_function import DisableTorchFunctionSubclass
from ..engine.sparse.missing import recorded
from ..engine.tensors.overlap import alone
from ..engine.tensors.tensor import Tensor, TensorMeta
from ..engine.tensors.text import print_options, tensor_text
from ..sandbox.integers import whole
from .containers import mapped
from .quantized_codes import (
    CODES,
    along,
    coded,
    fitting,
    per_channel_affine,
    per_channel_symmetric,
    per_tensor_affine,
    per_tensor_symmetric,
    qint8,
    qint32,
    qscheme,
    quint2x4,
    quint4x2,
    quint8,
)

__all__ = [
    "dequantize", "int_repr", "per_channel_affine", "per_channel_symmetric", "per_tensor_affine", "per_tensor_symmetric",
    "q_per_channel_axis", "q_per_channel_scales", "q_per_channel_zero_points", "q_scale", "q_zero_point", "qint32", "qint8",
    "qscheme", "quantize_per_channel", "quantize_per_tensor", "quantize_per_tensor_dynamic", "quantized_max_pool1d",
    "quantized_max_pool2d", "quint2x4", "quint4x2", "quint8",
]  # fmt: skip


MOVING = frozenset(
    """select narrow view view_as reshape reshape_as flatten unflatten transpose permute t squeeze unsqueeze expand
    expand_as contiguous clone detach split chunk unbind flip ravel __getitem__ quantized_max_pool1d quantized_max_pool2d max_pool1d
    max_pool2d movedim swapaxes swapdims diagonal unfold as_strided index_select repeat rot90 hstack vstack cat stack""".split()
)
"""What is done to the codes."""
COMPARING = frozenset("__eq__ __ne__ eq ne lt le gt ge equal allclose argsort".split())
"""What is done with the values."""
ORDERING = frozenset("max min sort topk mean std".split())
"""What is done with the values, and gives quantized ones."""
STRIDES = frozenset(
    "t transpose permute expand expand_as flip diag diagonal movedim swapaxes swapdims unfold as_strided".split()
)
JOINING = frozenset("cat stack hstack vstack".split())
PLAIN = frozenset(
    "dim size numel nelement ndimension stride storage_offset is_contiguous element_size __len__ __hash__ is_complex data_ptr".split()
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
            raise RuntimeError(unmet(what))

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
UNIFORM = unmet("quantizer->qscheme() == kPerTensorAffine")
CHANNELS = "quantizer->qscheme() == kPerChannelAffine || quantizer->qscheme() == kPerChannelAffineFloatQParams"


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
    if first is None and args and isinstance(args[0], (list, tuple)):
        first = next(each for each in args[0] if isinstance(each, QuantizedTensor))
    if name in PLAIN:
        return func(*args, **kwargs)
    if name in ("max", "min") and len(args) > 1 and isinstance(args[1], Tensor):
        name += "imum"
    if name == "zeros_like" or name == "diag" and first.ndim == 1:
        name = "zero_"
    if first._axis is not None and (words := refusal(name)):
        raise RuntimeError(words)
    if name in JOINING:
        kinds = [isinstance(each, QuantizedTensor) and (each._kind, each._scale, each._zero_point) for each in args[0]]
        if False in kinds:
            name = "qscheme"
        elif len(set(kinds)) > 1:
            return requantized(func(*plainly(args, QuantizedTensor.dequantize), **kwargs), first)
    if name in MOVING or name == "diag":
        found = func(*plainly(args, codes_of), **plainly(kwargs, codes_of))
        return of_codes(found, first) if first._axis is None else of_channels(found, func, args, kwargs, first)
    if name in RULES:
        if isinstance(args[0], QuantizedTensor):  # a call that is wrong for the values is wrong for the codes
            func(
                *plainly(args, QuantizedTensor.dequantize),
                **{key: each for key, each in kwargs.items() if key != "dtype"},
            )
        return RULES[name](first, *args, **kwargs)
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
    name += ".out" * (name in ("maximum", "minimum"))
    kernel = recorded().get(("QuantizedCPU", name), name)
    raise NotImplementedError(
        f"Could not run 'aten::{kernel}' with arguments from the '{'Quantized' * (name != 'qscheme')}CPU' backend. This could be because the "
        "operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom "
        "build)."
    )


def refusal(name: str) -> str | None:
    """Why a function is none of tensors with a scale for each channel."""
    if name in STRIDES:
        return "Setting strides is possible only on uniformly quantized tensor"
    if name in JOINING:
        return "Only per-tensor quantization is supported in 'cat'!"
    if name in ("masked_fill", "masked_fill_"):
        return "masked_fill__quantized_cpu for quantized tensors is currently only supported for per tensor quantized tensors"
    if name == "topk":
        return "Top-K is only supported on per-tensor quantization"
    if name in ("max", "min"):
        return (
            f"{name.title()} operator for quantized tensors only works for per tensor quantized tensors. Please open an issue on "
            "https://github.com/pytorch/pytorch/issues if you need per channel quantized tensor support."
        )
    single = name in ORDERING or name in (
        "relu",
        "relu_",
        "sigmoid",
        "tanh",
        "clamp",
        "hardtanh",
        "relu6",
        "__setitem__",
    )
    return UNIFORM if single else None


def of_channels(codes: Any, func: Callable, args: tuple, kwargs: dict, like: Any) -> Any:
    """What moves codes of a tensor with a scale for each channel moves the channels' numbers, too, which tell whose scales stay."""
    numbers = along(np.arange(len(like._scale)), like._axis, like.ndim)
    turn = lambda each: wrap(np.broadcast_to(numbers, each.shape).copy())  # noqa: E731
    channels = func(*plainly(args, turn), **plainly(kwargs, turn))
    if isinstance(codes, (list, tuple)):
        return type(codes)(of_channel(*each, like) for each in zip(codes, channels, strict=True))
    return of_channel(codes, channels, like)


def of_channel(codes: Tensor, channels: Tensor, like: Any) -> Any:
    """Codes with the scales of their channels, which lie along one axis, or with that of their only one."""
    found = channels._array
    kept = np.unique(found)
    if len(kept) < 2:
        only = int(kept[0]) if len(kept) else 0
        return made(codes._array, like._kind, float(np.float32(like._scale[only])), int(like._zero_point[only]))
    for axis in range(found.ndim):
        line = found[tuple([slice(None) if d == axis else 0 for d in range(found.ndim)])]
        if len(line) == len(kept) and (found == along(line, axis, found.ndim)).all():
            return made(codes._array, like._kind, like._scale[line], like._zero_point[line], axis)
    length = found.shape[min(like._axis, found.ndim - 1)]
    raise RuntimeError(f"length of scales must equal to channel, expected {length} got, {len(like._scale)}")


def code(tensor: Any, value: Any) -> Any:
    """The code of a number, or of each of a tensor, in a tensor's scale; of each channel, where it has several."""
    value = value._array if isinstance(value, Tensor) else np.float32(value)
    scale, zero = (along(x, tensor._axis, tensor.ndim) for x in (tensor._scale, tensor._zero_point))
    return coded(value, tensor._kind, scale, zero)


def filled(first: Any, input: Any, value: Any = 0, dtype: Any = None, **options: Any) -> Any:
    """A tensor as another one, with one value everywhere."""
    if dtype is not None and dtype is not first._kind:
        raise RuntimeError(
            "It is currently not supported to specify a dtype that doesn't match the input tensor's dtype via empty_like.  Specified: "
            f"{CPP_NAMES.get(dtype.name, dtype.name)} Input tensor's dtype: c10::{first._kind.name}"
        )
    return fill_(first, copied(first), value)


def copied(tensor: Any) -> Any:
    return of_codes(wrap(tensor._array.copy()), tensor)


def fill_(first: Any, input: Any, value: Any) -> Any:
    return written(input, code(input, value))


def written(tensor: Any, codes: Any) -> Any:
    """A tensor itself, with other codes."""
    alone(tensor._array)
    tensor._array[...] = codes
    tensor._bump()
    return tensor


def copy_(first: Any, input: Any, src: Any, non_blocking: bool = False) -> Any:
    if not isinstance(input, QuantizedTensor):
        raise RuntimeError(
            "Copying from quantized Tensor to non-quantized Tensor is not allowed, please use dequantize to get a float Tensor from a "
            "quantized Tensor"
        )
    if isinstance(src, QuantizedTensor):
        input._check(input._kind is src._kind, "self.scalar_type() == src.scalar_type()")
        written(input, src._array)
        input._scale, input._zero_point, input._axis = src._scale, src._zero_point, src._axis
        return input
    if getattr(src, "dtype", None) is not float32:
        raise RuntimeError("Quantized copy only works with kFloat as source Tensor")
    if src.shape != input.shape:
        raise RuntimeError("Quantized copy only works with Tensors with the same shape")
    return fill_(first, input, src)


def masked_fill(first: Any, input: Any, mask: Any, value: Any) -> Any:
    number = value.item() if isinstance(value, Tensor) else value
    return of_codes(find_function("masked_fill")(codes_of(input), mask, int(code(input, number))), input)


def masked_fill_(first: Any, input: Any, mask: Any, value: Any) -> Any:
    return written(input, masked_fill(first, input, mask, value)._array)


def clamp(first: Any, input: Any, min: Any = None, max: Any = None) -> Any:
    low, high = (None if each is None else code(input, each) for each in (min, max))
    return of_codes(wrap(np.clip(input._array, low, high)), input)


def setitem(first: Any, input: Any, index: Any, value: Any) -> None:
    if not isinstance(input, QuantizedTensor):
        copy_(first, input, value)
    if isinstance(value, Tensor) and value.ndim and value.dtype not in (float32, input._kind):
        raise RuntimeError("Quantized copy only works with kFloat as source Tensor")
    codes = value._array if isinstance(value, QuantizedTensor) else np.asarray(code(input, value))
    Tensor.__setitem__(codes_of(input), index, wrap(codes))


def squashed(name: str, bits: int, zeros: dict) -> Callable:
    """A function whose results lie within fixed bounds: they get the finest scale, of so many bits less than the codes have."""

    def function(first: Any, input: Any) -> Any:
        kind = input._kind
        scale = 2.0 ** (bits - 8 * kind.itemsize)
        values = find_function(name)(input.dequantize())._array
        return made(coded(values, kind, scale, zeros.get(kind, 0)), kind, scale, zeros.get(kind, 0))

    return function


RULES: dict[str, Callable] = {
    "relu": lambda first, input, inplace=False: of_codes(wrap(np.maximum(input._array, input._zero_point)), input),
    "relu_": lambda first, input: written(input, np.maximum(input._array, input._zero_point)),
    "sigmoid": squashed("sigmoid", 0, {qint8: -128}), "tanh": squashed("tanh", 1, {quint8: 128}), "clamp": clamp,
    "hardtanh": lambda first, input, min_val=-1.0, max_val=1.0, inplace=False: clamp(first, input, min_val, max_val),
    "relu6": lambda first, input, inplace=False: clamp(first, input, 0, 6), "masked_fill": masked_fill, "masked_fill_": masked_fill_,
    "fill_": fill_, "copy_": copy_, "empty_like": filled, "full_like": filled, "cpu": lambda first, input: input, "__setitem__": setitem,
    "ones_like": lambda first, input, **options: filled(first, input, 1, **options),
    "__deepcopy__": lambda first, input, memo: copied(input),
}  # fmt: skip
"""What else there is for such tensors."""


def requantized(found: Any, like: Any) -> Any:
    """Values of a result as quantized tensors with the scale of another; indices as they are."""
    kind = like._kind, like._scale, like._zero_point
    return mapped(lambda each: made(coded(each._array, *kind), *kind) if each.dtype is float32 else each, found)


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
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
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
