"""Short-time Fourier transforms and window functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.device import absent
from ...arrays.dtype import FLOAT, float32, float64, of
from ...arrays.errors import cpp_name, dim_error, tensor_type
from ...arrays.extents import sized
from ...arrays.layout import strided
from ...arrays.state import state
from ...arrays.warning import warn, warn_of_old
from ...kernels import PRECISE, kernel
from ...loading import table
from ...operators.declare import composite
from ...tensors.tensor import Tensor
from ..creation.factories import made
from ..shapes.views import unfold_backward
from .fft import c2c, c2r, r2c


def optional(x: Any) -> str:
    """An optional number as PyTorch's messages show it."""
    return "None" if x is None else str(int(x) if isinstance(x, bool) else x)


def window_text(window: Tensor | None) -> str:
    if window is None:
        return "None"
    return f"{tensor_type(of(window._array))}{{[{', '.join(map(str, window._array.shape))}]}}"


@composite()
def stft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Tensor:  # fmt: skip
    """The Fourier transforms of overlapping windows of a signal: (..., time) gives (..., frequency, frame)."""
    together("stft", input, window)
    if window is None:
        warn_of_old("stft")
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false.")
        input = centred(input, n_fft // 2, pad_mode)
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    a = input._array
    is_complex = a.dtype.kind == "c" or (window is not None and window._array.dtype.kind == "c")

    if return_complex is None:
        if not is_complex:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
        return_complex = True
    if not return_complex:
        warn_of_old("stft of pairs")
    wrong = stft_fault(a, n_fft, hop, width, window)
    if wrong is not None:
        raise RuntimeError(
            f"stft({tensor_type(of(a))}[{', '.join(map(str, a.shape))}], n_fft={n_fft}, hop_length={hop}, "
            f"win_length={width}, window={window_text(window)}, normalized={int(normalized)}, onesided={optional(onesided)}, "
            f"return_complex={optional(return_complex)}, align_to_window={optional(align_to_window)}) : {wrong}"
        )
    x = input.unsqueeze(0) if a.ndim == 1 else input
    length = a.shape[-1]
    weights = filled(window, width, n_fft, x)
    frames = 1 + (length - n_fft) // hop
    step, unit = (s // x._array.itemsize for s in x._array.strides)
    x = x.as_strided((x._array.shape[0], frames, n_fft), (step, hop * unit, unit))
    if weights is not None:
        x = x * weights
    if onesided is None:
        onesided = not is_complex
    if is_complex and onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    mode = "root" if normalized else "none"
    found = (
        c2c.function(x, [2], mode, True) if x._array.dtype.kind == "c" else r2c.function(x, [2], mode, bool(onesided))
    )
    found = found.transpose_(1, 2)
    if a.ndim == 1:
        found = found.squeeze_(0)
    return found if return_complex else table.find_function("view_as_real")(found)


def centred(input: Tensor, half: int, pad_mode: str) -> Tensor:
    """A signal with half a frame more at each end, so that the frames' middles begin with its first element."""
    shape = input._array.shape
    extended = (1,) * (3 - len(shape)) + tuple(shape)
    padded = table.find_function("nn.functional.pad")(input.view(extended), [half, half], pad_mode)
    return padded.view(padded._array.shape[-len(shape) :])


def stft_fault(a: Any, n_fft: int, hop: int, width: int, window: Tensor | None) -> str | None:
    """What is wrong with the arguments of `stft`."""
    if a.dtype.kind not in "fcV":
        return "expected a tensor of floating point or complex values"
    if a.ndim not in (1, 2):
        return "expected a 1D or 2D tensor"
    if not 0 < n_fft <= a.shape[-1]:
        return f"expected 0 < n_fft < {a.shape[-1]}, but got n_fft={n_fft}"
    if hop <= 0:
        return f"expected hop_length > 0, but got hop_length={hop}"
    if not 0 < width <= n_fft:
        return f"expected 0 < win_length <= n_fft, but got win_length={width}"
    if window is not None and window._array.shape != (width,):
        return (
            f"expected a 1D window tensor of size equal to win_length={width}, but got window with size "
            f"{list(window._array.shape)}"
        )
    return None


def together(name: str, input: Tensor, window: Tensor | None) -> None:
    if window is not None and window.device != input.device:
        raise RuntimeError(
            f"{name} input and window must be on the same device but got self on {input.device} and window on {window.device}"
        )


def filled(window: Tensor | None, width: int, n_fft: int, like: Tensor) -> Tensor | None:
    """The window in the middle of zeros, as long as a frame."""
    if width == n_fft:
        return window
    if window is None:
        window = made(np.ones(width, like._array.dtype))
    left = (n_fft - width) // 2
    return table.find_function("constant_pad_nd")(window, [left, n_fft - width - left])


def istft_fault(a: Any, half: bool, n_fft: int, hop: int, width: int, window: Tensor | None) -> str | None:
    """What is wrong with the arguments of `istft`."""
    if a.size == 0:
        return "input tensor cannot be empty."
    if a.ndim > 3:
        return f"expected a tensor with 3 or 4 dimensions, but got {a.ndim + 1}"
    bins = a.shape[-2]
    if bins != (n_fft // 2 + 1 if half else n_fft):
        return (
            "expected the frequency dimension (3rd to the last) of the input tensor to match n_fft "
            f"{'/ 2 + 1 ' if half else ''}when onesided={half}, but got {bins}"
        )
    if not 0 < hop <= width:
        return "expected 0 < hop_length <= win_length"
    if not 0 < width <= n_fft:
        return "expected 0 < win_length <= n_fft"
    if window is not None and window._array.shape != (width,):
        return "Invalid window shape. window has to be 1D and length of `win_length`"
    return None


@composite()
def istft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
    center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Tensor:  # fmt: skip
    """The signal whose :func:`stft` is nearest to `input`: frames transformed back, overlapped and added."""
    together("istft", input, window)
    if window is None:
        warn_of_old("istft")
    a = input._array
    if a.dtype.kind == "c" and a.ndim < 2:
        raise dim_error(-2 - a.ndim, 1 + a.ndim)
    if a.dtype.kind != "c":
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    call = (
        f"istft({input.device.type.upper()}{of(a).short}Type[{', '.join(map(str, a.shape))}], n_fft={n_fft}, hop_length={hop}, win_length={width}, "
        f"window={window_text(window)}, center={int(center)}, normalized={int(normalized)}, onesided={optional(onesided)}, "
        f"length={optional(length)}, return_complex={int(return_complex)})"
    )
    bins, frames = a.shape[-2:]
    half = bins != n_fft if onesided is None else onesided
    wrong = istft_fault(a, bool(half), n_fft, hop, width, window)
    if wrong is not None:
        raise RuntimeError(f"{call} : {wrong}")
    if return_complex and half:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    kind = a.dtype if return_complex else np.dtype(a.dtype.char.lower())
    weights = made(np.ones(width, kind), input.device) if window is None else window
    weights = filled(weights, width, n_fft, weights)
    pairs = table.find_function("view_as_real")(input.resolve_conj())
    x = table.find_function("view_as_complex")((pairs.unsqueeze(0) if a.ndim == 2 else pairs).transpose(1, 2))
    mode = "root" if normalized else "by_n"
    if return_complex:
        x = c2c.function(x, [2], mode, False)
    else:
        if not half:
            x = x.narrow(2, 0, n_fft // 2 + 1)
        x = c2r.function(x, [2], mode, n_fft)
    x = x * weights.view((1, 1, n_fft))
    total = n_fft + hop * (frames - 1)
    y = unfold_backward.function(x, (x._array.shape[0], total), 1, n_fft, hop)
    envelope = weights.pow(2).expand((1, frames, n_fft))
    envelope = unfold_backward.function(envelope, (1, total), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total - n_fft // 2 if center else total
    kept = max(min(end, total) - start, 0)
    y, envelope = y.narrow(1, start, kept), envelope.narrow(1, start, kept)
    least = abs(envelope._array)
    if not absent(least) and least.size and not least.min().item() > 1e-11:
        raise RuntimeError(f"{call} window overlap add min: 1")
    y = y / envelope
    if a.ndim == 2:
        y = y.squeeze(0)
    if end > total:
        warn(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
            "Please check your center and hop_length settings."
        )
        y = table.find_function("constant_pad_nd")(y, [0, end - total])
    return y


def _window(name: str, shape: Callable, parameters: tuple = ()) -> None:
    """Declare ``torch.{name}``; `shape(x, n, ...)` gives the values at 0 .. n - 1 of a symmetric window."""
    defaults = dict(parameters)

    def function(
        window_length: int, periodic: bool = True, *values: Any, dtype: Any = None, layout: Any = None, device: Any = None,
        pin_memory: bool = False, requires_grad: bool = False, **named: Any,
    ) -> Tensor:  # fmt: skip
        given = defaults if not values else defaults | dict(zip(defaults, values, strict=False))
        for key, value in named.items():
            if key not in given:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            given = given | {key: value}
        kind = dtype or state.default_dtype
        if kind.category != FLOAT:
            raise RuntimeError(
                f"{name} expects floating point dtypes, got: TensorOptions(dtype={cpp_name(kind)}, device=cpu, "
                "layout=Strided (default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
            )
        if window_length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
        if window_length < 2:
            return made(np.ones(window_length, kind.numpy), device, requires_grad)
        n = window_length + bool(periodic)
        sized((window_length,), kind.itemsize)
        exact = np.dtype(np.float64) if kind is float64 else np.dtype(np.float32)
        values_ = shape(np.arange(n, dtype=exact), n, exact.type, *given.values())
        return made(values_[:window_length].astype(kind.numpy), device, requires_grad)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {name.replace('_', ' ')} of a length; `periodic` ones are made to be repeated."
    table.FUNCTIONS[name] = function


def cosine(x: Any) -> Any:
    """Cosines rounded once, as near to PyTorch's as numpy gets."""
    return precise_cosine(x) if x.dtype == np.float32 else np.cos(x)


precise_cosine: Any = PRECISE.get(np.cos) or (lambda x: np.cos(x.astype(np.float64)).astype(x.dtype))


def hamming_shape(x: Any, n: int, real: Any, alpha: float, beta: float) -> Any:
    return cosine(x * real(math.pi * 2.0 / (n - 1))) * real(-beta) + real(alpha)


def blackman_shape(x: Any, n: int, real: Any) -> Any:
    turned = x * real(math.pi / (n - 1))
    return cosine(turned * real(4)) * real(0.08) - cosine(turned * real(2)) * real(0.5) + real(0.42)


def bartlett_shape(x: Any, n: int, real: Any) -> Any:
    x = x * real(2.0 / (n - 1))
    first = ((n - 1) >> 1) + 1
    x[first:] = x[first:] * real(-1) + real(2)
    return x


def kaiser_shape(x: Any, n: int, real: Any, beta: float) -> Any:
    arguments = np.empty(n + 1)
    ratio = arguments[:n]
    np.multiply(x, 2.0 / (n - 1), ratio, dtype=np.float64)
    ratio -= 1.0
    np.multiply(ratio, ratio, ratio)
    np.subtract(1.0, ratio, ratio)
    np.sqrt(np.maximum(ratio, 0.0, out=ratio), ratio)
    np.multiply(ratio, beta, ratio)
    arguments[n] = beta
    found = bessel(arguments)
    return (found[:n] / found[n]).astype(x.dtype, copy=False)


bessel: Any = kernel("i0") or np.i0


_window("hann_window", lambda x, n, real: hamming_shape(x, n, real, 0.5, 0.5))
_window("hamming_window", hamming_shape, (("alpha", 0.54), ("beta", 0.46)))
_window("blackman_window", blackman_shape)
_window("bartlett_window", bartlett_shape)
_window("kaiser_window", kaiser_shape, (("beta", 12.0),))


def symmetric(name: str, M: int, dtype: Any, layout: Any) -> Any:
    """The checks of ``torch.signal.windows``, and the dtype."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    kind = state.default_dtype if dtype is None else dtype
    if kind not in (float32, float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {kind}")
    return kind


def _signal_window(compute: Callable) -> Callable:
    """Declare ``torch.signal.windows.{name}``; `compute(M, sym, points, ...)` gives the values, `points(start, end)`
    evenly spaced abscissas. Parameters after `points` are keyword-only, as the common options are."""
    name = compute.__name__
    defaults = dict(compute.__kwdefaults__ or {})
    checked = CHECKED.get(name, name)

    def function(
        M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
        requires_grad: bool = False, **given: Any,
    ) -> Tensor:  # fmt: skip
        for key in given:
            if key not in defaults:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        if name == "general_cosine" and "a" not in given:
            raise TypeError("general_cosine() missing 1 required keyword-only argument: 'a'")
        options = {"dtype": symmetric(checked, M, dtype, layout)}
        options |= {"device": device, "requires_grad": requires_grad}
        if M == 0:
            return table.find_function("empty")((0,), layout=layout, **options)

        def points(start: float, end: float) -> Tensor:
            linspace = table.find_function("linspace")
            if device is None and type(M) is int and type(requires_grad) is bool:
                return linspace(start, end, M, **options)
            return linspace(
                requires_grad=requires_grad,
                device=device,
                layout=layout,
                dtype=options["dtype"],
                steps=M,
                end=end,
                start=start,
            )  # whose words name all of them

        return compute(M, sym, points, **(defaults | given))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = compute.__doc__
    function.__module__ = "torch.signal.windows"
    table.FUNCTIONS["signal.windows." + name] = function
    return compute


CHECKED = {"hann": "general_cosine", "hamming": "general_cosine", "blackman": "general_cosine", "nuttall": "general_cosine",
           "general_hamming": "general_cosine"}  # fmt: skip


def steps_of_period(M: int, sym: bool) -> int:
    """How many steps one period has."""
    return M - 1 if sym else M


def ones(points: Callable) -> Tensor:
    like = points(0.0, 0.0)
    return table.find_function("ones")((1,), dtype=like.dtype, device=like.device)


@_signal_window
def exponential(M: int, sym: bool, points: Callable, *, center: float | None = None, tau: float = 1.0) -> Tensor:
    """``exp(-|n - center| / tau)``."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if center is None:
        center = (M if not sym and M > 1 else M - 1) / 2.0
    k = points(-center / tau, (-center + (M - 1)) / tau)
    return (-k.abs()).exp()


def cosine_window(M: int, sym: bool, points: Callable) -> Tensor:
    """Half a period of the sine."""
    step = math.pi / (M + 1 if not sym and M > 1 else M)
    return points(0.5 * step, (0.5 + (M - 1)) * step).sin()


cosine_window.__name__ = "cosine"
_signal_window(cosine_window)


@_signal_window
def gaussian(M: int, sym: bool, points: Callable, *, std: float = 1.0) -> Tensor:
    """``exp(-(n / std)^2 / 2)`` about the middle."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    start = -(M if not sym and M > 1 else M - 1) / 2.0
    step = 1 / (std * math.sqrt(2))
    k = points(start * step, (start + (M - 1)) * step)
    return (-(k**2)).exp()


@_signal_window
def kaiser(M: int, sym: bool, points: Callable, *, beta: float = 12.0) -> Tensor:
    """The Kaiser window of shape `beta`."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M == 1:
        return ones(points)
    step = 2.0 * beta / steps_of_period(M, sym)
    k = points(-beta, min(beta, -beta + (M - 1) * step))
    i0 = table.find_function("i0")
    scale = table.find_function("tensor")(beta, dtype=k.dtype, device=k.device)
    return i0((scale * scale - k.pow(2)).clamp_min(0).sqrt()) / i0(scale)


@_signal_window
def general_cosine(M: int, sym: bool, points: Callable, *, a: Any = ()) -> Tensor:
    """A sum of cosines with coefficients `a`, of alternating sign."""
    if not isinstance(a, (list, tuple)):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    if M == 1:
        return ones(points)
    step = 2 * math.pi / steps_of_period(M, sym)
    k = points(0, (M - 1) * step)
    signed = [(-1) ** i * w for i, w in enumerate(a)]
    coefficients = made(np.array(signed, k._array.dtype), k.device)
    orders = made(np.arange(len(signed)).astype(k._array.dtype), k.device)
    return (coefficients.unsqueeze(-1) * (orders.unsqueeze(-1) * k).cos()).sum(0)


@_signal_window
def general_hamming(M: int, sym: bool, points: Callable, *, alpha: float = 0.54) -> Tensor:
    """``alpha - (1 - alpha) cos``."""
    return general_cosine(M, sym, points, a=[alpha, 1.0 - alpha])


def _sum_of_cosines(name: str, *coefficients: float) -> None:
    """Declare a window that is a sum of cosines with these coefficients."""

    def compute(M: int, sym: bool, points: Callable) -> Tensor:
        return general_cosine(M, sym, points, a=coefficients)

    compute.__name__, compute.__doc__ = name, f"The {name.title()} window."
    _signal_window(compute)


_sum_of_cosines("hamming", 0.54, 1.0 - 0.54)
_sum_of_cosines("hann", 0.5, 0.5)
_sum_of_cosines("blackman", 0.42, 0.5, 0.08)
_sum_of_cosines("nuttall", 0.3635819, 0.4891775, 0.1365995, 0.0106411)


@_signal_window
def bartlett(M: int, sym: bool, points: Callable) -> Tensor:
    """The triangle that ends in zeros."""
    if M == 1:
        return ones(points)
    step = 2 / steps_of_period(M, sym)
    return 1 - points(-1.0, -1.0 + (M - 1) * step).abs()
