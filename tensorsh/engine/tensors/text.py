"""PyTorch's text for a tensor, letter for letter.

Printing takes three steps, each on plain Python values, so that a small tensor costs a few microseconds:

    array --cut--> the elements shown --words--> one string each, one width --lines--> "[[1., 2.],\\n [3., 4.]]"

Only the elements shown are ever read: a tensor of 1e8 elements is cut at its edges by views, and the width and the
notation (fixed, integral, scientific) follow from what is left, as they do in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..arrays.backend import fetched, on_device
from ..arrays.device import absent
from ..arrays.state import state
from ..arrays.type_names import type_name as kind_name

_PROFILES: dict[str, tuple[int, float, int, int]] = {
    "default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80),
}  # fmt: skip


class PrintOptions:
    """What `torch.set_printoptions` sets: one mutable object for each session."""

    __slots__ = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")

    def __init__(
        self, precision: int = 4, threshold: float = 1000, edgeitems: int = 3, linewidth: int = 80, sci_mode: bool | None = None
    ) -> None:  # fmt: skip
        self.precision, self.threshold, self.edgeitems, self.linewidth = precision, threshold, edgeitems, linewidth
        self.sci_mode = sci_mode

    def set(
        self, precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
        linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None,
    ) -> None:  # fmt: skip
        """Change the options given. PyTorch checks none of them, ignores a profile it does not know,
        and always overwrites `sci_mode`."""
        if profile in _PROFILES:
            self.precision, self.threshold, self.edgeitems, self.linewidth = _PROFILES[profile]
        for name, value in zip(self.__slots__, (precision, threshold, edgeitems, linewidth), strict=False):
            if value is not None:
                setattr(self, name, value)
        self.sci_mode = sci_mode

    def get(self) -> dict[str, Any]:
        """The options as keywords for `set`."""
        return {name: getattr(self, name) for name in self.__slots__}


def tensor_text(
    array: Any, *, dtype: str, default_dtype: str = "float32", options: PrintOptions, device: str | None = None,
    grad_fn: str | None = None, requires_grad: bool = False, tangent: str | None = None, prefix: str = "tensor(",
    more: Iterable[str] = (), given: str | None = None,
) -> str:  # fmt: skip
    """The text of a tensor held in `array`; for `device="meta"` anything with a shape, or the shape itself, will do.

    `dtype` is PyTorch's name, `device` is given only where PyTorch would print it, `grad_fn` is the node's name, `more`
    is what follows the elements, `given` the text of these, where a class knows it."""
    shape = tuple(getattr(array, "shape", array))
    suffixes = [*more]
    if device is not None:
        suffixes.append(f"device='{device}'")
    if given is not None and 0 not in shape:
        contents, show_dtype = given, not is_default(dtype, default_dtype)
    elif device == "meta" and given is None:
        contents = "..."
        suffixes.append(f"size={shape}")
        show_dtype = dtype != default_dtype
    elif 0 in shape:
        # No element tells integers from floats here: even int64 and bool are named.
        contents = "[]" if given is None else given
        if len(shape) != 1:
            suffixes.append(f"size={shape}")
        show_dtype = dtype != default_dtype
    else:
        contents = contents_text(array, options, len(prefix))
        if not options.edgeitems:
            suffixes.append(f"size={shape}")
        show_dtype = not is_default(dtype, default_dtype)
    if show_dtype:
        suffixes.append(f"dtype=torch.{dtype}")
    suffixes += of_gradients(grad_fn, requires_grad, tangent)
    if not suffixes:
        return f"{prefix}{contents})"
    return with_suffixes(prefix + contents, suffixes, len(prefix), options.linewidth)


def of_gradients(grad_fn: str | None, requires_grad: bool, tangent: str | None) -> list[str]:
    """The last suffixes of any tensor's text: the node that made it, its tangent."""
    suffixes = []
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    return suffixes


def parameter_text(text: str) -> str:
    """The text of a Parameter, from the text of its tensor."""
    return "Parameter containing:\n" + text


def size_text(shape: Iterable[int]) -> str:
    """The text of a torch.Size."""
    return f"torch.Size({list(shape)})"


def format_tensor(array: Any, spec: str, text: Callable[[], str], type_name: str = "Tensor") -> str:
    """`Tensor.__format__`: a plain tensor without dimensions formats as its number, any other only as its text.

    A Parameter counts as any other; its caller gives `type_name`, and `array` as None where there is no number."""
    if not isinstance(spec, str):
        given = "None" if spec is None else kind_name(spec)
        raise TypeError(f"__format__() argument must be str, not {given}")
    if array is not None and not array.shape and type_name == "Tensor" and not absent(array):
        return format(python_number(array), spec)
    if spec:
        raise TypeError(f"unsupported format string passed to {type_name}.__format__")
    return text()


def python_number(array: Any) -> bool | int | float | complex:
    """The one element of an array as Python's own number."""
    (value,) = _values(array)
    return value


def contents_text(array: Any, options: PrintOptions, indent: int) -> str:
    """The bracketed numbers of an array that has elements; lines after the first start at `indent`."""
    edge = options.edgeitems
    summarize = array.size > options.threshold
    if summarize and not edge and array.shape:
        return "[...]"  # nothing is left of any dimension, not even the first
    cut = [summarize and size > 2 * edge for size in array.shape]
    shown = _cut(array, edge, cut, 0) if True in cut else array
    words, width = _words(shown, options)
    if not array.shape:
        return words[0]
    return _lines(words, width, shown.shape, cut, edge, indent, options.linewidth)


