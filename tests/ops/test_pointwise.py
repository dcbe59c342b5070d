"""Every pointwise operator against what PyTorch gave (see record_pointwise.py): dtypes, values, errors, nodes, gradients."""

import functools
import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
import record_pointwise as record  # noqa: E402

from tensorsh import torch  # noqa: E402

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
    "torch.mvlgamma(x, 2)|complex64": "the error's words come from a kernel inside PyTorch's formula",
    "x.mvlgamma_(2)|": "likewise, and in-place errors have mvlgamma's own words",
    "torch.special.log_ndtr(x)|": "at -inf: ours is the limit",
    "torch.special.bessel_j": "PyTorch's double precision is good to eight digits there",
    "F.gelu(x)|float32": "gelu(inf) is NaN in oneDNN's kernel; ours is inf, as PyTorch's for float64",
    "F.gelu(x)|bfloat16": "likewise",
    "x ** 0.5|float16": "the root of -inf: PyTorch takes a power there",
    "0 ** x|complex64": "zero to a complex power of negative real part",
    "x * 1j|float16": "complex32 is held as complex64",
    "x ** 1j|float16": "likewise",
    "torch.complex(x, y)|float16,float16": "likewise",
    "torch.special.chebyshev_polynomial_u(x, y)|": "degree 2 at NaN is 1 in PyTorch",
    "x.clamp_(0, 1)|bool": "PyTorch writes bool in lower case there",
    "x.clamp_min_(0)|bool": "likewise",
    "x.floor_divide_(2)|gradient": "the in-place operator's name in the error",
    "x.logical_not_()|gradient": "PyTorch passes the gradient on as if nothing had been written",
    "x.logical_and_(x)|gradient": "likewise",
}
"""Where this engine's answer differs from PyTorch's, and why."""


@functools.cache
def recorded():
    return json.loads(gzip.decompress((Path(__file__).parents[1] / "data" / "pointwise.json.gz").read_bytes()))


@functools.cache
def found():
    return json.loads(json.dumps(dict(record.cases(torch))))


def to_array(values):
    pairs = any(isinstance(v, list) for v in values)
    if pairs:
        return np.array([[float(a), float(b)] for a, b in values])
    return np.array([float(v) for v in values])


def same_values(got, want, tolerance):
    got, want = to_array(got), to_array(want)
    return got.shape == want.shape and np.allclose(got, want, rtol=tolerance, atol=tolerance / 10, equal_nan=True)


def difference(key, got, want):
    """What differs, in a few words; None if nothing does."""
    if key.endswith("|gradient"):
        if not isinstance(want, list) or (want and want[0] == "error"):
            return None if got == want else f"{got} for {want}"
        if not isinstance(got, list) or (got and got[0] == "error"):
            return f"{got} for {want}"
        tolerance = 1e-4 if "float32" in key else 1e-8
        for g, w in zip(got, want, strict=True):
            if (g is None) != (w is None) or (g is not None and not same_values(g, w, tolerance)):
                return f"{g} for {w}"
        return None
    if key.endswith("|chain"):
        return None if got == want else f"{got} for {want}"
    if got[0] == "error" and want[0] == "error" and OVERLOADS in want[2]:
        return None if got[1] == want[1] and OVERLOADS in got[2] else f"{got} for {want}"
    if got[0] != "tensor" or want[0] != "tensor":
        return None if got == want else f"{got} for {want}"
    if got[1] != want[1]:
        return f"dtype {got[1]} for {want[1]}"
    return None if same_values(got[2], want[2], TOLERANCE.get(got[1], 0)) else f"{got[2]} for {want[2]}"


@pytest.mark.parametrize("expression", record.split(record.UNARY + record.BINARY + record.IN_PLACE))
def test_as_pytorch(expression):
    differences = [
        f"{key}: {what}"
        for key, want in recorded().items()
        if key.startswith(expression + "|") and not key.startswith(tuple(KNOWN))
        if (what := difference(key, found()[key], want))
    ]
    assert not differences, "\n".join(differences[:5])
