"""Fourier transforms: scipy's, with an error like PyTorch's, and numpy's where scipy has them elsewhere; symmetries hold exactly."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.numerics import fourier

from ..support.processes import printed

RNG = np.random.default_rng(3)
NORMS = ["backward", "forward", "ortho"]


def error(found: object, exact: np.ndarray) -> float:
    return float(np.abs(np.asarray(found) - exact).max() / np.abs(exact).max())


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype, bound", [("float32", 5e-7), ("float64", 1e-15)])
def test_large_arrays(dtype: str, bound: float, norm: str) -> None:
    real = RNG.normal(size=(180, 3, 101)).astype(dtype)
    x = torch.from_numpy(real)
    both = torch.complex(x, x.flip(0))
    wide, wide_both = real.astype("f8"), both.numpy().astype("c16")
    fft = torch.fft
    for found, exact in [
        (fft.fft(x, norm=norm), np.fft.fft(wide, norm=norm)),
        (fft.rfft(x, dim=0, norm=norm), np.fft.rfft(wide, axis=0, norm=norm)),
        (fft.fft2(both, norm=norm), np.fft.fft2(wide_both, norm=norm)),
        (fft.ifftn(both, dim=(2, 0), norm=norm), np.fft.ifftn(wide_both, axes=(2, 0), norm=norm)),
        (fft.rfft2(x, dim=(2, 0), norm=norm), np.fft.rfftn(wide, axes=(2, 0), norm=norm)),
        (fft.irfft(both, n=200, norm=norm), np.fft.irfft(wide_both, n=200, norm=norm)),
        (fft.irfft2(both, dim=(0, 2), norm=norm), np.fft.irfftn(wide_both, axes=(0, 2), norm=norm)),
        (fft.hfft(both, norm=norm), np.fft.hfft(wide_both, norm=norm)),
    ]:
        assert tuple(found.shape) == exact.shape and error(found.numpy(), exact) < bound
        assert found.dtype.to_real() == x.dtype


def test_gradients_of_large_transforms() -> None:
    x = torch.randn(200, 301, dtype=torch.float64, requires_grad=True)
    torch.fft.rfft2(x).abs().pow(2).sum().backward()
    half = np.fft.rfft2(x.detach().numpy())
    weights = np.full(half.shape, 2.0)
    weights[:, 0] = 1  # Parseval: the middle columns stand for two, of which one is counted
    again = np.fft.irfft2(half * 2 / weights, s=(200, 301)) * 200 * 301
    assert np.allclose(x.grad.numpy(), again, rtol=1e-12, atol=1e-9)


def test_without_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.randn(200, 200)
    usual = torch.fft.fft2(x)
    monkeypatch.setattr(fourier, "_loaded", {})
    assert error(torch.fft.fft2(x).numpy(), usual.numpy().astype("c16")) < 5e-7


def test_the_package_around_it_is_not_imported_and_works_afterwards() -> None:
    code = (
        "import sys; from tensorsh import torch; torch.fft.fft(torch.ones(40000));"
        "from tensorsh.engine.numerics import fourier; assert fourier.loaded() and 'scipy' not in sys.modules;"
        "import scipy.fft; print(scipy.fft.fft([1.0, 2.0]).real.tolist())"
    )
    assert printed(code) == "[3.0, -1.0]\n"


SHAPES = [
    ((6,), (0,)), ((4, 6), (0, 1)), ((3, 10, 5), (1, 2)), ((5, 6, 7), (1,)), ((8, 4, 6), (2, 0, 1)), ((4, 5, 6, 8), (0, 1, 2, 3)),
    ((3, 16, 6, 5), (0, 1, 3)), ((10, 3, 12, 4), (2, 0, 3)), ((6, 5, 53, 4), (0, 2, 1, 3)), ((4, 53, 59), (1, 0, 2)),
    ((4, 8, 70), (0, 1, 2)), ((3, 6, 5, 36), (1, 2, 3)),
]  # fmt: skip


@pytest.mark.parametrize("kernels", [True, False])
@pytest.mark.parametrize("shape, dim", SHAPES)
def test_transforms_of_real_arrays_are_conjugate_to_the_bit(
    shape: tuple, dim: tuple, kernels: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not kernels:
        for name in ("fourier", "fourier_within", "mirrored"):
            monkeypatch.setattr(fourier, name, fourier.unsuited)
    real = torch.from_numpy(RNG.normal(size=shape))
    for x in (real, real.to(torch.complex128)):
        for found in (torch.fft.fftn(x, dim=dim).numpy(), torch.fft.ifftn(x, dim=dim).numpy()):
            turned = np.roll(np.flip(found, dim), 1, dim)
            assert (found == turned.conj()).all()
    half = torch.fft.rfftn(real, dim=dim).numpy()
    assert (half == np.take(torch.fft.fftn(real, dim=dim).numpy(), np.arange(shape[dim[-1]] // 2 + 1), dim[-1])).all()
    assert error(torch.fft.fftn(real, dim=dim).numpy(), np.fft.fftn(real.numpy(), axes=dim)) < 1e-15


LENGTHS = [32, 44, 48, 64, 68, 80, 96, 128, 200, 224, 250, 256, 300, 512, 1000, 1024, 2048]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("n", LENGTHS)
def test_a_line_has_the_same_transform_wherever_it_stands(n: int, dtype: str) -> None:
    """Alone, one behind another, side by side with others: the numbers of the line, or its neighbours, are in the lanes of vectors."""
    lines = torch.from_numpy((RNG.normal(size=(35, n)) + 1j * RNG.normal(size=(35, n))).astype(dtype))
    real, half = lines.real.contiguous(), lines[:, : n // 2 + 1].contiguous()
    fft = torch.fft
    for transform, x in [
        (fft.fft, lines),
        (fft.ifft, lines),
        (fft.fft, real),
        (fft.rfft, real),
        (fft.hfft, half),
        (fft.irfft, half),
    ]:
        found = transform(x, norm="ortho")
        assert torch.equal(transform(x.T.contiguous(), dim=0, norm="ortho").T, found)
        for count in (1, 2, 7, 18):
            assert torch.equal(transform(x[:count], norm="ortho"), found[:count])


@pytest.mark.parametrize("dtype, bound", [("complex64", 3e-7), ("complex128", 6e-16)])
@pytest.mark.parametrize("n", LENGTHS)
def test_lines_that_stand_one_behind_the_other(n: int, dtype: str, bound: float) -> None:
    lines = (RNG.normal(size=(9, n)) + 1j * RNG.normal(size=(9, n))).astype(dtype)
    wide, half, real = lines.astype("c16"), lines[:, : n // 2 + 1].copy(), lines.real.copy()
    fft = torch.fft
    for found, exact in [
        (fft.fft(torch.from_numpy(lines)), np.fft.fft(wide)),
        (fft.ifft(torch.from_numpy(lines)), np.fft.ifft(wide)),
        (fft.rfft(torch.from_numpy(real)), np.fft.rfft(real.astype("f8"))),
        (fft.fft(torch.from_numpy(real)), np.fft.fft(real.astype("f8"))),
        (fft.irfft(torch.from_numpy(half), n=n), np.fft.irfft(wide[:, : n // 2 + 1], n=n)),
    ]:
        assert error(found.numpy(), exact) < bound
