"""Samplers that draw until they accept, and those built on them: poisson, gamma, dirichlet, binomial, multinomial.

PyTorch runs these element by element in double precision on the serial stream, so each element's draws depend on the
element before; here they are plain loops over Python floats, in the same order of operations. (The methods are
Marsaglia and Tsang's for gamma, Hoermann's transformed rejection for poisson and binomial.)"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...sandbox.long_calls import MANY, argsort, searchsorted
from ..arrays.errors import not_implemented
from ..kernels import kernel
from ..numerics.orders import leading
from ..numerics.sums import sum_last
from .generator import Generator
from .uniform_words import F4, F8, exponential

_log, _sqrt, _floor, _exp = math.log, math.sqrt, math.floor, math.exp
# PyTorch writes these as float32 literals, which widen to doubles that are not 1/3 and 0.0331.
_THIRD = float(np.float32(1) / np.float32(3))
_SQUEEZE = float(np.float32(0.0331))


compiled_poisson, compiled_binomial = kernel("poisson"), kernel("binomial")
compiled_gamma = kernel("gamma_samples")


def _no_half(parameters: np.ndarray, kernel: str) -> None:
    if parameters.dtype is not F4 and parameters.dtype is not F8:
        raise not_implemented(kernel, parameters)


def poisson(generator: Generator, rate: np.ndarray) -> np.ndarray:
    """`torch.poisson(rate)`."""
    if rate.dtype.kind not in "fV":
        raise not_implemented("poisson_cpu", rate)
    rates = rate.astype(F8).reshape(-1)
    if np.count_nonzero(rates >= 0) < rates.size:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if compiled_poisson is None:
        out = np.array([_poisson(generator.double, value) for value in rates.tolist()], F8)
    else:
        out = in_turn(compiled_poisson, generator, rates)
    if rate.dtype is not F8:
        out = out.astype(F4).astype(rate.dtype, copy=False)
    return out.reshape(rate.shape)


def in_turn(kernel: Any, generator: Generator, first: np.ndarray, second: Any = None, *numbers: Any) -> np.ndarray:
    """The samples that a kernel makes one after the other, each of as many of the generator's words as it needs."""
    out, state = np.zeros(first.shape), np.zeros(2, np.int64)
    rates = (first,) if second is None else (first, second)
    while (before := state[0]) < len(first):
        kernel(*rates, generator.ahead(), *numbers, out, state)
        if state[1] or state[0] == before:
            generator.take(int(state[1]))
    return out


