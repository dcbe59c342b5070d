"""What takes an element to one: functions whose result has the mask of their input."""

from __future__ import annotations

from typing import Any

from ..._ops import Operators

__all__: list[str] = []

UNARY_NAMES = """abs absolute acos arccos acosh arccosh angle asin arcsin asinh arcsinh atan arctan atanh arctanh bitwise_not ceil
    clamp clip conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac lgamma log log10 log1p
    log2 logit i0 isnan nan_to_num neg negative positive pow rad2deg reciprocal round rsqrt sigmoid sign sgn signbit sin
    sinc sinh sqrt square tan tanh trunc""".split()
INPLACE_UNARY_NAMES = [name + "_" for name in UNARY_NAMES if name not in ("angle", "positive", "signbit", "isnan")]


def natives(names: list[str]) -> list:
    """The operators of ``torch.ops.aten`` that have such names."""
    aten = Operators("aten")
    return [getattr(aten, name) for name in names]


def __getattr__(name: str) -> Any:
    if name == "NATIVE_UNARY_FNS":
        return natives(UNARY_NAMES)
    if name == "NATIVE_INPLACE_UNARY_FNS":
        return natives(INPLACE_UNARY_NAMES)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
