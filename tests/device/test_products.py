"""Products of matrices by cuBLAS: what it is asked for, by a cuBLAS of a few lines that reads and writes real memory."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tensorsh.engine.arrays import cupy_module
from tensorsh.engine.cuda import cublaslt, products

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
NUMBERS = {number: (dtype, kind) for dtype, (number, _, kind) in products.KINDS.items()}


class Array(np.ndarray):
    """An array of numpy's with what cupy's has of addresses."""

    @property
    def data(self) -> Any:  # type: ignore[override]
        return type("Pointer", (), {"ptr": self.__array_interface__["data"][0]})

    @property
    def _c_contiguous(self) -> bool:
        return self.flags.c_contiguous


def on_device(x: Any) -> Any:
    return np.asarray(x).view(Array)


class Blas:
    """``cublasGemmStridedBatchedEx``, element by element."""

    handle = 1

    def multiply(
        self, handle, turned_a, turned_b, m, n, k, alpha, a, kind_a, lda, next_a, b, kind_b, ldb, next_b, beta, c, kind_c,
        ldc, next_c, many, sums, algorithm,
    ) -> int:  # fmt: skip
        dtype, kind = NUMBERS[kind_a]
        assert (
            kind_a == kind_b == kind_c
            and ldc >= max(1, m)
            and lda >= (k if turned_a else m)
            and ldb >= (n if turned_b else k)
        )
        alpha, beta = (self.number(x, kind) for x in (alpha, beta))
        for z in range(many):
            left = self.matrix(a, dtype, lda, next_a * z, (k, m) if turned_a else (m, k))
            right = self.matrix(b, dtype, ldb, next_b * z, (n, k) if turned_b else (k, n))
            into = self.matrix(c, dtype, ldc, next_c * z, (m, n))
            wide = np.complex128 if dtype.kind == "c" else np.float64
            left, right = (x.astype(wide) for x in (left.T if turned_a else left, right.T if turned_b else right))
            before = into.astype(wide) * beta if beta else 0
            into[...] = (alpha * (left @ right) + before).astype(dtype)
        return 0

    @staticmethod
    def number(reference: Any, kind: Any) -> Any:
        value = reference._obj
        return complex(*value) if issubclass(kind, ctypes.Array) else value.value

    @staticmethod
    def matrix(address: int, dtype: np.dtype, step: int, ahead: int, shape: tuple) -> np.ndarray:
        """A matrix that lies by columns, as cuBLAS's do."""
        size = ((shape[1] - 1) * step + shape[0]) * dtype.itemsize
        memory = (ctypes.c_byte * size).from_address(address + ahead * dtype.itemsize)
        return np.ndarray(shape, dtype, memory, 0, (dtype.itemsize, step * dtype.itemsize))


