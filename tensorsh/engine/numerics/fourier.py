"""Fourier transforms by a kernel: of up to 15 numbers, and of primes to 47, with the digits that PyTorch's have; of longer ones, up to
4,096, where all factors are small. Others by scipy: numpy's compute single precision in double, ten times as slowly.

Of scipy only the extension that has them is loaded: with its package around it, it would take half a second. Where it is not
found, numpy goes on.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from math import pi, prod, sqrt
from typing import Any

import numpy as np

from ..kernels import kernel, unsuited

SCALINGS = {"none": 0, "root": 1, "by_n": 2}
KINDS = frozenset(map(np.dtype, ("float32", "float64", "complex64", "complex128")))
NAMES = ("c2c", "r2c", "c2r")

_loaded: Any = None


def loaded() -> dict:
    """The transforms by their names; none where scipy has them elsewhere."""
    global _loaded
    if _loaded is None:
        _loaded = {}
        try:
            package = find_spec("scipy")
            places = package.submodule_search_locations or ()  # type: ignore[union-attr]
            spec = None
            for name in ("pypocketfft", "pyduccfft"):  # before scipy 1.18, and since then
                spec = spec or PathFinder.find_spec(name, [os.path.join(f, "fft", f"_{name[2:]}") for f in places])
            module = module_from_spec(spec)  # type: ignore[arg-type]
            spec.loader.exec_module(module)  # type: ignore[union-attr]
            _loaded = {name: getattr(module, name) for name in NAMES}
        except (ImportError, AttributeError):
            pass
    return _loaded


def transformed(
    name: str,
    a: Any,
    dim: Any,
    forward: bool,
    mode: str,
    *size: int,
    count: int = 0,
    whole: bool = False,
    of_real: tuple = (),
    between: bool = False,
) -> Any:
    """An array of the CPU transformed ("c2c", "r2c" or, given its last size, "c2r"); None for others. `count`: of so many numbers
    the scaling is, where it is not of those along the dimensions; `whole`, `of_real`: see `along`; `between`: the transformed
    dimension need not lie behind the others in memory, as it does in PyTorch's results."""
    if type(a) is not np.ndarray or a.dtype not in KINDS:
        return None
    if fourier is not unsuited:
        if len(dim) == 1:
            n = size[0] if size else a.shape[dim[0]]
            scale = 1.0 if mode == "none" else scaling(mode, count or n)
            found = along(
                name, a, dim[0], forward, scale, n, not count or count == n, whole, of_real, of_real != (), between
            )
            if found is not None:
                return found
        elif any([ways(a.shape[d]) for d in dim]):
            return one_by_one(name, a, list(dim), forward, mode, *size, count=count)
    transform = loaded().get(name)
    if transform is None or whole or of_real:
        return None
    if len(dim) == 1 and dim[0] % a.ndim != a.ndim - 1 and not between:
        found = transformed(name, np.moveaxis(a, dim[0], -1), (-1,), forward, mode, *size, count=count)
        return np.moveaxis(found, -1, dim[0])
    if not count or mode == "none" or count == prod(a.shape[d] for d in dim):
        return transform(a, tuple(dim), *size, forward, SCALINGS[mode], None, 1)
    found = transform(a, tuple(dim), *size, forward, 0, None, 1)
    return np.multiply(found, found.real.dtype.type(scaling(mode, count)), found)


fourier = kernel("fourier", unsuited)
fourier_within = kernel("fourier_within", unsuited)
mirrored = kernel("mirrored", unsuited)
LONGEST = 1 << 12
"""The longest signal that the kernel transforms: several of them, side by side, lie in the processor's caches."""
FEW = 128
"""In more numbers than this the kernel has no large primes: scipy's is faster."""
SHORT = 16
"""Fewer numbers than this, and primes, are transformed as PyTorch's library does, which has one plain way for them."""
PAIRS = {6: (2, 3), 9: (3, 3), 10: (2, 5), 12: (4, 3), 14: (2, 7), 15: (3, 5)}
PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
KIND = {"c2c": 0, "r2c": 1, "c2r": 3}
WHOLE = 2
ORDERS = {("r2c", 4, 0): 1, ("c2r", 4, 0): 2, ("r2c", 4, 2): 5, ("c2r", 4, 2): 4}
"""How five cosines are added up, by the transform, the bytes of a number and where it is scaled; otherwise as one sum."""
IN_TURN, APART = 1 | 16, 8
"""How those of a prime of 17 and more are; apart: odd and even places have sums of their own."""