def _cut(array: Any, edge: int, cut: list[bool], axis: int) -> Any:
    """Join the edges of the long dimensions. The slices are views, so that no element in between is touched."""
    while not cut[axis]:
        axis += 1
        if axis == len(cut):
            return array
    every = (slice(None),) * axis
    edges = (array[(*every, slice(edge))], array[(*every, slice(-edge, None))])
    if True in cut[axis + 1 :]:
        edges = (_cut(edges[0], edge, cut, axis + 1), _cut(edges[1], edge, cut, axis + 1))
    return np.concatenate(edges, axis)


def _values(array: Any) -> list[Any]:
    """The elements as Python's numbers, in order."""
    if type(array) is not np.ndarray and on_device(array):
        if absent(array):
            raise RuntimeError("Tensor.item() cannot be called on meta tensors")
        array = fetched(array)  # what is shown of a CUDA array comes to the host only now
    if array.dtype.kind not in "biufc":
        least = (
            array.dtype.name == "float8_e8m0fnu" and array.view(np.uint8) == 0
        )  # shown as the zero that it stands for
        array = np.where(least, 0, array.astype(np.float32))  # bfloat16 and the 8-bit floats, all exact in float32
    return array.ravel().tolist()


def _words(array: Any, options: PrintOptions) -> tuple[list[str], int]:
    """One padded string for each element, and the width that the layout counts with (nan may be wider)."""
    values = _values(array)
    kind = type(values[0])
    if kind is float:
        return _float_words(values, options)
    if kind is complex:
        real, real_width = _float_words([value.real for value in values], options)
        imag, imag_width = _float_words([value.imag for value in values], options)
        # The imaginary part loses its padding: columns of complex numbers are ragged in PyTorch.
        words = [
            f"{left}{right}j" if right[0] == "-" else f"{left}+{right}j"
            for left, right in zip(real, map(str.lstrip, imag), strict=True)
        ]
        return words, real_width + imag_width + 1
    words = list(map(str, values))
    width = max(map(len, words))
    return [word.rjust(width) for word in words], width


def _float_words(values: list[float], options: PrintOptions) -> tuple[list[str], int]:
    """Zeros, nan and infinities take part neither in the choice of the notation nor in the width."""
    normal = [abs(value) for value in values if value and -math.inf < value < math.inf]
    if not normal:
        return [f"{value:.0f}." if value == 0 else f"{value:.0f}" for value in values], 1
    sci = options.sci_mode
    if sci is None:
        low, high = min(normal), max(normal)
        sci = high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4
    if sci:
        words = list(map(f"{{:.{options.precision}e}}".format, values))
    elif all(map(float.is_integer, normal)):
        words = [f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}" for value in values]
    else:
        words = list(map(f"{{:.{options.precision}f}}".format, values))
    if len(normal) == len(values):
        width = max(map(len, words))
    else:
        width = max(len(word) for word, value in zip(words, values, strict=True) if value and math.isfinite(value))
    return [word.rjust(width) for word in words], width


def _lines(
    words: list[str], width: int, shape: Sequence[int], cut: list[bool], edge: int, indent: int, linewidth: int
) -> str:
    """Brackets, commas and line breaks, from the innermost dimension outwards."""
    last = len(shape) - 1
    per_line = max(1, math.floor((linewidth - indent - last) / (width + 2)))
    for axis in range(last, -1, -1):
        size = shape[axis]
        inner = axis == last
        start = "\n" * (last - axis) + " " * (indent + axis + 1)
        blocks = []
        for first in range(0, len(words), size):
            items = words[first : first + size]
            if cut[axis]:
                items.insert(edge, " ..." if inner else "...")
            if not inner:
                blocks.append("[" + ("," + start).join(items) + "]")
            elif len(items) <= per_line:
                blocks.append("[" + ", ".join(items) + "]")
            else:
                rows = [", ".join(items[at : at + per_line]) for at in range(0, len(items), per_line)]
                blocks.append("[" + (",\n" + start).join(rows) + "]")
        words = blocks
    return words[0]


def is_default(dtype: str, default_dtype: str) -> bool:
    """Types that the text need not name: the default one, its complex partner, int64 and bool."""
    if dtype == default_dtype or dtype == "int64" or dtype == "bool":
        return True
    return dtype == ("complex128" if default_dtype == "float64" else "complex64")


def with_suffixes(text: str, suffixes: list[str], indent: int, linewidth: int, on_new_line: bool = False) -> str:
    """Append the suffixes, each on the last line if it fits there, and close the bracket; `on_new_line`: the first begins one."""
    # One more than the line holds: PyTorch counts so.
    length = linewidth if on_new_line else len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if length + len(suffix) + 2 > linewidth:
            text += ",\n" + " " * indent + suffix
            length = indent + len(suffix)
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text + ")"


def print_options() -> PrintOptions:
    """The session's print options."""
    if state.print_options is None:
        state.print_options = PrintOptions()
    return state.print_options
