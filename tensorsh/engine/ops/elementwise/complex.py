"""Complex numbers: their parts, conjugates, angles, and views between complex and real."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import kernels
from ...arrays import deferred
from ...arrays.dtype import COMPLEX_HALF, complex32, of
from ...arrays.extents import strided
from ...arrays.layout import is_expanded
from ...loading.table import find_function
from ...numerics.halves import FLOAT32, HALF, converted, in_rows, paired
from ...operators.declare import Array, composite, operator
from ...operators.pointwise import refuse
from ...tensors.inplace import write
from ...tensors.tensor import Tensor
from ..creation.copying import clone


def check_polar(abs: Any, angle: Any) -> None:
    check_parts(abs, angle)
    refuse("polar_cpu", "h")(abs, angle)


REAL_OF = {np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.float64)}
COMPLEX_OF = {real: complex_ for complex_, real in REAL_OF.items()}


@operator(view=True, wide=False, out=False, method=False)
def view_as_real(xp, input: Array):
    """A complex tensor's memory as real numbers, in a new last dimension of size 2."""
    if input.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    real = REAL_OF[input.dtype]
    shape, strides = (*input.shape, 2), (*input.strides, real.itemsize)
    return strided(input, shape, strides, 0, real)


def refuse_conjugate(input: Any) -> Any:
    conj, neg = deferred.bits(input)
    if conj:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it "
            "as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original."
        )
    return deferred.deferred(view_as_real.kernel(np, deferred.memory_of(input)), conj, neg)


deferred.RULES["view_as_real"] = refuse_conjugate
view_as_real.gradient(input=lambda t, g: t.view_as_complex(t.contiguous(g)))


