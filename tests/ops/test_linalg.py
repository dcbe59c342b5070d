"""Expressions about linear algebra give what PyTorch gave, errors included."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch

from ..recording.linalg import alike, outcome
from ..support.cases import all_pass
from ..support.tables import section


def test_linalg() -> None:
    all_pass(check_linalg, section("linalg", "linalg").items())


def check_linalg(expression: str, expected: str) -> None:
    found = outcome(torch, expression)
    assert alike(found, expected), found


@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 2, 2)])
def test_inverses_of_nothing_by_cholesky_factors(shape: tuple) -> None:
    assert torch.cholesky_inverse(torch.zeros(shape)).shape == shape


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("shape", [(3, 3), (2, 9, 4), (140, 40), (45, 45)], ids=str)
def test_least_squares_of_full_and_of_lower_rank(dtype: torch.dtype, shape: tuple) -> None:
    """The least squares and the ranks are numpy's in double precision, also of matrices whose columns are to be interchanged."""
    numbers = np.random.default_rng(1)
    x, y = numbers.standard_normal(shape), numbers.standard_normal((*shape[:-1], 2))
    bound = 1e-4 if dtype is torch.float32 else 1e-11
    for rank in (shape[-1], shape[-1] - 1):
        x[..., rank:] = x[..., :1]
        A, B = (torch.tensor(z, dtype=dtype) for z in (x, y))
        found = torch.linalg.lstsq(A, B)
        a, b = (z.numpy().astype(float) for z in (A, B))
        expected = np.linalg.pinv(a, rcond=1e-6) @ b
        assert np.abs(found.solution.numpy() - expected).max() < bound * np.abs(expected).max()
        assert (found.rank == rank).all().item() and found.rank.shape == shape[:-2]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("shape", [(45, 45), (3, 40, 40)], ids=str)
def test_determinants_and_factors_of_larger_matrices(dtype: torch.dtype, shape: tuple) -> None:
    """What LAPACK is called for directly is what numpy finds in double precision; only one triangle is read."""
    near = {"rtol": 2e-4, "atol": 1e-5} if dtype is torch.float32 else {"rtol": 1e-10, "atol": 1e-12}
    n = shape[-1]
    x = np.random.default_rng(0).standard_normal(shape)
    A = torch.tensor(x, dtype=dtype)
    sign, logarithm = np.linalg.slogdet(A.numpy().astype(float))
    found = torch.linalg.slogdet(A)
    assert np.array_equal(found[0].numpy(), sign)
    assert np.allclose(found[1].numpy(), logarithm, **near)
    assert np.allclose(torch.det(A / n**0.5).numpy(), np.linalg.det(A.numpy().astype(float) / n**0.5), **near)
    A[..., 1, :] = A[..., 0, :]
    assert (torch.det(A / n**0.5).abs() < 1e-5).all()
    P = torch.tensor(x @ x.swapaxes(-1, -2) + n * np.eye(n), dtype=dtype)
    L = np.linalg.cholesky(P.numpy().astype(float))
    assert np.allclose(torch.linalg.cholesky(P.triu(1) * 7 + P.tril()).numpy(), L, **near)
    assert np.allclose(torch.linalg.cholesky(P.triu() + P.tril(-1) * 7, upper=True).numpy(), L.swapaxes(-1, -2), **near)
    P[..., 20, 20] = -1
    assert (torch.linalg.cholesky_ex(P).info == 21).all()
    with pytest.raises(RuntimeError, match="the leading minor of order 21 is not positive-definite"):
        torch.linalg.cholesky(P)


def test_a_batch_is_factored_as_far_as_each_matrix_goes() -> None:
    """Values from PyTorch; thousands of matrices that are not positive definite are no slower than others."""
    matrices = [[[4.0, 2], [2, 5]], [[1, 2], [2, 1]], [[-1, 0], [3, 4]], [[9, 3], [3, 1]], [[4, 2], [2, 5]]]
    factors = [[[2.0, 0], [1, 2]], [[1, 0], [2, -3]], [[-1, 0], [3, 4]], [[3, 0], [1, 0]], [[2, 0], [1, 2]]]
    a = torch.tensor(matrices)
    L, info = torch.linalg.cholesky_ex(a)
    assert L.tolist() == factors and info.tolist() == [0, 2, 1, 2, 0]
    L, info = torch.linalg.cholesky_ex(a.expand(10000, 5, 2, 2))
    assert L[-1].tolist() == factors and info.sum() == 50000
