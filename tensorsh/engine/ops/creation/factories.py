"""Making tensors: from data, filled, and ranges.

None is differentiable: they give leaves. Of the common options, layout, pin_memory and memory_format have no effect."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.blank import assigned, blank
from ...arrays.cupy_module import nowhere
from ...arrays.device import CPU
from ...arrays.door import ASKED
from ...arrays.dtype import COMPLEX, FLOAT8, INTEGER, bool_, complex64, complex128, dtype, given_dtype, int64, of
from ...arrays.errors import not_implemented
from ...arrays.extents import count, span
from ...arrays.layout import laid_out, strided
from ...arrays.numbers import converted
from ...arrays.state import here, state
from ...arrays.switches import ever
from ...arrays.type_names import type_name
from ...arrays.warning import warn, warn_once
from ...graph.fields import fresh, new
from ...loading import table
from ...operators.composite import not_tensor
from ...operators.forms import form
from ...operators.registration import add_method
from ...operators.results import check_out, stored
from ...operators.signature import Form
from ...tensors.data import check_layout, to_array
from ...tensors.ranges import counted, of_out, of_size, with_room
from ...tensors.resizing import hold
from ...tensors.sizes import named_size, size_of
from ...tensors.tensor import Tensor
from .placing import beside, empty_as, filled, filled_on, known_array, nowhere_on, ones_as, pattern, placed, zeros_as


def made(array: Any, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A leaf on a new array, on its device."""
    if device is not None or (ever and here.default_device is not None):
        array = placed(array, device)
    t = new(Tensor)
    t._array = array
    t._node = None
    if requires_grad:
        if array.dtype.kind not in "fcV":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t.requires_grad = True
    if ever and here.inference:
        t._inference = True
    return t


COPIES = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)


