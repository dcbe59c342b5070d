"""How samples of the gamma and Dirichlet distributions move with their parameters.

For a sample x of a distribution function F(x; a) the derivative is -(dF/da) / (dF/dx), which no closed form has. It is
taken from series near the ends, from saddle point expansions for large parameters, and from rational approximations
between, each used where PyTorch uses it."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ...arrays.backend import module_of
from ...operators.declare import Array, operator
from ...operators.scipy import from_scipy
from ...random.generator import default_generator
from ...random.rejection import dirichlet as drawn

F8 = np.float64
# PyTorch compares with float32 literals.
EIGHT_TENTHS, NINE_TENTHS, ELEVEN_TENTHS, TENTH = (float(np.float32(v)) for v in (0.8, 0.9, 1.1, 0.1))


def pieces(xp: Any, choices: list, *arguments: Any) -> Any:
    """Each (where, formula) applied to the elements that no choice before it took."""
    out = xp.zeros(arguments[0].shape, F8)
    rest = xp.ones(out.shape, bool)
    with np.errstate(all="ignore"):
        for where, formula in choices:
            chosen = rest & where
            if chosen.any():
                out[chosen] = formula(*(a[chosen] for a in arguments))
            rest &= ~where
    return out


def digamma(x: Any) -> Any:
    return from_scipy(module_of([x]), "digamma")(x)


def polynomial(x: Any, coefficients: Any) -> Any:
    """Lowest power first."""
    result = coefficients[-1]
    for c in coefficients[-2::-1]:
        result = c + x * result
    return result


GAMMA = np.array(
    [
        [0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084],
        [0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
        [0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07],
    ]
)  # fmt: skip
"""Powers of log(x / alpha) down; powers of log(alpha) across, four of the numerator and four of the denominator."""


def gamma_series(alpha: Any, x: Any) -> Any:
    """Taylor's expansion around x = 0."""
    numerator, denominator = 1.0, alpha
    first, second = 1 / alpha, 1 / (alpha * alpha)
    for i in range(1, 6):
        numerator = numerator * (-x / i)
        denominator = denominator + 1
        first = first + numerator / denominator
        second = second + numerator / (denominator * denominator)
    power = x**alpha
    by_alpha = (np.log(x) - digamma(alpha)) * power * first - power * second
    result = -by_alpha / (x ** (alpha - 1) * np.exp(-x))
    return np.where(np.isnan(result), 0.0, result)


def gamma_centre(alpha: Any, x: Any) -> Any:
    """The saddle point expansion for large alpha, where x is near alpha."""
    square = alpha * alpha
    first = 1 + 24 * alpha * (1 + 12 * alpha)
    second = 1440 * square + 6 * x * (53 - 120 * x) - 65 * x * x / alpha + alpha * (107 + 3600 * x)
    return first * second / (1244160 * square * square)


def gamma_saddle(alpha: Any, x: Any) -> Any:
    """The saddle point expansion for large alpha."""
    root = np.sqrt(8 * alpha)
    second = root / (alpha - x)
    third = (x - alpha - alpha * np.log(x / alpha)) ** -1.5
    both = np.where(x < alpha, second - third, second + third)
    first = np.log(x / alpha) * both - np.sqrt(2 / alpha) * (alpha + x) / ((alpha - x) * (alpha - x))
    stirling = 1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha))
    return -stirling * x * first / root


def gamma_rational(alpha: Any, x: Any) -> Any:
    u, v = np.log(x / alpha), np.log(alpha)
    rows = polynomial(u[:, None], GAMMA[:, None, :])
    return np.exp(polynomial(v, list(rows[:, :4].T)) / polynomial(v, list(rows[:, 4:].T)))


@operator("_standard_gamma_grad", method=False)
def standard_gamma_grad(xp, self: Array, output: Array):
    """The derivative of gamma variates `output` by their concentrations."""
    alpha, x = np.broadcast_arrays(self.astype(F8), output.astype(F8))
    large = alpha > 8
    choices = [
        (x < EIGHT_TENTHS, gamma_series),
        (large & (NINE_TENTHS * alpha <= x) & (x <= ELEVEN_TENTHS * alpha), gamma_centre),
        (large, gamma_saddle),
        (xp.ones(x.shape, bool), gamma_rational),
    ]
    return pieces(xp, choices, alpha, x).astype(output.dtype)


@standard_gamma_grad.joint_gradient
def _(t: Any, g: Any, needs: Any) -> NoReturn:
    raise NotImplementedError("the derivative for '_standard_gamma_grad' is not implemented.")


