"""PyTorch's dtypes as objects, and their correspondence with numpy's.

A tensor's dtype is never stored: it is looked up from its array's numpy dtype. bfloat16 and the float8 family come from
ml_dtypes, which is imported when one of them is first used."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.sealed import Dotted, Given, given, underived
from .type_names import type_name

BOOL, INTEGER, FLOAT, COMPLEX = range(4)
"""The four categories of type promotion, in their order."""


class dtype(Given):
    """A type of element, as ``torch.float32``."""

    __module__ = "torch"
    __slots__ = ("name", "category", "itemsize", "_signed", "_numpy", "short")
    name: str
    category: int
    itemsize: int
    short: str

    def __init__(self, *parts: Any) -> None:
        self.name, self.category, self.itemsize, self.short, *signed = parts
        self._signed = signed != [False]
        self._numpy: np.dtype | None = None

    @property
    def numpy(self) -> np.dtype:
        """The numpy dtype that holds these elements."""
        if self._numpy is None:
            _load(self)
        return self._numpy  # type: ignore[return-value]

    @property
    def is_signed(self) -> bool:
        return self._signed

    @property
    def is_floating_point(self) -> bool:
        return self.category == FLOAT

    @property
    def is_complex(self) -> bool:
        return self.category == COMPLEX

    @property
    def abbr(self) -> str:
        """The short name: "f32", "i64", "bf16"."""
        if self.name[:7] == "float8_":
            return "f8" + self.name[7:]
        return ("bf" if self.name == "bfloat16" else self.name[0]) + str(8 * self.itemsize)

    def to_real(self) -> dtype:
        return _REAL.get(self, self)

    def to_complex(self) -> dtype:
        found = self if self.category == COMPLEX else _COMPLEX.get(self)
        if found is None:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.short}")
        return found

    def __repr__(self) -> str:
        return "torch." + self.name

    def __reduce__(self) -> str:
        return self.name

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, memo: object) -> dtype:
        return self


def numpy_of(kind: Any) -> np.dtype:
    """The numpy dtype of a dtype that a program gives.

    Raises:
        TypeError: It only passes for one.
    """
    if type(kind) is not dtype:
        raise TypeError(f"a torch.dtype is expected, not {type_name(kind)}")
    return kind.numpy


bool_: dtype = given(dtype, "bool", BOOL, 1, "Bool", False)
uint8: dtype = given(dtype, "uint8", INTEGER, 1, "Byte", False)
int8: dtype = given(dtype, "int8", INTEGER, 1, "Char")
int16: dtype = given(dtype, "int16", INTEGER, 2, "Short")
int32: dtype = given(dtype, "int32", INTEGER, 4, "Int")
int64: dtype = given(dtype, "int64", INTEGER, 8, "Long")
uint16: dtype = given(dtype, "uint16", INTEGER, 2, "UInt16", False)
uint32: dtype = given(dtype, "uint32", INTEGER, 4, "UInt32", False)
uint64: dtype = given(dtype, "uint64", INTEGER, 8, "UInt64", False)
float16: dtype = given(dtype, "float16", FLOAT, 2, "Half")
bfloat16: dtype = given(dtype, "bfloat16", FLOAT, 2, "BFloat16")
float32: dtype = given(dtype, "float32", FLOAT, 4, "Float")
float64: dtype = given(dtype, "float64", FLOAT, 8, "Double")
complex32: dtype = given(dtype, "complex32", COMPLEX, 4, "ComplexHalf")
complex64: dtype = given(dtype, "complex64", COMPLEX, 8, "ComplexFloat")
complex128: dtype = given(dtype, "complex128", COMPLEX, 16, "ComplexDouble")
float8_e4m3fn: dtype = given(dtype, "float8_e4m3fn", FLOAT, 1, "Float8_e4m3fn")
float8_e5m2: dtype = given(dtype, "float8_e5m2", FLOAT, 1, "Float8_e5m2")
float8_e4m3fnuz: dtype = given(dtype, "float8_e4m3fnuz", FLOAT, 1, "Float8_e4m3fnuz")
float8_e5m2fnuz: dtype = given(dtype, "float8_e5m2fnuz", FLOAT, 1, "Float8_e5m2fnuz")
float8_e8m0fnu: dtype = given(dtype, "float8_e8m0fnu", FLOAT, 1, "Float8_e8m0fnu", False)

DTYPES = [value for value in list(globals().values()) if isinstance(value, dtype)]
BY_NAME = {d.name: d for d in DTYPES}
ALIASES = {
    "float": float32, "double": float64, "half": float16, "cfloat": complex64, "cdouble": complex128,
    "chalf": complex32, "long": int64, "int": int32, "short": int16,
}  # fmt: skip
TYPED = {
    d.short + "Tensor": d
    for d in (float32, float64, float16, bfloat16, int64, int32, int16, int8, uint8, bool_)
}  # fmt: skip
"""The dtypes that have a constructor of old, by its name: ``torch.FloatTensor``."""
FLOAT8 = float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, float8_e8m0fnu
HALVES = frozenset({float16, bfloat16, *FLOAT8})
_REAL = {complex32: float16, complex64: float32, complex128: float64}
_COMPLEX = {float16: complex32, float32: complex64, float64: complex128, bfloat16: complex64}

UINT8 = np.dtype(np.uint8)
COMPLEX_HALF = np.dtype("complex64", metadata={"torch": "complex32"})
"""numpy has no complex32: its elements are held as complex64 of half precision, in arrays of this very object as dtype."""
complex32._numpy, COMPLEX_WIDE = COMPLEX_HALF, np.dtype("complex64")

FROM_NUMPY: dict[np.dtype, dtype] = {}
"""torch's dtype of an array's dtype: ``FROM_NUMPY[array.dtype]``."""


def _load(d: dtype) -> None:
    import ml_dtypes

    for each in (bfloat16, *FLOAT8):
        each._numpy = np.dtype(getattr(ml_dtypes, each.name))
        FROM_NUMPY[each._numpy] = each


def float_info(real: np.dtype) -> Any:
    """The limits of a floating-point dtype, numpy's own or one of ml_dtypes."""
    if real.type.__module__ != "ml_dtypes":
        return np.finfo(real)
    import ml_dtypes

    return ml_dtypes.finfo(real)