def tensor(
    data: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """A new tensor with a copy of `data`: a number, nested sequences, an array or a tensor.
    Integers give int64, booleans bool, floats the default dtype (float32), an array its own. It has no history: of a
    tensor, ``x.clone()`` or ``x.detach().clone()`` is meant. ValueError: sequences of unequal length."""
    if isinstance(data, Tensor):
        warn(COPIES.format("torch.tensor"))
        device = data.device if device is None and not data.is_cpu else device
    return made(to_array(data, dtype), device, requires_grad)


def scalar_tensor(
    s: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor without dimensions of the default dtype."""
    kind = dtype or (state.default_dtype if not isinstance(s, complex) else None)
    return made(to_array(s, kind), device, requires_grad)


def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """`data` as a tensor: a tensor itself or an array's own memory where dtype and device allow.
    `data` is a tensor, an array, a number or nested lists; the latter two are copied. Where memory is shared, writing
    to one changes the other; `tensor` always copies."""
    data = known_array(data)
    if isinstance(data, Tensor):
        return data if dtype is None and device is None else data.to(dtype=dtype, device=device)
    if isinstance(data, np.ndarray) and (dtype is None or of(data) is given_dtype(dtype, "as_tensor")):
        return from_numpy(data) if device is None else from_numpy(data).to(device)
    return made(to_array(data, dtype), device)


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor on the memory of a numpy array: writes to one are seen in the other.
    The dtype and the shape are the array's: numpy's floats are float64, `float()` converts. ``x.numpy()`` is the way back, and
    `tensor` copies. TypeError: anything but an array, dtypes without a counterpart."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    of(ndarray)
    check_layout(ndarray)
    if not ndarray.flags.writeable:
        warn_once(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to "
            "this tensor will result in undefined behavior. You may want to copy the array to protect its data or make it "
            "writable before converting it to a tensor. This type of warning will be suppressed for the rest of this program."
        )
        ndarray = ndarray.copy()
    return fresh(hold(np.asarray(ndarray)).view())


def _filler(name: str, fill: Callable, doc: str) -> Callable:
    """A function of a size: numbers without options take the short way."""

    def any_form(
        *size: Any, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
        requires_grad: bool = False, memory_format: Any = None, **other: Any,
    ) -> Tensor:  # fmt: skip
        if other:
            size = named_size(name, size, other)
        elif not size:
            raise TypeError(f"{name}() received an invalid combination of arguments - got (), but expected one of:")
        shape = size_of(name, size)
        d = of_size(name, dtype, out)
        check_out(out, layout, device)
        if layout is not None and layout is not strided:
            from ...sparse.conversion import nothing

            return made(nothing(shape, d.numpy, layout), device, requires_grad)
        array = filled_on(device, shape, d.numpy, fill, out is None)
        array = array if memory_format is None else laid_out(array, memory_format)
        if out is not None:
            return stored(array, out, dtype, requires_grad)
        return made(array, device, requires_grad)

    explained = form("torch." + name, any_form)

    @table.attentive
    def function(*size: Any, **options: Any) -> Tensor:
        if options or not size or ever and (here.door >= ASKED or here.default_device is not None):
            return explained(*size, **options)
        for n in size:
            if type(n) is not int or n < 0:
                return explained(*size)
        try:
            return fresh(fill(size, state.default_dtype.numpy))
        except ValueError:  # sizes beyond all memory
            return explained(*size)

    any_form.__name__ = any_form.__qualname__ = function.__name__ = function.__qualname__ = name
    function.__doc__ = doc + OF_A_SIZE
    function.__wrapped__ = Form(name, function, any_form)  # type: ignore[attr-defined]
    return function


OF_A_SIZE = """

The size is given as integers, or as one sequence; without sizes in the sequence the tensor has no dimensions. The dtype is
the default one (float32) where none is given; `device`, `requires_grad`, `layout` and ``out=`` as everywhere.
RuntimeError: a negative size. TypeError: a size that is no integer."""
zeros = _filler("zeros", np.zeros, "A tensor of zeros of the given size.")
ones = _filler("ones", np.ones, "A tensor of ones of the given size.")
empty = _filler("empty", blank, "A tensor of the given size whose elements are unspecified (here: zeros).")


def full(
    size: Any, fill_value: Any, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False, names: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor of one value; its dtype follows the value.

    `size` is a sequence of integers. A float gives the default dtype, an integer int64, a boolean bool, a complex number the
    complex dtype of the default one, unless `dtype` says otherwise. RuntimeError: a negative size."""
    shape = size_of("full", (size,))
    check_out(out, layout, device)
    if dtype is None and out is not None:
        dtype = out.dtype
    if isinstance(fill_value, Tensor):
        value = fill_value._array
        array = np.full(shape, value, (dtype or fill_value.dtype).numpy)
    elif nowhere_on(device):
        array = nowhere().MetaArray(shape, _full((), fill_value, dtype).dtype)
    else:
        array = _full(shape, fill_value, dtype)
    if out is not None:
        return stored(array, out, dtype, requires_grad)
    return made(array, device, requires_grad)


def _full(shape: tuple, value: Any, d: dtype | None) -> np.ndarray:
    if d is not None:
        d = given_dtype(d, "full")
    elif type(value) is float:
        d = state.default_dtype
    elif isinstance(value, (bool, np.bool_)):
        d = bool_
    elif isinstance(value, (int, np.integer)):
        d = int64
    else:
        d = state.default_dtype
        if isinstance(value, complex):  # never of halves
            d = complex128 if d.itemsize == 8 else complex64
    return filled(np.empty(shape, d.numpy), _number(value, d))


def _number(value: Any, d: dtype) -> Any:
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        raise OverflowError("int too big to convert")
    return converted(value, d.numpy)


def _like(name: str, fill: Callable) -> Callable:
    def function(
        input: Tensor, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
        pin_memory: bool = False, memory_format: Any = None,
    ) -> Tensor:  # fmt: skip
        if not isinstance(input, Tensor):
            raise not_tensor(name, input=input)
        given = input._array
        a = given if device is None or hasattr(given, "layout") else pattern(given, device)
        sparse = layout is not strided and (layout is not None or hasattr(a, "layout"))
        if sparse and memory_format is not None:
            raise RuntimeError("memory format option is only supported by strided tensors")
        if layout not in (None, getattr(a, "layout", strided)):
            from ...sparse.conversion import relaid

            a = relaid(a, layout, name)
        array = fill(a, a.dtype if dtype is None else given_dtype(dtype, name).numpy)
        return made(laid_out(array, memory_format) if memory_format else array, beside(input, device), requires_grad)

    function.__name__ = function.__qualname__ = name
    return function


zeros_like = _like("zeros_like", zeros_as)
ones_like = _like("ones_like", ones_as)
empty_like = _like("empty_like", lambda a, d: assigned(zeros_as(a, d)) if state.deterministic else zeros_as(a, d))
for _made, _what in ((zeros_like, "Zeros"), (ones_like, "Ones"), (empty_like, "A tensor that is not filled")):
    _made.__doc__ = f"""{_what} in the size, dtype and device of another tensor.\n
`dtype`, `device`, `layout` and `requires_grad` say otherwise where they are given. It has no history."""


def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """One value in the size, dtype and device of another tensor.

    `dtype`, `device`, `requires_grad` and `memory_format` may be given instead of the tensor's. The result shares no memory
    with it and has no history. RuntimeError: a value that the dtype cannot hold."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    d = input.dtype if dtype is None else given_dtype(dtype, "full_like")
    array = filled(empty_as(pattern(input._array, device), d.numpy), _number(value, d))
    array = array if memory_format is None else laid_out(array, memory_format)
    return made(array, beside(input, device), requires_grad)


def new_form(name: str, maker: Callable, fill: Any = None) -> Callable:
    """The method of a function that makes tensors; `fill`: what fills one of so many elements."""

    def method(
        self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **other: Any
    ) -> Tensor:
        array, plain = self._array, fill is not None and dtype is None and device is None and not requires_grad
        if plain and not other and size and type(array) is np.ndarray and here.default_device is None:
            shape = tuple(size[0]) if isinstance(size[0], tuple) and len(size) == 1 else size
            if len(shape) < 4 and all([type(n) is int and 0 <= n < 1 << 16 for n in shape]):
                return fresh(fill(shape, array.dtype))
        if hasattr(self._array, "layout") and name in ("new_zeros", "new_empty"):
            other.setdefault("layout", self.layout)
        return maker(
            *size, dtype=dtype or self.dtype, device=beside(self, device), requires_grad=requires_grad, **other
        )

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"`{name[4:]}` in the dtype and device of this tensor."
    return method


def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, **_: Any
) -> Tensor:
    """A copy of `data` in the dtype and device of this tensor.
    `data` is a number, nested lists or an array; `dtype`, `device` and `requires_grad` say otherwise where they are
    given. The copy is a leaf without history."""
    if isinstance(data, Tensor):
        warn(COPIES.format("tensor.new_tensor"))
    return made(to_array(data, dtype or self.dtype), beside(self, device), requires_grad)


def _bound(value: Any) -> Any:
    return value.item() if isinstance(value, (Tensor, np.generic)) else value


def _end(value: Any) -> Any:
    """A bound of a given number of values; of the meta device it need not be known."""
    known = not isinstance(value, Tensor) or type(value._array) is np.ndarray
    return _bound(value) if known else value._array.item()


def arange(
    *args: Any, start: Any = 0, end: Any = None, step: Any = 1, out: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """``start, start + step, ...`` up to but without `end`; integers give int64, floats the default dtype.
    ``arange(end)`` begins at 0, `step` is 1; `linspace` takes a number of values. RuntimeError: a step of 0 or away from `end`."""
    if len(args) == 1:
        end = args[0] if end is None else end
        start = args[0] if end is not args[0] else start
    elif len(args) >= 2:
        start, end, *rest = args
        step = rest[0] if rest else step
    if end is None:
        raise TypeError(
            'arange() missing 1 required positional arguments: "end"'
            if not args
            else "arange() received an invalid combination of arguments"
        )
    start, end, step = _bound(start), _bound(end), _bound(step)
    for value in (start, end, step):
        if isinstance(value, complex):
            raise RuntimeError("value cannot be converted to type double without overflow")
        if not isinstance(value, (int, float)):
            raise TypeError(f"arange(): argument 'end' (position 1) must be Number, not {type_name(value)}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (step > 0) != (end >= start) and start != end:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    usual = state.default_dtype if any(isinstance(v, float) for v in (start, end, step)) else int64
    dtype = of_out("arange", dtype, out)
    d = usual if dtype is None else given_dtype(dtype, "arange")
    if d is bool_ or d.category == COMPLEX or d in FLOAT8:
        raise not_implemented("arange_cpu", d)
    number = math.ceil((end - start) / step)
    span((number,), None, d.itemsize)
    if nowhere_on(device):
        return made(nowhere().MetaArray((number,), d.numpy), device, requires_grad)
    if d.category == INTEGER:
        # PyTorch counts the elements in whole numbers for int64, in double for the other integers.
        exact = d is int64 or not any(isinstance(v, float) for v in (start, end, step))
        first, by = int(start), int(step)
        array = np.arange(first, int(end) if exact else first + number * by, by, np.int64).astype(d.numpy, copy=False)
    else:
        array = counted(start, number, step, d.numpy)
    return keeping(array, with_room(out, array), device, requires_grad, dtype)


def range_(
    start: Any = 0, end: Any = None, step: Any = 1, *, out: Any = None, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, **_: Any,
) -> Tensor:  # fmt: skip
    """As arange, with the end included (deprecated by PyTorch)."""
    if end is None:
        start, end = 0, start
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with Python's "
        "range builtin. Instead, use torch.arange, which produces values in [start, end)."
    )
    if not type(start) is type(end) is type(step) is int:
        start, end, step = _bound(start), _bound(end), _bound(step)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (step > 0) != (end >= start) and start != end:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = int((end - start) / step) + 1
    d = state.default_dtype if dtype is None else given_dtype(dtype, "range")
    exact = step == 1 and type(start) is int and abs(start) < 1 << 52
    array = np.arange(start, start + count, dtype=np.float64) if exact else start + np.arange(count) * np.float64(step)
    array = array.astype(d.numpy, copy=False)
    if device is None and here.default_device is not None:
        device = CPU  # PyTorch does not ask for the default device here
    return keeping(array, out, device, requires_grad, dtype)


def delivered(array: Any, out: Any, device: Any, requires_grad: bool, given: Any = None) -> Tensor:
    """A new tensor of an array, or ``out``."""
    return made(array, device, requires_grad) if out is None else stored(array, out, given, requires_grad)


def keeping(array: Any, out: Any, device: Any, requires_grad: bool, given: Any = None) -> Tensor:
    """The same of numbers in a row, which keep the shape of an ``out`` that holds as many."""
    if out is not None and array.ndim == 1 and out._array.size == array.size:
        array = array.reshape(out._array.shape)
    return delivered(array, out, device, requires_grad, given)


def eye(
    n: int, m: int | None = None, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Ones on the diagonal of an `n` by `m` matrix of zeros.
    Without `m` it is square, the identity. RuntimeError: a negative size."""
    n, m = _bound(n), _bound(m)
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    count((n, n if m is None else m))
    d = (state.default_dtype if out is None else out.dtype) if dtype is None else given_dtype(dtype, "eye")
    xp = nowhere().module if nowhere_on(device) else np
    return keeping(xp.eye(n, m, dtype=d.numpy), out, device, requires_grad, dtype)


for _f in (tensor, scalar_tensor, as_tensor, from_numpy, zeros, ones, empty, full, zeros_like, ones_like,
           empty_like, full_like, arange, eye):  # fmt: skip
    table.FUNCTIONS[_f.__name__] = _f
table.FUNCTIONS["range"] = range_
for _maker, _filled in (zeros, np.zeros), (ones, np.ones), (empty, blank), (full, None):
    add_method(_name := "new_" + _maker.__name__, new_form(_name, _maker, _filled))
add_method("new_tensor", new_tensor)