BETA = np.array(
    [
        [[[1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
          [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
          [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013]],
         [[0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
          [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
          [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05]],
         [[-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
          [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
          [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05]]],
        [[[1, -0.02924021934, -0.04438342661, 0.007285809825],
          [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
          [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149]],
         [[0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
          [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
          [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05]],
         [[0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
          [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
          [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06]]],
    ]
)  # fmt: skip
"""Numerator and denominator; in each, powers of u, of a and of b (see `beta_rational`)."""


def beta_near_zero(x: Any, alpha: Any, total: Any) -> Any:
    """Taylor's expansion around x = 0 of the derivative by alpha."""
    beta = total - alpha
    factor = digamma(alpha) - digamma(total) - np.log(x)
    numerator, series = 1.0, (factor + 1 / alpha) / alpha
    for i in range(1, 11):
        numerator = numerator * (i - beta) * x / i
        series = series + numerator / (alpha + i) * (factor + 1 / (alpha + i))
    result = x * (1 - x) ** -beta * series
    return np.where(np.isnan(result), 0.0, result)


def beta_near_one(x: Any, alpha: Any, total: Any) -> Any:
    """Taylor's expansion around x = 1: that of the other variate, by its other parameter."""
    x, alpha, beta = 1 - x, total - alpha, alpha
    factor = digamma(total) - digamma(beta)
    numerator, products, slopes, series = 1.0, 1.0, 0.0, factor / alpha
    for i in range(1, 9):
        numerator = numerator * (-x / i)
        slopes = slopes * (beta - i) + products
        products = products * (beta - i)
        series = series + numerator / (alpha + i) * (slopes + factor * products)
    result = (1 - x) ** (1 - beta) * series
    return np.where(np.isnan(result), 0.0, result)


def deviation(alpha: Any, total: Any) -> Any:
    return np.sqrt(alpha * (total - alpha) / (total + 1)) / total


def beta_centre(x: Any, alpha: Any, total: Any) -> Any:
    """The saddle point expansion for large parameters, where x is near the mean."""
    a, b = alpha, total - alpha
    inner = (453 + 1620 * b * (1 - x) - 455 * x) * b + a * 8 * (1 - x) * (135 * b - 11)
    inner = 3 * (59 + 180 * b - 90 * x) * b**2 + a * inner
    poly = 47 * x * b**4 + a * ((43 + 20 * (16 + 27 * b) * x) * b**3 + a * inner)
    scale = (1 + 12 * a) * (1 + 12 * b) / total**2 / (12960 * a**3 * b**2 * (1 + 12 * total))
    return scale / (1 - x) * poly


def beta_saddle(x: Any, alpha: Any, total: Any) -> Any:
    """The saddle point expansion for large parameters."""
    a, b = alpha, total - alpha
    series = lambda v: 1 + 1 / (12 * v) + 1 / (288 * v * v)
    away = a * (x - 1) + b * x
    first = (2 * a * a * (x - 1) + a * b * (x - 1) - x * b * b) / (np.sqrt(2 * a / b) * total**1.5 * away * away)
    third = np.sqrt(8 * a * b / total) / away
    fourth = (b * np.log(b / (total * (1 - x))) + a * np.log(a / (total * x))) ** -1.5
    terms = first + 0.5 * np.log(a / (total * x)) * (third + np.where(x < a / total, fourth, -fourth))
    return series(a) * series(b) / series(total) * -x / np.sqrt(2 * a * b / total) * terms


def beta_rational(x: Any, alpha: Any, total: Any) -> Any:
    u = np.log(x)
    a = np.log(alpha) - u
    b = np.log(total) - a
    over, under = (
        polynomial(u, [polynomial(a, [polynomial(b, list(row)) for row in block]) for block in table]) for table in BETA
    )
    return over / under * x * (digamma(total) - digamma(alpha)) / (total - alpha)


@operator("_dirichlet_grad", method=False)
def dirichlet_grad(xp, x: Array, alpha: Array, total: Array):
    """-(dF/dalpha) / (dF/dx) / (1 - x) for beta variates x with the parameters alpha and total - alpha."""
    dtype = x.dtype
    x, alpha, total = np.broadcast_arrays(*(v.astype(F8) for v in (x, alpha, total)))
    boundary = total * x * (1 - x)
    large = (alpha > 6) & (total - alpha > 6)
    with np.errstate(all="ignore"):
        near = abs(x - alpha / total) <= TENTH * deviation(alpha, total)
    choices = [
        ((x <= 0.5) & (boundary < 2.5), beta_near_zero),
        ((x >= 0.5) & (boundary < 0.75), beta_near_one),
        (large & near, beta_centre),
        (large, beta_saddle),
        (xp.ones(x.shape, bool), beta_rational),
    ]
    return pieces(xp, choices, x, alpha, total).astype(dtype)


@dirichlet_grad.joint_gradient
def _(t: Any, g: Any, needs: Any) -> NoReturn:
    raise RuntimeError("derivative for aten::_dirichlet_grad is not implemented")


@operator("_dirichlet", node="_DirichletBackward", method=False)
def dirichlet(xp, concentration: Array):
    """Dirichlet variates, reparameterised."""
    return drawn(default_generator(), concentration)


@dirichlet.joint_gradient
def _(t, g, needs, concentration, result):
    whole = t.expand(t.sum(concentration, -1, keepdim=True), concentration.shape)
    slope = t._dirichlet_grad(result, concentration, whole)
    return [slope * (g - t.sum(result * g, -1, keepdim=True))]
