"""Discrete Fourier transforms, in one and in several dimensions.

All are made of three primitives, as in PyTorch (real to complex, back, complex to complex), scaled by `mode`: "none", "root", "by_n".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.dtype import FLOAT, dtype, of
from ...arrays.errors import length, own_dim
from ...arrays.state import here, state
from ...arrays.type_names import type_name
from ...graph.fields import wrap
from ...loading import table
from ...numerics.fourier import completed, has_parts, scaled, short, transformed, turned
from ...numerics.fourier import scaling as factor_of
from ...operators.declare import Array, composite, operator
from ...tensors.ranges import with_room
from ...tensors.tensor import Tensor
from ..creation.factories import delivered
from ..linalg.common import constant, dtype_of, into

FORWARD = {"none": "backward", "root": "ortho", "by_n": "forward"}
"""numpy's name of a scaling for a transform forward; backward the outer two change places."""
BACKWARD = {"none": "forward", "root": "ortho", "by_n": "backward"}


def scaling(norm: str | None, forward: bool) -> str:
    if norm in (None, "backward"):
        return "none" if forward else "by_n"
    if norm == "forward":
        return "by_n" if forward else "none"
    if norm == "ortho":
        return "root"
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def signals_last(xp: Any, found: Any, dim: Any, input: Any) -> Any:
    """A result that lies in memory as PyTorch's does: the transformed dimensions behind the others, which stay in order."""
    n = found.ndim
    if type(found) is np.ndarray and found.flags.c_contiguous and input.flags.c_contiguous:
        least = n - len(dim)
        if all([d % n >= least for d in dim]):  # they are the last ones
            return found
    signals = sorted(d % n for d in dim)
    order = sorted([d for d in range(n) if d not in signals], key=lambda d: -input.strides[d]) + signals
    if not found.size:
        return found
    return xp.ascontiguousarray(found.transpose(order)).transpose([order.index(d) for d in range(n)])


def some(input: Any) -> None:
    """PyTorch's library has no transform of no signals."""
    if not input.size:
        raise RuntimeError("MKL FFT error: Intel oneMKL DFTI ERROR: Inconsistent configuration parameters")


def complex_transform(
    xp: Any, a: Any, dim: Any, mode: str, forward: bool, count: int = 0, between: bool = False
) -> Any:
    """The transform of a complex array along some dimensions; `count`: of how many numbers, where it is a part of one along more;
    `between`: it is to be transformed along another one."""
    found = transformed("c2c", a, dim, forward, mode, count=count, between=between)
    if found is None:
        transform = xp.fft.fftn if forward else xp.fft.ifftn
        own = mode if count in (0, math.prod([a.shape[d] for d in dim])) else "none"
        found = times(transform(a, axes=dim, norm=(FORWARD if forward else BACKWARD)[own]), mode, own, count)
    return found


def times(found: Any, mode: str, own: str, count: int) -> Any:
    """A module's result, which it scaled by a way of its `own`, scaled as `count` numbers are."""
    return found if own == mode else found * found.real.dtype.type(factor_of(mode, count))


def real_transform(xp: Any, a: Any, dim: Any, mode: str, count: int = 0) -> Any:
    """The first half, along the last of the dimensions, of a real array's transform. What is its own conjugate there is real, see
    `further`."""
    if len(dim) == 1 and (found := transformed("r2c", a, dim, True, mode, count=count)) is not None:
        return found
    *others, last = [d % a.ndim for d in dim]
    if others and dim != list(range(a.ndim - len(dim), a.ndim)):
        order = [d for d in range(a.ndim) if d not in (*others, last)] + [*others, last]
        moved = real_transform(xp, a.transpose(order), list(range(a.ndim - len(dim), a.ndim)), mode, count)
        return moved.transpose(np.argsort(order).tolist())
    sizes = tuple([a.shape[d] for d in dim])
    count = count or math.prod(sizes)
    modes = ["none"] * len(sizes)
    if mode != "none":
        modes[scaled(sizes, True)] = mode
    found = transformed("r2c", a, [last], True, modes[-1], count=count)
    if found is None:
        own = modes[-1] if count == sizes[-1] else "none"
        found = times(xp.fft.rfft(a, axis=last, norm=FORWARD[own]), modes[-1], own, count)
    for k in range(len(others) - 1, -1, -1):
        found = further(xp, found, others[k], sizes[k + 1 :], modes[k], count)
    return found


