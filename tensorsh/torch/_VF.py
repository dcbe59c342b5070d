"""``torch._VF``: the functions of torch, as code of before calls them. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any

from .root import torch


def __getattr__(name: str) -> Any:
    if name[:2] == "__":
        raise AttributeError(name)
    return getattr(torch, name)
