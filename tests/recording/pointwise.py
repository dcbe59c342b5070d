"""Every pointwise operator on every dtype, and what PyTorch gives for it.

For each expression and each dtype: the result's dtype and values, or the error's type and first line, and the name of the
grad_fn and of what stands behind it.
"""

import warnings

import numpy as np

from ..support.outcomes import headline
from .origin import one_thread, write

GRID = [-np.inf, -7.25, -2.0, -1.0, -0.3, -0.0, 0.0, 0.3, 0.5, 1.0, 2.5, 21.0, np.inf, np.nan]
SMALL = [-3.0, -1.0, -0.5, 0.0, 0.5, 2.0, np.inf, np.nan]
DTYPES = "float32 float64 float16 bfloat16 int64 uint8 bool complex64".split()

UNARY = """
torch.abs(x); torch.neg(x); -x; +x; ~x; abs(x); x.positive(); torch.sign(x); torch.sgn(x); torch.signbit(x); torch.square(x)
torch.sqrt(x); torch.rsqrt(x); torch.reciprocal(x); torch.floor(x); torch.ceil(x); torch.trunc(x); torch.round(x)
torch.round(x, decimals=1); torch.round(x, decimals=-1); torch.frac(x); torch.exp(x); torch.exp2(x); torch.expm1(x)
torch.log(x); torch.log2(x); torch.log10(x); torch.log1p(x); torch.sin(x); torch.cos(x); torch.tan(x); torch.asin(x)
torch.acos(x); torch.atan(x); torch.sinh(x); torch.cosh(x); torch.tanh(x); torch.asinh(x); torch.acosh(x); torch.atanh(x)
torch.sinc(x); torch.sigmoid(x); torch.logit(x); torch.logit(x, eps=0.1); torch.erf(x); torch.erfc(x); torch.erfinv(x)
torch.lgamma(x); torch.digamma(x); torch.polygamma(1, x); torch.polygamma(2, x); torch.mvlgamma(x, 2); torch.deg2rad(x)
torch.rad2deg(x); torch.i0(x); torch.special.i0e(x); torch.special.i1(x); torch.special.i1e(x); torch.special.ndtr(x)
torch.special.ndtri(x); torch.special.log_ndtr(x); torch.special.erfcx(x); torch.special.entr(x); torch.special.airy_ai(x)
torch.special.bessel_j0(x); torch.special.bessel_j1(x); torch.special.bessel_y0(x); torch.special.bessel_y1(x)
torch.special.modified_bessel_k0(x); torch.special.scaled_modified_bessel_k1(x); torch.special.spherical_bessel_j0(x)
torch.isnan(x); torch.isinf(x); torch.isfinite(x); torch.isposinf(x); torch.isneginf(x); torch.isreal(x)
torch.logical_not(x); torch.bitwise_not(x); torch.nan_to_num(x); torch.nan_to_num(x, 1.0, 2.0, 3.0); torch.angle(x)
torch.real(x); torch.imag(x); torch.conj(x); torch.conj_physical(x); torch.frexp(x)[0]; torch.frexp(x)[1]
torch.clamp(x, -1, 2); torch.clamp(x, min=0.5); torch.clamp(x, max=1); torch.clamp(x, 2, -1); torch.clamp_min(x, 0)
torch.clamp_max(x, 0.5); torch.relu(x); F.relu(x); F.relu6(x); F.leaky_relu(x); F.leaky_relu(x, 0.2); F.elu(x); F.elu(x, 2.0)
F.selu(x); F.celu(x); F.celu(x, 2.0); F.gelu(x); F.gelu(x, approximate='tanh'); F.silu(x); F.mish(x); F.softplus(x)
F.softplus(x, 2.0, 5.0); F.softsign(x); F.softshrink(x); F.hardshrink(x); F.tanhshrink(x); F.threshold(x, 0.3, 9.0)
F.hardtanh(x); F.hardtanh(x, -2.0, 0.5); F.hardsigmoid(x); F.hardswish(x); F.logsigmoid(x); F.glu(x); F.sigmoid(x); F.tanh(x)
F.rrelu(x); F.prelu(x, torch.tensor(0.25)); x + 1; x + 1.5; 1 + x; x - 1; 1 - x; 1.5 - x; x * 2; 2 * x; x * 2.5; x / 2; 1 / x
2.5 / x; x // 2; x // 2.0; 2 // x; x % 2; x % -1.5; 2 % x; x ** 2; x ** 0.5; x ** -1; x ** 3; x ** 0; x ** 2.5; x ** -2; 2 ** x
0 ** x; 2.5 ** x; (-1.5) ** x; x & 1; x | 1; x ^ 1; x << 1; x >> 1; 1 << x; x == 1; x != 1; x < 0.5; x <= 0; x > 0; x >= 1; 1 < x
x + True; x * 1j; x ** 1j; torch.add(x, 1, alpha=2); torch.add(x, x, alpha=2.5); torch.sub(x, 1, alpha=2); torch.rsub(x, 3)
torch.fmod(x, 2); torch.fmod(x, -1.5); torch.remainder(x, 2); torch.div(x, 2, rounding_mode='floor')
torch.div(x, 2, rounding_mode='trunc'); torch.div(x, 1.5, rounding_mode='trunc'); torch.float_power(x, 2)
torch.copysign(x, -1); torch.xlogy(x, 2); torch.xlogy(2, x); torch.special.xlog1py(x, 2); torch.lerp(x, x, 0.5)
torch.heaviside(x, x); torch.special.zeta(2, x); torch.special.chebyshev_polynomial_t(x, 3)
torch.special.hermite_polynomial_h(x, 2); torch.special.legendre_polynomial_p(x, 4); torch.special.laguerre_polynomial_l(x, 3)
"""
BINARY = """
x + y; x - y; x * y; x / y; x // y; x % y; x ** y; x & y; x | y; x ^ y; x << y; x >> y; x == y; x != y; x < y; x <= y; x > y; x >= y
torch.fmod(x, y); torch.div(x, y, rounding_mode='trunc'); torch.maximum(x, y); torch.minimum(x, y); torch.fmax(x, y)
torch.fmin(x, y); torch.atan2(x, y); torch.hypot(x, y); torch.copysign(x, y); torch.nextafter(x, y); torch.ldexp(x, y)
torch.gcd(x, y); torch.lcm(x, y); torch.logaddexp(x, y); torch.logaddexp2(x, y); torch.xlogy(x, y)
torch.special.xlog1py(x, y); torch.special.zeta(x, y); torch.igamma(x, y); torch.igammac(x, y); torch.heaviside(x, y)
torch.float_power(x, y); torch.logical_and(x, y); torch.logical_or(x, y); torch.logical_xor(x, y); torch.isclose(x, y)
torch.allclose(x, y); torch.equal(x, y); torch.where(x == x, x, y); torch.lerp(x, y, y); torch.clamp(x, y, y)
torch.clamp(x, min=y); torch.clamp_min(x, y); torch.clamp_max(x, y); torch.addcmul(x, x, y, value=2)
torch.addcdiv(x, x, y, value=2); torch.complex(x, y); torch.polar(x, y); torch.rsub(x, y); torch.floor_divide(x, y)
torch.bitwise_and(x, y); torch.true_divide(x, y); torch.special.chebyshev_polynomial_u(x, y)
torch.special.shifted_chebyshev_polynomial_v(x, y)
"""
IN_PLACE = """
x.add_(1); x.add_(1.5); x.mul_(2); x.sub_(1); x.div_(2); x.pow_(2); x.neg_(); x.exp_(); x.relu_(); x.sigmoid_(); x.tanh_()
x.clamp_(0, 1); x.clamp_min_(0); x.abs_(); x.round_(); x.floor_(); x.sqrt_(); x.remainder_(2); x.fmod_(2); x.floor_divide_(2)
x.eq_(1); x.lt_(1); x.logical_not_(); x.logical_and_(x); x.bitwise_not_(); x.bitwise_and_(1); x.square_(); x.frac_()
x.nan_to_num_(); x.sign_(); x.copysign_(-1); x.erf_(); x.lerp_(x, 0.5); x.addcmul_(x, x); x.addcdiv_(x, x); x.xlogy_(x)
x.float_power_(2); x.atan2_(x); x.hypot_(x); x.logit_(); x.sinc_(); x.digamma_(); x.mvlgamma_(2); x.polygamma_(1)
F.relu_(x); F.elu_(x); F.selu_(x); F.leaky_relu_(x); F.hardtanh_(x); F.threshold_(x, 0.1, 2.0); F.celu_(x)
F.relu(x, inplace=True); F.silu(x, inplace=True); F.hardswish(x, inplace=True); F.mish(x, inplace=True); F.relu6(x, True)
F.elu(x, 1.0, True); F.selu(x, True); F.leaky_relu(x, 0.1, True); F.hardsigmoid(x, True); F.threshold(x, 0.1, 2.0, True)
"""


