"""Entries at a prompt: whether one is complete, and how far its next line is indented."""

from __future__ import annotations

import re

from .mistake import Mistake
from .parser import clean, run_lowering

_MARGIN = re.compile(r"[ \t]*")
_LEAVES = re.compile(r"(return|pass|break|continue|raise)\b")
STEP = 4


def completeness(source: str) -> tuple[str, int]:
    """("complete" | "incomplete" | "invalid", columns by which to indent the next line)."""
    text = clean(source)
    if not text.strip():
        return "complete", 0
    try:
        module = run_lowering(text)
    except Mistake as mistake:
        if not mistake.unfinished:
            return "invalid", 0
        if "string literal" in mistake.message:
            return "incomplete", 0
        return "incomplete", _next_indent(text, "was never closed" in mistake.message)
    # as in Python's own shell the lines of an entry are joined by line breaks, and an empty last one ends a block
    blank_end = not text.rpartition("\n")[2].strip()
    body = module.body
    if body and not blank_end:
        last = body[-1]
        is_block = hasattr(last, "body") or hasattr(last, "cases")
        if is_block and (last.end_lineno or 0) > last.lineno:
            return "incomplete", _next_indent(text, False)
    return "complete", 0


def _next_indent(text: str, in_brackets: bool) -> int:
    lines = [line for line in text.split("\n") if line.strip()]
    line = lines[-1]
    margin = _MARGIN.match(line)
    width = len(margin[0].expandtabs(8)) if margin else 0
    bare = _strip_comment(line).rstrip()
    if in_brackets:
        return width + STEP if bare.endswith(("(", "[", "{")) else width
    if bare.endswith(":"):
        return width + _step(lines)
    if _LEAVES.match(bare.strip()):
        return max(width - _step(lines), 0)
    return width


def _step(lines: list[str]) -> int:
    """The width by which this entry indents its blocks."""
    for line in lines:
        margin = _MARGIN.match(line)
        if margin and margin[0]:
            return len(margin[0].expandtabs(8))
    return STEP


def _strip_comment(line: str) -> str:
    quote = ""
    for position, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "#":
            return line[:position]
    return line
