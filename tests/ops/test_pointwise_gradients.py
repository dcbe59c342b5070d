"""First and second derivatives of the pointwise operators against central differences in float64."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.loading import table
from tensorsh.engine.operators.declare import DOMAINS
from tensorsh.engine.tape.backward import grad

F = torch.nn.functional
table.load_all()
ANY, POSITIVE = DOMAINS["any"], DOMAINS["positive"]
RECORDS = {table.OPERATORS[name]: name for name in sorted(table.OPERATORS, reverse=True)}
"""Each operator by one of its names."""


def checked(count):
    """The elementwise operators of so many tensors, with the domain that their record gives."""
    return {
        name: (table.FUNCTIONS[name], DOMAINS[op.domain])
        for op, name in RECORDS.items()
        if op.domain and tensors_of(op) == count and op.differentiable is not False
    }


def tensors_of(op):
    """The number of tensors that an operator needs, of nothing else; 0 for others."""
    if op.differentiable is None:
        return 1
    return len(op.tensors) if op.tensors == tuple(range(op.required)) else 0


FUNCTIONS = checked(1)
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
PAIRS = checked(2) | {
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


def test_last_bits() -> None:
    """Values and gradients of float32 numbers are PyTorch 2.13's to the last bit where its order of operations tells them."""
    x = torch.tensor([-1.375, -0.6, 0.3, 0.71875, 1.9, 0.15])
    u = torch.tensor([0.11, 0.37, 0.52, 0.68, 0.83, 0.29])
    g = torch.tensor([0.7, -1.3, 0.9, 2.1, -0.4, 0.33])
    nn = torch.nn
    for function, value, slope in (
        (lambda x: nn.functional.glu(x, 0), [-1083397849, -1090151032, 1042618676], [1055979187, -1081032707, 1056417228, -1101455068, 1035258993, 1032419103]),
        (lambda x: nn.functional.mse_loss(x, u), [1060768915], [-1095669645, -1100495890, -1118682395, 1007952766, 1048553630, -1123693189]),
        (lambda x: torch.addcmul(u, x, u, value=0.3), [1032083996, 1050367807, 1058085326, 1062444466, 1067895803, 1050356062], [1019034678, -1106001055, 1041220868, 1054562111, -1110705386, 1022046524]),
        (lambda x: torch.atan2(x, u), [-1078011908, -1081977659, 1057355154, 1062217460, 1066686486, 1056204446], [1025884689, -1082667278, 1067857695, 1069200474, -1113707963, 1063637723]),
        (torch.erf, [-1082999994, -1088776624, 1051214277, 1060162219, 1065232259, 1043072803], [1039415887, -1081934001, 1064147519, 1068822488, -1136129017, 1052403907]),
        (lambda x: torch.hypot(x, u), [1068535795, 1060402450, 1058647920, 1065176134, 1074049597, 1051142798], [-1087200999, 1066246789, 1055278506, 1069761230, -1094996831, 1041973131]),
        (lambda x: torch.lerp(x, u, 0.3), [-1083313226, -1096927936, 1052468314, 1060439589, 1070210220, 1044683686], [1056629063, -1083640382, 1059145646, 1069295861, -1097901015, 1047300932]),
        (lambda x: torch.logit(u + x * 0.1), [2143289344, -1085483874, 1045265553, 1066264532, 2143289344, -1085089933], [2143289344, -1088711117, 1052389003, 1066407239, 2143289344, 1042246207]),
    ):  # fmt: skip
        y = x.clone().requires_grad_()
        r = function(y)
        r.backward(g[: r.numel()].reshape(r.shape))
        assert r.detach().reshape(-1).view(torch.int32).tolist() == value
        assert y.grad.view(torch.int32).tolist() == slope


def test_the_gradient_of_glu_is_rounded_as_in_pytorch() -> None:
    """Of numbers of two bytes: one half of it from the rounded sigmoid, step by step, the other once."""
    for kind, expected in (
        (torch.bfloat16, [-0.1318359375, -0.0167236328125, 0.0269775390625, 0.0260009765625, 0.00823974609375, -0.010986328125]),
        (torch.float16, [-0.1318359375, -0.01666259765625, 0.0268096923828125, 0.026123046875, 0.00809478759765625, -0.01107025146484375]),
    ):  # fmt: skip
        x = torch.linspace(-2, 3, 12).to(kind).requires_grad_()
        w = torch.linspace(0.3, -0.9, 6).to(kind)
        torch.nn.functional.glu(x).backward(w)
        assert x.grad[6:].tolist() == expected and x.grad[:6].equal(w * x.detach()[6:].sigmoid())
