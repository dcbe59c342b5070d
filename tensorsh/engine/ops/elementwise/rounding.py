"""Rounding, signs, magnitudes and the bits of floating-point numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...arrays.dtype import finfo, of
from ...arrays.errors import not_implemented
from ...kernels import kernel, through
from ...loading import table
from ...numerics.complex import modulus, product
from ...numerics.halves import by_kernel, computed, converted
from ...numerics.rounding import rounded
from ...operators.declare import Array, by, operator
from ...operators.pointwise import chosen, hidden, is_number, of_numpy, refuse, tensors_only
from ...tensors.inplace import write
from ...tensors.tensor import Tensor


def zero(t: Any, g: Any) -> Any:
    return t.zeros_like(g)


def integral(name: str, ufunc: Any, names: str = "") -> None:
    """A rounding to whole numbers; integers stay as they are."""

    def kernel(xp, input: Array):
        kind = input.dtype.kind
        if kind in "iu":
            return input.copy("K")
        if kind == "b":
            raise not_implemented(f"{name}_vml_cpu", input)
        if kind == "c":
            raise NotImplementedError(f"{name} is not supported for complex inputs")
        return getattr(xp, ufunc.__name__)(input)

    kernel.__doc__ = f"Each element rounded: {name}."
    tensors_only(names or name, ufunc=ufunc)(kernel).gradient(input=zero)


integral("floor", np.floor)
integral("ceil", np.ceil)
integral("trunc", np.trunc, "trunc fix")


@tensors_only("_round", node="RoundBackward0", ufunc=np.rint, method=False, inplace=False)
def round_whole(xp, input: Array):
    """Each element rounded to the nearest whole number, halves to even."""
    kind = input.dtype.kind
    if kind in "iu":
        return input.copy("K")
    if kind in "bc":
        raise not_implemented("round_vml_cpu", input)
    return xp.rint(input)


round_whole.gradient(input=zero)


@tensors_only("_round_decimals", node="RoundBackward1", method=False, inplace=False)
def round_decimals(xp, input: Array, decimals=0):
    """Each element rounded to some decimal places."""
    if input.dtype.kind not in "fV":
        raise not_implemented("round_cpu" if decimals else "round_vml_cpu", input)
    if decimals == 0:
        return xp.rint(input)
    factor = input.dtype.type(float(f"1e{max(decimals, -decimals)}"))  # inf where there is no such power
    return xp.rint(input * factor) / factor if decimals > 0 else xp.rint(input / factor) * factor


round_decimals.gradient(input=zero)


@chosen("round special.round", method="round")
def round(input, *, decimals=None):
    """Each element rounded to the nearest whole number (halves to even), or to `decimals` places."""
    if decimals is None:
        return round_whole, [input]
    return round_decimals, [input, decimals]


def fraction(x: Any) -> Any:
    return x - np.trunc(x)


frac_kernel = kernel("frac")


@tensors_only(ufunc=by(frac_kernel or fraction, loop=frac_kernel))
def frac(xp, input: Array):
    """The part after the point, with the sign of the number."""
    if input.dtype.kind not in "fV":
        raise not_implemented("frac_cpu", input)
    return input - xp.trunc(input)


frac.gradient(input=lambda t, g: g)


def abs_in_place(input: Tensor) -> Tensor:
    if input._array.dtype.kind == "c":
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return write(abs, [input])


@tensors_only("abs absolute", ufunc=by(np.absolute, real=True), inplace=abs_in_place)
def abs(xp, input: Array):
    """The absolute value; of complex numbers, the modulus.
    Any shape; complex numbers give their real dtype. NotImplementedError: booleans."""
    if input.dtype.kind == "b":
        raise not_implemented("abs_cpu", input)
    return modulus(xp, input) if input.dtype.kind == "c" else xp.absolute(input)


abs.gradient(input=lambda t, g, input: g * t.sgn(input))


def fast_signs(x: Any) -> Any:
    found = through("sign", x)
    return np.subtract(x > 0, x < 0, dtype=x.dtype) if found is None else found


@tensors_only(ufunc=fast_signs)
def sign(xp, input: Array):
    """-1, 0 or 1 by the sign of each element; 0 for NaN."""
    if input.dtype.kind == "c":
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
        )
    return signs(xp, input)


sign.gradient(input=zero)


def signs(xp: Any, input: Any) -> Any:
    if input.dtype.kind == "b":
        return input.copy("K")
    if xp is np and input.dtype.kind == "f" and input.dtype.itemsize > 2:
        return fast_signs(input)
    if input.dtype.kind in "fV":
        return (input > 0).astype(input.dtype) - (input < 0).astype(input.dtype)
    return xp.sign(input)


@tensors_only()
def sgn(xp, input: Array):
    """The sign; of complex numbers, the number divided by its modulus (0 for 0)."""
    if input.dtype.kind != "c":
        return signs(xp, input)
    size = modulus(xp, input)
    zero, one = size.dtype.type(0), size.dtype.type(1)
    none = size == zero
    safe = xp.where(none, one, size)
    found = xp.empty_like(input)
    # What PyTorch's vectors leave over is multiplied by the reciprocal.
    block = 128 // input.itemsize
    vectors = (xp.arange(size.size) < size.size // block * block).reshape(size.shape)
    for part, to in ((input.real, found.real), (input.imag, found.imag)):
        to[...] = xp.where(none, zero, xp.where(vectors, part / safe, part * (one / safe)))
    return found


@sgn.gradient_of("input")
def sgn_gradient(t: Any, g: Any, input: Any, result: Any) -> Any:
    if not is_complex(t, input):
        return t.zeros_like(g)
    modulus = t.abs(input)
    safe = t.where(modulus == 0, t.ones_like(modulus), modulus)
    along = t.real(t.conj(result) * g)
    return t.where(modulus == 0, t.zeros_like(g), (g - result * along) / safe)


def is_complex(t: Any, x: Any) -> bool:
    return t.array(x).dtype.kind == "c"


@operator(scalars=False)
def signbit(xp, input: Array):
    """Whether the sign bit is set (true for -0.0)."""
    if input.dtype.kind == "c":
        raise NotImplementedError("signbit is not implemented for complex tensors.")
    if input.dtype.kind == "V" or xp is np and input.dtype.itemsize == 2 and input.dtype.kind == "f":
        return xp.signbit(converted(input, np.dtype(np.float32)))
    return xp.signbit(input) if input.dtype.kind == "f" else input < 0


@operator(outputs="mantissa (exponent)", wide=True)
def frexp(xp, input: Array):
    """Mantissa in (-1, -0.5] or [0.5, 1) and exponent of two of each element."""
    if input.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = xp.frexp(input)
    odd = ~xp.isfinite(input)
    if xp is np and not odd.any():
        return mantissa, exponent.astype(np.int32, copy=False)
    return mantissa, xp.where(odd, np.int32(0), exponent).astype(np.int32)


frexp.joint_gradient(lambda t, g, needs, exponent: (g[0] * t.exp2(-t.cast_to(exponent, t.array(g[0]).dtype)),))


@tensors_only(wide=False, check=refuse("nextafter_cpu", "biuc"))
def nextafter(xp, input: Array, other: Array):
    """The next number a tensor can hold after `input` toward `other`."""
    alike = type(input) is type(other) is np.ndarray and input.dtype == other.dtype
    if by_bits is not None and alike and input.dtype.char in "fd":
        return by_bits(input, other)
    return xp.nextafter(input, other)


by_bits = kernel("nextafter")


nextafter.gradient(input=lambda t, g, input, other: t.where(input == other, t.zeros_like(g), g), other=zero)


def copysign_gradient(t: Any, g: Any, input: Any, result: Any) -> Any:
    return g * t.where(input == 0, t.zeros_like(g), result / t.where(input == 0, t.ones_like(input), input))


@hidden("_copysign", promote="float", node="CopysignBackward0", check=refuse("copysign_cpu", "c"), wide=False)
def copysign_tensor(xp, input: Array, other: Array):
    """The magnitude of `input` with the sign of `other`."""
    near = xp is np and input.flags.c_contiguous and other.flags.c_contiguous
    found = through("copysign", input, other) if near else None
    return xp.copysign(input, other) if found is None else found


copysign_tensor.same = by_kernel("copysign", lambda x, other: (x, other))
copysign_tensor.gradient(input=copysign_gradient, other=zero)


@hidden(
    "_copysign_number",
    promote="float input other",
    node="CopysignBackward1",
    check=refuse("copysign_cpu", "c"),
    wide=False,
)
def copysign_number(xp, input: Array, other):
    """The magnitude of `input` with the sign of a number."""
    return xp.copysign(input, other)


copysign_number.gradient(input=copysign_gradient)


@chosen("copysign", choices={(Tensor, Tensor): copysign_tensor, (Tensor, object): copysign_number})
def copysign(input, other):
    """The magnitude of `input` with the sign of `other`."""
    return (copysign_number if is_number(other) else copysign_tensor), [input, other]


def check_ldexp(input: Any, other: Any) -> None:
    if other.dtype == np.bool_ and input.dtype.kind in "fV":
        raise not_implemented("ldexp_cpu_exp", other)


@tensors_only(promote="float", check=check_ldexp)
def ldexp(xp, input: Array, other: Array):
    """``input * 2 ** other``."""
    return product(xp, input, rounded(xp.exp2, other))


ldexp.gradient(input=lambda t, g, other: g * t.exp2(other), other=lambda t, g, result: g * result * 0.6931471805599453)


def refuse_complex(name: str) -> Any:
    def check(input: Any) -> None:
        if input.dtype.kind == "c":
            raise RuntimeError(f"{name} is not supported for complex tensors.")

    return check


def in_other_units(name: str, factor: float, node: str, doc: str) -> None:
    def kernel(xp, input: Array):
        return input * input.dtype.type(factor)

    kernel.__doc__ = doc
    op = tensors_only(name, promote="float", node=node, check=refuse_complex(name))(kernel)
    op.same = lambda a: computed(np.multiply, a, np.asarray(factor, np.float32))
    op.gradient(input=lambda t, g: g * factor)


in_other_units("deg2rad", np.pi / 180, "Deg2RadBackward0", "Degrees to radians.")
in_other_units("rad2deg", 180 / np.pi, "Rad2DegBackward0", "Radians to degrees.")
of_numpy("gcd", np.gcd, "The greatest common divisor of integers.", check=refuse("gcd_cpu", "bfc"))
of_numpy("lcm", np.lcm, "The least common multiple of integers.", check=refuse("lcm_cpu", "bfc"))


@cache
def limits(dtype: Any) -> tuple:
    """An array's dtype as the maker of its numbers, and the largest and the least of them."""
    info = finfo(of(np.empty(0, dtype)))
    return dtype.type, info.max, info.min


