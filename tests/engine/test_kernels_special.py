"""Kernels of special functions, strided sums, norms, integers' products, bags, grids and float16: against formulas and mathematics."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.numerics import sums

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")
RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles(name):
    exact = getattr(np, name)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 1e5, 3e38, *np.arange(1, 500) * np.pi / 2]
    x = np.concatenate([RANDOM.uniform(-20, 20, 5000), RANDOM.uniform(-1e6, 1e6, 5000), special]).astype(np.float32)
    with np.errstate(all="ignore"):
        expected = exact(x.astype(np.float64)).astype(np.float32)
        found = getattr(kernels.compiled, name)(x)
    same = (found.view(np.int32) == expected.view(np.int32)) | (np.isnan(found) & np.isnan(expected))
    assert np.count_nonzero(~same) <= 1


def test_one_minus_the_error_function():
    x = np.concatenate([RANDOM.uniform(-4, 11, 20_000), RANDOM.standard_normal(20_000)]).astype(np.float32)
    exact = np.vectorize(math.erfc)(x.astype(float))
    found, rounded = kernels.compiled.erfc(x), exact.astype(np.float32)
    assert (np.abs(found - exact) <= 0.502 * np.spacing(rounded).astype(float)).all()
    assert np.mean(found != rounded) < 0.001
    ends = np.float32([np.inf, -np.inf, 0, -0.0, 1e-45, np.nan])
    assert np.array_equal(kernels.compiled.erfc(ends), np.float32([0, 2, 1, 1, 1, np.nan]), equal_nan=True)


@pytest.mark.parametrize("name", ["erfcx", "log_ndtr"])
def test_what_comes_of_one_minus_the_error_function(name):
    special = pytest.importorskip("scipy.special")
    bounds = (
        (-40, -9),
        (-9.3, 0),
        (-1.01, -0.99),
        (0, 1),
        (-1e-3, 1e-3),
        (1, 10),
        (9.9, 10.1),
        (10, 1000),
        (-1e20, 1e20),
    )
    random = np.random.default_rng(1)
    x = np.concatenate([random.uniform(*each, 5000) for each in bounds]).astype(np.float32)
    ends = np.float32([np.inf, -np.inf, 0, -0.0, 1e-45, np.nan, 14.2, 40])
    with np.errstate(all="ignore"):
        exact = getattr(special, name)(x.astype(float))
        expected = getattr(special, name)(ends.astype(float)).astype(np.float32)
    found, rounded = getattr(kernels.compiled, name)(x), exact.astype(np.float32)
    finite = np.isfinite(rounded)
    assert np.array_equal(found[~finite], rounded[~finite])
    assert (np.abs(found - exact)[finite] <= 0.502 * np.spacing(np.abs(rounded[finite])).astype(float)).all()
    assert np.mean(found != rounded) < 0.001
    at_ends = getattr(kernels.compiled, name)(ends)
    assert np.array_equal(at_ends, expected, equal_nan=True)
    assert np.array_equal(np.signbit(at_ends[:5]), np.signbit(expected[:5]))


def test_neighbours_and_sums_of_products_in_steps():
    random = np.random.default_rng(2)
    for dtype in (np.float32, np.float64):
        a, b, c = (random.standard_normal((7, 602)).astype(dtype) for _ in range(3))
        steps = [x[:, ::2] for x in (a, b, c)]
        near = [x.copy() for x in steps]
        assert np.array_equal(kernels.compiled.nextafter(*steps[:2]), np.nextafter(*near[:2]))
        assert np.array_equal(kernels.compiled.multiply_add(*steps), kernels.compiled.multiply_add(*near))
        out = np.zeros((7, 602), dtype)
        kernels.compiled.multiply_add(*steps, out=out[:, ::2])
        assert np.array_equal(out[:, ::2], kernels.compiled.multiply_add(*near)) and not out[:, 1::2].any()


@pytest.mark.parametrize("name, inverse", [("erfinv", "erf"), ("ndtri", "ndtr")])
def test_quantiles(name, inverse):
    special = pytest.importorskip("scipy.special")
    x = np.concatenate([RANDOM.uniform(0, 1, 5000), 10 ** RANDOM.uniform(-30, 0, 1000), [0, 1]]).astype(np.float32)
    with np.errstate(all="ignore"):
        expected = getattr(special, name)(x.astype(np.float64)).astype(np.float32)
        assert np.array_equal(getattr(kernels.compiled, name)(x), expected)
        assert np.isnan(getattr(kernels.compiled, name)(np.float32([2, -2, np.nan]))).all()


def test_the_logarithm_of_gamma():
    special = pytest.importorskip("scipy.special")
    near = [RANDOM.uniform(low, high, 2000) for low, high in ((0, 3), (0.99, 1.01), (1.99, 2.01), (2, 14), (12, 2000))]
    x = np.concatenate([*near, 10 ** RANDOM.uniform(-38, 36, 2000), np.arange(1, 40)]).astype(np.float32)
    found = kernels.compiled.log_gamma(x)
    assert np.array_equal(found, special.gammaln(x.astype(np.float64)).astype(np.float32))
    assert np.array_equal(kernels.compiled.log_gamma(x[::2]), found[::2])
    for other in (0, -0.5, np.inf, np.nan):  # the formula's
        assert kernels.compiled.log_gamma(np.append(x, np.float32(other))) is None


def test_derivatives_of_gamma():
    special = pytest.importorskip("scipy.special")
    x = np.concatenate([RANDOM.uniform(0.01, 30, 3000), RANDOM.uniform(-4.9, 0, 300)])
    for name, exact in ("digamma", special.psi(x)), ("trigamma", special.polygamma(1, x)):
        assert np.allclose(getattr(kernels.compiled, name)(x), exact, 1e-8, 1e-12)
        single = x.astype(np.float32)
        assert np.allclose(getattr(kernels.compiled, name)(single[:3000]), exact[:3000], 1e-5)


@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1"])
def test_bessel_functions(name):
    special = pytest.importorskip("scipy.special")
    kernel, exact = getattr(kernels.compiled, f"bessel_{name}"), getattr(special, name)
    x = np.concatenate([RANDOM.uniform(0, 5, 3000), RANDOM.uniform(5, 60, 1000), [0, -1, -7, np.nan, 1e-9, np.inf, 5]])
    with np.errstate(all="ignore"):
        expected = exact(x)
        assert np.allclose(kernel(x), expected, 1e-12, 1e-13, equal_nan=True)
        single = x.astype(np.float32)
        assert np.allclose(kernel(single), exact(single.astype(np.float64)), 1e-7, 1e-9, equal_nan=True)


AIRY = {
    -150.25: -0.036835577134250924, -31.5: -0.15943432966207785, -9.75: 0.25262476259634337, -2.125: 0.14692191656424264,
    -2.0: 0.22740742820168558, -0.5: 0.4757280916105396, 0.0: 0.3550280538878172, 0.75: 0.17933630547864524,
    2.0: 0.03492413042327438, 2.125: 0.028810683246957205, 6.5: 2.7958823432049136e-06, 25.0: 8.116026824691387e-38,
    95.0: 7.366231046275381e-270, 104.0: 0.0,
}  # fmt: skip
SECOND = {
    0.001: (7.023688800562382, 999.9962381560856), 0.5: (0.9244190712276659, 1.656441120003301),
    1.75: (0.1553798123866036, 0.19547745347439302), 2.0: (0.11389387274953344, 0.13986588181652243),
    2.25: (0.08404311197465811, 0.10121630256832526), 7.5: (0.00024917761635611437, 0.0002652973901252895),
    40.0: (8.392861100099567e-19, 8.497131954861039e-19),
}  # fmt: skip
"""Values from mathematics, to 17 digits."""


def test_airy_function():
    x, expected = np.array(list(AIRY)), np.array(list(AIRY.values()))
    for dtype, near in (np.float64, 1e-14), (np.float32, 1e-7):
        found = kernels.compiled.airy_ai(np.tile(x, 9).astype(dtype))
        assert np.allclose(found, np.tile(expected, 9), near, 1e-44)
    assert np.isnan(kernels.compiled.airy_ai(np.array([np.nan, np.inf, -np.inf]))).all()
    wild = kernels.compiled.airy_ai(np.array([-1e100, 1e100]))
    assert abs(wild[0]) < 1e-25 and wild[1] == 0


@pytest.mark.parametrize("order", [0, 1])
def test_bessel_functions_of_the_second_kind(order):
    x, expected = np.array(list(SECOND)), np.array([both[order] for both in SECOND.values()])
    plain, scaled = (
        getattr(kernels.compiled, f"{name}_k{order}") for name in ("modified_bessel", "scaled_modified_bessel")
    )
    assert np.allclose(plain(np.tile(x, 12)), np.tile(expected, 12), 2e-15, 0)
    assert np.allclose(scaled(x), expected * np.exp(x), 2e-15, 0)
    assert np.array_equal(plain(x.astype(np.float32)), plain(x.astype(np.float32).astype(float)).astype(np.float32))
    assert np.array_equal(plain(np.array([0, -1, np.nan, np.inf, 800])), [np.inf, np.nan, np.nan, 0, 0], equal_nan=True)
    assert scaled(np.array([1e300]))[0] > 0


def test_entropy_and_spherical_bessel():
    special = pytest.importorskip("scipy.special")
    x = np.concatenate([RANDOM.uniform(0, 3, 3000), [0, -1, np.inf, -np.inf, np.nan, 5e-324]])
    with np.errstate(all="ignore"):
        assert np.allclose(kernels.compiled.entropy(x), special.entr(x), 1e-15, 0, equal_nan=True)
        found = kernels.compiled.spherical_j0(10 * x)
    assert np.allclose(found[:3000], special.spherical_jn(0, 10 * x[:3000]), 1e-12, 1e-15)
    assert found[3000:3005].tolist()[0] == 1 and found[3002:3004].tolist() == [0, 0] and np.isnan(found[3004])


def test_incomplete_gamma():
    special = pytest.importorskip("scipy.special")
    a, x = RANDOM.uniform(0.001, 20, 3000), 10 ** RANDOM.uniform(-3, 2, 3000)
    for upper, exact in (False, special.gammainc), (True, special.gammaincc):
        assert np.allclose(kernels.compiled.incomplete_gamma(a, x, upper), exact(a, x), 1e-11, 1e-14)
    for wrong in (21.0, 0.0, -1.0, np.nan):
        assert kernels.compiled.incomplete_gamma(np.array([wrong]), np.array([1.0]), True) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "shape, axes",
    [
        *(((n,), (0,)) for n in (1000, 1024, 1025, 70_003, 300_000)),
        ((37, 41), (1,)),
        ((37, 41), (0,)),
        ((5, 67, 9), (1,)),
        ((3, 4), (0, 1)),
        ((70, 203), (0,)),
        ((3, 130, 65), (1,)),
    ],  # fmt: skip
)
def test_sums_in_steps(shape, axes, dtype, monkeypatch):
    whole = RANDOM.standard_normal((*shape, 2)).astype(dtype)
    x = whole[..., 0]
    found = sums.sum(x, axes)
    monkeypatch.setattr(sums, "strided_sums", kernels.unsuited)
    sums._plans.clear()
    assert found.tobytes() == sums.sum(x, axes).tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squares(dtype, monkeypatch):
    from tensorsh.engine.ops.reductions import norms

    for n in (1, 3, 7, 8, 13, 1001):
        rows = RANDOM.standard_normal((9, n)).astype(dtype)
        steps = np.stack([rows, rows], 2)[..., 0]
        found = norms.square_sums(rows), norms.in_sequence(steps, (1,), True)
        with monkeypatch.context() as patched:
            patched.setattr(norms, "compiled_squares", kernels.unsuited)
            expected = norms.square_sums(rows), norms.in_sequence(steps, (1,), True)
        assert [a.tobytes() for a in found] == [a.tobytes() for a in expected]


@pytest.mark.parametrize("shapes", [((5, 7), (7, 3)), ((37, 65), (65, 70)), ((3, 8, 9), (3, 9, 41)), ((4, 0), (0, 5))])
def test_integers(shapes):
    a, b = (RANDOM.integers(-(2**62), 2**62, s) for s in shapes)
    assert np.array_equal(kernels.compiled.whole_product(a, b), np.matmul(a, b))
    assert kernels.compiled.whole_product(a, np.zeros((99, 1), np.int64)) is None


def test_halves_in_places():
    """Sums are made in float32, one after the other, and rounded once, as PyTorch's."""
    for dtype in (torch.float16, torch.bfloat16):
        x, values = (torch.rand(50, 40).to(dtype) for _ in range(2))
        index = torch.randint(0, 50, (50, 40))
        expected = x.float()
        for i in range(50):
            for j in range(40):
                expected[index[i, j], j] = expected[index[i, j], j] + values[i, j]
        assert torch.equal(
            torch.cat([x] * 2, 1).scatter_add(0, torch.cat([index] * 2, 1), torch.cat([values] * 2, 1))[:, :40],
            expected.to(dtype),
        )
        rows = torch.randint(0, 50, (50,))
        expected = x.float()
        for i in range(50):
            expected[rows[i]] = expected[rows[i]] + values[i]
        assert torch.equal(x.index_add(0, rows, values), expected.to(dtype))


