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

from ..assist.command_lines import beginnings

_MARKER = re.compile(r"# %%(?:\s+(.*?))?(?:\s*\[(markdown|raw)\])?\s*$")
_ESCAPED = re.compile(r"^# ((?:# )*# %%)", re.MULTILINE)
"""A line of a cell that begins as a marker does."""
_COMMENT = re.compile(r"# ?")


class Cell(NamedTuple):
    """One cell: `code`, `markdown` or `raw`, its source and its title."""

    kind: str
    source: str
    title: str = ""
    bare: bool = False
    """Whether it stands in front of the first marker."""


def cells_of(text: str) -> list[Cell]:
    """The cells of a text; what stands in front of the first marker is one."""
    text = text.replace("\r\n", "\n")
    found: list[tuple[str, str, list[str]]] = [("code", "", [])]
    markers = _markers(text)
    for number, line in enumerate(text.split("\n")):
        marker = markers.get(number)
        if marker is not None:
            found.append((marker[2] or "code", marker[1] or "", []))
        else:
            found[-1][2].append(line)
    return list(_filled(found))


def _markers(text: str) -> dict[int, re.Match[str]]:
    """The markers by their lines; none is within a string of the program."""
    found: dict[int, re.Match[str]] = {}

    def note(number: int, line: str) -> bool:
        marker = _MARKER.match(line)
        if marker is not None:
            found[number] = marker
        return line.startswith("#")

    beginnings(text, note)
    return found


def _filled(found: list[tuple[str, str, list[str]]]) -> Iterator[Cell]:
    for number, (kind, title, lines) in enumerate(found):
        if kind != "code":
            lines = [_COMMENT.sub("", line, count=1) for line in lines]
        source = "\n".join(lines).strip("\n")
        if kind == "code":
            source = _ESCAPED.sub(r"\1", source)
        if number or source.strip():
            yield Cell(kind, source, title, not number)


def text_of(cells: list[Cell]) -> str:
    """The cells as one text."""
    parts = []
    for kind, source, title, bare in cells:
        marker = "# %%" + (f" {title}" if title else "") + ("" if kind == "code" else f" [{kind}]")
        lines = source.split("\n")
        if kind != "code":
            lines = [f"# {line}".rstrip() for line in lines]
        else:
            own = _markers(source)
            lines = [
                f"# {line}" if number in own or _ESCAPED.match(line) else line for number, line in enumerate(lines)
            ]
        parts.append("\n".join(lines if bare else [marker, *lines]))
    return "\n\n".join(parts) + "\n"
