"""Text copied from other shells: prompts go, and so does the output between them.

>>> x = ones(2)          In [3]: x = ones(2)          x = ones(2)
>>> for i in x:             ...: x                    for i in x:
...     print(i)         Out[3]: tensor([1., 1.])         print(i)
tensor(1.)
"""

from __future__ import annotations

import re

_PYTHON = re.compile(r"^\s*(?:>>>|\.\.\.)(?: |$)")
_IPYTHON = re.compile(r"^\s*(?:In \[\d+\]:|\.{3,}:)(?: |$)")
_OWN = re.compile(r"^(?:tsr>|\.\.\.>)(?: |$)")
_START = {_PYTHON: re.compile(r"^\s*>>>(?: |$)"), _IPYTHON: re.compile(r"^\s*In \[\d+\]:"), _OWN: re.compile(r"^tsr>")}


def without_prompts(text: str) -> str:
    """The program in a text; a text whose first line has no prompt stays as it is."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    for prompt in (_IPYTHON, _OWN, _PYTHON):
        if _START[prompt].match(first):
            return "\n".join(_entries(lines, prompt))
    return text


def as_program(text: str) -> str:
    """A text without prompts, and without the margin that all of it has where it was copied from within a block."""
    text = without_prompts(text)
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    margin = first[: len(first) - len(first.lstrip(" \t"))]
    return "\n".join(line.removeprefix(margin) for line in lines) if margin else text


def _entries(lines: list[str], prompt: re.Pattern[str]) -> list[str]:
    """The typed lines without their prompts; an entry of several lines ends with an empty line."""
    kept: list[str] = []
    several = False
    for line in lines:
        match = prompt.match(line)
        if match is None:
            if several and kept and kept[-1].strip():
                kept.append("")
            several = False
            continue
        starts = _START[prompt].match(line) is not None
        if starts and several and kept and kept[-1].strip():
            kept.append("")
        several = not starts
        kept.append(line[match.end() :].rstrip())
    while kept and not kept[-1].strip() and len(kept) > 1 and not kept[-2].startswith((" ", "\t")):
        kept.pop()
    return kept