def split(text):
    return [e.strip() for line in text.strip().splitlines() for e in line.split(";")]


def numbers(torch, grid, dtype):
    """A tensor of a dtype from the grid; where it cannot hold a number, a small one stands for it."""
    kind = getattr(torch, dtype)
    if kind.is_floating_point:
        return torch.tensor(grid, dtype=kind)
    if kind.is_complex:
        finite = [v if np.isfinite(v) else 1.5 for v in grid]
        return torch.tensor([complex(a, b) for a, b in zip(finite, finite[::-1], strict=True)], dtype=kind)
    whole = [int(v) if np.isfinite(v) and abs(v) < 10 else 3 for v in grid]
    if dtype == "bool":
        return torch.tensor([bool(v) for v in whole])
    return torch.tensor([abs(v) if dtype == "uint8" else v for v in whole], dtype=kind)


def plain(value):
    """Numbers as JSON holds them."""
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, float):
        return float(f"{value:.10g}") if np.isfinite(value) else str(value)
    return value


def described(torch, run):
    """What an expression gives: dtype, values and chain of a tensor, a plain value, or an error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = run()
    except Exception as error:
        return ["error", *headline(error).split(": ", 1)]
    if not isinstance(result, torch.Tensor):
        return ["value", result]
    node = result.grad_fn
    chain = None
    if node is not None:
        chain = [type(node).__name__, [type(n).__name__ if n is not None else None for n, _ in node.next_functions]]
    detached = result.detach()
    wide = detached.to(torch.float64) if detached.dtype.is_floating_point else detached
    return ["tensor", str(result.dtype)[6:], [plain(v) for v in wide.reshape(-1).tolist()], chain]


def gradient(torch, run, leaves):
    """The gradients of the sum of an expression's result, weighted by 1, 2, 3 and so on."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = run()
            if not isinstance(result, torch.Tensor) or result.grad_fn is None:
                return None
            result.backward((torch.arange(1, result.numel() + 1) / 4).to(result.dtype).reshape(result.shape))
    except Exception as error:
        return ["error", *headline(error).split(": ", 1)]
    return [None if x.grad is None else [plain(v) for v in (x.grad + 0).reshape(-1).tolist()] for x in leaves]


