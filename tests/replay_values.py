"""Small programs and the values that PyTorch gave for them, compared as numbers.

A data file is a list of [program, outcome]; a program leaves its result in `r`. An outcome is a text, where a tensor's
numbers are apart: dtype, shape and history must be equal, numbers close. To record (again, or programs with an empty
outcome), run this file with an interpreter that has PyTorch: ``python tests/replay_values.py tests/data/some_file.json``.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"


def programs(name: str) -> list[list[Any]]:
    return json.loads((DATA / f"{name}.json").read_text())


def history(node: Any, depth: int = 2) -> str:
    """A node and those it leads to: ``SelectBackward0(MulBackward0, None)``."""
    if node is None:
        return "None"
    name = node.name().rpartition(":")[2]
    if not depth or not node.next_functions:
        return name
    return f"{name}({', '.join(history(n, depth - 1) for n, _ in node.next_functions)})"


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
            return f"{type(error).__name__}: {error}".splitlines()[0]
        return described(torch, names.get("r"))


def same(found: Any, expected: Any, tolerance: float = 2e-5) -> bool:
    """Whether two outcomes are equal but for small differences of numbers."""
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        return math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance)
    return bool(found == expected)


def record(paths: list[str]) -> None:
    import torch

    for path in paths:
        found = [[program, outcome(torch, program)] for program, *_ in json.loads(Path(path).read_text())]
        lines = ",\n".join(json.dumps(pair) for pair in found)
        Path(path).write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    record(sys.argv[1:])
