"""Kernels that have several formulas for one function: values from mathematics, and an element's result has nothing to do with its
neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.ops.nn import fractional_pooling

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")
F = torch.nn.functional
RANDOM = np.random.default_rng(0)

VALUES = {
    "erf": {-5.5: -0.9999999999999927, -2.25: -0.9985372834133188, -1.0: -0.8427007929497149, -0.75: -0.7111556336535151,
            -1e-09: -1.1283791670955127e-09, 0.3: 0.3286267594591274, 0.96875: 0.8293191505933152, 1.125: 0.8883882317017078,
            3.5: 0.9999992569016276},
    "erfc": {-3.0: 1.9999779095030015, -0.5: 1.5204998778130465, 0.25: 0.7236736098317631, 0.9375: 0.1848975989656002,
             1.5: 0.033894853524689274, 4.0: 1.541725790028002e-08, 7.75: 5.939747859517146e-28, 8.5: 2.7623240713337716e-33,
             20.0: 5.395865611607901e-176, 26.0: 5.663192408856143e-296},
    "erfinv": {-0.9999: -2.75106390571208, -0.5: -0.4769362762044699, -0.0625: -0.05544594877278202, 1e-12: 8.86226925452758e-13,
               0.25: 0.2253120550121781, 0.84375: 1.00253397062404, 0.859375: 1.041898916224913, 0.96875: 1.523019401996956,
               0.9999999999990905: 5.05125408524939},
    "ndtri": {2.0**-1000: -37.11101193716479, 1e-20: -9.262340089798407, 0.0009765625: -3.0972690781987846,
              0.0625: -1.5341205443525463, 0.25: -0.6744897501960817, 0.625: 0.31863936396437514, 0.9375: 1.5341205443525463,
              0.9999999990686774: 6.009353565530744},
}  # fmt: skip
"""Arguments and exact values, rounded (of mpmath, with 700 digits)."""


@pytest.mark.parametrize("name", VALUES)
def test_doubles(name: str) -> None:
    x, exact = (np.array([*numbers]) for numbers in (VALUES[name].keys(), VALUES[name].values()))
    found = getattr(kernels.compiled, name)(x)
    # scipy's erfc, which stood here before, is hundreds of units off where it is smallest
    assert np.all(np.abs(found - exact) <= (20 if name == "erfc" else 3) * np.spacing(np.abs(exact)))


ENDS = {
    "erf": [0.0, -0.0, 1.0, -1.0, np.nan],
    "erfc": [1.0, 1.0, 0.0, 2.0, np.nan],
    "erfinv": [0.0, -0.0, np.nan, np.nan, np.nan],
    "ndtri": [-np.inf, -np.inf, np.nan, np.nan, np.nan],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ENDS)
def test_ends(name: str, dtype: type) -> None:
    with np.errstate(all="ignore"):
        found = getattr(kernels.compiled, name)(np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype))
    expected = np.array(ENDS[name], dtype)
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.array_equal(np.signbit(found[:2]), np.signbit(expected[:2]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", VALUES)
def test_an_element_is_computed_by_itself(name: str, dtype: type) -> None:
    ufunc = getattr(kernels.compiled, name)
    for low, high in ((0.0, 1.0), (0.2, 0.5), (0.93, 1.0), (-1.0, 1.0), (1.0, 5.0)):
        x = RANDOM.uniform(low, high, 600).astype(dtype)
        with np.errstate(all="ignore"):
            whole = ufunc(x)
            alone = np.concatenate([ufunc(x[k : k + 1]) for k in range(len(x))])
            assert np.array_equal(whole, alone, equal_nan=True)
            written = x.copy()
            ufunc(written, out=written)
            assert np.array_equal(whole, written, equal_nan=True)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("dims", [2, 3])
def test_points_of_a_grid_are_computed_by_themselves(mode: str, padding: str, dims: int) -> None:
    if mode == "bicubic" and dims == 3:
        return
    image = torch.tensor(RANDOM.normal(size=(2, 5, *(6, 5, 7)[:dims])))
    for points in (1, 31, 32, 33, 70):
        at = RANDOM.uniform(-1.3, 1.3, size=(2, points, *(1,) * (dims - 1), dims))
        at[:, ::7] = np.resize([np.inf, np.nan, -1.0, 1.0], at[:, ::7].shape)
        grid = torch.tensor(at)
        for align in (False, True):
            how = {"mode": mode, "padding_mode": padding, "align_corners": align}
            whole = F.grid_sample(image, grid, **how)
            alone = torch.cat([F.grid_sample(image, grid[:, k : k + 1], **how) for k in range(points)], 2)
            assert np.array_equal(whole.numpy(), alone.numpy(), equal_nan=True)


@pytest.mark.parametrize("shape", [(2, 3, 9, 11), (3, 9, 11), (2, 3, 6, 9, 11)])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_fractional_maxima_are_those_of_the_formula(shape: tuple, dtype: torch.dtype, monkeypatch) -> None:
    x = torch.tensor(RANDOM.normal(size=shape)).to(dtype)
    x[..., 1, 2:4] = float("nan")
    x[..., 3:6, 5:8] = -float("inf")
    d = 3 if len(shape) == 5 else 2
    samples = torch.rand(shape[0] if len(shape) > 3 else 1, 3, d).to(dtype)
    pool = getattr(F, f"fractional_max_pool{d}d_with_indices")
    found = pool(x, 2, output_size=(4, 5, 6)[-d:], _random_samples=samples)
    for name in ("fractional_maxima", "region_maxima"):
        monkeypatch.setattr(fractional_pooling, name, kernels.unsuited)
    expected = pool(x, 2, output_size=(4, 5, 6)[-d:], _random_samples=samples)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype is other.dtype
        assert torch.equal(one.nan_to_num(7), other.nan_to_num(7))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_become_truths(dtype: torch.dtype) -> None:
    x = torch.tensor([0.0, -0.0, 1.0, float("nan"), -float("inf"), 6e-8 if dtype is torch.float16 else 1e-40]).to(dtype)
    expected = [False, False, True, True, True, True] * 100
    for laid in (x.repeat(100), torch.stack([x.repeat(100), x.repeat(100)], -1)[:, 0]):
        assert laid.bool().tolist() == expected