def evaluated(torch, expression, **names):
    """A function that evaluates an expression with some names."""
    scope = {"torch": torch, "F": torch.nn.functional, **names}
    return lambda: eval(expression, scope)


def cases(torch):
    """(key, expression's description) for every expression and dtype."""
    for expression in split(UNARY):
        for dtype in DTYPES:
            x = numbers(torch, GRID, dtype)
            yield f"{expression}|{dtype}", described(torch, evaluated(torch, expression, x=x))
        for dtype in ("float64", "float32"):
            x = numbers(torch, GRID, dtype).requires_grad_(True)
            run = evaluated(torch, expression, x=x)
            yield f"{expression}|{dtype}|chain", described(torch, run)[3:]
            yield f"{expression}|{dtype}|gradient", gradient(torch, run, [x])
    for expression in split(BINARY):
        for first, second in [(d, d) for d in DTYPES] + [
            ("int64", "float32"),
            ("float32", "float64"),
            ("uint8", "int64"),
        ]:
            x, y = numbers(torch, SMALL, first)[:, None], numbers(torch, SMALL, second)
            yield f"{expression}|{first},{second}", described(torch, evaluated(torch, expression, x=x, y=y))
        x = numbers(torch, SMALL, "float64")[:, None].requires_grad_(True)
        y = numbers(torch, SMALL, "float64").requires_grad_(True)
        yield f"{expression}|chain", described(torch, evaluated(torch, expression, x=x, y=y))[3:]
        x = x.detach().requires_grad_(True)
        yield f"{expression}|gradient", gradient(torch, evaluated(torch, expression, x=x, y=y), [x, y])
    for expression in split(IN_PLACE):
        for dtype in DTYPES:
            run = evaluated(torch, expression, x=numbers(torch, GRID, dtype))
            yield f"{expression}|{dtype}", described(torch, run)
        leaf = numbers(torch, GRID, "float64").requires_grad_(True)
        yield f"{expression}|gradient", gradient(torch, evaluated(torch, expression, x=leaf * 1), [leaf])


def record():
    import torch

    one_thread()
    write("pointwise", "pointwise", cases(torch))