def _poisson(uniform: Any, rate: float) -> int:
    if rate < 10.0:
        if rate == 0.0:
            return 0
        bound = _exp(-rate)
        count, product = 0, uniform()
        while product > bound:
            count += 1
            product *= uniform()
        return count
    root, log_rate = _sqrt(rate), _log(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    accept = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = uniform() - 0.5
        v = uniform()
        us = 0.5 - abs(u)
        k = _floor((2 * a / us + b) * u + rate + 0.43) if us else -1
        if us >= 0.07 and v <= accept:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        height = _log(v) + _log(inverse_alpha) - _log(a / (us * us) + b)
        if height <= -rate + k * log_rate - math.lgamma(k + 1):
            return k


def _gamma(generator: Generator, alpha: float, single: bool) -> float:
    """One gamma variate. `single` says that alpha is float32, in which case the first steps round to float32."""
    scale = 1.0
    if alpha < 1.0:
        if alpha == 0.0:
            return 0.0
        if single:
            inverse = float(np.float32(1) / np.float32(alpha))
            alpha = float(np.float32(alpha) + np.float32(1))
        else:
            inverse = 1.0 / alpha
            alpha += 1.0
        scale = (1.0 - generator.double()) ** inverse
    d = float(np.float32(alpha) - np.float32(_THIRD)) if single else alpha - _THIRD
    c = 1.0 / _sqrt(9.0 * d)
    while True:
        x = generator.normal()
        y = 1.0 + c * x
        if y <= 0.0:
            continue
        v = y * y * y
        u = 1.0 - generator.double()
        xx = x * x
        if u < 1.0 - _SQUEEZE * xx * xx or _log(u) < 0.5 * xx + d * (1.0 - v + _log(v)):
            return scale * d * v


def gammas(generator: Generator, alpha: np.ndarray, single: bool) -> np.ndarray:
    """A gamma variate for each alpha, in one row of doubles."""
    alphas = alpha.astype(F8).ravel()
    if compiled_gamma is None or not (alphas.size and alphas.min() >= 0):
        return np.array([_gamma(generator, a, single) for a in alphas.tolist()], F8)
    left = generator._normal
    normal = np.array([left is not None, left or 0.0], F8)
    drawn = in_turn(compiled_gamma, generator, alphas, None, single, normal)
    generator._normal = normal[1].item() if normal[0] else None
    return drawn


def standard_gamma(generator: Generator, alpha: np.ndarray) -> np.ndarray:
    """`torch._standard_gamma(alpha)`: at least the smallest normal number of the dtype."""
    dtype = alpha.dtype
    _no_half(alpha, "gamma_cpu")
    single = dtype is not F8
    values = gammas(generator, alpha, single)
    if single:
        with np.errstate(under="ignore", over="ignore"):
            values = values.astype(F4)
    return np.maximum(values, np.finfo(dtype).tiny).reshape(alpha.shape)


def dirichlet(generator: Generator, alpha: np.ndarray) -> np.ndarray:
    """`torch._sample_dirichlet(alpha)`: gamma variates in double, divided by their sum over the last axis."""
    dtype = alpha.dtype
    _no_half(alpha, "dirichlet")
    drawn = gammas(generator, alpha, False).reshape(alpha.shape)
    np.maximum(drawn, np.finfo(F8).tiny, out=drawn)
    drawn /= sum_last(drawn)[..., None]
    if dtype is F8:
        top: Any = np.nextafter(1.0, 0.0)
    else:
        with np.errstate(under="ignore"):
            drawn = drawn.astype(F4)
        top = np.nextafter(np.float32(1), np.float32(0))
    return np.minimum(np.maximum(drawn, np.finfo(dtype).tiny), top)


def binomial(generator: Generator, count: np.ndarray, prob: np.ndarray) -> np.ndarray:
    """`torch.binomial(count, prob)`."""
    count, prob = np.broadcast_arrays(count, prob)
    dtype = count.dtype
    _no_half(count, "binomial_cpu")
    kind = float if dtype is F8 else np.float32
    counts, rates = count.astype(F8).ravel(), prob.astype(F8).ravel()
    if compiled_binomial is None or not (counts.size and counts.max() < math.inf and rates.min() > -math.inf):
        pairs = zip(counts.tolist(), rates.tolist(), strict=True)
        values = np.array([_binomial(generator.double, n, p, kind) for n, p in pairs], F8)
    else:
        values = in_turn(compiled_binomial, generator, counts, rates, dtype is not F8)
    if dtype is not F8:
        values = values.astype(F4)
    return values.reshape(count.shape)


def _binomial(uniform: Any, count: float, prob: float, kind: Any) -> float:
    if count <= 0.0 or prob <= 0.0:
        return 0.0
    if prob >= 1.0:
        return count
    if prob <= 0.5:
        few = float(kind(count) * kind(prob)) < 10.0
        return (_binomial_geometric if few else _binomial_rejection)(uniform, count, prob, kind)
    if prob > 0.5:
        other = float(kind(1.0 - prob))
        few = float(kind(count) * kind(other)) < 10.0
        return count - (_binomial_geometric if few else _binomial_rejection)(uniform, count, other, kind)
    return math.nan


def _binomial_geometric(uniform: Any, count: float, prob: float, kind: Any) -> float:
    """Count geometric waiting times until they exceed the number of trials."""
    log_rest = float(kind(math.log1p(-prob)))
    total, number = 0.0, 0
    while True:
        u = uniform()
        total += math.ceil(_log(u) / log_rest) if u else math.inf
        if total > count:
            return float(number)
        number += 1


def _stirling_tail(k: float) -> float:
    if k < 10:
        return _TAIL[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


_TAIL = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
    0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip


def _binomial_rejection(uniform: Any, count: float, prob: float, kind: Any) -> float:
    n, p = kind(count), kind(prob)
    root = float(np.sqrt(n * p * (kind(1) - p)))
    b = 1.15 + 2.53 * root
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = float(n * p) + 0.5
    accept = 0.92 - 4.2 / b
    r = float(p / (kind(1) - p))
    alpha = (2.83 + 5.1 / b) * root
    m = float(np.floor((n + kind(1)) * p))
    above = float(n + kind(1))
    while True:
        u = uniform() - 0.5
        v = uniform()
        us = 0.5 - abs(u)
        k = float(kind(_floor((2 * a / us + b) * u + c))) if us else -1.0
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= accept:
            return k
        v = _log(v * alpha / (a / (us * us) + b)) if v else -math.inf
        bound = (
            (m + 0.5) * _log((m + 1) / (r * (count - m + 1)))
            + above * _log((count - m + 1) / (float(n - kind(k)) + 1))
            + (k + 0.5) * _log(r * (float(n - kind(k)) + 1) / (k + 1))
            + _stirling_tail(m)
            + _stirling_tail(count - m)
            - _stirling_tail(k)
            - _stirling_tail(count - k)
        )
        if v <= bound:
            return k


def multinomial(generator: Generator, p: np.ndarray, samples: int, replacement: bool = False) -> np.ndarray:
    """`torch.multinomial(p, samples, replacement)` for 1-D or 2-D probabilities, as int64.

    Without replacement the largest keys win; which of equal ones, where more samples are asked for than there are categories
    with a probability, is `topk`'s choice, as in PyTorch, and without kernels the first."""
    if p.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and samples > p.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if p.size == 0:
        if p.ndim == 1:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        if len(p):
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        return np.empty((0, samples), np.int64)
    with np.errstate(all="ignore"):
        wide = p.astype(F4) if p.dtype.kind == "V" or p.dtype.itemsize == 2 else p
        if not replacement or samples == 1:
            if not (np.isfinite(wide).all() and wide.min() >= 0):
                raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
            if np.any(wide.sum(-1) == 0):
                raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
            key = exponential(generator, p.shape, p.dtype)
            key = (wide / key.astype(wide.dtype, copy=False)).astype(p.dtype, copy=False)
            if samples == 1:
                return key.argmax(-1)[..., None]
            if (found := leading(key, key.ndim - 1, samples, True, True)) is not None:
                return found[1]
            return argsort(-key, axis=-1, kind="stable")[..., :samples]
        rows = wide.reshape(-1, wide.shape[-1])
        out = np.empty((len(rows), samples), np.int64)
        running = np.add.accumulate(rows, 1)
        strange = ~(np.isfinite(rows).all(1) & (rows.min(1) >= 0))
        wrong = strange | ~(running[:, -1] > 0)
        running /= running[:, -1:].copy()
        running[:, -1] = 1
        good = int(wrong.argmax()) if wrong.any() else len(rows)
        draws = generator.doubles(good * samples).reshape(good, samples)
        if good < len(rows):
            why = "encountering probability entry < 0" if strange[good] else "sum of probabilities <= 0"
            raise RuntimeError(f"invalid multinomial distribution ({why})")
        search = np.ndarray.searchsorted if rows.shape[1] * samples < MANY else searchsorted
        for row, drawn, chosen in zip(running.astype(F8), draws, out, strict=True):
            chosen[:] = search(row, drawn)
    return out.reshape(*p.shape[:-1], samples)