def scaling(mode: str, count: int) -> float:
    return 1.0 if mode == "none" else 1 / sqrt(count) if mode == "root" else 1 / count


def scaled(sizes: Any, real: bool = False) -> int:
    """The dimension whose transform scales the result: the shortest, the last of those; of three equal ones of complex numbers the first."""
    if len(sizes) == 1 or (len(sizes) == 3 and len(set(sizes)) == 1 and not real):
        return 0
    return max(range(len(sizes)), key=lambda k: (-sizes[k], k))


def one_by_one(name: str, a: Any, dim: list[int], forward: bool, mode: str, *size: int, count: int = 0) -> Any:
    """The transform along one dimension after the other, the last first."""
    n = [*(a.shape[d] for d in dim[:-1]), size[0] if size else a.shape[dim[-1]]]
    scale, at = (1.0, -1) if mode == "none" else (scaling(mode, count or prod(n)), scaled(n))
    for k in range(len(n) - 1, -1, -1):
        one = scale if k == at else 1.0
        found = along(name, a, dim[k], forward, one, n[k], False, within=k < len(n) - 1)
        if found is None:
            found = loaded()[name](a, (dim[k],), *([n[k]] if name == "c2r" else []), forward, 0, None, 1)
            if one != 1:
                np.multiply(found, found.real.dtype.type(one), found)
        a = found
    return a


def short(a: Any, dim: Any) -> bool:
    """Whether the kernel transforms complex numbers along all of the dimensions so that symmetries hold by themselves."""
    if fourier is unsuited or type(a) is not np.ndarray:
        return False
    return all([a.shape[d] < SHORT and a.shape[d] != 9 or a.shape[d] in PRIMES for d in dim])


