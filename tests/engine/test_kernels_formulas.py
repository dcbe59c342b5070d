"""Compiled functions of several operands give the bits of the formulas in numpy that stand beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.kernels import compiled

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no compiler")
one = np.float32


def operands() -> tuple[np.ndarray, np.ndarray]:
    """Pairs of floats of all sizes, of whole numbers, and of special values."""
    rng = np.random.default_rng(0)
    wide = lambda: rng.standard_normal(50_000) * np.exp(rng.standard_normal(50_000) * 6)
    odd = [0, -0.0, 1, -1, 2, 0.5, 1.5, -3, 6, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, -3e38]
    special = [each.ravel() for each in np.meshgrid(odd, odd)]
    x, y = (np.concatenate([wide(), np.round(wide()[:5000]), each]).astype(one) for each in special)
    return x, y


def remainder(x: Any, y: Any) -> Any:
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)


def smooth_l1(x: Any, y: Any) -> Any:
    d = np.abs(x - y)
    return np.where(d < one(1.3), one(0.5) * d * d / one(1.3), d - one(0.5 * 1.3))


FORMULAS: dict[str, tuple[Callable, tuple]] = {
    "fmod": (np.fmod, ()),
    "remainder": (remainder, ()),
    "floor_divide": (lambda x, y: np.where(y == 0, x / y, np.floor_divide(x, y)), ()),
    "hypotenuse": (np.hypot, ()),
    "arctan2": (lambda x, y: np.arctan2(x.astype(float), y), ()),
    "power": (lambda x, y: np.power(x.astype(float), y), ()),
    "smooth_l1": (smooth_l1, (1.3,)),
    "gated": (lambda x, y: x * compiled.sigmoid(y), ()),
    "gated_backward": (lambda x, y: (one(1) - compiled.sigmoid(y)) * compiled.sigmoid(y) * x * one(1.3), (1.3,)),
}
SINGLE: dict[str, tuple[Callable, tuple]] = {
    **{
        name: (lambda x, exact=getattr(np, name): exact(x.astype(float)), ())
        for name in "expm1 sinh cosh arcsinh arccosh arctanh".split()
    },
    "logsigmoid": (lambda x: np.minimum(x, 0) - compiled.log1p(compiled.exp(-np.abs(x))), ()),
    "sign": (lambda x: np.subtract(x > 0, x < 0, dtype=one), ()),
    "hardswish": (lambda x: x * np.minimum(np.maximum(x + one(3), one(0)), one(6)) / one(6), ()),
    "leaky_relu": (lambda x, slope: np.where(x > 0, x, x * slope), (0.01,)),
    "elu": (lambda x, low, scale: np.where(x <= 0, compiled.expm1(x) * low, x * scale), (1.7, 1.1)),
    "softplus": (
        lambda x, beta, most: np.where(x * beta > most, x, compiled.log1p(compiled.exp(x * beta)) / beta),
        (1.5, 20),
    ),
}


IN_FLOATS = {
    "exp": 0.53,
    "log": 0.65,
    "log2": 0.65,
    "log10": 0.65,
    "log1p": 0.68,
    "tanh": 0.55,
    "arctan": 0.66,
    "arcsin": 0.66,
    "arccos": 0.63,
}
"""Functions that are computed in floats, and how far they may be from the exact ones, in units of a float's last place (PyTorch's
own: 0.51 to 0.79)."""


def assert_same_bits(found: np.ndarray, wanted: np.ndarray) -> None:
    wanted = wanted.astype(one)
    same = (found.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(found) & np.isnan(wanted))
    assert same.all(), (found[~same][:5], wanted[~same][:5])


@pytest.mark.parametrize("name", FORMULAS)
def test_functions_of_two_arrays(name: str) -> None:
    formula, settings = FORMULAS[name]
    x, y = operands()
    settings = tuple(map(one, settings))
    with np.errstate(all="ignore"):
        wanted = formula(x, y)
    found = getattr(compiled, name)(x, y, *settings)
    assert_same_bits(found, wanted)
    assert_same_bits(getattr(compiled, name)(x[::3], y[::3], *settings), found[::3])  # not side by side


@pytest.mark.parametrize("name", SINGLE)
def test_functions_of_an_array_and_settings(name: str) -> None:
    formula, settings = SINGLE[name]
    x = operands()[0]
    settings = tuple(map(one, settings))
    with np.errstate(all="ignore"):
        assert_same_bits(getattr(compiled, name)(x, *settings), formula(x, *settings))


@pytest.mark.parametrize("weight", [0.3, 0.5, 0.8, -2.0])
def test_interpolation_is_fused_and_starts_from_the_nearer_end(weight: float) -> None:
    x, y = operands()
    w = one(weight)
    with np.errstate(all="ignore"):
        step = y - x
        near = abs(w) < 0.5
        wanted = compiled.multiply_add(step, w, x) if near else compiled.multiply_add(-step, one(1) - w, y)
    assert_same_bits(compiled.lerp(x, y, w), wanted)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_outer_products_are_added_with_one_rounding(dtype: torch.dtype) -> None:
    x, a, b = torch.randn(300, 400, dtype=dtype), torch.randn(300, dtype=dtype), torch.randn(400, dtype=dtype)
    fused = lambda x, a: torch.addcmul(x, a[:, None].expand(300, 400).clone(), b.expand(300, 400).clone())
    assert torch.equal(torch.addr(x, a, b), fused(x, a))
    assert torch.equal(
        torch.addr(x[0], a, b, beta=0.7, alpha=0.3), fused((x[0] * 0.7).expand(300, 400).clone(), a * 0.3)
    )
    assert torch.equal(torch.addr(torch.full_like(x, float("nan")), a, b, beta=0), torch.outer(a, b))


def test_several_threads_compute_the_same() -> None:
    x = torch.randn(2100, 2000)
    before = torch.get_num_threads()
    wanted = torch.nn.functional.leaky_relu(x, 0.2)
    torch.set_num_threads(4)
    try:
        assert torch.equal(torch.nn.functional.leaky_relu(x, 0.2), wanted)
    finally:
        torch.set_num_threads(before)


def test_a_permutation_by_words_is_that_of_the_swaps_in_python() -> None:
    words = np.random.default_rng(1).integers(0, 1 << 32, 999, dtype=np.uint32)
    order = list(range(1000))
    for i, word in enumerate(words.tolist()):
        j = i + word % (1000 - i)
        order[i], order[j] = order[j], order[i]
    assert compiled.shuffled(np.arange(1000), words).tolist() == order


@pytest.mark.parametrize("name", IN_FLOATS)
def test_functions_in_float_arithmetic(name: str) -> None:
    near = np.random.default_rng(1).uniform(-1.5, 1.5, 50_000)
    x = np.concatenate([operands()[0], np.where(near > 0, near, near / 1.5).astype(one), np.arange(-90, 90, dtype=one)])
    found = getattr(compiled, name)(x)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x.astype(float))
        rounded = exact.astype(one)
        normal = np.isfinite(rounded) & (np.abs(rounded) >= np.finfo(one).tiny)
        off = np.abs(found - exact)[normal] / np.spacing(np.abs(rounded[normal])).astype(float)
    assert off.max() <= IN_FLOATS[name]
    assert np.mean(found[normal] != rounded[normal]) < 0.015
    assert np.isnan(found[np.isnan(exact)]).all()
    rest = ~normal & ~np.isnan(exact)  # zeros with their signs, infinities, subnormal numbers to one step
    assert (np.abs(found[rest].view(np.int32).astype(int) - rounded[rest].view(np.int32)) <= 1).all()
    assert_same_bits(getattr(compiled, name)(x[::3]), found[::3])
    assert_same_bits(np.concatenate([getattr(compiled, name)(part) for part in np.array_split(x, 9_000)]), found)
