"""PyTorch's type stubs, as they tell the parameters of builtin functions and methods."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

FUNCTIONS = ("_C/_VariableFunctions.pyi", None)
METHODS = ("_C/__init__.pyi", "TensorBase")


@lru_cache
def overloads(file: str, owner: str | None) -> dict[str, list[ast.arguments]]:
    """Name -> parameter lists of all overloads in a stub file (of one class there)."""
    import torch

    body = ast.parse((Path(torch.__file__).parent / file).read_text(encoding="utf-8")).body
    if owner:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == owner)
    found: dict[str, list[ast.arguments]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node.args)
    return found


def functions(name: str) -> list[ast.arguments]:
    return overloads(*FUNCTIONS).get(name, [])


def methods(name: str) -> list[ast.arguments]:
    return overloads(*METHODS).get(name, [])
