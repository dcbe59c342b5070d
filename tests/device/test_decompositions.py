"""Decompositions on the device: by CuPy's functions where they fit, as on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.cuda import linalg
from tensorsh.engine.operators import placement

from . import standin

L = torch.linalg


@pytest.fixture(autouse=True)
def cupy() -> Iterator[Any]:
    with standin.installed(reads=True) as module:
        yield module


@pytest.fixture(autouse=True)
def nothing_is_hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(kernel: Any) -> Any:
        raise AssertionError(f"{kernel} was run on the CPU")

    monkeypatch.setattr(placement, "on_host", refuse)


def matrix(*shape: int, dtype: Any = torch.float64) -> Any:
    torch.manual_seed(3)
    return torch.randn(*shape, dtype=dtype)


def same(one: Any, other: Any, tolerance: float = 1e-9) -> None:
    assert one.shape == other.shape and one.dtype == other.dtype and one.is_cuda
    torch.testing.assert_close(one.cpu(), other, rtol=tolerance, atol=tolerance)


SHAPES = [(4, 4), (5, 3), (3, 5), (2, 4, 3), (2, 1, 3, 3)]
KINDS = [torch.float64, torch.complex128]


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_pinv(shape: tuple, dtype: Any) -> None:
    a = matrix(*shape, dtype=dtype)
    same(L.pinv(a.cuda()), L.pinv(a))
    same(L.pinv(a.cuda(), rtol=0.5), L.pinv(a, rtol=0.5))
    same(L.pinv(a.cuda(), atol=0.7, rtol=0.1), L.pinv(a, atol=0.7, rtol=0.1))
    if shape[-1] == shape[-2]:
        h = a + a.mH
        same(L.pinv(h.cuda(), hermitian=True), L.pinv(h, hermitian=True))
    x = a.cuda().requires_grad_()
    y = a.clone().requires_grad_()
    L.pinv(x).abs().sum().backward()
    L.pinv(y).abs().sum().backward()
    same(x.grad, y.grad, 1e-7)


@pytest.mark.parametrize("driver", [None, "gels", "gelsd", "gelss"])
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_lstsq(shape: tuple, dtype: Any, driver: str | None) -> None:
    a, b = matrix(*shape, dtype=dtype), matrix(*shape[:-1], 2, dtype=dtype)
    for one, other in zip(L.lstsq(a.cuda(), b.cuda(), driver=driver), L.lstsq(a, b, driver=driver), strict=True):
        same(one, other)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_lu(shape: tuple, dtype: Any) -> None:
    a = matrix(*shape, dtype=dtype)
    for one, other in zip(L.lu(a.cuda()), L.lu(a), strict=True):
        same(one, other)
    for one, other in zip(L.lu_factor_ex(a.cuda()), L.lu_factor_ex(a), strict=True):
        same(one, other)


def test_lu_tells_of_zero_pivots() -> None:
    a = torch.tensor([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    assert L.lu_factor_ex(a.cuda()).info.tolist() == L.lu_factor_ex(a).info.tolist() == [2, 0, 1]


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4)])
def test_eig(shape: tuple, dtype: Any) -> None:
    a = matrix(*shape, dtype=dtype)
    values, vectors = L.eig(a.cuda())
    assert values.is_cuda and values.dtype == vectors.dtype == torch.complex128
    product, scaled = a.to(values.dtype) @ vectors.cpu(), vectors.cpu() * values.cpu()[..., None, :]
    torch.testing.assert_close(product, scaled, rtol=1e-9, atol=1e-9)
    same(vectors.abs().square().sum(-2), torch.ones(shape[:-1], dtype=torch.float64))


@pytest.mark.parametrize("name", ["_linalg_pinv", "_linalg_lstsq", "linalg.eig", "linalg.lu", "linalg.lu_factor_ex"])
def test_what_does_not_fit_is_left_to_the_cpu(name: str, cupy: Any) -> None:
    kernel = linalg.KERNELS[name]
    broken = cupy.asarray(np.full((2, 2), np.nan))
    given = (broken, broken) if "lstsq" in name else (broken,)
    if "lu" not in name:
        assert kernel(cupy, *given) is None
    half = cupy.asarray(np.ones((2, 2), np.float16))
    assert kernel(cupy, *((half, half) if "lstsq" in name else (half,))) is None
