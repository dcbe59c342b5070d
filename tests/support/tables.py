"""Tables of recorded results, as text that a diff shows: one case a line, each a JSON list, sorted.

The first line of a file says what made it: the command, the build of PyTorch, the processor, the number of threads.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"


def file(name: str) -> Path:
    return DATA / f"{name}.jsonl"


def rows(name: str) -> list[list[Any]]:
    """The cases of a table, in the order of its lines."""
    _, *lines = file(name).read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [json.loads(line) for line in lines]


def pairs(name: str) -> dict[str, Any]:
    """A table of two columns: the outcome of each case."""
    return dict(rows(name))


def section(name: str, title: str) -> dict[str, Any]:
    """The cases of a table of three columns that have a title in the first."""
    return {case: outcome for first, case, outcome in rows(name) if first == title}


def write(name: str, made: str, cases: Iterable[Iterable[Any]]) -> int:
    """Writes a table, each case once, and tells the number of them."""
    sorted_rows = sorted((list(case) for case in cases), key=lambda row: [(type(x).__name__, x) for x in row[:-1]])
    lines = list(dict.fromkeys(json.dumps(row, ensure_ascii=False) for row in sorted_rows))
    file(name).write_text("\n".join([json.dumps({"made": made}), *lines]) + "\n", encoding="utf-8")
    return len(lines)
