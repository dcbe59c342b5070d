"""``a @ w.T + bias`` by cuBLASLt, which adds the bias on the way: one launch for a linear layer.

What cuBLASLt is told is kept by the sizes of the factors, with the algorithm that its heuristics name for them."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..arrays import cupy_module, device_guard
from ..arrays.backend import cupy, rounds_products
from .kernels import dense, empty
from .products import DOUBLES, KINDS, MOST, ROUNDED, Handles, factor, known, multiplied, opened

WORKSPACE = 32 << 20
"""Bytes that an algorithm may use."""
ALIGNMENT = 256
"""Bytes that the heuristics take factors to be aligned to."""
LEFT_TURNED, EPILOGUE, BIAS_ADDRESS = 3, 7, 8
"""Attributes of a product: CUBLASLT_MATMUL_DESC_TRANSA, _EPILOGUE and _BIAS_POINTER."""
WITH_BIAS, MOST_WORKSPACE = 4, 1
"""CUBLASLT_EPILOGUE_BIAS; CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES."""
_number, _pointer, _size = ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t
SIGNATURES = {
    "cublasLtCreate": (_pointer,),
    "cublasLtMatmulDescCreate": (_pointer, _number, _number),
    "cublasLtMatmulDescSetAttribute": (_pointer, _number, _pointer, _size),
    "cublasLtMatrixLayoutCreate": (_pointer, _number, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64),
    "cublasLtMatmulPreferenceCreate": (_pointer,),
    "cublasLtMatmulPreferenceSetAttribute": (_pointer, _number, _pointer, _size),
    "cublasLtMatmulAlgoGetHeuristic": (*(_pointer,) * 7, _number, _pointer, _pointer),
    "cublasLtMatmul": (*(_pointer,) * 14, _size, _pointer),
}


class Found(ctypes.Structure):
    """What the heuristics answer: cublasLtMatmulHeuristicResult_t."""

    _fields_ = (
        ("algorithm", ctypes.c_uint64 * 8), ("workspace", _size), ("state", _number), ("waves", ctypes.c_float),
        ("reserved", _number * 4),
    )  # fmt: skip


@cache
def library() -> Any:
    """cuBLASLt, which cuBLAS brings with it; None where it is not found."""
    try:
        return opened(cupy(), "cublasLt", SIGNATURES)
    except (OSError, AttributeError):
        return None


class Plan(NamedTuple):
    """A product's description, the layouts of the weight, the rows and the result, its algorithm and the bytes that it needs."""

    product: int
    weight: int
    rows: int
    result: int
    algorithm: Found


class Handle:
    """cuBLASLt for one device and one thread."""

    def __init__(self, lt: Any) -> None:
        self.lt = lt
        self.address = self.made(lt.cublasLtCreate)
        self.preference = self.made(lt.cublasLtMatmulPreferenceCreate)
        self.tell(lt.cublasLtMatmulPreferenceSetAttribute, self.preference, MOST_WORKSPACE, _size(WORKSPACE))
        self.plans: dict[tuple, Plan | None] = {}
        """By dtype and sizes; None where cuBLASLt has no algorithm."""
        self.bias = ctypes.c_uint64()
        self.bias_address = ctypes.addressof(self.bias)

    def made(self, create: Any, *settings: Any) -> int:
        into = _pointer()
        if create(ctypes.byref(into), *settings):
            raise Refused
        return into.value or 0

    def tell(self, function: Any, what: int, attribute: int, value: Any) -> None:
        if function(what, attribute, ctypes.byref(value), ctypes.sizeof(value)):
            raise Refused

    def planned(self, key: tuple) -> Plan | None:
        """The plan for a dtype's number, the type of its sums, and rows [m, k] by a weight [n, k], which may lie turned."""
        if key not in self.plans:
            if len(self.plans) >= 4096:
                self.plans.clear()
            try:
                self.plans[key] = self.plan(*key)
            except Refused:
                self.plans[key] = None
        return self.plans[key]

    def plan(self, kind: int, sums: int, m: int, k: int, n: int, turned: bool) -> Plan:
        lt = self.lt
        scale = 1 if sums == DOUBLES else 0
        product = self.made(lt.cublasLtMatmulDescCreate, sums, scale)
        for attribute, value in ((LEFT_TURNED, 0 if turned else 1), (EPILOGUE, WITH_BIAS)):
            self.tell(lt.cublasLtMatmulDescSetAttribute, product, attribute, ctypes.c_int32(value))
        self.tell(lt.cublasLtMatmulDescSetAttribute, product, BIAS_ADDRESS, ctypes.c_uint64(256))
        layout = lt.cublasLtMatrixLayoutCreate
        sizes = (n, k, n) if turned else (k, n, k), (k, m, k), (n, m, n)
        weight, rows, result = (self.made(layout, kind, *size) for size in sizes)
        found, count = Found(), _number()
        failed = lt.cublasLtMatmulAlgoGetHeuristic(
            self.address, product, weight, rows, result, result, self.preference, 1, ctypes.byref(found),
            ctypes.byref(count),
        )  # fmt: skip
        if failed or not count.value or found.state or found.workspace > WORKSPACE:
            raise Refused
        return Plan(product, weight, rows, result, found)


