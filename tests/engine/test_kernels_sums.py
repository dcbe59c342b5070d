"""The kernels of sums and means add in the order of the plans in numpy, whose bits are PyTorch's."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.numerics import cumulative, sums

from .thread_counts import threads

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")

RNG = np.random.default_rng(5)
LENGTHS = [
    *range(1, 140),
    255,
    256,
    257,
    511,
    513,
    1000,
    1023,
    1025,
    2049,
    4095,
    4097,
    16383,
    16500,
    65537,
    300_001,
    (1 << 20) + 37,
]
SHAPES = [
    (),
    (1,),
    (1, 1),
    (4, 4),
    (3, 1, 5),
    (1, 9),
    (9, 1),
    (5, 7, 11),
    (2, 3, 40),
    (70, 3),
    (70, 66),
    (300, 33),
    (17, 129),
]
SHAPES += [
    (1000, 5),
    (5, 1000),
    (5000, 2),
    (20, 100, 31),
    (3, 2000, 8),
    (4, 4, 4, 4),
    (6, 1030),
    (1030, 64),
    (70000, 4),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_are_those_of_the_plans(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_sum, kernel_mean = kernels.compiled.sum, kernels.compiled.mean
    monkeypatch.setattr(sums, "kernel_sum", lambda *arguments: None)
    monkeypatch.setattr(sums, "kernel_mean", lambda *arguments: None)
    with threads(1):  # several share one long sum
        for shape in [*((n,) for n in LENGTHS), *SHAPES]:
            a = RNG.normal(size=shape).astype(dtype) if shape else np.array(1.5, dtype)
            assert kernel_sum(a).tobytes() == sums.sum(a).tobytes(), shape
            assert kernel_mean(a).tobytes() == sums.mean(a).tobytes(), shape
            for axis in range(-a.ndim, a.ndim):
                for keep in (False, True):
                    for kernel, plan in ((kernel_sum, sums.sum), (kernel_mean, sums.mean)):
                        found, wanted = kernel(a, axis, keep), plan(a, (axis,), keep)
                        assert found.shape == wanted.shape and found.tobytes() == wanted.tobytes(), (shape, axis, keep)


def test_special_numbers() -> None:
    a = np.array([[-0.0, np.inf, 1.0], [-0.0, -np.inf, np.nan]], "f4")
    assert str(kernels.compiled.sum(a, 0, False)) == "[ 0. nan nan]"
    assert (
        not np.signbit(kernels.compiled.sum(-np.zeros(3)))
        and not np.signbit(kernels.compiled.sum(-np.zeros((1, 3)), 0, False)).any()
    )


def test_what_is_not_for_the_kernels() -> None:
    a = np.ones((4, 6), "f4")
    total = kernels.compiled.sum
    others = [
        a.T,
        a[:, ::2],
        a[::2],
        a.astype("f2").T,
        a.astype("i8"),
        a.astype("c8"),
        np.ones((0, 3)),
        a.astype(">f4"),
        None,
        3,
    ]
    assert all(total(other) is None for other in others)
    unaligned = np.frombuffer(b"\0" * 33, "u1")[1:].view("f4")
    assert total(unaligned) is None
    assert (
        total(a, 2, False)
        is total(a, -3, False)
        is total(a, 2**80, False)
        is total(a, "x", True)
        is total(a, 1)
        is total()
        is None
    )
    assert total(a, None, True).shape == (1, 1) and total(np.ones((4, 1 << 18), "f4"), 0, False) is None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_columns_are_added_where_they_lie_by_any_number_of_threads(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = np.random.default_rng(0)
    for shape, part in (((1100, 1003), slice(None)), ((3, 400_000), slice(1, None)), ((9001, 130), slice(7, 100))):
        x = draws.standard_normal(shape).astype(dtype)[:, part]
        with monkeypatch.context() as without:
            without.setattr(sums, "strided_sums", lambda *arguments: None)
            expected = sums._columns(x, x.shape[1] // 32 * 32)
        for count in (1, 2, 3):
            with threads(count):
                assert sums._columns(x, x.shape[1] // 32 * 32).tobytes() == expected.tobytes(), (shape, count)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1 << 20, (1 << 21) + 1001, 9_000_017, 17_000_011])
def test_one_long_sum_is_that_of_one_thread(dtype: str, n: int) -> None:
    x = np.random.default_rng(n).standard_normal(n).astype(dtype)
    with threads(1):
        alone = kernels.compiled.sum(x), kernels.compiled.mean(x)
    with threads(3):
        assert kernels.compiled.sum(x) is None
        assert (sums.sum(x).tobytes(), sums.mean(x).tobytes()) == tuple(each.tobytes() for each in alone)


def test_rows_are_no_more_than_all_of_which_they_are_some() -> None:
    x, strided = np.ones((3, 64, 8), "f4"), kernels.compiled.strided_sums
    assert (strided(x, 8, 64) == 64).all() and (strided(x, 8, 1 << 40) == 64).all()
    for wrong in [(8, 63), (8, -1), (7, 64), (None, 64), (8, 2**80), (8, None)]:
        assert strided(x, *wrong) is None


LARGE = [(70_000,), (33, 2000), (2, 40_000), (3, 200, 300), (70_000, 2), (2, 65_537)]


@pytest.mark.parametrize("shape", LARGE, ids=str)
def test_large_variances_are_those_of_doubles(shape: tuple) -> None:
    a = (RNG.standard_normal(shape) * 3 + 1000).astype(np.float32)
    laid = [a, np.repeat(a[..., None], 2, -1)[..., 0], np.ascontiguousarray(a.T).T]
    for axes in {None, *((k,) for k in range(a.ndim)), tuple({0, a.ndim - 1})}:
        for free in (0, 1):
            with np.errstate(all="ignore"):
                wanted = a.astype(np.float64).var(axes, ddof=free)
            for each in laid:
                found = cumulative.var(each, axes, False, free)
                assert np.array_equal(found, wanted.astype(np.float32), equal_nan=True)


def test_a_large_variance_of_what_is_not_finite_is_none() -> None:
    a = RNG.standard_normal((40, 1000)).astype(np.float32)
    a[3, 7], a[9, 1], a[11, 2:4] = np.nan, np.inf, [np.inf, -np.inf]
    assert np.flatnonzero(np.isnan(cumulative.var(a, (1,)))).tolist() == [3, 9, 11]
    assert np.isnan(cumulative.std(a))
    assert cumulative.var(np.full((40, 1000), 3e38, np.float32)) == 0  # a sum in float32 would be infinite


def test_rows_of_a_large_array_have_the_logarithms_of_their_own() -> None:
    a = RNG.standard_normal((300, 1000)).astype(np.float32)
    a[3, 7], a[9, 1], a[11], a[12, 5] = np.nan, np.inf, -np.inf, -np.inf
    found = torch.tensor(a).logsumexp(-1)
    assert np.array_equal(found.numpy(), [torch.tensor(row).logsumexp(0).item() for row in a], equal_nan=True)


@pytest.mark.parametrize("shape", [(100_001,), (600, 700), (3, 5, 90, 110)], ids=str)
def test_norms_of_many_numbers_in_every_order_of_memory(shape: tuple) -> None:
    a = RNG.standard_normal(shape).astype(np.float32)
    exact = np.sqrt((a.astype(np.float64) ** 2).sum())
    x = torch.tensor(a)
    assert x.norm().item() == pytest.approx(exact, rel=3e-7)
    assert x.mT.norm().item() == x.norm().item() if x.ndim > 1 else True
    assert torch.linalg.vector_norm(x.movedim(0, -1)).item() == x.norm().item()
