"""Expressions about matrix products, linear algebra and Fourier transforms, with what PyTorch gave for them.

``tests/data/linalg_expressions.json`` maps a subject to [expression, outcome] pairs: the text of the value, or the error's
type and first line, or (subject "graphs") the nodes behind it. To record again, after adding expressions with any outcome,
run this file with an interpreter that has PyTorch: ``python tests/ops/replay_linalg.py``.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data" / "linalg_expressions.json"


def expressions(subject: str) -> list[list[str]]:
    return json.loads(DATA.read_text())[subject]


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


def history(node: Any, depth: int = 4) -> str:
    """A node and those it leads to: ``MmBackward0(AccumulateGrad, TBackward0(AccumulateGrad))``."""
    if node is None:
        return "None"
    name = type(node).__name__
    if not depth or name == "AccumulateGrad":
        return name
    return f"{name}({', '.join(history(n, depth - 1) + (f'#{i}' if i else '') for n, i in node.next_functions)})"


def outcome(torch: Any, expression: str, graphs: bool = False) -> str:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = eval(expression, names(torch))
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    if graphs:
        return f"{history(value.grad_fn)} {list(value.shape)}"
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

    found = json.loads(DATA.read_text())
    for subject, pairs in found.items():
        for pair in pairs:
            pair[1] = outcome(torch, pair[0], subject == "graphs")
    text = json.dumps(found, indent=0, ensure_ascii=False)
    DATA.write_text(text + "\n")


if __name__ == "__main__":
    record()