@operator(view=True, wide=False, out=False, method=False)
def view_as_complex(xp, input: Array):
    """A real tensor's memory as complex numbers; its last dimension has size 2."""
    if input.dtype not in COMPLEX_OF:
        raise RuntimeError(
            f"view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {of(input).short}"
        )
    if input.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input.size and input.strides[-1] != input.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if input.size and any(s % (2 * input.itemsize) for s in input.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    target = COMPLEX_OF[input.dtype]
    shape = input.shape[:-1]
    if not input.size:
        return xp.empty(shape, target)
    return input.view(target)[..., 0]


view_as_complex.gradient(input=lambda t, g: t.view_as_real(t.resolve_conj(g)))


def halved(input: Tensor, part: Tensor) -> Tensor:
    """The real numbers that a part of a complex32 tensor, held as complex64, stands for."""
    return part.half() if input.dtype is complex32 else part


def parts_of(input: Tensor) -> tuple[Tensor, bool]:
    """The memory of a tensor as real numbers, and whether the imaginary ones are the negatives of its parts."""
    turned = is_conj(input)
    real = view_as_real.function(conj(input) if turned else input)
    return real, turned


@composite("real", method=False)
def real(input: Tensor) -> Tensor:
    """The real parts, a view of the same memory; a real tensor itself."""
    if not input.dtype.is_complex:
        return input
    return halved(input, parts_of(input)[0].select(-1, 0))


@composite("imag", method=False)
def imag(input: Tensor) -> Tensor:
    """The imaginary parts, a view of the same memory."""
    if not input.dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    memory, turned = parts_of(input)
    return halved(input, (neg_view.function(memory) if turned else memory).select(-1, 1))


def is_viewed(array: Any) -> bool:
    """Whether an array can be read as its conjugate: on the CPU, and without elements."""
    return isinstance(array, np.ndarray) or hasattr(array, "bits")


@operator("_conj", view=True, out=False, node="ConjBackward0", method=False)
def conj_view(xp, input: Array):
    """The complex conjugate, a view of the same memory."""
    if input.dtype.kind != "c":
        raise RuntimeError(f"_conj(): expected a complex tensor, but got a tensor of scalar type: {of(input).short}")
    return deferred.turned(input, True, False)


conj_view.gradient(input=lambda t, g: t.conj(g))
deferred.RULES["_conj"] = partial(conj_view.kernel, np)


@operator("_conj_copy", node="ConjBackward0", method=False)
def conj_copy(xp, input: Array):
    """The complex conjugate, in new memory."""
    return xp.conjugate(input)


conj_copy.gradient(input=lambda t, g: t.conj(g))


@composite("conj")
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, a view of the same memory that is computed when it is read; a real tensor itself.
    Writes go through: ``x.conj()[0] = 1j`` puts ``-1j`` into `x`. ``x.conj().conj()`` is a view of `x` as it is;
    `conj_physical` and ``x.conj().resolve_conj()`` are in new memory. On a GPU, and of a sparse tensor, it is a copy."""
    if input._array.dtype.kind != "c":
        return input
    return (conj_view if is_viewed(input._array) else conj_copy).function(input)


@operator("_neg_view", view=True, out=False, node="NegViewBackward0")
def neg_view(xp, input: Array):
    """The negative, a view of the same memory."""
    return deferred.turned(input, False, True) if is_viewed(input) else xp.negative(input)


neg_view.gradient(input=lambda t, g: -g)
deferred.RULES["_neg_view"] = partial(neg_view.kernel, np)


@operator("_neg_view_copy", node="NegViewBackward0", method=False)
def neg_view_copy(xp, input: Array):
    """The negative, in new memory."""
    return xp.negative(input)


neg_view_copy.gradient(input=lambda t, g: -g)


@operator("_conj_physical", node="ConjPhysicalBackward0 ConjPhysicalBackward1", method=False)
def conj_physical_copy(xp, input: Array):
    """The complex conjugate, in new memory."""
    return xp.conjugate(input)


conj_physical_copy.gradient(input=lambda t, g: t.conj(g))


@composite("conj_physical", inplace=lambda input: write(conj_physical_copy, [input]))
def conj_physical(input: Tensor, *, out: Any = None) -> Tensor:
    """The complex conjugate; a real tensor itself."""
    if out is not None:
        return conj_physical_copy.into([input], out)
    return conj_physical_copy.function(input) if input._array.dtype.kind == "c" else input


@composite("resolve_conj")
def resolve_conj(input: Tensor) -> Tensor:
    """A copy whose elements are computed, where `input` is a conjugate view; else `input` itself."""
    return clone.function(input) if is_conj(input) else input


@composite("resolve_neg")
def resolve_neg(input: Tensor) -> Tensor:
    """A copy whose elements are computed, where `input` is a negative view; else `input` itself."""
    return clone.function(input) if is_neg(input) else input


@composite("is_conj")
def is_conj(input: Tensor) -> bool:
    """Whether it is a view that shows the conjugates of what lies in memory, as `conj` gives it."""
    return deferred.bits(input._array)[0]


@composite("is_neg")
def is_neg(input: Tensor) -> bool:
    """Whether it is a view that shows the negatives of what lies in memory, as ``x.conj().imag`` is."""
    return deferred.bits(input._array)[1]


@operator(promote="float", scalars=False, domain="any")
def angle(xp, input: Array):
    """The angle in the complex plane; 0 or pi for real numbers."""
    if input.dtype.kind == "c":
        found = kernels.through("arctan2", input.imag, input.real)
        return xp.angle(input) if found is None else found
    return xp.where(xp.isnan(input), input, xp.where(input < 0, input.dtype.type(np.pi), input.dtype.type(0)))


@angle.gradient_of("input")
def angle_gradient(t: Any, g: Any, input: Any) -> Any:
    if t.array(input).dtype.kind != "c":
        return t.zeros_like(g)
    size = t.abs(input)
    zero = size == 0
    square = t.pow(t.where(zero, t.ones_like(size), size), 2)
    return t.where(zero, t.zeros_like(input), t.div(t.mul(g, input), square) * 1j)


def check_parts(input: Any, other: Any) -> None:
    for x in (input, other):
        if x.dtype.kind not in "fV" or x.dtype.itemsize == 2 and x.dtype.kind == "V":
            raise RuntimeError(
                f"Expected both inputs to be Half, Float or Double tensors but got {of(input).short} and {of(other).short}"
            )
    if input.dtype != other.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {of(input).short} but got scalar type {of(other).short} for second argument"
        )


def of_parts(xp: Any, real: Any, imag: Any) -> Any:
    """Complex numbers from their real and imaginary parts."""
    half = real.dtype == HALF
    if half and xp is np:
        real, imag = converted(real, FLOAT32), converted(imag, FLOAT32)
    found = paired(real, imag) if xp is np else None
    if found is None:
        real, imag = xp.broadcast_arrays(real, imag)
        like = imag if is_expanded(real) else real
        dtype = COMPLEX_HALF if half else COMPLEX_OF[real.dtype]
        found = xp.empty(real.shape, dtype) if is_expanded(like) else xp.empty_like(like, dtype)
        found.real, found.imag = real, imag
    return found.view(COMPLEX_HALF) if half else found


@operator("complex", method=False, promote="same", wide=False, scalars=False, check=check_parts)
def complex_(xp, real: Array, imag: Array):
    """Complex numbers from their real and imaginary parts."""
    return of_parts(xp, real, imag)


complex_.gradient(real=lambda t, g: t.real(g), imag=lambda t, g: t.imag(g))


@operator(method=False, promote="same", scalars=False, check=check_polar)
def polar(xp, abs: Array, angle: Array):
    """Complex numbers from their absolute values and angles."""
    abs, angle = in_rows(abs), in_rows(angle)
    return of_parts(xp, abs * xp.cos(angle), abs * xp.sin(angle))


polar.gradient(
    abs=lambda t, g, result, abs: t.real(t.conj(g) * t.sgn(result)),
    angle=lambda t, g, result: t.real(t.conj(g) * (result * 1j)),
)


def part(name: str) -> property:
    """``x.real`` and ``x.imag``: views of the same memory, that can be assigned to."""

    def get(self: Tensor) -> Tensor:
        return find_function(name)(self)

    def put(self: Tensor, value: Any) -> None:
        get(self).copy_(value if isinstance(value, Tensor) else self.new_tensor(value))

    return property(get, put)


Tensor.real = part("real")  # type: ignore[attr-defined]
Tensor.imag = part("imag")  # type: ignore[attr-defined]