class Refused(Exception):
    """What cuBLASLt does not compute."""


_handles = Handles()


def handle() -> Handle | None:
    """cuBLASLt on the current device; None where there is none."""
    lt = library()
    if lt is None:
        return None
    try:
        return _handles.here(cupy(), lambda: Handle(lt))
    except Refused:
        return None


def by_lt(a: Any, w: Any, bias: Any) -> Any:
    """The result, for a weight in row order or, turned, in columns; None for what cuBLASLt is not to compute."""
    number, sums, kind = KINDS[a.dtype]
    if kind not in (ctypes.c_float, ctypes.c_double) or not a.size or not w.size:
        return None
    if a.data.ptr % ALIGNMENT or w.data.ptr % ALIGNMENT:
        return None
    if number == 0 and rounds_products():
        sums = ROUNDED
    (m, k), n = a.shape, w.shape[0]
    if max(m, k, n) > MOST:
        return None
    lt = handle()
    plan = lt and lt.planned((number, sums, m, k, n, not w._c_contiguous))
    if not plan:
        return None
    assert lt is not None
    out, found = empty((m, n), a.dtype), plan.algorithm
    size = found.workspace
    memory = empty(size, np.uint8) if size else None
    lt.bias.value = bias.data.ptr
    lt.lt.cublasLtMatmulDescSetAttribute(plan.product, BIAS_ADDRESS, lt.bias_address, 8)
    status = lt.lt.cublasLtMatmul(
        lt.address, plan.product, factor(kind, 1), w.data.ptr, plan.weight, a.data.ptr, plan.rows, factor(kind, 0),
        out.data.ptr, plan.result, out.data.ptr, plan.result, ctypes.byref(found.algorithm),
        0 if memory is None else memory.data.ptr, size, cupy().cuda.get_current_stream().ptr,
    )  # fmt: skip
    return None if status else out


def affine(a: Any, w: Any, bias: Any) -> Any:
    """``a @ w.T + bias`` for arrays of a device and of one dtype: [m, k], [n, k] and [n]; None for others."""
    kind = cupy_module.array_class
    if type(a) is not kind or type(w) is not kind or type(bias) is not kind or device_guard.several:
        return None
    if a.dtype not in KINDS or not a.dtype == w.dtype == bias.dtype or not a.ndim == w.ndim == 2:
        return None
    if a.shape[1] != w.shape[1] or bias.shape != w.shape[:1]:
        return None
    a, bias = dense(a), dense(bias)
    w = w if w._c_contiguous or w.flags.f_contiguous else dense(w)
    if (found := by_lt(a, w, bias)) is not None:
        return found
    blas = known(a, w)
    if blas is None:
        return None
    out = empty((a.shape[0], w.shape[0]), a.dtype)
    out[...] = bias
    return multiplied(blas, a, w.T, out, 1, 1)
