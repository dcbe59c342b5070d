"""Small programs and the values that PyTorch gave for them, compared as numbers.

A program leaves its result in `r`. An outcome is a text, where a tensor's numbers are apart: dtype, shape and history must be
equal, numbers close.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..support.outcomes import headline, history
from .origin import again

TABLES = ("distributions", "functional_rest")


def flat(x: Any) -> list[Any]:
    if isinstance(x, list):
        return [y for part in x for y in flat(part)]
    # JSON knows neither infinities nor NaN, and thirteen digits are enough.
    return [x if not isinstance(x, float) else float(f"{x:.9g}") if math.isfinite(x) else str(x)]


def described(torch: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        text = f"{value.dtype} {list(value.shape)}"
        if value.requires_grad:
            text += f" {history(value.grad_fn) if value.grad_fn is not None else 'leaf'}"
        return [text, flat(value.detach().tolist())]
    if isinstance(value, (list, tuple)):
        return [described(torch, v) for v in value]
    return flat(value)[0] if isinstance(value, float) else repr(value)


def outcome(torch: Any, program: str) -> Any:
    names = {"torch": torch, "F": torch.nn.functional, "D": torch.distributions}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        try:
            exec(program, names)
        except Exception as error:
            return headline(error)
        return described(torch, names.get("r"))


def same(found: Any, expected: Any, tolerance: float = 2e-5) -> bool:
    """Whether two outcomes are equal but for small differences of numbers."""
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        return math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance)
    return bool(found == expected)


def record() -> None:
    import torch

    for table in TABLES:
        again("values", table, lambda program: outcome(torch, program))
