"""Expressions about matrix products, linear algebra and Fourier transforms, with what PyTorch gave for them.

The table has a subject, an expression, an outcome: the text of the value, or the error's type and first line, or (subject
"graphs") the nodes behind it.
"""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

from ..support.outcomes import headline, history
from .origin import again


def names(torch: Any) -> dict:
    """What the expressions may use."""
    ones = torch.ones
    singular = torch.tensor([[1.0, 2], [2, 4]])
    return {
        "torch": torch,
        "F": torch.nn.functional,
        "L": torch.linalg,
        "X": torch.fft,
        "W": torch.signal.windows,
        "f": lambda *s: ones(*s),
        "d": lambda *s: ones(*s, dtype=torch.float64),
        "l": lambda *s: ones(*s, dtype=torch.long),
        "b": lambda *s: ones(*s, dtype=torch.bool),
        "c": lambda *s: ones(*s, dtype=torch.complex64),
        "h": lambda *s: ones(*s, dtype=torch.half),
        "i32": lambda *s: ones(*s, dtype=torch.int32),
        "e": lambda n: torch.eye(n),
        "r": lambda *s: torch.rand(*s, requires_grad=True),
        "a": lambda *s: torch.arange(1.0, 1 + torch.ones(*s).numel()).reshape(*s),
        "S": singular,
        "SB": torch.stack([torch.eye(2), singular]),
        "N": torch.tensor([[1.0, 2], [2, 1]]),
    }


def outcome(torch: Any, expression: str, graphs: bool = False) -> str:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = eval(expression, names(torch))
        except Exception as error:
            return headline(error)
    if graphs:
        return f"{history(value.grad_fn, 4)} {list(value.shape)}"
    return " ".join(repr(value).split())


NUMBER = re.compile(r"[-+]?\s*(?:\d+\.?\d*(?:e[-+]?\d+)?|\binf\b|\bnan\b)")
DTYPES = re.compile(r"(?:int|float|bfloat|complex|uint)\d+|\d+x\d+|Backward\d|\d+D")


def alike(found: str, expected: str) -> bool:
    """The same text, up to the last digits of numbers: another BLAS rounds otherwise."""
    if found == expected:
        return True
    if not expected.startswith(("tensor", "torch.return_types", "(tensor")):
        return False
    texts = [re.sub(r"\s", "", NUMBER.sub("#", DTYPES.sub("", x))) for x in (found, expected)]
    numbers = [[float(n.replace(" ", "")) for n in NUMBER.findall(DTYPES.sub("", x))] for x in (found, expected)]
    return texts[0] == texts[1] and all(
        x == y or (math.isnan(x) and math.isnan(y)) or math.isclose(x, y, rel_tol=2e-4, abs_tol=2e-6)
        for x, y in zip(*numbers, strict=True)
    )


def record() -> None:
    import torch

    again("linalg", "linalg", lambda subject, expression: outcome(torch, expression, subject == "graphs"))
