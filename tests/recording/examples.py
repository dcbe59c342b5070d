"""Examples of every function, in tensorsh/engine/examples/*.tsr: the statements stand there, what they print is PyTorch's.

A new one is added as a block of statements below a line with the function's name. The first line says the dtypes and shapes
that come out.
"""

from __future__ import annotations

from typing import Any

import numpy
import torch

from tensorsh.engine.examples import FOLDER

from .origin import FOLDER as ROOT
from .origin import origin


def shape(value: object) -> str:
    """``float32[2, 3]`` of a tensor, and so on within tuples."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (tuple, list)) and value and isinstance(value[0], torch.Tensor):
        return ", ".join(shape(v) for v in value)
    return type(value).__name__


def recorded(block: str) -> str:
    """An example with what its last statement gives under PyTorch."""
    head, *lines = [line for line in block.strip("\n").split("\n") if not line.startswith("#>")]
    space: dict[str, Any] = dict(vars(torch), torch=torch, np=numpy)
    *before, last = lines
    exec("\n".join(before), space)
    value = eval(last, space)
    shown = [f"#> {line}".rstrip() for line in repr(value).split("\n")]
    return "\n".join([f"{head.partition(' -> ')[0]} -> {shape(value)}", *lines, *shown])


def record() -> None:
    for file in sorted((ROOT / FOLDER).glob("*.tsr")):
        title, *blocks = file.read_text(encoding="utf-8").split("\n\n")
        heading = f"{title.partition(chr(10))[0]}\n# Made by {origin('examples')}."
        file.write_text("\n\n".join([heading, *map(recorded, blocks)]) + "\n", encoding="utf-8")
        print(f"  {file.name}: {len(blocks)} examples")
