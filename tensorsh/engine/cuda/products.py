"""Matrix products on a device by cuBLAS: stacks of matrices, turned ones without a copy, half types added up in float32.

CuPy's own products widen bfloat16, copy what lies turned, and refuse to be captured in a CUDA graph. Here cuBLAS is called
itself, through ctypes, with the addresses, sizes and steps of arrays that are looked at first. Where its library is not found,
and for integers, CuPy computes."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from math import prod
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from ..arrays import cupy_module, device_guard
from ..arrays.backend import cupy, follow_precision, rounds_products
from .kernels import empty

TRANSPOSED = 1
FLOATS, ROUNDED, DOUBLES = 68, 77, 70
"""How sums are made: CUBLAS_COMPUTE_32F, the same of factors rounded to TF32, and CUBLAS_COMPUTE_64F."""
KINDS = {
    np.dtype(np.float16): (2, FLOATS, ctypes.c_float),
    np.dtype(ml_dtypes.bfloat16): (14, FLOATS, ctypes.c_float),
    np.dtype(np.float32): (0, FLOATS, ctypes.c_float),
    np.dtype(np.float64): (1, DOUBLES, ctypes.c_double),
    np.dtype(np.complex64): (4, FLOATS, ctypes.c_float * 2),
    np.dtype(np.complex128): (5, DOUBLES, ctypes.c_double * 2),
}
"""cuBLAS's number of a dtype, how its sums are made, and the type of its factors."""
MOST = (1 << 31) - 1
WORKSPACE = 32 << 20
"""Bytes that cuBLAS may use in a captured graph, where it must not take memory itself."""
_numbers, _pointer, _whole = ctypes.c_int, ctypes.c_void_p, ctypes.c_longlong
SIGNATURES = {
    "cublasCreate_v2": (_pointer,),
    "cublasSetStream_v2": (_pointer, _pointer),
    "cublasSetWorkspace_v2": (_pointer, _pointer, ctypes.c_size_t),
    "cublasGemmStridedBatchedEx": (
        _pointer, *(_numbers,) * 5, _pointer, _pointer, _numbers, _numbers, _whole, _pointer, _numbers, _numbers, _whole,
        _pointer, _pointer, _numbers, _numbers, _whole, *(_numbers,) * 3,
    ),
}  # fmt: skip


def opened(module: Any, name: str, signatures: dict) -> Any:
    """A library of CUDA's that is loaded with CuPy's, its functions declared. OSError and AttributeError where there is none."""
    version = module.cuda.runtime.runtimeGetVersion() // 1000
    found = ctypes.CDLL(f"{name}64_{version}.dll" if sys.platform == "win32" else f"lib{name}.so.{version}")
    for function, parameters in signatures.items():
        getattr(found, function).argtypes = parameters
    return found


@cache
def library(module: Any) -> Any:
    """cuBLAS as CuPy has loaded it; None where it is not found."""
    try:
        module.cuda.device.get_cublas_handle()  # loads it
        return opened(module, "cublas", SIGNATURES)
    except Exception:  # an installation without its libraries fails in many ways; CuPy says which when it computes
        return None


class Handles(threading.local):
    """A library's handles of one thread, by device."""

    def __init__(self) -> None:
        self.made: dict[int | None, Any] = {}

    def here(self, module: Any, make: Callable) -> Any:
        """That of the current device; `make` makes it when it is first asked for."""
        index = module.cuda.runtime.getDevice() if device_guard.several else None
        found = self.made.get(index)
        if found is None:
            found = self.made[index] = make()
        return found


class Handle:
    """cuBLAS for one device and one thread."""

    def __init__(self, blas: Any) -> None:
        self.blas, self.stream, self.multiply = blas, -1, blas.cublasGemmStridedBatchedEx
        found = ctypes.c_void_p()
        checked(blas.cublasCreate_v2(ctypes.byref(found)))
        self.handle = found.value
        self.workspace: Any = None

    def given_to(self, module: Any, stream: Any) -> None:
        """Let the work go to a stream. While it is captured cuBLAS has memory that stays, for it must not take any."""
        checked(self.blas.cublasSetStream_v2(self.handle, stream.ptr))
        self.stream = stream.ptr
        if stream.ptr and stream.is_capturing():
            if self.workspace is None:
                self.workspace = module.cuda.Memory(WORKSPACE)  # of no pool
                _workspaces.append(self.workspace)
            checked(self.blas.cublasSetWorkspace_v2(self.handle, self.workspace.ptr, WORKSPACE))
            self.stream = -1  # what comes after the capture has cuBLAS's own


