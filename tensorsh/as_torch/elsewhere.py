"""Names that only Python written for PyTorch asks for: where PyTorch has them, and the file that has them here (elsewhere.txt)."""

from __future__ import annotations

import os
from functools import cache


@cache
def places() -> dict[str, tuple[str, str]]:
    """Each name with its module in PyTorch -> the file here, and its name there."""
    found = {}
    with open(os.path.join(os.path.dirname(__file__), "elsewhere.txt"), encoding="ascii") as table:
        for line in table.read().splitlines()[1:]:
            module, file, *words = line.split()
            for word in words:
                name, _, own = word.partition("=")
                found[f"{module}.{name}"] = file, own or name
    return found
