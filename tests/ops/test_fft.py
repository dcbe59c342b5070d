"""Expressions about Fourier transforms and windows give what PyTorch gave, errors included."""

from __future__ import annotations

from itertools import product

import pytest

from tensorsh import torch
from tensorsh.engine import kernels

from ..recording.linalg import alike, outcome
from ..support.cases import all_pass
from ..support.tables import section


def test_fft() -> None:
    all_pass(check_fft, section("linalg", "fft").items())


def check_fft(expression: str, expected: str) -> None:
    found = outcome(torch, expression)
    assert alike(found, expected), found


LENGTHS = [7, 11, 13, 14, 15, 17, 19, 23, 29, 31, 37, 41, 43, 47]


def signals(n: int) -> torch.Tensor:
    return torch.randn(3, n, generator=torch.Generator().manual_seed(n))


@pytest.mark.skipif(kernels.compiled is None, reason="other last digits")
@pytest.mark.parametrize("n", LENGTHS)
def test_what_is_zero_by_symmetry_is_zero(n: int) -> None:
    """The transform of a real even signal is real, that of an odd one imaginary."""
    x = signals(n)
    assert (torch.fft.fft(x + x.flip(1).roll(1, 1)).imag == 0).all()
    assert (torch.fft.fft(x - x.flip(1).roll(1, 1)).real == 0).all()


@pytest.mark.parametrize("n", LENGTHS)
def test_short_transforms_are_the_sums_that_define_them(n: int) -> None:
    k = torch.arange(n, dtype=torch.float64)
    turns = torch.polar(torch.ones(n, n, dtype=torch.float64), -2 * torch.pi / n * torch.outer(k, k))
    for x in (signals(n), signals(n).double()):
        expected = x.to(torch.complex128) @ turns
        assert torch.allclose(torch.fft.fft(x).to(torch.complex128), expected, 1e-5, 1e-5)
        assert torch.allclose(torch.fft.irfft(torch.fft.rfft(x), n), x, 1e-5, 1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
def test_lines_of_few_numbers_leave_each_other_alone(dtype: torch.dtype) -> None:
    """A line shorter than a vector is written without the beginning of the next one."""
    for rows, n, columns in product((2, 11), (1, 2, 3, 4, 5), (3, 8, 9)):
        x = torch.arange(rows * n * columns).sqrt().reshape(rows, n, columns).to(dtype)
        apart = torch.stack([torch.fft.fft(x[:, :, j].clone()) for j in range(columns)], -1)
        assert torch.allclose(torch.fft.fft(x, dim=1), apart, 1e-5, 1e-5), (rows, n, columns)