_workspaces: list[Any] = []
"""The memory that captured graphs go on using."""
_handles = Handles()


def handle(module: Any) -> Handle | None:
    """cuBLAS on the current device, for the current stream."""
    blas = library(module)
    if blas is None:
        return None
    found: Handle = _handles.here(module, lambda: Handle(blas))
    stream = module.cuda.get_current_stream()
    if stream.ptr != found.stream:
        found.given_to(module, stream)
    return found


def checked(status: int) -> None:
    if status:
        raise RuntimeError(f"CUDA error: cuBLAS answers status {status}")


def lies(rows: int, columns: int, down: int, right: int) -> tuple[int, int] | None:
    """Whether a matrix lies turned in memory, and the step between its rows (or columns); None where neither is in one piece."""
    if (right == 1 or columns == 1) and (down >= columns or rows == 1):
        return 0, max(down if rows > 1 else columns, columns, 1)
    if (down == 1 or rows == 1) and (right >= rows or columns == 1):
        return TRANSPOSED, max(right if columns > 1 else rows, rows, 1)
    return None


def ahead(sizes: tuple, steps: tuple) -> int | None:
    """The elements from a matrix of a stack to the next; None where they do not lie in even steps, or backwards."""
    found: int | None = None
    reach = 0
    for size, step in zip(reversed(sizes), reversed(steps), strict=True):
        if size == 1:
            continue
        if found is not None and step != reach:
            return None
        found = step if found is None else found
        reach = step * size
    return None if found is not None and found < 0 else found or 0


class Plan(NamedTuple):
    """What cuBLAS is asked for. It counts by columns, so it makes the transposed product, of the second factor and the first."""

    shape: tuple
    right_turned: int
    left_turned: int
    columns: int
    rows: int
    inner: int
    right_step: int
    right_ahead: int
    left_step: int
    left_ahead: int
    many: int


class Copies(NamedTuple):
    """The shapes in which factors are to be copied before there is a plan; None for one that can be read as it lies."""

    left: tuple | None
    right: tuple | None


