"""Systems of equations of all sizes, whose solutions are computed in several ways: what is solved is what was asked."""

from __future__ import annotations

import ctypes
import sys

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels

from .thread_counts import threads

RANDOM = np.random.default_rng(0)
SIZES = [(1, 1), (32, 5), (33, 1), (33, 2), (40, 24), (40, 25), (64, 33), (65, 64), (100, 100), (130, 97), (513, 3)]


def matrices(n: int, *batch: int) -> torch.Tensor:
    return torch.tensor(RANDOM.normal(size=(*batch, n, n)) / np.sqrt(n) + 3 * np.eye(n))


@pytest.mark.parametrize("n, k", SIZES)
def test_solutions_solve(n: int, k: int) -> None:
    batch = (2, 3) if n < 60 else ()
    a = matrices(n, *batch)
    b = torch.tensor(RANDOM.normal(size=(*batch, n, k)))
    factors = torch.linalg.lu_factor(a)
    lower = torch.linalg.solve_triangular(a, b, upper=False)
    for left, right in (
        (a @ torch.linalg.solve(a, b), b),
        (torch.linalg.solve(a, b.mT, left=False) @ a, b.mT),
        (a @ torch.linalg.inv(a), torch.eye(n, dtype=a.dtype).expand(a.shape)),
        (a @ torch.linalg.lu_solve(*factors, b), b),
        (a.mT @ torch.linalg.lu_solve(*factors, b, adjoint=True), b),
        (a.tril() @ lower, b),
        (a.mT.triu() @ torch.linalg.solve_triangular(a.mT, b, upper=True), b),
    ):
        assert torch.allclose(left, right, rtol=1e-10, atol=1e-11)
    single = torch.linalg.solve(a.float(), b.float())
    assert torch.allclose(a.float() @ single, b.float(), rtol=1e-3, atol=1e-4)


@pytest.mark.skipif(kernels.compiled is None, reason="LAPACK's blocks may differ")
@pytest.mark.parametrize("k", [2, 24, 32, 64, 90])
def test_a_column_is_solved_by_itself(k: int) -> None:
    a, b = matrices(50), torch.tensor(RANDOM.normal(size=(50, k)))
    whole = torch.linalg.solve(a, b)
    for c in range(0, k - 1, 5):
        assert torch.equal(torch.linalg.solve(a, b[:, c : c + 2].contiguous()), whole[:, c : c + 2])


@pytest.mark.parametrize("n", [8, 40])
def test_singular_matrices(n: int) -> None:
    a = matrices(n, 3)
    a[1, :, 4] = a[1, :, 5] = 0
    with pytest.raises(torch.linalg.LinAlgError, match="Batch element 1.*singular"):
        torch.linalg.inv(a)
    with pytest.raises(torch.linalg.LinAlgError, match="Batch element 1.*singular"):
        torch.linalg.solve(a, a)
    result, info = torch.linalg.inv_ex(a)
    assert info.tolist() == [0, 5, 0]
    assert torch.allclose(result[2] @ a[2], torch.eye(n, dtype=a.dtype), atol=1e-12)


def test_gradients_of_a_system() -> None:
    a, b = matrices(36).requires_grad_(), torch.tensor(RANDOM.normal(size=(36, 3))).requires_grad_()
    assert torch.autograd.gradcheck(torch.linalg.solve, (a, b))


def test_the_library_that_scipy_brings_has_as_many_threads() -> None:
    pytest.importorskip("scipy")
    torch.linalg.ldl_factor(matrices(40))
    library = ctypes.CDLL(sys.modules["scipy.linalg._flapack"].__file__)
    count = getattr(library, "scipy_openblas_get_num_threads", None)
    if count is None:
        pytest.skip("another library")
    with threads(1):
        assert count() == 1
