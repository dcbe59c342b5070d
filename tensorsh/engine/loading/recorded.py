"""Recorded tables: each line is a head, a colon and what PyTorch says or takes there; a line with # is a comment."""

from __future__ import annotations

import os
from collections.abc import Iterator


def beside(module: str, name: str) -> str:
    """The path of a table that stands beside a module's file."""
    return os.path.join(os.path.dirname(module), name)


def entries(path: str) -> Iterator[tuple[str, str]]:
    """The heads of a table, and what stands behind them."""
    with open(path, encoding="ascii") as lines:
        for line in lines:
            if line[0] != "#":
                head, _, text = line.rstrip("\n").partition(": ")
                yield head, text