@lru_cache(4096)
def planned(a: tuple, a_strides: tuple, b: tuple, b_strides: tuple, size: int) -> Plan | Copies:
    """The plan for factors of these shapes and strides (in bytes), of elements of a size; or which of them must be copied first.

    Raises ValueError where the shapes do not fit."""
    if a[-1] != b[-2 if len(b) > 1 else 0]:
        raise ValueError("the sizes of the matrices do not fit")
    left = (1, *a) if len(a) == 1 else a
    right = (*b, 1) if len(b) == 1 else b
    left_steps = tuple(s // size for s in ((0, *a_strides) if len(a) == 1 else a_strides))
    right_steps = tuple(s // size for s in ((*b_strides, 0) if len(b) == 1 else b_strides))
    stack = np.broadcast_shapes(left[:-2], right[:-2])
    shape = (*stack, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))
    (rows, inner), columns = left[-2:], right[-1]
    if 0 in (*stack, rows, inner, columns):  # the strides of nothing say nothing
        return Plan(shape, 0, 0, columns, rows, inner, 1, 0, 1, 0, prod(stack))
    ways = lies(*left[-2:], *left_steps[-2:]), lies(*right[-2:], *right_steps[-2:])
    if len(left) > 2 and len(right) == 2 and ways[0] and not ways[0][0]:
        step = ahead(left[:-1], left_steps[:-1])
        if step is not None and step >= inner:  # the rows of all matrices are those of one
            rows, stack = prod(left[:-1]), ()
            ways = (0, step), ways[1]
    steps = tuple(
        ahead(
            stack, (0,) * (len(stack) - len(x) + 2) + tuple(0 if n == 1 else s for n, s in zip(x[:-2], y, strict=False))
        )
        if stack
        else 0
        for x, y in ((left, left_steps), (right, right_steps))
    )
    if ways[0] is None or ways[1] is None or steps[0] is None or steps[1] is None:
        whole = tuple((*stack, *x[-2:]) if k is None else x for x, k in zip((a, b), steps, strict=True))
        return Copies(*(None if w and k is not None else x for x, w, k in zip(whole, ways, steps, strict=True)))
    found = Plan(
        shape, ways[1][0], ways[0][0], columns, rows, inner, ways[1][1], steps[1], ways[0][1], steps[0], prod(stack)
    )
    if max(found[3:7]) > MOST or found.left_step > MOST or found.many > MOST:
        raise RuntimeError("a product of matrices with 2^31 rows or columns, or more, cannot be computed on a device")
    return found


def product(a: Any, b: Any, out: Any = None, tf32: bool | None = None) -> Any:
    """``a @ b`` for arrays of a device, of one dtype: vectors, matrices and stacks of them, broadcast as numpy's matmul does.

    out: where the result goes, contiguous and of its shape; float32 takes that of half types unrounded.
    tf32: whether factors of float32 are rounded to it; None: as ``torch.backends.cuda.matmul`` says."""
    blas = known(a, b)
    return by_cupy(cupy(), a, b, out) if blas is None else multiplied(blas, a, b, out, 0, 1, tf32)


def at_once(ndim: int) -> Callable:
    """Products of two matrices, or of two stacks of as many, of the device and of one dtype; None for others."""

    def direct(a: Any, b: Any) -> Any:
        kind = cupy_module.array_class
        if type(a) is not kind or type(b) is not kind or device_guard.several or not a.ndim == b.ndim == ndim:
            return None
        if a.dtype not in KINDS or a.dtype != b.dtype or a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
            return None
        follow_precision()
        blas = handle(cupy())
        return None if blas is None else multiplied(blas, a, b, None, 0, 1)

    return direct


DIRECT: dict[str, Callable] = {"mm": at_once(2), "bmm": at_once(3)}


def product_added(input: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    """``beta * input + alpha * (a @ b)``, rounded once; `input` broadcasts. None for what cuBLAS does not know."""
    blas = known(a, b)
    if blas is None:
        return None
    module = cupy()
    out = module.empty((*a.shape[:-1], *(b.shape[-1:] if b.ndim > 1 else ())), a.dtype)
    if beta != 0:
        out[...] = input
    return multiplied(blas, a, b, out, beta, alpha)


def known(a: Any, b: Any) -> Handle | None:
    """cuBLAS, if it knows the arrays' dtype."""
    return handle(cupy()) if a.dtype in KINDS and a.dtype == b.dtype and a.ndim and b.ndim else None


def multiplied(blas: Handle, a: Any, b: Any, out: Any, beta: Any, alpha: Any, tf32: bool | None = None) -> Any:
    """``beta * out + alpha * (a @ b)``, in `out`."""
    module = cupy()
    plan = planned(a.shape, a.strides, b.shape, b.strides, a.itemsize)
    if isinstance(plan, Copies):
        copied = lambda x, shape: x if shape is None else module.ascontiguousarray(module.broadcast_to(x, shape))
        a, b = map(copied, (a, b), plan)
        plan = planned(a.shape, a.strides, b.shape, b.strides, a.itemsize)
        assert isinstance(plan, Plan)
    if out is None:
        out = empty(plan.shape, a.dtype)
    elif (
        out.shape != plan.shape
        or not out.flags.c_contiguous
        or (out.dtype != a.dtype and (out.dtype != np.float32 or a.itemsize > 2))
    ):
        raise ValueError("the result does not fit its place")
    shape, right_turned, left_turned, columns, rows, inner, right_step, right_ahead, left_step, left_ahead, many = plan
    if not inner and beta == 0:
        out.fill(0)
    elif not inner:
        out *= out.dtype.type(beta)
    if not inner or not rows or not columns or not many:
        return out
    number, sums, kind = KINDS[a.dtype]
    if number == 0 and (rounds_products() if tf32 is None else tf32):
        sums = ROUNDED
    status = blas.multiply(
        blas.handle, right_turned, left_turned, columns, rows, inner, factor(kind, alpha), b.data.ptr, number, right_step,
        right_ahead, a.data.ptr, number, left_step, left_ahead, factor(kind, beta), out.data.ptr, KINDS[out.dtype][0], columns,
        rows * columns, many, sums, -1,
    )  # fmt: skip
    if status:
        checked(status)
    return out


@lru_cache(256)
def factor(kind: Any, value: Any) -> Any:
    """A factor, by reference: a number that a result is multiplied with, by reference."""
    if issubclass(kind, ctypes.Array):
        value = complex(value)
        return ctypes.byref(kind(value.real, value.imag))
    return ctypes.byref(kind(value))


def by_cupy(module: Any, a: Any, b: Any, out: Any = None) -> Any:
    """The product by CuPy's functions, which do not know bfloat16."""
    narrow = a.dtype.kind == "V"
    if narrow or out is not None and out.dtype != a.dtype:
        a, b = a.astype(np.float32), b.astype(np.float32)
    r = a.dot(b) if a.ndim <= 2 and b.ndim <= 2 else module.matmul(a, b)
    if narrow:
        r = r.astype(ml_dtypes.bfloat16)
    if out is None:
        return r
    out[...] = r
    return out
