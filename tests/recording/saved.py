"""Names of what PyTorch's nodes show of what they keep (``grad_fn._saved_self``), a node a line.

`dim*` is always in a tuple, where a formula may keep one number: the parameter is a list in the operator's schema. Nodes are
counted by the entries of PyTorch's table of derivatives, which stand in the order of their numbers.
"""

from __future__ import annotations

import re
from pathlib import Path

import torch
import torchgen

from tensorsh.engine.graph.saved_names import FILE

from .origin import write_text

DERIVATIVES = Path(torchgen.__file__).parent / "packaged" / "autograd" / "derivatives.yaml"
ENTRY = re.compile(r"^- name: (\w+)(?:\.\w+)?\((.*)\) ->", re.MULTILINE)
LISTS = re.compile(r"\bint\[\d*\]\??\s+(dims?|shifts)\b")


def lists() -> dict[str, set[str]]:
    """The parameters of each node's operator that are lists of dimensions."""
    found: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for name, schema in ENTRY.findall(DERIVATIVES.read_text(encoding="utf-8")):
        title = name.replace("_", " ").title().replace(" ", "")  # `fft_c2c`: FftC2C
        number = counts[title] = counts.get(title, -1) + 1
        found[f"{title}Backward{number}"] = set(LISTS.findall(schema.replace("SymInt", "int")))
    return found


def record() -> None:
    several = lists()
    lines = ["NotImplemented"]
    for node in sorted(dir(torch._C._functions)):
        if "Backward" in node:
            names = [
                n.removeprefix("_saved_") for n in dir(getattr(torch._C._functions, node)) if n.startswith("_saved_")
            ]
            tuples = several.get(node.removesuffix("_copy"), set())
            lines.append(" ".join([node, *(name + "*" * (name in tuples) for name in sorted(names))]))
    write_text("saved", FILE, "Node: the names of what it shows.", lines)
