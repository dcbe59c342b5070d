"""Fourier transforms: of up to 15 numbers, and of primes to 47, by kernels, with the digits that PyTorch's have; longer ones by
scipy, several signals at a time in vector instructions. numpy's compute single precision in double, ten times as slowly.

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


def transformed(name: str, a: Any, dim: Any, forward: bool, mode: str, *size: int, count: int = 0) -> Any:
    """An array of the CPU transformed ("c2c", "r2c" or, given its last size, "c2r"); None for others. `count`: of so many numbers
    the scaling is, where it is not of those along the dimensions."""
    if type(a) is not np.ndarray or a.dtype not in KINDS:
        return None
    transform = loaded().get(name)
    if transform is None:
        return None
    if short_fourier is not unsuited:
        n = size[0] if size else a.shape[dim[-1]]
        if len(dim) > 1:
            if n in OWN or any([a.shape[d] in OWN for d in dim]):
                return one_by_one(name, a, list(dim), forward, mode, *size, count=count)
        elif n in OWN or a.shape[dim[0]] < LONG:
            return along(name, a, dim[0], forward, scaling(mode, count or n), n, count in (0, n))
    if not count or mode == "none" or count == prod(a.shape[d] for d in dim):
        return transform(a, tuple(dim), *size, forward, SCALINGS[mode], None, 1)
    found = transform(a, tuple(dim), *size, forward, 0, None, 1)
    return np.multiply(found, found.real.dtype.type(scaling(mode, count)), found)


short_fourier = kernel("short_fourier", unsuited)
prime_fourier = kernel("prime_fourier", unsuited)
LONG = 16
PRIMES = frozenset((17, 19, 23, 29, 31, 37, 41, 43, 47))
"""Lengths for which PyTorch's library has one plain way on all processors: sums of cosines and sines."""
OWN = PRIMES | frozenset(range(LONG))
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
BOTH = frozenset((2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15))
"""The lengths that the other kernel transforms."""
ORDERS = {("r2c", 4, 0): 1, ("c2r", 4, 0): 2, ("r2c", 4, 2): 5, ("c2r", 4, 2): 4}
"""How five cosines are added up, by the transform, the bytes of a number and where it is scaled; otherwise as one sum."""


def scaling(mode: str, count: int) -> float:
    return {"none": 1.0, "root": 1 / sqrt(count), "by_n": 1 / count}[mode]


def scaled(sizes: Any, real: bool = False) -> int:
    """The dimension whose transform scales the result: the shortest, the last of those; of three equal ones of complex numbers the first."""
    if len(sizes) == 3 and len(set(sizes)) == 1 and not real:
        return 0
    return max(range(len(sizes)), key=lambda k: (-sizes[k], k))


def one_by_one(name: str, a: Any, dim: list[int], forward: bool, mode: str, *size: int, count: int = 0) -> Any:
    """The transform along one dimension after the other, the last first."""
    n = [*(a.shape[d] for d in dim[:-1]), size[0] if size else a.shape[dim[-1]]]
    scale, at = scaling(mode, count or prod(n)), scaled(n)
    for k in range(len(n) - 1, -1, -1):
        a = along(name, a, dim[k], forward, scale if k == at else 1.0, n[k], False)
    return a


def short(a: Any, dim: Any) -> bool:
    """Whether the kernel transforms complex numbers along all of the dimensions."""
    if short_fourier is unsuited or type(a) is not np.ndarray:
        return False
    return all(a.shape[d] in PRIMES or a.shape[d] in BOTH and (a.shape[d] != 8 or a.dtype == np.complex64) for d in dim)


@lru_cache(len(PRIMES) * 2)
def angles(n: int, char: str) -> tuple[Any, Any]:
    """Cosines and sines of n equal parts of a circle, as the library has them: of multiples of a double, the second half mirrored."""
    k = np.arange(n)
    turned = (np.minimum(k, n - k) * (2 * pi / n)).astype(np.longdouble)
    return np.cos(turned).astype(char), np.where(k <= n // 2, np.sin(turned), -np.sin(turned)).astype(char)


def along(name: str, a: Any, d: int, forward: bool, scale: float, length: int, lone: bool) -> Any:
    """One transform along one dimension, times a number; `lone`: it is not one of several along other dimensions."""
    d %= a.ndim
    real = SINGLE if a.dtype.char in "fF" else DOUBLE
    prime = length in PRIMES
    if not prime and (length not in BOTH or (length == 8 and name == "c2c" and real is DOUBLE)):
        found = loaded()[name](a, (d,), *([length] if name == "c2r" else []), forward, 0, None, 1)
        return found if scale == 1 else np.multiply(found, real.type(scale), found)
    last = d in (-1, a.ndim - 1)
    signals = a if last else a.swapaxes(d, -1)
    if name == "c2r":
        signals = whole(signals, length)
    signals = np.ascontiguousarray(signals)
    parts = signals if name == "r2c" else signals.view(real).reshape(*signals.shape, 2)
    near = lone and (prod(a.shape[:d]) > 1 or prod(a.shape[d:]) == a.shape[d])
    where = 0 if prime else place(name, length, scale, real, near, lone)
    order = ORDERS.get((name, real.itemsize, where), 0) if length == 5 else 0
    if prime:
        found = prime_fourier(
            parts, forward, name != "c2c" or real is SINGLE, *angles(length, real.char), scale, name == "r2c"
        )
    else:
        found = short_fourier(parts, forward, order, where, scale, name == "r2c")
    if name == "c2r":
        found = np.ascontiguousarray(found[..., 0])
    else:
        found = found.view(np.complex64 if real is SINGLE else np.complex128)[..., 0]
        if name == "r2c" and lone and length in NEGATIVE:
            k = NEGATIVE[length]
            zero = found[..., k].imag
            zero[(zero == 0) & negative(signals)] = -0.0
    return found if last else found.swapaxes(-1, d)


NEGATIVE = {3: 1, 5: 1, 6: 1, 8: 1, 10: 4, 12: 5}
"""The element of a real signal's transform whose imaginary part, where it is zero, is a negative sum in the library's ways."""


def negative(x: Any) -> Any:
    """Whether that zero is negative: of six numbers where no two parts cancel, of ten where they do, otherwise always."""
    n = x.shape[-1]
    if n == 6:
        return x[..., 2] == x[..., 4]
    return (x[..., 2] != x[..., 8]) | (x[..., 4] != x[..., 6]) if n == 10 else True


def place(name: str, n: int, scale: float, real: Any, near: bool, lone: bool) -> int:
    """Where the library multiplies by the scale: at the end, before a last step of two, in the sums of a prime. `near`: the
    numbers of a signal lie side by side, or PyTorch copies them so, as the dimensions around them make no single one."""
    if name != "c2c":
        return 2 if near and scale * n == 1 and n not in ((2, 4, 8) if real is SINGLE else (2, 3, 4, 6, 8, 12)) else 0
    return 1 if real is SINGLE and (n == 2 or (n in (6, 10, 14) and lone and scale * n == 1)) else 0


def whole(half: Any, n: int) -> Any:
    """A signal of n numbers of which the second half is the first one's conjugate; what is its own conjugate is real."""
    signals = np.empty((*half.shape[:-1], n), half.dtype)
    first = n // 2 + 1
    signals[..., :first] = half[..., :first]
    signals[..., first:] = half[..., (n - 1) // 2 : 0 : -1].conj()
    signals[..., 0].imag = 0
    if n % 2 == 0:
        signals[..., n // 2].imag = 0
    return signals
