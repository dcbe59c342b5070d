"""Expressions about Fourier transforms and windows give what PyTorch gave, errors included."""

from __future__ import annotations

import pytest

from tensorsh import torch

from ..recording.linalg import alike, outcome
from ..support.tables import section


@pytest.mark.parametrize(("expression", "expected"), section("linalg", "fft").items())
def test_fft(expression: str, expected: str) -> None:
    found = outcome(torch, expression)
    assert alike(found, expected), found


@pytest.mark.parametrize("n", [7, 11, 13, 14, 15, 17, 19, 23, 29, 31, 37, 41, 43, 47])
def test_what_is_zero_by_symmetry_is_zero(n: int) -> None:
    """The transform of a real even signal is real, that of an odd one imaginary; both agree with the sums that define them."""
    x = torch.randn(3, n, generator=torch.Generator().manual_seed(n))
    even, odd = x + x.flip(1).roll(1, 1), x - x.flip(1).roll(1, 1)
    assert (torch.fft.fft(even).imag == 0).all() and (torch.fft.fft(odd).real == 0).all()
    k = torch.arange(n, dtype=torch.float64)
    angles = -2 * torch.pi / n * torch.outer(k, k)
    expected = x.to(torch.complex128) @ torch.polar(torch.ones(n, n, dtype=torch.float64), angles)
    for signal in (x, x.double()):
        found = torch.fft.fft(signal)
        assert torch.allclose(found.to(torch.complex128), expected, 1e-5, 1e-5)
        assert torch.allclose(torch.fft.irfft(torch.fft.rfft(signal), n), signal, 1e-5, 1e-6)
