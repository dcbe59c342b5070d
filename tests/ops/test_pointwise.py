"""Every pointwise operator against what PyTorch gave: dtypes, values, errors, nodes, gradients."""

import functools
import json

import numpy as np

from tensorsh import torch

from ..recording import pointwise as record
from ..support.tables import pairs

TOLERANCE = {
    "float64": 1e-9,
    "complex128": 1e-9,
    "float32": 2e-5,
    "complex64": 2e-5,
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
}
OVERLOADS = "received an invalid combination of arguments"
"""Of such an error the rest of the line is not compared: it lists PyTorch's overloads."""

KNOWN = {
    "0 ** x|complex64": ("1 2 3 4", "zero to a complex power of negative real part is all NaN here"),
    "F.gelu(x)|bfloat16": ("12", "gelu(inf) is NaN in oneDNN's kernel; ours is inf, as PyTorch's for float64"),
    "F.gelu(x)|float32": ("12", "likewise"),
    "torch.special.bessel_j0(x)|float64": ("1", "PyTorch's double precision is good to eight digits there"),
    "torch.special.bessel_j1(x)|float64": ("1", "likewise"),
    "torch.special.chebyshev_polynomial_u(x, y)|float32,float32": ("61", "of NaN PyTorch returns what it never set"),
    "torch.special.chebyshev_polynomial_u(x, y)|float32,float64": ("61", "likewise"),
    "torch.special.chebyshev_polynomial_u(x, y)|float64,float64": ("61", "likewise"),
    "torch.special.log_ndtr(x)|float32|gradient": ("0:0", "at -inf: ours is the limit"),
    "torch.special.log_ndtr(x)|float64|gradient": ("0:0", "likewise"),
    "x ** 0.5|float16": ("0", "the root of -inf: PyTorch takes a power there"),
    "x ** 1j|float16": ("all", "complex32 is held as complex64"),
    "x.clamp_(0, 1)|bool": ("all", "PyTorch writes bool in lower case there"),
    "x.clamp_min_(0)|bool": ("all", "likewise"),
    "x.floor_divide_(2)|gradient": ("all", "the in-place operator's name in the error"),
    "x.mvlgamma_(2)|int64": ("all", "in-place errors have mvlgamma's own words"),
    "x.mvlgamma_(2)|uint8": ("all", "likewise"),
}
"""Where this engine's answer differs from PyTorch's, and why: the elements that do, `leaf:element` in gradients, or the dtype, or
all of an answer. What no longer differs is taken out: the test fails until then."""


@functools.cache
def recorded():
    return pairs("pointwise")


@functools.cache
def found():
    return json.loads(json.dumps(dict(record.cases(torch))))


def same_numbers(got, want, tolerance):
    """Which of two lists of numbers, or of pairs of them, are close or both NaN."""
    got, want = (np.array([v if isinstance(v, list) else [v, 0] for v in x], dtype=float) for x in (got, want))
    return np.isclose(got, want, rtol=tolerance, atol=tolerance / 10, equal_nan=True).all(1)


def elements(got, want, tolerance, prefix=""):
    """Where two lists of numbers differ, and how."""
    if len(got) != len(want):
        return {"all": f"{len(got)} elements for {len(want)}"}
    close = same_numbers(got, want, tolerance) if want else []
    return {f"{prefix}{i}": f"{got[i]} for {want[i]}" for i, same in enumerate(close) if not same}


def differences(key, got, want):
    """The places in which an answer differs, and how."""
    whole = {} if got == want else {"all": f"{got} for {want}"}
    if not isinstance(got, list) or not isinstance(want, list) or "error" in (got[:1] + want[:1]):
        both = whole and got and want and got[:2] == want[:2] and "error" in got[:1]
        return {} if both and OVERLOADS in got[2] and OVERLOADS in want[2] else whole
    if key.endswith("|gradient"):
        found = {}
        for leaf, (g, w) in enumerate(zip(got, want, strict=True)):
            if g is None or w is None:
                found |= {} if g == w else {f"{leaf}:all": f"{g} for {w}"}
            else:
                found |= elements(g, w, 1e-4 if "float32" in key else 1e-8, f"{leaf}:")
        return found
    if got[:1] != ["tensor"] or want[:1] != ["tensor"]:
        return whole
    found = {} if got[1] == want[1] else {"dtype": f"{got[1]} for {want[1]}"}
    return found | elements(got[2], want[2], TOLERANCE.get(want[1], TOLERANCE.get(got[1], 0)))


def test_as_pytorch():
    wrong = []
    for key, want in recorded().items():
        different = differences(key, found()[key], want)
        known = set(KNOWN.get(key, ("",))[0].split())
        wrong += [f"{key}, {place}: {how}" for place, how in different.items() if place not in known]
        wrong += [f"{key}, {place}: no longer different, take it out of KNOWN" for place in known - different.keys()]
    assert not wrong, "\n".join(wrong[:20])


def test_every_known_difference_is_of_a_case():
    assert KNOWN.keys() <= recorded().keys() == found().keys()
