"""Decompositions on the device: by CuPy's functions where they fit, as on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.cuda import linalg, solving

from . import standin

L = torch.linalg


@pytest.fixture(autouse=True)
def cupy() -> Iterator[Any]:
    with standin.installed(reads=True) as module:
        yield module


@pytest.fixture(autouse=True)
def nothing_is_hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    standin.refuse_hosting(monkeypatch)


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
@pytest.mark.parametrize("shape", SHAPES)
def test_lu_unpack(shape: tuple, dtype: Any) -> None:
    LU, pivots, _ = L.lu_factor_ex(matrix(*shape, dtype=dtype))
    for one, other in zip(torch.lu_unpack(LU.cuda(), pivots.cuda()), torch.lu_unpack(LU, pivots), strict=True):
        same(one, other)


SQUARES = [(4, 4), (2, 3, 3), (2, 1, 5, 5)]


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", SQUARES)
def test_lu_solve(shape: tuple, dtype: Any, adjoint: bool, left: bool) -> None:
    LU, pivots = L.lu_factor(matrix(*shape, dtype=dtype))
    b = (matrix(*shape[:-1], 2, dtype=dtype) if left else matrix(2, shape[-1], dtype=dtype)) + 1
    found = [f.cuda().requires_grad_() for f in (LU, b)]
    expected = [f.clone().requires_grad_() for f in (LU, b)]
    results = [L.lu_solve(a, pivots.to(a.device), y, left=left, adjoint=adjoint) for a, y in (found, expected)]
    same(*results)
    for result in results:
        result.abs().sum().backward()
    for one, other in zip(found, expected, strict=True):
        same(one.grad, other.grad, 1e-7)
    if left:
        same(torch.lu_solve(b.cuda(), LU.cuda(), pivots.cuda()), torch.lu_solve(b, LU, pivots))


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", SQUARES)
def test_factors_solve(shape: tuple, dtype: Any, upper: bool) -> None:
    a, b = matrix(*shape, dtype=dtype), matrix(*shape[:-1], 2, dtype=dtype)
    factor = L.cholesky(a @ a.mH + torch.eye(shape[-1]), upper=upper)
    same(torch.cholesky_solve(b.cuda(), factor.cuda(), upper), torch.cholesky_solve(b, factor, upper))
    same(torch.cholesky_inverse(factor.cuda(), upper), torch.cholesky_inverse(factor, upper))
    for transpose in (True, False):
        pair = (torch.triangular_solve(y, f, upper, transpose) for y, f in ((b.cuda(), factor.cuda()), (b, factor)))
        for one, other in zip(*pair, strict=True):
            same(one, other)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (2, 4, 2)])
def test_reflections(shape: tuple, dtype: Any) -> None:
    a, tau = torch.geqrf(matrix(*shape, dtype=dtype))
    x, y = a.cuda().requires_grad_(), a.clone().requires_grad_()
    for given, found in (x, L.householder_product(x, tau.cuda())), (y, L.householder_product(y, tau)):
        found.abs().square().cumsum(0).sum().backward()
        assert given.grad is not None
    same(L.householder_product(a.cuda(), tau.cuda()), L.householder_product(a, tau))
    same(x.grad, y.grad, 1e-7)
    b = matrix(*shape[:-2], shape[-2], 3, dtype=dtype)
    for transpose in (True, False):
        same(torch.ormqr(a.cuda(), tau.cuda(), b.cuda(), True, transpose), torch.ormqr(a, tau, b, True, transpose))
        turned = b.mT.contiguous()
        same(
            torch.ormqr(a.cuda(), tau.cuda(), turned.cuda(), False, transpose),
            torch.ormqr(a, tau, turned, False, transpose),
        )


@pytest.mark.parametrize("scale", [1e-7, 1e-3, 0.1, 1.0, 20.0])
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (3, 4, 4)])
def test_matrix_exp(shape: tuple, dtype: Any, scale: float) -> None:
    a = matrix(*shape, dtype=dtype) * scale
    x, y = a.cuda().requires_grad_(), a.clone().requires_grad_()
    found, expected = torch.matrix_exp(x), torch.matrix_exp(y)
    assert found.is_cuda
    torch.testing.assert_close(found.cpu(), expected, rtol=1e-9, atol=1e-9)
    found.real.sum().backward()
    expected.real.sum().backward()
    torch.testing.assert_close(x.grad.cpu(), y.grad, rtol=1e-7, atol=1e-7)


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
    kernel = (linalg.KERNELS | solving.KERNELS)[name]
    broken = cupy.asarray(np.full((2, 2), np.nan))
    given = (broken, broken) if "lstsq" in name else (broken,)
    if "lu" not in name:
        assert kernel(cupy, *given) is None
    half = cupy.asarray(np.ones((2, 2), np.float16))
    assert kernel(cupy, *((half, half) if "lstsq" in name else (half,))) is None
