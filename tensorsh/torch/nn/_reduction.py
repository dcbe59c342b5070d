"""``torch.nn._reduction``: the numbers that stand for the reductions of losses, which libraries ask for."""

from __future__ import annotations

__all__: list[str] = []


def get_enum(reduction: str) -> int:
    """The number of a reduction. ValueError: there is none of that name."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return ("none", "mean", "sum").index(reduction)
