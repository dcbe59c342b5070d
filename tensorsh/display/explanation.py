"""The explanation that `name?` shows: facts as text, with a small histogram of a tensor's values.

x  Tensor
  dtype     torch.float32
  shape     (100, 3)
  values    mean 0.02, std 0.99, min -2.9, max 3.1
  -2.9 ▁▁▂▃▄▆▇█▇▆▅▄▂▁▁▁ 3.1
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Any

from .cells import ascii_only
from .colours import PLAIN, Theme

_ARGUMENT = re.compile(r"  \w+( \(.*?\))?: ")
"""A line that says what an argument means."""
BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_BLOCKS = " .:-=+*#@"
PAGE = 88
"""Characters behind which a line of a docstring was broken, and not ended."""


def explanation(found: Any, width: int = 80, unicode: bool = True, theme: Theme = PLAIN) -> str:
    """The text of an Inspection in lines of at most `width` columns."""
    width = max(width, 20)
    kind = found.type if found.kind == "variable" else found.kind
    head = textwrap.wrap(found.name + found.signature, width, subsequent_indent="    ") or [found.name]
    room = len(head[-1]) + 2 + len(kind) <= width
    lines = [theme.paint("name", line) for line in head]
    if room:
        lines[-1] += "  " + theme.paint("dim", kind)
    else:
        lines.append("    " + theme.paint("dim", kind))
    if found.doc:
        lines.append("")
        for line in paragraphs(found.doc):
            indent = " " * (len(line) - len(line.lstrip()))
            if _ARGUMENT.match(line):
                indent = "      "
            elif line.startswith((">>>", "...")):
                indent = "    "
            lines += textwrap.wrap(line, width, subsequent_indent=indent) if len(line) > width else [line]
    wide = max(map(len, found.facts), default=0)
    for name, fact in found.facts.items():
        text = textwrap.wrap(fact, max(width - wide - 4, 10)) or [""]
        lines.append(f"  {theme.paint('dim', name.ljust(wide))}  {text[0]}")
        lines += [" " * (wide + 4) + each for each in text[1:]]
    if found.bins:
        low, high = found.range
        room = width - len(f"{low:.3g}") - len(f"{high:.3g}") - 6
        counts = list(found.bins)
        while len(counts) > max(room, 2):  # two neighbours in one
            counts = [sum(counts[i : i + 2]) for i in range(0, len(counts), 2)]
        lines.append("  " + theme.paint("number", f"{low:.3g} {bars(counts, unicode)} {high:.3g}"))
    if found.formulas:
        lines += ["", theme.paint("dim", "gradients, g being that of the result")]
        for name, formula in found.formulas.items():
            first, *rest = formula.split("\n")
            shown = (
                textwrap.wrap(f"{name}: {first}", width - 2, subsequent_indent="    ")
                if not rest
                else [f"{name}:", *("  " + line for line in formula.split("\n"))]
            )
            lines += ["  " + line for line in shown]
    text = "\n".join(lines)
    return text if unicode else ascii_only(text)


def paragraphs(doc: str) -> list[str]:
    """The lines of a docstring, in which what was broken for a page of the source is one line again: a line that is nearly as
    long as those pages are wide goes on in the next. Examples and indented lines stay as they are."""
    found: list[str] = []
    goes_on = example = False
    for line in doc.split("\n"):
        example = line.startswith(">>>") or (example and bool(line.strip()))
        told = bool(line.strip()) and not example and line[0] != " "
        if goes_on and told:
            found[-1] += " " + line
        else:
            found.append(line)
        goes_on = told and len(line) > PAGE
    return found


def bars(counts: Sequence[int], unicode: bool = True) -> str:
    """Counts as blocks of different height."""
    blocks = BLOCKS if unicode else ASCII_BLOCKS
    most = max(counts) or 1
    return "".join(blocks[0 if not n else max(1, round(n / most * (len(blocks) - 1)))] for n in counts)
