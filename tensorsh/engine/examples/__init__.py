"""One example of every function, as PyTorch answers it: golden programs beside this file, read when one is asked for.

    # cumsum -> float32[3]
    cumsum(tensor([1., 2., 3.]), dim=0)
    #> tensor([1., 3., 6.])

The first line names the function and what comes out. They are made by `tests/recording/examples.py`, and run by the tests.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import NamedTuple

FOLDER = os.path.dirname(__file__)


class Example(NamedTuple):
    result: str
    """dtype and shape of what comes out."""
    code: list[str]
    output: list[str]

    def __str__(self) -> str:
        return "\n".join([*(">>> " + line for line in self.code), *self.output])


@lru_cache(1)
def examples() -> dict[str, Example]:
    """All examples by dotted name."""
    found = {}
    for name in sorted(os.listdir(FOLDER)):
        if not name.endswith(".tsr"):
            continue
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            for block in file.read().split("\n\n")[1:]:
                head, *lines = block.strip("\n").split("\n")
                title, _, result = head[2:].partition(" -> ")
                code = [line for line in lines if not line.startswith("#>")]
                found[title] = Example(result, code, [line[3:] for line in lines if line.startswith("#>")])
    return found


def example(*names: str) -> Example | None:
    """The example of the first of the names that has one; those of in-place forms are their functions'."""
    known = examples()
    for name in names:
        last = name.rpartition(".")[2]
        for bare in (last, last.strip("_")):
            for each in (name, bare, f"Tensor.{bare}", f"nn.functional.{bare}", f"Tensor.{bare}_"):
                if each in known:
                    return known[each]
    return None
