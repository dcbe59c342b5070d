"""First and second derivatives of the pointwise operators against central differences in float64."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.backward import grad

F = torch.nn.functional
ANY, POSITIVE, UNIT, ABOVE_ONE = (-1.7, 1.9), (0.3, 2.5), (-0.8, 0.7), (1.2, 3.0)
INSIDE = (0.15, 0.85)

UNARY = [
    *((name, ANY) for name in "neg square exp exp2 expm1 sin cos sinh cosh tanh atan asinh sigmoid erf erfc sinc abs".split()),
    *((name, ANY) for name in "frac deg2rad rad2deg relu i0 hardshrink".split()),
    *((name, POSITIVE) for name in "sqrt rsqrt reciprocal log log2 log10 log1p lgamma digamma".split()),
    *((name, UNIT) for name in "asin acos atanh tan erfinv".split()),
    ("acosh", ABOVE_ONE), ("logit", INSIDE), ("nan_to_num", ANY), ("angle", ANY),
    *(("special." + name, ANY) for name in "i0e i1 i1e ndtr log_ndtr erfcx".split()),
    ("special.entr", POSITIVE), ("special.ndtri", INSIDE),
    *(("nn.functional." + name, ANY) for name in "relu6 leaky_relu elu selu celu gelu silu mish softplus softsign".split()),
    *(("nn.functional." + name, ANY) for name in "softshrink tanhshrink hardtanh hardsigmoid hardswish logsigmoid".split()),
]  # fmt: skip
FUNCTIONS = {name: (lambda x, name=name: find(name)(x), domain) for name, domain in UNARY}
FUNCTIONS |= {
    "gelu tanh": (lambda x: F.gelu(x, approximate="tanh"), ANY),
    "softplus beta": (lambda x: F.softplus(x, 2.0, 3.0), ANY),
    "glu": (lambda x: F.glu(x), ANY),
    "threshold": (lambda x: F.threshold(x, 0.1, 3.0), ANY),
    "rrelu": (lambda x: F.rrelu(x), ANY),
    "clamp": (lambda x: x.clamp(-0.5, 1.0), ANY),
    "x ** 3": (lambda x: x**3, ANY),
    "x ** 2.5": (lambda x: x**2.5, POSITIVE),
    "x ** -1": (lambda x: x**-1, POSITIVE),
    "2 ** x": (lambda x: 2**x, ANY),
    "1 / x": (lambda x: 1 / x, POSITIVE),
    "3 - x": (lambda x: 3 - x, ANY),
    "x / 3": (lambda x: x / 3, ANY),
    "polygamma": (lambda x: torch.polygamma(1, x), POSITIVE),
    "mvlgamma": (lambda x: torch.mvlgamma(x + 2, 3), POSITIVE),
    "xlogy(2, x)": (lambda x: torch.xlogy(2, x), POSITIVE),
    "xlogy(x, 2)": (lambda x: torch.xlogy(x, 2), POSITIVE),
    "ldexp": (lambda x: torch.ldexp(x, torch.tensor([1, 2, 0, -1, 3, 1])), ANY),
    "x * x * x": (lambda x: x * x * x, ANY),
}
PAIRS = {
    "add": (lambda x, y: torch.add(x, y, alpha=2), ANY), "sub": (lambda x, y: torch.sub(x, y, alpha=2), ANY),
    "mul": (lambda x, y: x * y, ANY), "div": (lambda x, y: x / y, POSITIVE), "pow": (lambda x, y: x**y, POSITIVE),
    "rsub": (lambda x, y: torch.rsub(x, y), ANY), "maximum": (lambda x, y: torch.maximum(x, y), ANY),
    "minimum": (lambda x, y: torch.minimum(x, y), ANY), "fmax": (lambda x, y: torch.fmax(x, y), ANY),
    "fmin": (lambda x, y: torch.fmin(x, y), ANY), "atan2": (lambda x, y: torch.atan2(x, y), POSITIVE),
    "hypot": (lambda x, y: torch.hypot(x, y), POSITIVE), "logaddexp": (lambda x, y: torch.logaddexp(x, y), ANY),
    "logaddexp2": (lambda x, y: torch.logaddexp2(x, y), ANY), "xlogy": (lambda x, y: torch.xlogy(x, y), POSITIVE),
    "xlog1py": (lambda x, y: torch.special.xlog1py(x, y), POSITIVE), "lerp": (lambda x, y: torch.lerp(x, y, 0.3), ANY),
    "lerp weight": (lambda x, y: torch.lerp(x, x * 2, y), ANY), "copysign": (lambda x, y: torch.copysign(x, y), POSITIVE),
    "where": (lambda x, y: torch.where(x > y, x, y * 2), ANY), "addcmul": (lambda x, y: torch.addcmul(x, x, y, value=2), ANY),
    "addcdiv": (lambda x, y: torch.addcdiv(x, x, y, value=2), POSITIVE), "prelu": (lambda x, y: F.prelu(x, y[:1]), ANY),
    "clamp_min": (lambda x, y: x.clamp_min(y), ANY), "clamp_max": (lambda x, y: x.clamp(max=y), ANY),
    "remainder": (lambda x, y: x % y, POSITIVE), "fmod": (lambda x, y: torch.fmod(x, y), POSITIVE),
}  # fmt: skip


def find(name):
    found = torch
    for part in name.split("."):
        found = getattr(found, part)
    return found


def points(domain, seed):
    low, high = domain
    return np.random.default_rng(seed).uniform(low, high, 6)


def weights(n):
    return np.linspace(0.5, 1.5, n)


def scalar(function, arrays):
    """The weighted sum of a function's result, as a number."""
    result = function(*[torch.tensor(a) for a in arrays])._array
    return float((result * weights(result.size).reshape(result.shape)).sum())


