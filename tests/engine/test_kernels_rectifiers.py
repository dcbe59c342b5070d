"""Shrinkages, clamps and thresholds of the kernels: numpy's formulas, to the sign of zero."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")
FORMULAS = {
    "hardshrink": ((0.5,), lambda x, a: np.where((x >= -a) & (x <= a), x.dtype.type(0), x)),
    "softshrink": ((0.3,), lambda x, a: np.where(x > a, x - a, np.where(x < -a, x + a, x * x.dtype.type(0)))),
    "threshold": ((0.3, 1.7), lambda x, a, b: np.where(x <= a, b, x)),
    "hardtanh": ((-0.3, 0.7), lambda x, a, b: np.minimum(np.maximum(a, x), b)),
    "hardsigmoid": ((), lambda x: np.minimum(np.maximum(x + x.dtype.type(3), 0), 6) / x.dtype.type(6)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas(name, dtype):
    numbers, formula = FORMULAS[name]
    bounds = [dtype(n) for n in numbers]
    special = [0.0, -0.0, 0.5, -0.5, 0.3, -0.3, 0.7, 3, -3, 6, np.inf, -np.inf, np.nan]
    x = np.concatenate([np.random.default_rng(0).standard_normal(1000) * 3, special]).astype(dtype)
    with np.errstate(invalid="ignore"):
        expected = formula(x, *bounds)
        found = getattr(kernels.compiled, name)(x, *bounds)
        assert found.dtype == dtype and found.tobytes() == expected.astype(dtype).tobytes()
        steps = np.stack([x, x], 1)[:, 0]
        assert getattr(kernels.compiled, name)(steps, *bounds).tobytes() == found.tobytes()
        many = [np.full_like(x, n) for n in bounds]
        assert getattr(kernels.compiled, name)(x, *many).tobytes() == found.tobytes()


GRADIENTS = {
    "relu": ((), lambda g, x: np.where(x <= 0, 0, g)),
    "threshold": ((0.3,), lambda g, x, a: np.where(x <= a, 0, g)),
    "hardtanh": ((-0.3, 0.7), lambda g, x, a, b: np.where((x <= a) | (x >= b), 0, g)),
    "hardshrink": ((0.5,), lambda g, x, a: np.where((x >= -a) & (x <= a), 0, g)),
    "hardsigmoid": ((), lambda g, x: np.where((x > -3) & (x < 3), g * (np.float32(1) / np.float32(6)), 0)),
    "hardswish": ((), lambda g, x: np.where(x <= -3, 0, np.where(x < 3, g * (x / 3 + 0.5), g))),
    "leaky_relu": ((0.01,), lambda g, x, a: np.where(x > 0, g, g * a)),
    "logit": ((), lambda g, x: np.where((x < 0) | (x > 1), np.nan, slope_of_logit(g, x))),
    "logit_limited": ((0.2, 0.7), lambda g, x, a, b: np.where((x < a) | (x > b), 0, slope_of_logit(g, x))),
}


def slope_of_logit(g, x):
    edge = (x == 0) | (x == 1)
    inside = np.where(edge, x.dtype.type(0.5), x)
    return np.where(edge, g * np.inf, g / (inside * (1 - inside)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name, dtype):
    numbers, formula = GRADIENTS[name]
    bounds = [dtype(n) for n in numbers]
    special = np.array([0.0, -0.0, 1, 0.3, -0.3, 0.5, -0.5, 0.7, 3, -3, np.inf, -np.inf, np.nan])
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.standard_normal(3000) * 2, np.repeat(special, len(special))]).astype(dtype)
    g = np.concatenate([rng.standard_normal(3000), np.tile(special, len(special))]).astype(dtype)
    usual = lambda a: np.where(np.isnan(a), dtype(np.nan), a).tobytes()
    with np.errstate(all="ignore"):
        expected = usual(formula(g, x, *bounds).astype(dtype))
        run = getattr(kernels.compiled, name + "_backward")
        assert usual(run(g, x, *bounds)) == expected
        apart = [np.stack([a, a, a], 1)[:, 1] for a in (g, x)]
        assert usual(run(*apart, *bounds)) == usual(run(g, apart[1], *bounds)) == expected
        assert usual(run(g, x, *[np.full_like(x, b) for b in bounds])) == expected
        out = np.zeros((len(x), 2), dtype)[:, 0]
        assert usual(run(*apart, *bounds, out=out)) == usual(out) == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_signs_steps_and_quotients(dtype):
    special = np.array([0.0, -0.0, 1, -2, np.inf, -np.inf, np.nan, 1e-40, 3e38])
    x, y = np.repeat(special, 9).astype(dtype), np.tile(special, 9).astype(dtype)
    usual = lambda a: np.where(np.isnan(a), dtype(np.nan), a).tobytes()
    with np.errstate(all="ignore"):
        assert usual(kernels.compiled.copysign(x, y)) == usual(np.copysign(x, y))
        stepped = np.where(x == 0, y, (x > 0).astype(dtype))
        assert usual(kernels.compiled.heaviside(x, y)) == usual(stepped)
        assert usual(kernels.compiled.add_quotient(y, x, y)) == usual(y + x / y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_slopes_of_logarithms(dtype):
    special = [0.0, -0.0, 25, -25, 800, -800, np.inf, -np.inf, np.nan, 1e-40]
    x = np.concatenate([np.random.default_rng(0).standard_normal(1000) * 8, special]).astype(dtype)
    g = np.roll(x, 3)
    exp, usual = kernels.compiled.exp, lambda a: np.where(np.isnan(a), dtype(np.nan), a).tobytes()
    with np.errstate(all="ignore"):
        power = exp(-np.abs(x))
        share = power / (power + 1)
        expected = g * np.where(x < 0, 1 - share, share)
        assert usual(kernels.compiled.logsigmoid_backward(g, x)) == usual(expected)
        power = exp(x * dtype(1.5))
        expected = np.where(x * dtype(1.5) > 7, g, g * power / (power + 1))
        assert usual(kernels.compiled.softplus_backward(g, x, dtype(1.5), dtype(7))) == usual(expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_in_the_place_of_others(dtype):
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 3e38, -3e38, 1e-40]
    x = np.concatenate([np.random.default_rng(0).standard_normal(3000), special]).astype(dtype)
    expected = np.where(np.isnan(x), 7, np.where(x == np.inf, 8, np.where(x == -np.inf, -9, x))).astype(dtype)
    numbers = [dtype(n) for n in (7, 8, -9)]
    assert kernels.compiled.nan_to_num(x, *numbers).tobytes() == expected.tobytes()
    assert kernels.compiled.nan_to_num(np.stack([x, x], 1)[:, 0], *numbers).tobytes() == expected.tobytes()
    assert kernels.compiled.nan_to_num(x, *[np.full_like(x, n) for n in numbers]).tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_slopes_of_elu(dtype):
    special = [0.0, -0.0, 25, -25, 800, -800, np.inf, -np.inf, np.nan, 1e-40]
    x = np.concatenate([np.random.default_rng(0).standard_normal(1000) * 3, np.full(600, 2), special]).astype(dtype)
    g = np.roll(x, 3)
    low, scale = dtype(1.7), dtype(1.1)
    usual = lambda a: np.where(np.isnan(a), dtype(np.nan), a).tobytes()
    with np.errstate(all="ignore"):
        expected = np.where(x <= 0, g * low * kernels.compiled.exp(x), g * scale)
        assert usual(kernels.compiled.elu_backward(g, x, low, scale)) == usual(expected)
        apart = [np.stack([a, a], 1)[:, 0] for a in (g, x)]
        assert usual(kernels.compiled.elu_backward(*apart, low, scale)) == usual(expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_steps_take_their_value_at_zero(dtype):
    x, values = np.random.default_rng(0).integers(-2, 3, (2, 500)).astype(dtype)
    found = torch.heaviside(torch.from_numpy(x), torch.from_numpy(values))
    assert (found.numpy() == np.where(x == 0, values, x > 0)).all()
