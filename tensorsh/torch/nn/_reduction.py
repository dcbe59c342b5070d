"""``torch.nn._reduction``: the numbers and names of reductions, as losses of before ask for them."""

from __future__ import annotations

from typing import Any

from ...engine.arrays.warning import warn
from ...engine.ops.losses.classes import check_reduction, legacy

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """The number of a reduction: 0 "none", 1 "mean", 2 "sum". ValueError: another name."""
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        reduction = "mean"
    check_reduction(reduction)
    return _NUMBERS[reduction]


def legacy_get_string(size_average: Any, reduce: Any, emit_warning: bool = True) -> str:
    """The reduction that the flags of old stand for, with a warning."""
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    if emit_warning:
        return legacy(size_average, reduce, "mean")
    return ("mean" if size_average else "sum") if reduce else "none"


def legacy_get_enum(size_average: Any, reduce: Any, emit_warning: bool = True) -> int:
    """The number of the reduction that the flags of old stand for."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