def has_parts(a: Any) -> bool:
    """Whether any imaginary part is not zero: mostly the first one says it, or, of what was real, one in the middle."""
    parts = a.imag
    return bool(parts[(0,) * a.ndim] != 0 or parts[tuple([n // 2 for n in a.shape])] != 0 or parts.any())


@lru_cache(1024)
def ways(n: int) -> tuple | None:
    """The factors by which n numbers are transformed, one pass for each; None where the kernel has none for them."""
    if n > LONGEST:
        return None
    if n in PAIRS:
        return PAIRS[n]
    found: list[int] = []
    for p in (8, 4, 2, *(PRIMES if n <= FEW else PRIMES[:5])):
        while n % p == 0:
            n //= p
            found.insert(0, p)
    return tuple(found) if n == 1 else None


@lru_cache(64)
def angles(n: int) -> tuple[Any, Any]:
    """Cosines and sines of n equal parts of a circle, as the library has them: of multiples of a double, the second half mirrored."""
    k = np.arange(n)
    if n < 5:
        return tuple(turns(n, k).T)
    near = np.minimum(k, n - k)
    turned = np.asarray(2 * pi * near / n if n < SHORT else near * (2 * pi / n), np.longdouble)
    return np.cos(turned), np.where(k <= n // 2, np.sin(turned), -np.sin(turned))


def turns(n: int, k: Any) -> Any:
    """Cosines and sines of some of n equal parts of a circle, in pairs; of angles below an eighth of it, which are exact."""
    k = 8 * (k % n)
    fourth, within = k // (2 * n), k % (2 * n)
    beyond = within > n
    angle = np.asarray(np.where(beyond, 2 * n - within, within), np.longdouble) * (EIGHTH / n)
    cos, sin = np.cos(angle), np.sin(angle)
    cos, sin = np.where(beyond, sin, cos), np.where(beyond, cos, sin)
    odd = fourth % 2 == 1
    return np.stack([np.where(odd, -sin, cos), np.where(odd, cos, sin)], -1) * np.where(fourth > 1, -1, 1)[..., None]


EIGHTH = np.longdouble("0.785398163397448309615660845819875721")


@lru_cache(64)
def table(n: int, packed: bool, char: str) -> tuple[Any, tuple] | None:
    """What the kernel reads of n numbers: their factors, the circles and the turns of each; of a real signal in pairs those of its halves."""
    m = n // 2 if packed else n
    factors = ways(m) if n <= LONGEST else None
    if factors is None:
        return None
    parts: list[Any] = []
    done = 1
    for p in factors:
        parts += angles(p)
        rest = m // (done * p)
        if len(factors) > 1 and (m >= SHORT or m == 9):
            parts.append(turns(m, done * np.arange(rest) * np.arange(1, p)[:, None]).swapaxes(1, 2).ravel())
        done *= p
    if packed:
        parts.append(turns(n, np.arange(m // 2 + 1)).T.ravel())
    return np.concatenate([*parts, np.empty(0)]).astype(char), factors


def along(
    name: str, a: Any, d: int, forward: bool, scale: float, n: int, lone: bool, whole: bool = False, of_real: tuple = (),
    within: bool = False, between: bool = False,
) -> Any:  # fmt: skip
    """One transform along one dimension, times a number; None where the kernel has none. `lone`: it is not one of several along
    other dimensions; `whole`: also the second half of a real signal's; `of_real`: the array is the transform of so many real numbers
    along its last dimensions, its first half along the last one: what is its own conjugate there is real; `within`: into its own place."""
    char = "f" if a.dtype.char in "fF" else "d"
    if n == 16 and name != "c2c":
        return None  # scipy's passes of four give 85 of 200 such signals PyTorch's digits, and its signs of zeros
    known = table(n, name != "c2c" and n >= SHORT and n % 2 == 0, char)
    if known is None:
        return None
    ndim = a.ndim
    d %= ndim
    where = order = 0
    single = char == "f"
    if n < SHORT:
        near = lone and (prod(a.shape[:d]) > 1 or prod(a.shape[d:]) == a.shape[d])
        if scale != 1 and n != 9:
            where = place(name, n, scale, single, near, lone)
        if n == 5:
            order = ORDERS.get((name, 4 if single else 8, where), 0)
    elif len(known[1]) == 1:
        order = IN_TURN | APART if name != "c2c" or single else IN_TURN
    behind = lone and d != ndim - 1 and not between
    found = (fourier_within if within else fourier)(
        np.ascontiguousarray(a), *known, d, n, WHOLE if whole else KIND[name], forward, order, where, scale,
        behind, lone, of_real, ORDERS.get(("r2c", 4 if single else 8, 0), 0) if of_real and n == 5 else order,
    )  # fmt: skip
    if behind and found is not None:
        return found.transpose(*range(d), ndim - 1, *range(d, ndim - 1))
    return found


def place(name: str, n: int, scale: float, single: bool, near: bool, lone: bool) -> int:
    """Where the library multiplies by the scale: at the end, before a last step of two, in the sums of a prime. `near`: the
    numbers of a signal lie side by side, or PyTorch copies them so, as the dimensions around them make no single one."""
    if name != "c2c":
        return 2 if near and scale * n == 1 and n not in ((2, 4, 8) if single else (2, 3, 4, 6, 8, 12)) else 0
    return 1 if single and (n == 2 or (n in (6, 10, 14) and lone and scale * n == 1)) else 0


def turned(xp: Any, a: Any, dim: Any) -> Any:
    """What lies at each frequency moved to its negative, along some dimensions."""
    for d in dim:
        a = xp.take(a, -xp.arange(a.shape[d]), d)
    return a


def completed(xp: Any, half: Any, dim: Any, shape: tuple, conjugate: bool = False, positive: bool = False) -> Any:
    """The whole transform from its first half along the last dimension: the rest are conjugates, also in the sign of a zero.
    `conjugate`: its conjugate; `positive`: as a sum of zeros is."""
    *others, last = dim
    n, have = shape[last], half.shape[last]
    ndim = half.ndim
    if last % ndim == ndim - 1 and type(half) is np.ndarray:
        whole = mirrored(np.ascontiguousarray(half), n, tuple([d % ndim for d in others]), conjugate, positive)
        if whole is not None:
            return whole
    before = (slice(None),) * (last % half.ndim)
    rest = turned(xp, half[(*before, slice((n - 1) // 2, 0, -1))], others)
    whole = xp.empty((*half.shape[: len(before)], n, *half.shape[len(before) + 1 :]), half.dtype)
    whole[(*before, slice(have))] = half
    whole[(*before, slice(have, None))] = xp.conj(rest)
    if conjugate:
        whole = xp.conj(whole)
    return whole + 0 if positive else whole
