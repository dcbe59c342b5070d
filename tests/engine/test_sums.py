"""Sums, means, products and variances have PyTorch's bits (recorded with one thread)."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh.engine.numerics import cumulative, sums
from tensorsh.engine.random.generator import Generator
from tensorsh.engine.random.uniform_words import normal

from ..support.tables import section
from .number_cases import COMPLEX, FLOATS, RUNNING_SHAPES, SHAPES, SumCase, block_cases, digest, lengths, line_cases

RUNNING = section("numbers", "running")


def numbers(n: int, kind: str) -> np.ndarray:
    g = Generator().manual_seed(n)
    if kind.startswith("complex"):
        return normal(g, (n, 2)).view(np.complex64).reshape(n).astype(kind)
    values = normal(g, n)
    if kind == "bfloat16":
        import ml_dtypes

        return values.astype(ml_dtypes.bfloat16)
    return values.astype(kind)


def total(case: SumCase, kind: str, op: str) -> bytes:
    shape, order, steps, axes = case
    a = numbers(int(np.prod(shape)), kind).reshape(shape).transpose(order)
    if shape:
        a = a[tuple(slice(None, None, step) for step in steps)]
    # PyTorch takes no axes to mean all of them.
    result = getattr(sums, op)(a, axes or None)
    assert type(result) is np.ndarray and result.dtype == a.dtype
    return result.tobytes()


@pytest.mark.parametrize("kind", FLOATS + COMPLEX)
def test_sums_of_every_length(kind: str) -> None:
    found = section("numbers", "lines")[kind]
    wrong = [
        n
        for k, n in enumerate(lengths(kind))
        if digest(*[total(case, kind, "sum") for case in line_cases(n)]) != found[8 * k : 8 * k + 8]
    ]
    assert not wrong


@pytest.mark.parametrize("kind", FLOATS + COMPLEX)
def test_sums_over_any_axes_of_any_layout(kind: str) -> None:
    found = section("numbers", "blocks")[kind]
    wrong = [
        shape
        for k, shape in enumerate(SHAPES)
        if digest(*[total(case, kind, op) for case in block_cases(shape) for op in ("sum", "mean")])
        != found[8 * k : 8 * k + 8]
    ]
    assert not wrong


@pytest.mark.parametrize("key", RUNNING)
def test_running_results(key: str) -> None:
    op, kind = key.split()
    wrong = []
    for k, shape in enumerate(RUNNING_SHAPES):
        a = numbers(int(np.prod(shape)), kind).reshape(shape)
        parts = []
        with np.errstate(all="ignore"):
            for axis in range(len(shape)):
                out = getattr(cumulative, op)(a, (axis,) if op == "var" else axis)
                # The sign and payload of a NaN are nobody's business.
                parts.append(np.where(np.isnan(out), out.dtype.type(7), out).astype(out.dtype).tobytes())
        if digest(*parts) != RUNNING[key][8 * k : 8 * k + 8]:
            wrong.append(shape)
    assert not wrong


def test_shapes_and_types() -> None:
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert sums.sum(a).shape == () and sums.sum(a, None, True).shape == (1, 1, 1)
    assert sums.sum(a, (1,), True).shape == (2, 1, 4) and sums.sum(a, (-1,)).shape == (2, 3)
    assert sums.sum(a, (0, 2)).tolist() == [60.0, 92.0, 124.0]
    assert sums.sum(np.ones((3, 0), np.float32), (1,)).tolist() == [0.0, 0.0, 0.0]
    assert sums.sum(np.ones((2, 2), np.bool_)).dtype == np.int64
    assert sums.sum(np.full(3, 2**31 - 1, np.int32)).item() == 3 * (2**31 - 1)
    assert sums.sum(np.ones(3, np.int32), dtype=np.dtype(np.float32)).dtype == np.float32
    assert sums.sum(np.float32([2.0]).reshape(()), None).item() == 2.0
    assert np.isnan(sums.mean(np.ones((0,), np.float32)))


def test_results_are_new_and_never_negative_zero() -> None:
    for shape, axes in (((1,), None), ((1, 3), (0,)), ((3,), None), ((40,), None), ((9, 2), (0,)), ((2, 9), (1,))):
        a = np.full(shape, -0.0, np.float32)
        out = sums.sum(a, axes)
        assert not np.signbit(out).any()
        assert not np.shares_memory(out, a)


def test_expanded_input() -> None:
    a = np.broadcast_to(np.float32([[1.5], [2.5]]), (2, 5))
    assert sums.sum(a).item() == 20.0
    assert sums.sum(a, (1,)).tolist() == [7.5, 12.5]
    assert sums.sum(a, (0,)).tolist() == [4.0] * 5


def test_large_sums_stay_exact_to_rounding() -> None:
    a = numbers(1 << 21, "float32")
    rows = a.reshape(-1, 1 << 10)
    exact = rows.astype(np.float64).sum(1)
    assert np.abs(sums.sum_last(rows) - exact).max() < 1e-4
    assert abs(sums.sum(a).item() - exact.sum()) < 1e-2


def test_three_complex_numbers() -> None:
    """Two of double precision fill a vector, onto whose left-over they are added; found with PyTorch 2.13."""
    z = np.array([0.1 + 1j, 0.2 + 2j, 0.4 + 3j])
    assert sums.sum(z) == (z[2] + z[0]) + z[1] != (z[0] + z[1]) + z[2]
    assert (sums.sum(np.stack([z, z]), (1,)) == (z[2] + z[0]) + z[1]).all()
