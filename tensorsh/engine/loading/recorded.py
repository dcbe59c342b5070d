"""Recorded tables: each line is a head, a colon and what PyTorch says or takes there; a line with # is a comment.

`functions.txt` has all that is recorded of a function, its name and a word before the colon:

    takes    its overloads; `python` before the parameters of a function written in Python
    typed    the annotations of a function written in Python, `_` for none, and that of its answer
    called   the name that it has in its errors, where that is another
    lacks    kernels that it has not, each with the dtypes
    out      which dtypes ``out=`` must not have, and what is said of them; a function's second result is ``name/1``
    traced   what it says of ``out=`` where an operand wants a gradient: nothing (`tracked`), or under which name (`named`); it is
             a kernel without derivative (`kernel`), copies its result with the history (`copied`), resizes no leaf (`sized`)
    overlap  what it does where memory is in two places at once"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache, lru_cache


def beside(module: str, name: str) -> str:
    """The path of a table that stands beside a module's file."""
    return os.path.join(os.path.dirname(module), name)


FILE = beside(__file__, "functions.txt")


def entries(path: str) -> Iterator[tuple[str, str]]:
    """The heads of a table, and what stands behind them."""
    with open(path, encoding="ascii") as lines:
        for line in lines:
            if line[0] != "#":
                head, _, text = line.rstrip("\n").partition(": ")
                yield head, text


@lru_cache(1)
def records() -> str:
    """The table of functions, which is not taken apart: a program asks for few of its lines."""
    with open(FILE, encoding="ascii") as file:
        return file.read()


@cache
def told(name: str, word: str) -> str | None:
    """What is recorded of a function; None where nothing is."""
    lines, head = records(), f"\n{name} {word}: "
    at = lines.find(head)
    return None if at < 0 else lines[at + len(head) : lines.index("\n", at + len(head))]


@cache
def in_place() -> frozenset[str]:
    """The forms that write into their first argument, without their underscore: ``abs`` has a function ``torch.abs_``, most are
    methods alone (``Tensor.add``)."""
    return frozenset(piece[piece.rfind("\n") + 1 :] for piece in records().split("_ takes: ")[:-1])
