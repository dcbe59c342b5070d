"""Makes the index of names: ``python -m tensorsh.engine.index``."""

from __future__ import annotations

import os
import re

from . import table
from .tensor import Tensor

IMPORT = re.compile(r"^from \.(\w*) import (.+?)$|^from \. import \(([^)]*)\)", re.MULTILINE)


def needed(family: str) -> list[str]:
    """The families that a family imports, which are to be loaded, and charged with their names, before it."""
    with open(os.path.join(table.FOLDER, family + ".py"), encoding="utf-8") as file:
        source = file.read()
    found: list[str] = []
    for module, names, many in IMPORT.findall(source):
        found += [module] if module else re.findall(r"\w+", many or names)
    return [f for f in found if f in table.families()]


def text() -> str:
    """The index: a fingerprint of the families, then for each its functions, and its attributes of Tensor."""
    table._loaded = True
    charged: dict[str, tuple[set, set]] = {}

    def load(family: str) -> None:
        if family in charged:
            return
        charged[family] = (set(), set())
        for other in needed(family):
            load(other)
        before = set(table.FUNCTIONS), dict(Tensor.__dict__), set(table.METHODS)
        table.load(family)
        attributes = {n for n, v in Tensor.__dict__.items() if before[1].get(n) is not v} | set(table.METHODS) - before[
            2
        ]
        charged[family] = set(table.FUNCTIONS) - before[0], attributes

    for family in table.families():
        load(family)
    lines = [table.fingerprint()]
    for family in sorted(charged):
        for kind, names in zip(("functions", "attributes"), charged[family], strict=True):
            lines.append(" ".join([family, kind, *sorted(names)]))
    return "\n".join(lines) + "\n"


def main() -> None:
    made = text()
    with open(table.INDEX, "w", encoding="utf-8") as file:
        file.write(made)


if __name__ == "__main__":
    main()
