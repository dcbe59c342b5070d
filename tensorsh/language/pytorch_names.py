"""The public names of PyTorch, to tell a misspelt name from one that tensorsh lacks.

They are recorded in `pytorch_names.txt` (by `tests/recording/names.py`) and read only when an error is explained.
"""

from __future__ import annotations

import os
from functools import lru_cache

FILE = os.path.join(os.path.dirname(__file__), "pytorch_names.txt")


@lru_cache(maxsize=1)
def names() -> dict[str, frozenset[str]]:
    """The names in each namespace of PyTorch, and those of `Tensor`."""
    try:
        with open(FILE, encoding="ascii") as file:
            text = file.read()
    except OSError:
        return {}
    lines = (line.partition(":") for line in text.splitlines()[1:])
    return {owner: frozenset(found.split()) for owner, _, found in lines}


def lacking(owner: str, name: str) -> str | None:
    """The remark on a name that PyTorch has there (`torch`, `torch.nn`, `Tensor`) and tensorsh has not."""
    if name not in names().get(owner, ()):
        return None
    return f"PyTorch has `{owner}.{name}`, tensorsh does not"
