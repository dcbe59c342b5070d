"""PyTorch's signatures of every function and method that this engine has.

For each name (`sum`, `nn.functional.relu`, `Tensor.sum`) the overloads of PyTorch's own type stubs, else of Python's
`inspect`, else of the first line of the docstring, each as the text of a parameter list without annotations.
"""

from __future__ import annotations

import ast
import copy
import inspect
import re

import torch

from tensorsh.engine.loading import table

from .origin import write
from .stubs import functions, methods


def plain(arguments: ast.arguments) -> str:
    """A parameter list without annotations."""
    arguments = copy.deepcopy(arguments)
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


def record() -> None:
    table.load_all()
    names = [*table.FUNCTIONS, *("Tensor." + name for name in table.METHODS)]
    found = {}
    for name in names:
        owner, _, last = name.rpartition(".")
        if last.startswith("_"):
            continue
        value = torch
        for part in name.split("."):
            value = getattr(value, part, None)
        if value is None:
            continue
        listed = []
        if not inspect.isfunction(value) and owner in ("", "Tensor"):
            listed = [plain(each) for each in (methods(last) if owner else functions(name))]
        if listed := listed or inspected(value):
            found[name] = listed
    write("signatures", "signatures", found.items())
