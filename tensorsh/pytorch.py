"""The public names of PyTorch, to tell a misspelt name from one that tensorsh lacks.

They are recorded in `pytorch_names.txt` (by `tests/record_pytorch_names.py`) and read only when an error is explained.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def names() -> dict[str, frozenset[str]]:
    """The names in each namespace of PyTorch, and those of `Tensor`."""
    try:
        text = Path(__file__).with_name("pytorch_names.txt").read_text(encoding="ascii")
    except OSError:
        return {}
    lines = (line.partition(":") for line in text.splitlines())
    return {owner: frozenset(found.split()) for owner, _, found in lines}


def lacking(owner: str, name: str) -> str | None:
    """What to say of a name that PyTorch has there (`torch`, `torch.nn`, `Tensor`) and tensorsh has not."""
    if name not in names().get(owner, ()):
        return None
    return f"PyTorch has `{owner}.{name}`, tensorsh does not"
