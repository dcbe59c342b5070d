"""Statements about sparse tensors, one a line of tests/ops/sparse/*.txt, and what each prints under PyTorch: its value, or the
first line of its error."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

from ..support.outcomes import headline
from .origin import one_thread, write

FILES = sorted((Path(__file__).parents[1] / "ops" / "sparse").glob("*.txt"))


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
                print(headline(error))
        found.append((statement, printed.getvalue()))
    return found


def record() -> None:
    import torch

    one_thread()
    told = {file.stem: outputs(file, torch) for file in FILES}
    write("sparse", "sparse", [[name, i, *pair] for name, each in told.items() for i, pair in enumerate(each)])
