"""The CUDA C of kernels, which stands beside the modules that launch them."""

from __future__ import annotations

import os
import re


def pieces(module: str) -> dict[str, str]:
    """The pieces in the file beside a module, each below a line ``//@ NAME what it is``; ``@NAME@`` stands for an earlier one."""
    found: dict[str, str] = {}
    with open(os.path.splitext(module)[0] + ".cu", encoding="ascii") as file:
        for piece in file.read().split("//@ ")[1:]:
            head, _, text = piece.partition("\n")
            found[head.partition(" ")[0]] = re.sub(
                r"@(\w+)@", lambda word: found.get(word[1], word[0]), text.removesuffix("\n")
            )
    return found
