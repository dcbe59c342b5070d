"""Writes tests/data/signatures.json.gz, PyTorch's signatures: run it with a Python in which PyTorch is installed.

    python tests/record_signatures.py NAMES > tests/data/signatures.json.gz

NAMES is a file of dotted names, one a line (`sum`, `nn.functional.relu`, `Tensor.sum`). For each name the overloads of
PyTorch's own type stubs, else of Python's `inspect`, else of the first line of the docstring, each as the text of a
parameter list without annotations.
"""

from __future__ import annotations

import ast
import gzip
import inspect
import json
import os
import re
import sys

import torch

FOLDER = os.path.dirname(torch.__file__)


def stub(file: str, owner: str | None = None) -> dict[str, list[str]]:
    """Name -> parameter lists of all overloads in a stub file (of one class there)."""
    with open(os.path.join(FOLDER, file), encoding="utf-8") as source:
        body = ast.parse(source.read()).body
    if owner:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == owner)
    found: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(plain(node.args))
    return found


def plain(arguments: ast.arguments) -> str:
    for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if each is not None:
            each.annotation = None
    return ast.unparse(arguments)


def parsed(text: str) -> str | None:
    try:
        return plain(ast.parse(f"def f({text}): pass").body[0].args)
    except SyntaxError:
        return None


def inspected(value: object) -> list[str]:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        lines = re.findall(r"^\s*[\w.]*\((.*)\)(?: ->|\s*$)", (value.__doc__ or "")[:400], re.MULTILINE)[:1]
        return [p for line in lines if (p := parsed(line.replace("[, ", ", ").replace("]", "")))]
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    text = str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    return [p for p in [parsed(text[1:-1])] if p is not None]


def main() -> None:
    functions, methods = stub("_C/_VariableFunctions.pyi"), stub("_C/__init__.pyi", "TensorBase")
    found = {}
    with open(sys.argv[1], encoding="utf-8") as lines:
        names = lines.read().split()
    for name in names:
        owner, _, last = name.rpartition(".")
        value = torch
        for part in name.split("."):
            value = getattr(value, part, None)
        if value is None:
            continue
        python = inspect.isfunction(value)
        overloads = (
            []
            if python
            else functions.get(name, [])
            if not owner
            else methods.get(last, [])
            if owner == "Tensor"
            else []
        )
        overloads = overloads or inspected(value)
        if overloads:
            found[name] = overloads
    sys.stdout.buffer.write(gzip.compress(json.dumps(found, indent=0).encode(), 9, mtime=0))


main()