def replacements(input: Any, nan: Any, posinf: Any, neginf: Any) -> list:
    """What stands for NaN and for the infinities, as numbers of an array's dtype."""
    kind, most, least = limits(input.dtype)
    given = (0 if nan is None else nan, most if posinf is None else posinf, least if neginf is None else neginf)
    return [kind(x) for x in given]


@tensors_only(wide=False)
def nan_to_num(xp, input: Array, nan=None, posinf=None, neginf=None):
    """NaN replaced by `nan` (0), infinities by `posinf` and `neginf` (the largest and smallest finite numbers)."""
    if input.dtype.kind in "biu":
        return input.copy("K")
    if input.dtype.kind == "c":
        parts = [nan_to_num.kernel(xp, part, nan, posinf, neginf) for part in (input.real, input.imag)]
        return (parts[0] + 1j * parts[1]).astype(input.dtype)
    numbers = replacements(input, nan, posinf, neginf)
    if (found := through("nan_to_num", input, *numbers)) is not None:
        return found
    result = xp.where(xp.isnan(input), numbers[0], input)
    result = xp.where(result == np.inf, numbers[1], result)
    return xp.where(result == -np.inf, numbers[2], result)


nan_to_num.same = by_kernel("nan_to_num", lambda x, *given: (x, *replacements(x, *given)))
nan_to_num.gradient(input=lambda t, g, input: g * t.where(t.isfinite(input), t.ones_like(g), t.zeros_like(g)))

Tensor.__abs__ = table.METHODS["abs"]  # type: ignore[attr-defined]