def test_margins_of_labels():
    x = torch.tensor([[0.1, 0.2, 0.4, 0.8]], requires_grad=True)
    loss = torch.nn.functional.multilabel_margin_loss(x, torch.tensor([[3, 0, -1, 1]]))
    loss.backward()
    assert abs(loss.item() - 0.85) < 1e-6  # PyTorch's documentation has this example
    assert x.grad.tolist() == [[-0.5, 0.5, 0.5, -0.5]]


LOOPS = """
import numpy as np
np.seterr(all="ignore")
from tensorsh.engine.kernels import compiled
x = np.arange(65536, dtype=np.uint16).view(np.float16)
y = np.random.default_rng(0).permutation(x)
def results():
    for name in "add subtract multiply divide maximum minimum copysign less less_equal greater greater_equal equal not_equal".split():
        f = getattr(np, name)
        for a, b in (x, y), (x, np.float16(0.3)), (np.float16(-7), y), (x[::2], y[1::2]), (x[:5], y[:5]), (x.reshape(4, -1), y[:16384]):
            yield f(a, b)
        if f(x[:1], x[:1]).dtype != bool:
            yield f(x, y, x.copy())
            z = y.copy()
            yield f(x, z, z)
            yield f.reduce(np.abs(x[1000:1100]))
            yield f.reduce(x.reshape(-1, 64), 0)
        if name in ("add", "maximum", "minimum"):
            yield f.accumulate(x[:2000].reshape(50, 40), 0)
            yield f.accumulate(x[1000:1200])
before = list(results())
compiled.quick_halves()
assert all(np.array_equal(a, b, equal_nan=a.dtype != bool) for a, b in zip(before, results(), strict=True))
"""


