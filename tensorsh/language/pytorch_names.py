"""The public names of PyTorch, to tell a misspelt name from one that tensorsh lacks.

They are recorded in `pytorch_names.txt` (by `tests/recording/names.py`) and read only when an error is explained.
"""

from __future__ import annotations

import os
from functools import lru_cache

FILE = os.path.join(os.path.dirname(__file__), "pytorch_names.txt")
MODULES = os.path.join(os.path.dirname(__file__), "pytorch_modules.txt")
"""Where PyTorch defines names that its packages have, too (by `tests/recording/modules.py`)."""
REFUSED = os.path.join(os.path.dirname(__file__), "pytorch_refused.txt")
"""What libraries import and tensorsh refuses when it is used (by `tests/recording/refused.py`)."""


@lru_cache(maxsize=2)
def names(path: str = FILE) -> dict[str, frozenset[str]]:
    """The names in each namespace of PyTorch, and those of `Tensor`; or those of another such table."""
    try:
        with open(path, encoding="ascii") as file:
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
