"""Makes the index of names: ``python -m tensorsh.engine.operators.index``."""

from __future__ import annotations

import ast
import os

from ..loading import table
from ..tensors.tensor import Tensor


def needed(family: str) -> list[str]:
    """The families that a family imports, which are to be loaded, and charged with their names, before it."""
    room = family.partition(".")[0]
    with open(os.path.join(table.FOLDER, *family.split(".")) + ".py", encoding="utf-8") as file:
        imports = [
            node for node in ast.parse(file.read()).body if isinstance(node, ast.ImportFrom) and node.level in (1, 2)
        ]
    found = []
    for node in imports:
        base = [room][: 2 - node.level] + ([node.module] if node.module else [])
        found += [".".join(base), *(".".join([*base, alias.name]) for alias in node.names)]
    known = table.sizes()
    return [f for f in found if f in known]


def text() -> str:
    """The index: for each family the size of its file and its functions, and its attributes of Tensor."""
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
    lines = []
    sizes = table.sizes()
    for family in sorted(charged):
        for kind, names in zip(("functions", "attributes"), charged[family], strict=True):
            lines.append(" ".join([family, str(sizes[family]), kind, *sorted(names)]))
    return "\n".join(lines) + "\n"


def main() -> None:
    made = text()
    with open(table.INDEX, "w", encoding="utf-8") as file:
        file.write(made)


if __name__ == "__main__":
    main()
