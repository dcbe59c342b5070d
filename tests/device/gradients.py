"""The gradients of all operators that tensors alone are enough to call, on the CPU and on the device."""

from __future__ import annotations

import warnings
from typing import Any

from tensorsh import torch
from tensorsh.engine.loading import table

from .standin import HostRead, installed
from .sweep import reason

VALUES = [[0.9, 0.2, -0.3], [0.2, 0.8, 0.1], [-0.3, 0.1, 0.7]]
RANDOM = ("bernoulli", "poisson", "normal", "rrelu", "dropout", "gamma", "dirichlet", "empty")


def operators() -> dict[str, Any]:
    """Operators whose required arguments are tensors, by the name of their record."""
    table.load_all()
    found = {}
    for op in table.OPERATORS.values():
        if type(op).__name__ != "Operator" or not op.differentiable or op.lists or not op.arrays:
            continue
        if op.required and list(op.arrays[: op.required]) == list(range(op.required)):
            found[op.names[0]] = op
    return found


def gradients(op: Any, device: str) -> list:
    """The gradients of the sum of an operator's first result, for symmetric matrices; [] where it has none."""
    tensors = [torch.tensor(VALUES, device=device).mul(k + 1).requires_grad_() for k in range(op.required)]
    result = op.function(*tensors)
    result = result[0] if isinstance(result, (tuple, list)) else result
    if not result.requires_grad:
        return []
    total = (result * result.detach().cos()).sum()
    (total.abs() if total.is_complex() else total).backward()
    for t in tensors:
        assert t.grad is None or t.grad.device == t.device, "result on the CPU"
    return [None if t.grad is None else t.grad.tolist() for t in tensors]


def failure(op: Any, device: str = "cuda") -> str | None:
    """Why the gradients on the device are not those on the CPU; "" where there are none to compare."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = gradients(op, "cpu")
        except Exception:
            return ""
        if not expected or any(r in op.names[0] for r in RANDOM):
            return ""
        try:
            with installed():
                actual = gradients(op, device)
        except HostRead:
            return "host read"
        except AssertionError as error:
            return str(error).split("\n")[0]
        except Exception as error:
            return reason(error)
    return None if str(actual) == str(expected) or near(actual, expected) else "other gradient"


def near(a: Any, b: Any) -> bool:
    if isinstance(a, list):
        return len(a) == len(b) and all(map(near, a, b))
    if a is None or b is None or a == b:
        return a == b
    return abs(a - b) <= 1e-5 * max(1, abs(b)) or a != a and b != b
