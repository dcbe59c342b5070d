"""Statements about sparse tensors, one a line, and what each prints: its value, or the first line of its error."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "sparse"
FILES = sorted(FOLDER.glob("*.txt"))
RECORDED = Path(__file__).parent.parent / "data" / "sparse.json.gz"


def outputs(file: Path, torch: Any) -> list[tuple[str, str]]:
    """What the statements of a file print, run in one namespace; `g` prints a function's node, layout and gradients."""

    def g(function: Any, *inputs: Any) -> None:
        for x in inputs:
            x.requires_grad_()
        result = function(*inputs)
        print(result.grad_fn.name() if result.grad_fn else None, result.layout)
        whole = result if result.layout == torch.strided else result.to_dense()
        (whole * torch.arange(1.0, 1 + whole.numel()).reshape(whole.shape)).sum().backward()
        print([x.grad for x in inputs])

    space = {"torch": torch, "g": g, "F": torch.nn.functional, "nn": torch.nn}
    found = []
    for statement in file.read_text().splitlines():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(statement, str(file), "single"), space)
            except Exception as error:
                print(f"{type(error).__name__}: " + str(error).split("\n")[0])
        found.append((statement, printed.getvalue()))
    return found
