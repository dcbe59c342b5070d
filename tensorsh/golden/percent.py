"""Notebooks as text: cells begin with `# %%`, as other tools write them too.

# %% [markdown]
# # Title
# %%
x = ones(3)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MARKER = re.compile(r"# %%(?:\s+(.*?))?(?:\s*\[(markdown|raw)\])?\s*$")
_COMMENT = re.compile(r"# ?")


class Cell(NamedTuple):
    """One cell: `code`, `markdown` or `raw`, its source and its title."""

    kind: str
    source: str
    title: str = ""


def cells_of(text: str) -> list[Cell]:
    """The cells of a text; what stands in front of the first marker is one."""
    found: list[tuple[str, str, list[str]]] = [("code", "", [])]
    for line in text.replace("\r\n", "\n").split("\n"):
        marker = _MARKER.match(line)
        if marker is not None:
            found.append((marker[2] or "code", marker[1] or "", []))
        else:
            found[-1][2].append(line)
    return list(_filled(found))


def _filled(found: list[tuple[str, str, list[str]]]) -> Iterator[Cell]:
    for number, (kind, title, lines) in enumerate(found):
        if kind != "code":
            lines = [_COMMENT.sub("", line, count=1) for line in lines]
        source = "\n".join(lines).strip("\n")
        if number or source.strip():
            yield Cell(kind, source, title)


def text_of(cells: list[Cell]) -> str:
    """The cells as one text."""
    parts = []
    for kind, source, title in cells:
        marker = "# %%" + (f" {title}" if title else "") + ("" if kind == "code" else f" [{kind}]")
        lines = source.split("\n")
        if kind != "code":
            lines = [f"# {line}".rstrip() for line in lines]
        parts.append("\n".join([marker, *lines]))
    return "\n\n".join(parts) + "\n"