for _d in DTYPES:
    if _d.name.startswith(("bool", "int", "uint", "float16", "float32", "float64", "complex64", "complex128")):
        _d._numpy = np.dtype(_d.name)
        FROM_NUMPY[_d._numpy] = _d


PYTHON = {float: float64, int: int64, bool: bool_, complex: complex128}


def given_dtype(given: object, caller: str) -> dtype:
    """The dtype that a caller was given: one of torch's, or a Python type that stands for its counterpart."""
    if isinstance(given, dtype):
        return given
    found = PYTHON.get(given) if isinstance(given, type) else None  # type: ignore[arg-type]
    if found is None:
        raise TypeError(f"{caller}(): argument 'dtype' must be torch.dtype, not {type(given).__name__}")
    return found


HALF_ON_GPU = "complex32 is computed on the CPU alone: use torch.complex64 on a GPU"


def as_complex_half(array: Any) -> Any:
    """An array as complex32: both parts rounded to half precision. RuntimeError: one of a GPU, whose arrays have no such dtype."""
    if not isinstance(array, (np.ndarray, np.generic)):
        raise RuntimeError(HALF_ON_GPU)
    made = np.empty(array.shape, COMPLEX_HALF)
    made.real, made.imag = array.real.astype(np.float16), array.imag.astype(np.float16)
    return made


def as_pairs(array: Any) -> Any:
    """The parts of complex32 numbers as pairs of float16, as PyTorch has them in memory and in files."""
    return np.stack([array.real.astype(np.float16), array.imag.astype(np.float16)], -1)


def of_pairs(pairs: Any) -> Any:
    """The complex32 numbers of such pairs."""
    made = np.empty(pairs.shape[:-1], COMPLEX_HALF)
    made.real, made.imag = pairs[..., 0], pairs[..., 1]
    return made