def slopes(function, arrays, create=False):
    leaves = [torch.tensor(a).requires_grad_() for a in arrays]
    result = function(*leaves)
    weight = torch.tensor(weights(result._array.size).reshape(result._array.shape))
    return leaves, grad((result * weight).sum(), leaves, create_graph=create)


def numeric(function, arrays, step=1e-6):
    gradients = []
    for at, a in enumerate(arrays):
        found = np.zeros_like(a)
        for i in range(a.size):
            moved = [b.copy() for b in arrays]
            moved[at][i] += step
            above = function(moved)
            moved[at][i] -= 2 * step
            found[i] = (above - function(moved)) / (2 * step)
        gradients.append(found)
    return gradients


def check(function, arrays):
    _, first = slopes(function, arrays)
    for got, want in zip(first, numeric(lambda moved: scalar(function, moved), arrays), strict=True):
        np.testing.assert_allclose(got._array, want, rtol=2e-6, atol=2e-7)

    def total(moved):
        return sum(float((g._array * (i + 1)).sum()) for i, g in enumerate(slopes(function, moved)[1]))

    leaves, first = slopes(function, arrays, create=True)
    weighted = sum(((g * (i + 1)).sum() for i, g in enumerate(first)), torch.tensor(0.0))
    if weighted._node is None:
        second = [np.zeros_like(a) for a in arrays]
    else:
        found = grad(weighted, leaves, allow_unused=True)
        second = [np.zeros_like(a) if g is None else g._array for a, g in zip(arrays, found, strict=True)]
    for got, want in zip(second, numeric(total, arrays), strict=True):
        np.testing.assert_allclose(got, want, rtol=5e-5, atol=5e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_operand(name):
    function, domain = FUNCTIONS[name]
    check(function, [points(domain, 1)])


@pytest.mark.parametrize("name", PAIRS)
def test_two_operands(name):
    function, domain = PAIRS[name]
    check(function, [points(domain, 1), points(domain, 2)])


def test_broadcast_gradients_are_summed():
    x = torch.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    y = torch.tensor(np.array([1.0, 2.0, 3.0]), requires_grad=True)
    z = torch.tensor(2.0, requires_grad=True)
    (x * y + z).sum().backward()
    assert x.grad._array.tolist() == [[1, 2, 3], [1, 2, 3]]
    assert y.grad._array.tolist() == [3, 5, 7]
    assert z.grad._array == 6 and z.grad._array.dtype == np.float32


def test_complex_gradients_are_conjugate():
    z = torch.tensor(np.array([1 + 2j, -0.5 + 0.3j]), requires_grad=True)
    (z * z.conj()).real.sum().backward()
    np.testing.assert_allclose(z.grad._array, 2 * z._array)
    z.grad = None
    z.abs().sum().backward()
    np.testing.assert_allclose(z.grad._array, z._array / np.abs(z._array))
    z.grad = None
    z.exp().imag.sum().backward()
    np.testing.assert_allclose(z.grad._array, np.conj(-1j * np.exp(z._array)))