def further(xp: Any, a: Any, d: int, of_real: tuple, mode: str, count: int) -> Any:
    """What a real array of these sizes became by the transform along its last dimensions, halved along the last one, transformed along one
    more. Where the frequencies along all of them are their own negatives (zero, and a middle one), it is a transform of real numbers."""
    found = transformed("c2c", a, [d], True, mode, count=count, of_real=of_real)
    if found is not None:
        return found
    found = complex_transform(xp, a, [d], mode, True, count)
    own: list[Any] = [...] + [slice(None, None, n // 2 if n % 2 == 0 else n) for n in of_real]
    real = xp.ascontiguousarray(a[tuple(own)].real)
    found[tuple(own)] = real_transform_whole(xp, real, [d], mode, count) + 0  # a sum of zeros is positive
    for k, n in enumerate(of_real[:-1], 1):  # the second half of a plane is the first one's conjugate
        first = (..., slice((n - 1) // 2, 0, -1), *own[k + 1 :])
        second = (..., slice(n // 2 + 1, None), *own[k + 1 :])
        before = [d, *range(a.ndim - len(of_real), a.ndim - len(of_real) + k - 1)]
        found[second] = turned(xp, found[first], before).conj() + 0
    return found


def real_transform_whole(
    xp: Any, a: Any, dim: Any, mode: str, count: int = 0, conjugate: bool = False, positive: bool = False
) -> Any:
    """The whole transform of a real array: the half that is not computed is the other's conjugate, with the other dimensions
    turned round."""
    if len(dim) == 1 and not conjugate and not positive:
        found = transformed("r2c", a, dim, True, mode, count=count, whole=True)
        if found is not None:
            return found
    return completed(xp, real_transform(xp, a, dim, mode, count), dim, a.shape, conjugate, positive)


@operator("_fft_c2c", method=False, node="FftC2CBackward0", long=True)
def c2c(xp, input: Array, dim, mode, forward):
    """The transform of complex arrays along some dimensions, or of such without imaginary parts that are kept as real ones."""
    if not dim:
        return input.copy()
    some(input)
    if input.dtype.kind != "c":
        found = real_transform_whole(xp, input, dim, mode, 0, not forward, True)
    elif all([input.shape[d] == 1 for d in dim]):  # also the sign of a zero stays
        found = input.copy()
    elif xp is not np or short(input, dim) or has_parts(input):  # a device is not asked
        found = complex_transform(xp, input, dim, mode, forward)
    else:
        found = real_transform_whole(xp, xp.ascontiguousarray(input.real), dim, mode, 0, not forward, True)
    return signals_last(xp, found, dim, input)


c2c.gradient(input=lambda t, g, dim, mode, forward: t._fft_c2c(g, dim, mode, not forward))


@operator("_fft_r2c", method=False, node="FftR2CBackward0", long=True)
def r2c(xp, input: Array, dim, mode, onesided):
    """The transform of real arrays; `onesided` leaves out the half of the last dimension that is the other's conjugate."""
    some(input)
    found = (real_transform if onesided else real_transform_whole)(xp, input, dim, mode)
    return signals_last(xp, found, dim, input)


def r2c_gradient(t, g, input_shape, dim, mode, onesided):
    last = dim[-1]
    missing = input_shape[last] - g.shape[last]
    if onesided and missing:
        fill = list(g.shape)
        fill[last] = missing
        g = t.cat([g, constant(t, np.zeros(fill, dtype_of(t, g)), g)], last)
    return t._fft_c2c(g, dim, mode, False).real


r2c.gradient(input=r2c_gradient)


@operator("_fft_c2r", method=False, node="FftC2RBackward0", long=True)
def c2r(xp, input: Array, dim, mode, last_dim_size):
    """The real inverse of the onesided transform; the last of the dimensions gets `last_dim_size` elements."""
    some(input)
    if len(dim) > 1:
        input = complex_transform(xp, input, dim[:-1], mode, False, between=True)
    found = transformed("c2r", input, dim[-1:], False, mode, last_dim_size)
    if found is None:
        found = xp.fft.irfft(input, n=last_dim_size, axis=dim[-1], norm=BACKWARD[mode])
    return signals_last(xp, found, dim, input)


def c2r_gradient(t, g, dim, mode):
    found = t._fft_r2c(g, dim, mode, True)
    last = dim[-1]
    double = g.shape[last] - found.shape[last]
    if double <= 0:
        return found
    # All but the first (and a middle) element stand for two of the full transform.
    weight = np.ones(found.shape[last], dtype_of(t, g))
    weight[1 : 1 + double] = 2
    weight = weight.reshape((-1, *[1] * (g.ndim - 1 - last)))
    return found * constant(t, weight, g)


c2r.gradient(input=c2r_gradient)


def prepared(input: Any, complex_wanted: bool = False) -> Tensor:
    """The input in a dtype the transforms know."""
    if not isinstance(input, Tensor):
        raise TypeError(f"argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    kind = input._array.dtype
    if kind.kind in "biu":
        input = input.to(state.default_dtype)
    elif kind.itemsize <= 2:
        raise RuntimeError(f"Unsupported dtype {of(input._array).short}")
    a = input._array
    if complex_wanted and a.dtype.kind != "c":
        if type(a) is np.ndarray and a.dtype.char in COMPLEX and (input._node is None or not here.grad_enabled):
            return wrap(a.astype(COMPLEX[a.dtype.char]))
        input = input.to(of(a).to_complex())
    return input


COMPLEX = {"f": np.dtype(np.complex64), "d": np.dtype(np.complex128)}


def real_input(name: str, input: Any, words: str = "real") -> Tensor:
    if isinstance(input, Tensor) and input._array.dtype.kind == "c":
        raise RuntimeError(f"{name} expects a {words} input tensor, but got {of(input._array).short}")
    return prepared(input)


def resized(x: Tensor, dims: Any, sizes: Any) -> Tensor:
    """Cut off or filled with zeros to the given sizes (-1: as it is)."""
    shape = x._array.shape
    for d, n in zip(dims, sizes, strict=True):
        if n == -1 or n == shape[d]:
            continue
        have = x._array.shape[d]
        if have < n:
            x = table.find_function("constant_pad_nd")(x, [0, 0] * (x._array.ndim - 1 - d) + [0, n - have])
        elif have > n:
            x = x.narrow(d, 0, n)
    return x


def points(n: int) -> int:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return n


def along(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    """`fft` and `ifft`."""
    x = prepared(input)
    d = own_dim(dim, x._array.ndim)
    n = points(x._array.shape[d] if n is None else n)
    mode = scaling(norm, forward)
    x = resized(x, [d], [n])
    if x._array.dtype.kind == "c":
        return c2c.function(x, [d], mode, forward)
    found = r2c.function(x, [d], mode, False)
    return found if forward else found.conj()


def halved(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    """`rfft` and `ihfft`."""
    x = real_input("rfft" if forward else "ihfft", input)
    d = own_dim(dim, x._array.ndim)
    n = points(x._array.shape[d] if n is None else n)
    found = r2c.function(resized(x, [d], [n]), [d], scaling(norm, forward), True)
    return found if forward else found.conj()


def doubled(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    """`irfft` and `hfft`."""
    x = prepared(input, True)
    d = own_dim(dim, x._array.ndim)
    n = points(2 * (x._array.shape[d] - 1) if n is None else n)
    x = resized(x, [d], [n // 2 + 1])
    if forward:
        x = conjugated(x)
    return c2r.function(x, [d], scaling(norm, forward), n)


def conjugated(x: Tensor) -> Tensor:
    """The conjugate of what goes to the next transform; made at once where nothing is recorded."""
    tracked = x._node is not None and here.grad_enabled
    return x.conj() if tracked or type(x._array) is not np.ndarray else wrap(np.conjugate(x._array))


def ints(x: Any) -> list[int] | None:
    return None if x is None else [int(x)] if isinstance(x, (int, np.integer)) else [int(i) for i in x]


def several(x: Tensor, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    """The dimensions to transform, and the size for each."""
    shape = x._array.shape
    n = len(shape)
    if s is None and (dim is None or dim == (-2, -1) and n > 1) and 0 not in shape:
        return (list(range(n)), list(shape)) if dim is None else ([n - 2, n - 1], list(shape[-2:]))
    s, dim = ints(s), ints(dim)
    if dim is not None:
        dims = [own_dim(d, n) for d in dim]
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    if s is not None:
        if dim is not None and len(dims) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(s) > n:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {n} dimensions.")
        if dim is None:
            dims = list(range(n - len(s), n))
        sizes = [x._array.shape[d] if size == -1 else size for d, size in zip(dims, s, strict=True)]
    else:
        if dim is None:
            dims = list(range(n))
        sizes = [x._array.shape[d] for d in dims]
    for size in sizes:
        points(size)
    return dims, sizes


def stays_real(x: Tensor, dims: list) -> bool:
    """Whether the complex transform takes a tensor of real numbers as it is."""
    a = x._array
    tracked = x._node is not None and here.grad_enabled
    return a.dtype.kind != "c" and type(a) is np.ndarray and not tracked and bool(dims) and not short(a, dims)


def over_all(input: Tensor, s: Any, dim: Any, norm: str | None, forward: bool) -> Tensor:
    """`fftn` and `ifftn`."""
    x = prepared(input)
    dims, sizes = several(x, s, dim)
    if not stays_real(x, dims):
        x = prepared(x, True)
    return c2c.function(resized(x, dims, sizes), dims, scaling(norm, forward), forward)


def half_over_all(input: Tensor, s: Any, dim: Any, norm: str | None, forward: bool) -> Tensor:
    """`rfftn` and `ihfftn`."""
    if forward:
        x = real_input("rfftn", input, "real-valued")
    else:
        if input._array.dtype.kind == "c":
            raise RuntimeError(f"Only supports floating-point dtypes, but found: {of(input._array).short}")
        x = prepared(input)
    dims, sizes = several(x, s, dim)
    if not dims:
        raise RuntimeError(f"{'rfftn' if forward else 'ihfftn'} must transform at least one axis")
    x = resized(x, dims, sizes)
    mode = scaling(norm, forward)
    if forward:
        return r2c.function(x, dims, mode, True)
    found = r2c.function(x, dims[-1:], mode, True)
    # The conjugate of a result is PyTorch's lazy one; on the way to the next transform it is made at once.
    return c2c.function(found.conj_physical(), dims[:-1], mode, False) if len(dims) > 1 else found.conj()


def real_over_all(input: Tensor, s: Any, dim: Any, norm: str | None, forward: bool) -> Tensor:
    """`irfftn` and `hfftn`."""
    x = prepared(input)
    name = "hfftn" if forward else "irfftn"
    wanted = ints(s)
    # The sizes are those of the result: its last one may be left open (-1 or no s).
    probe = (
        None
        if wanted is None
        else [*wanted[:-1], 1 if wanted and wanted[-1] == -1 else wanted[-1] if wanted else 1][: len(wanted)]
    )
    dims, sizes = several(x, probe, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    last = 2 * (x._array.shape[dims[-1]] - 1) if wanted is None or wanted[-1] == -1 else wanted[-1]
    points(last)
    sizes[-1] = last // 2 + 1
    real = forward and not any([x._array.shape[d] == 1 for d in dims]) and stays_real(x, dims[:-1])
    x = resized(prepared(x, True), dims, sizes)
    mode = scaling(norm, forward)
    if not forward or real:  # the conjugate of a transform of real numbers is that of the way back
        return c2r.function(x, dims, mode, last)
    if len(dims) > 1:
        x = c2c.function(x, dims[:-1], mode, True)
    return c2r.function(conjugated(x), dims[-1:], mode, last)


def _declare(name: str, along: Any, over: Any, forward: bool, text: str, text_of_several: str) -> None:
    """Enter a transform along one dimension, along two and along any number."""

    def one(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Any = None) -> Tensor:
        return into(along(input, n, dim, norm, forward), out, "fft")

    def two(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None) -> Tensor:
        return into(over(input, s, dim, norm, forward), out, "fft")

    def many(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None) -> Tensor:
        return into(over(input, s, dim, norm, forward), out, "fft")

    for suffix, function in (("", one), ("2", two), ("n", many)):
        function.__name__ = function.__qualname__ = name + suffix
        function.__doc__ = text_of_several if suffix else text
        composite(f"fft.{name}{suffix}", method=False)(function)


_declare("fft", along, over_all, True, "The discrete Fourier transform along `dim`, of `n` points.",
         "The transform along several dimensions.")  # fmt: skip
_declare(
    "ifft", along, over_all, False, "The inverse of :func:`fft`.", "The inverse transform along several dimensions."
)
_declare("rfft", halved, half_over_all, True, "The first half of the transform of real input.",
         "The transform of real input, the last dimension halved.")  # fmt: skip
_declare("ihfft", halved, half_over_all, False, "The inverse of :func:`hfft`.",
         "The inverse of the transform of Hermitian signals along several dimensions.")  # fmt: skip
_declare("irfft", doubled, real_over_all, False, "The inverse of :func:`rfft`, `n` real points.",
         "The real inverse of the halved transform along several dimensions.")  # fmt: skip
_declare("hfft", doubled, real_over_all, True, "The real transform of the first half of a Hermitian signal.",
         "The real transform of a halved Hermitian signal along several dimensions.")  # fmt: skip


def shifted(x: Tensor, dim: Any, divide: Any) -> Tensor:
    dims = list(range(x._array.ndim)) if dim is None else ints(dim)
    sizes = [length(x._array.shape, d) for d in dims]  # type: ignore[union-attr]
    return x.roll([divide(n) for n in sizes], dims)


@composite("fft.fftshift", method=False)
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Frequency zero moved to the middle."""
    return shifted(input, dim, lambda n: n // 2)


@composite("fft.ifftshift", method=False)
def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The inverse of :func:`fftshift`."""
    return shifted(input, dim, lambda n: (n + 1) // 2)


def frequencies(name: str, n: int, d: float, half: bool, options: dict) -> Tensor:
    out, kind = options.pop("out", None), options.pop("dtype", None) or state.default_dtype
    if not isinstance(kind, dtype) or kind.category < FLOAT:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    counts = np.arange(n // 2 + 1 if half else n)
    if not half:
        counts[(n + 1) // 2 :] -= n
    if n == 0:
        values = np.zeros(1 if half else 0, kind.numpy) * (math.nan if half else 1)
    else:
        values = counts.astype(kind.numpy) * kind.numpy.type(1.0 / (n * d) if d else math.inf)
    return delivered(values, with_room(out, values), options.get("device"), options.get("requires_grad", False))


def fftfreq(
    n: int, d: float = 1.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The frequencies of the points of :func:`fft` of size n, for samples d apart."""
    return frequencies(
        "fftfreq", n, d, False, {"out": out, "dtype": dtype, "device": device, "requires_grad": requires_grad}
    )


def rfftfreq(
    n: int, d: float = 1.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The frequencies of the points of :func:`rfft` of size n, for samples d apart."""
    return frequencies(
        "rfftfreq", n, d, True, {"out": out, "dtype": dtype, "device": device, "requires_grad": requires_grad}
    )


table.FUNCTIONS["fft.fftfreq"], table.FUNCTIONS["fft.rfftfreq"] = fftfreq, rfftfreq
