"""Small programs about views, indexing and in-place writes, with what PyTorch gave for them.

A data file is a list of [program, outcome]; an outcome is one text: value, strides, history and warnings, or the error.
To record again (or after adding programs with an empty outcome), run this file with an interpreter that has PyTorch:
``python tests/ops/replay_views.py tests/data/views_*.json``.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"


def programs(name: str) -> list[list[str]]:
    return json.loads((DATA / f"views_{name}.json").read_text())


def history(node: Any, depth: int = 2) -> str:
    """A node and those it leads to: ``SelectBackward0(MulBackward0(...), None)``."""
    if node is None:
        return "None"
    if not depth or node.name().endswith("AccumulateGrad"):
        return node.name().rpartition(":")[2]
    edges = [history(n, depth - 1) + (f"#{i}" if i else "") for n, i in node.next_functions]
    return f"{node.name().rpartition(':')[2]}({', '.join(edges)})"


def described(torch: Any, value: Any) -> str:
    if isinstance(value, torch.Tensor):
        with torch.no_grad():
            numbers = value.detach().clone().tolist()
        strides = list(value.stride()) if value.numel() else None
        text = f"{value.dtype} {list(value.shape)} {strides} {numbers}"
        if value.requires_grad:
            text += f" {history(value.grad_fn) if value.grad_fn is not None else 'leaf'}"
        return text
    if isinstance(value, (list, tuple)):
        return f"({', '.join(described(torch, v) for v in value)})"
    if hasattr(value, "next_functions"):
        return f"<{value.name().rpartition(':')[2]}>"
    return repr(value)


def outcome(torch: Any, program: str) -> str:
    names = {"torch": torch}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(program, names)
            text = described(torch, names.get("r"))
        except Exception as error:
            text = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        torch.set_grad_enabled(True)
    for warning in caught:
        text += (
            f" | {type(warning.message).__name__} {str(warning.message).partition(' (Triggered')[0].splitlines()[0]}"
        )
    return text


def record(paths: list[str]) -> None:
    import torch

    torch.set_warn_always(True)
    for path in paths:
        found = [[program, outcome(torch, program)] for program, _ in json.loads(Path(path).read_text())]
        lines = ",\n".join(json.dumps(pair) for pair in found)
        Path(path).write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    record(sys.argv[1:])
