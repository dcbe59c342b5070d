"""What takes two elements to one: masks, where both have one, must be the same."""

from __future__ import annotations

from typing import Any

from .unary import natives

BINARY_NAMES = """add atan2 arctan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift div divide floor_divide
    fmod logaddexp logaddexp2 mul multiply nextafter remainder sub subtract true_divide eq ne le ge greater greater_equal gt
    less_equal lt less maximum minimum fmax fmin not_equal""".split()
OUT_OF_PLACE = ("logaddexp", "logaddexp2", "fmin", "minimum", "maximum", "fmax")
INPLACE_BINARY_NAMES = [name + "_" for name in BINARY_NAMES if name not in OUT_OF_PLACE]


def __getattr__(name: str) -> Any:
    if name == "NATIVE_BINARY_FNS":
        return natives(BINARY_NAMES)
    if name == "NATIVE_INPLACE_BINARY_FNS":
        return natives(INPLACE_BINARY_NAMES)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