def can_hold(source: dtype, target: dtype) -> bool:
    """Whether a result may be stored in a given dtype: never in one of a lower category."""
    return source.category <= target.category


def is_half(dtype: np.dtype) -> bool:
    """Whether an array's dtype is one of the half types, float16 and bfloat16."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def of(array: np.ndarray) -> dtype:
    """torch's dtype of an array; TypeError, as PyTorch words it, for what it cannot hold."""
    try:
        return complex32 if array.dtype is COMPLEX_HALF else FROM_NUMPY[array.dtype]
    except KeyError:
        if array.dtype.name == "bfloat16" or array.dtype.name.startswith("float8"):
            _load(bfloat16)
            return FROM_NUMPY[array.dtype]
        native = array.dtype.newbyteorder("=")
        if native in FROM_NUMPY:
            return FROM_NUMPY[native]
        raise TypeError(
            f"can't convert np.ndarray of type {array.dtype.type.__module__}.{array.dtype.type.__name__}. The only "
            "supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, "
            "uint64, uint32, uint16, uint8, and bool."
        ) from None


def _asked(function: str, type: Any) -> dtype:
    found = type if isinstance(type, dtype) else next((kind for each, kind in PYTHON.items() if each is type), None)
    if found is None:
        raise TypeError(f"{function}(): argument 'type' (position 1) must be torch.dtype, not {type_name(type)}")
    return found


@underived
class finfo(metaclass=Dotted):
    """The limits of a floating-point dtype.

    type: the dtype, that of `get_default_dtype` where none is given. Its attributes: `bits`, `eps` (the step from 1 to the next
    number), `max`, `min`, `tiny` (the smallest normal number, `smallest_normal`), `resolution`, `dtype`. TypeError: no floating point.

    >>> torch.finfo(torch.float32).eps, torch.finfo(torch.float16).max
    (1.1920928955078125e-07, 65504.0)
    >>> torch.finfo(torch.bfloat16)
    finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=bfloat16)
    """

    __module__ = "torch"

    def __eq__(self, other: object) -> bool:
        return type(other) is finfo and other.dtype == self.dtype and other.bits == self.bits

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        from .state import state

        if len(args) + len(kwargs) > 1 or kwargs.keys() - {"type"}:
            listed = [*map(type_name, args), *(f"{k}={type_name(v)}" for k, v in kwargs.items())]
            raise TypeError(
                f"finfo() received an invalid combination of arguments - got ({', '.join(listed)}), but expected one of:"
            )
        asked = (*args, *kwargs.values())
        type = _asked("finfo", asked[0]) if asked else state.default_dtype
        if type.category not in (FLOAT, COMPLEX):
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        real = type.to_real().numpy
        info = float_info(real)
        self.bits, self.dtype = int(info.bits), real.name
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = 10.0 ** -int(info.precision) if info.precision and self.bits > 8 else 1.0
        if type.name == "float8_e5m2fnuz":
            self.eps = 0.125  # as PyTorch has it

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


@underived
class iinfo(metaclass=Dotted):
    """The limits of an integer dtype.

    type: the dtype. Its attributes: `bits`, `max`, `min`, `dtype`. TypeError: no integers.

    >>> torch.iinfo(torch.int32).max
    2147483647
    >>> torch.iinfo(torch.uint8)
    iinfo(min=0, max=255, dtype=uint8)
    """

    __module__ = "torch"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > 1:
            raise TypeError(f"iinfo() takes 1 positional argument but {len(args)} were given")
        if wrong := kwargs.keys() - {"type"}:
            raise TypeError(f"iinfo() got an unexpected keyword argument '{min(wrong)}'")
        if not args and not kwargs:
            raise TypeError('iinfo() missing 1 required positional arguments: "type"')
        type = _asked("iinfo", (*args, *kwargs.values())[0])
        if type is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if type.category != INTEGER:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        info = np.iinfo(type.numpy)
        self.bits, self.min, self.max, self.dtype = info.bits, int(info.min), int(info.max), type.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