def test_loops_of_halves():
    """numpy's, in a process of their own."""
    subprocess.run([sys.executable, "-c", LOOPS], check=True, timeout=120)


STEPS = """
import numpy as np
np.seterr(all="ignore")
from numpy._core.umath import clip
from tensorsh.engine.kernels import compiled
rng = np.random.default_rng(0)
special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 1, -1, 3]
def results():
    rng = np.random.default_rng(0)
    for dtype in np.float32, np.float64, np.int64:
        usual = rng.standard_normal((2, 60, 70, 3)) * 3
        x, y = np.where(rng.random(usual.shape) < 0.3, rng.choice(special, usual.shape), usual).astype(dtype)
        flat = x.reshape(-1)
        pairs = [(x[..., 0], y[..., 1]), (x[..., 0], dtype(1)), (dtype(-1), y[..., 2]), (flat[::2], flat[::-2]), (x[:, ::2, 0].T, y[:, 1::2, 0].T)]
        pairs += [(flat[:40:2], flat[1:41:2]), (x[..., 0], y[0, :, 1]), (x[..., 0], x[:, :1, 0]), (flat[:1], flat[::3]), (flat[:0:2], flat[:0:2])]
        for name in "maximum minimum fmax fmin equal not_equal less less_equal greater greater_equal".split():
            f = getattr(np, name)
            yield from (f(a, b) for a, b in pairs)
            if f(flat[:1], flat[:1]).dtype == bool:
                continue
            z = y.copy()
            yield f(x[..., 0], z[..., 1], out=z[..., 1])
            yield z
            z = y.copy().reshape(-1)
            yield f(z[:-2:2], z[2::2], out=z[:-2:2])
            yield f.reduce(x, 0)
            yield f.reduce(x[..., 1], 0)
            yield f.reduce(x[..., 1], 1)
            yield f.accumulate(x[..., 1], 0)
            yield f.accumulate(flat[::2])
            yield f.accumulate(x, 1, out=np.empty((60, 70, 6), dtype)[..., ::2])
        yield from (np.negative(a) for a, _ in pairs)
        yield from (clip(a, dtype(-1), dtype(2)) for a, _ in pairs)
        yield clip(x[..., 0], y[..., 0], y[..., 1])
before = list(results())
compiled.quick_steps()
same = lambda a, b: np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b)) if a.dtype.kind == "f" else np.array_equal(a, b)
assert all(same(a, b) for a, b in zip(before, results(), strict=True))
"""


def test_loops_of_elements_in_steps():
    """numpy's, in a process of their own; of which operand a NaN comes is not told."""
    subprocess.run([sys.executable, "-c", STEPS], check=True, timeout=120)