@pytest.fixture(autouse=True)
def blas(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    class Module:
        broadcast_to = staticmethod(lambda x, shape: np.broadcast_to(x, shape, subok=True))
        ascontiguousarray = staticmethod(lambda x: on_device(np.ascontiguousarray(x)))
        empty = staticmethod(lambda shape, dtype: on_device(np.full(shape, 7, dtype)))

    monkeypatch.setattr(products, "cupy", lambda: Module)
    monkeypatch.setattr(products, "empty", Module.empty)
    monkeypatch.setattr(products, "handle", lambda module: Blas())
    yield


def drawn(shape: tuple, dtype: Any, seed: int = 0) -> np.ndarray:
    numbers = np.random.default_rng(seed).integers(-4, 5, (*shape, 2))
    return (numbers[..., 0] + (1j * numbers[..., 1] if np.dtype(dtype).kind == "c" else 0)).astype(dtype)


SHAPES = [
    ((2, 3), (3, 4)), ((1, 3), (3, 1)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)), ((2, 1, 4, 3), (5, 3, 2)), ((5, 2, 3), (3,)), ((2, 0), (0, 4)), ((0, 3), (3, 4)), ((2, 5, 1, 1), (1, 1)),
    ((1, 1), (1, 6)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", products.KINDS, ids=str)
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_products(left: tuple, right: tuple, dtype: Any) -> None:
    a, b = drawn(left, dtype), drawn(right, dtype, 1)
    exact = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    found = products.product(on_device(a), on_device(b))
    expected = a.astype(exact) @ b.astype(exact)
    assert found.shape == expected.shape and found.dtype == dtype
    assert np.array_equal(found.astype(exact), expected)


VIEWS = {
    "turned": lambda x: x.swapaxes(-1, -2).copy().swapaxes(-1, -2),
    "every second row": lambda x: x.repeat(2, -2)[..., ::2, :],
    "every second column": lambda x: x.repeat(2, -1)[..., ::2],
    "backwards": lambda x: x[..., ::-1, :],
    "a part of wider rows": lambda x: x.repeat(2, -1)[..., : x.shape[-1]],
    "a part of longer columns, turned": lambda x: x.repeat(2, -2).swapaxes(-1, -2).copy().swapaxes(-1, -2)[..., : x.shape[-2], :],
}  # fmt: skip


@pytest.mark.parametrize("first", VIEWS)
@pytest.mark.parametrize("second", VIEWS)
@pytest.mark.parametrize("stack", [(), (3,), (2, 3)], ids=str)
def test_matrices_as_they_lie(first: str, second: str, stack: tuple) -> None:
    a, b = drawn((*stack, 4, 3), np.float32), drawn((*stack, 3, 5), np.float32, 1)
    a, b = VIEWS[first](a), VIEWS[second](b)
    assert np.array_equal(products.product(on_device(a), on_device(b)), a @ b)


def test_stacks_in_uneven_steps_are_copied() -> None:
    a, b = drawn((3, 2, 4, 3), np.float64), drawn((2, 3, 3, 5), np.float64, 1)
    assert np.array_equal(products.product(on_device(a.swapaxes(0, 1)), on_device(b)), a.swapaxes(0, 1) @ b)
    one = drawn((1, 4, 3), np.float64)
    whole = np.broadcast_to(one, (7, 4, 3))
    assert np.array_equal(products.product(on_device(whole), on_device(b[0, 0])), whole @ b[0, 0])


@pytest.mark.parametrize("dtype", [np.float32, BFLOAT16, np.complex64], ids=str)
@pytest.mark.parametrize("shape", [(5,), (4, 5), (1, 1), ()])
def test_added(shape: tuple, dtype: Any) -> None:
    a, b, c = drawn((4, 3), dtype), drawn((3, 5), dtype, 1), drawn(shape, dtype, 2)
    exact = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    expected = 2 * c.astype(exact) + 3 * (a.astype(exact) @ b.astype(exact))
    found = products.product_added(on_device(c), on_device(a), on_device(b), 2, 3)
    assert np.array_equal(found.astype(exact), expected.astype(dtype).astype(exact))
    nan = np.full(shape, np.nan, dtype)
    assert np.isfinite(products.product_added(on_device(nan), on_device(a), on_device(b), 0, 1).astype(exact)).all()


@pytest.mark.parametrize("shape", [(0, 2, 2), (3, 0, 2), (3, 2, 0), (0, 0)])
def test_nothing_in_any_steps(shape: tuple) -> None:
    """cupy gives arrays without elements strides of zero."""
    nothing = np.lib.stride_tricks.as_strided(np.empty(1, np.float32), shape, (0,) * len(shape))
    other = np.zeros((shape[-1], 2), np.float32)
    expected = nothing @ other
    found = products.product(on_device(nothing), on_device(other))
    assert found.shape == expected.shape and np.array_equal(found, expected)


def test_what_does_not_fit_is_refused() -> None:
    a, b = on_device(drawn((2, 3), np.float32)), on_device(drawn((4, 5), np.float32))
    with pytest.raises(ValueError, match="do not fit"):
        products.product(a, b)
    with pytest.raises(ValueError, match="does not fit"):
        products.product(a, a.T, out=on_device(np.empty((3, 3), np.float32)))


def test_tf32_is_asked_for() -> None:
    asked = []

    class Listening(Blas):
        def multiply(self, *args: Any) -> int:
            asked.append(args[-2])
            return super().multiply(*args)

    a = on_device(drawn((2, 2), np.float32))
    for tf32 in (False, True):
        products.multiplied(Listening(), a, a, None, 0, 1, tf32)  # type: ignore[arg-type]
    products.multiplied(Listening(), a.astype(np.float64), a.astype(np.float64), None, 0, 1, True)  # type: ignore[arg-type]
    assert asked == [products.FLOATS, products.ROUNDED, products.DOUBLES]


def test_a_linear_layer_without_cublaslt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cupy_module, "array_class", Array)
    monkeypatch.setattr(cublaslt, "by_lt", lambda a, w, bias: None)
    monkeypatch.setattr(cublaslt, "known", products.known)
    monkeypatch.setattr(cublaslt, "dense", lambda x: x)
    monkeypatch.setattr(cublaslt, "empty", products.empty)
    a, w, bias = (on_device(drawn(shape, np.float32)) for shape in ((3, 4), (5, 4), (5,)))
    found = cublaslt.affine(a, w, bias)
    assert np.array_equal(found, np.asarray(a) @ np.asarray(w).T + np.asarray(bias))
    for wrong in ((a, w[:, :3], bias), (a, w, bias[:4]), (a, w, bias.astype(np.float64)), (a, np.asarray(w), bias)):
        assert cublaslt.affine(*wrong) is None


def test_cublaslt_that_refuses_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        def __getattr__(self, name: str) -> Any:
            return lambda *args: 1

    class Module:
        cuda = type("cuda", (), {"runtime": None})

    monkeypatch.setattr(cublaslt, "cupy", lambda: Module)
    monkeypatch.setattr(cublaslt, "library", Refusing)
    monkeypatch.setattr(cublaslt, "_handles", products.Handles())
    assert cublaslt.handle() is None
