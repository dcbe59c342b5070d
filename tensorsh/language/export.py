"""A tensorsh program as plain PyTorch Python: shorthands are rewritten at their places, comments and layout stay.

x = ones(2, requires_grad)   ->   import torch
                                  x = torch.ones(2, requires_grad=True)
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Container
from typing import Any

from .bare_flags import bare_flags
from .flags import FLAGS
from .mistake import Mistake, error_of
from .parser import clean, run_lowering
from .scopes import Walk

IMPORTS = {"torch": "import torch", "np": "import numpy as np", "math": "import math", "argv": "from sys import argv"}
"""Names that a program may use without an import, and the import that plain Python needs."""

_PYTHON = frozenset(dir(builtins))
_CODING = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+", re.ASCII)
"""The comment by which Python decodes a file: another code than the program's would make code of its comments and texts."""


def export(source: str, filename: str = "<string>", torch_names: Container[str] = ()) -> str:
    """The program as Python that runs where PyTorch is installed.

    `torch_names` may be written without their prefix. Names that the program binds itself are left alone.
    """
    text = clean(source)
    try:
        return _Export(text, torch_names).result()
    except Mistake as mistake:
        raise error_of(mistake, text, filename) from None


class _Export:
    def __init__(self, text: str, torch_names: Container[str]) -> None:
        self.data = text.encode("utf-8", "surrogatepass")
        self.module = run_lowering(text)
        self.torch_names = torch_names
        self.walk = Walk()
        self.walk.run(self.module, gate=False)
        self.starts = [0]
        for line in self.data.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.edits: list[tuple[int, int, str]] = []  # from, to, new text
        self.needed: dict[str, int] = {}  # and the line where each is needed first

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def result(self) -> str:
        first = self.first_bindings()
        top = self.walk.scopes[0]
        for node, scope in self.walk.nodes:
            found = scope.finds(node.id)
            if found is not None and not (found is top and scope is top and self.is_earlier(node, first)):
                continue
            self.open_name(node)
        for _, flags in bare_flags(self.walk, self, {}):
            for flag in flags:
                if top.star and flag.id not in FLAGS:
                    continue  # it may come from the module
                end = self.offset(flag.end_lineno or 1, flag.end_col_offset or 0)
                self.edits.append((end, end, "=True"))
        self.document_fields()
        self.add_imports(first)
        data = self.data
        for start, end, new in sorted(self.edits, reverse=True):
            data = data[:start] + new.encode("utf-8", "surrogatepass") + data[end:]
        lines = data.decode("utf-8", "surrogatepass").split("\n", 2)
        return "\n".join([*(_CODING.sub(r"\1utf-8", line) for line in lines[:2]), *lines[2:]])

    def __contains__(self, name: object) -> bool:
        """The names that are bound without the program's doing."""
        return name in _PYTHON or name in IMPORTS or name in self.torch_names

    def open_name(self, node: ast.Name) -> None:
        if node.id in _PYTHON:
            return
        if node.id in IMPORTS:
            self.need(node.id, node.lineno)
        elif node.id in self.torch_names:
            start = self.offset(node.lineno, node.col_offset)
            self.edits.append((start, start, "torch."))
            self.need("torch", node.lineno)

    def need(self, name: str, line: int) -> None:
        self.needed[name] = min(line, self.needed.get(name, line))

    def first_bindings(self) -> dict[str, ast.stmt]:
        """For each variable of the program the top-level statement that binds it first."""
        first: dict[str, ast.stmt] = {}
        for statement in self.module.body:
            walk = Walk()
            walk.run(ast.Module([statement], []), gate=False)
            for name in walk.scopes[0].bound:
                first.setdefault(name, statement)
        return first

    def is_earlier(self, node: ast.Name, first: dict[str, ast.stmt]) -> bool:
        """Is a name read before the program binds it, as on the right of `mean = mean(x)`?"""
        statement = first.get(node.id)
        if statement is None:
            return False
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            return (node.lineno, node.col_offset) < (statement.end_lineno or 0, statement.end_col_offset or 0)
        return (node.lineno, node.col_offset) < (statement.lineno, statement.col_offset)

    def document_fields(self) -> None:
        """`f"{ones(2)=}"` goes on to print what the program says, not what the edited text says."""
        for field in self.walk.documented:
            start = self.offset(field.lineno, field.col_offset)
            value: Any = field.value
            value_end = self.offset(value.end_lineno, value.end_col_offset)
            if not any(start <= edit[0] <= value_end for edit in self.edits):
                continue
            text, end_line, end_column = field.documented  # type: ignore[attr-defined]
            self.edits.append((start, start, text.replace("{", "{{").replace("}", "}}")))
            plain = field.conversion == ord("r") and field.format_spec is None
            end = self.offset(end_line, end_column)
            has_conversion = self.data[end : end + 2] == b"!r"
            self.edits.append((value_end, end, "!r" if plain and not has_conversion else ""))

    def is_missing(self, name: str, binding: ast.stmt | None) -> bool:
        """Is an import of `name` needed, which the program has not at all or only further down?"""
        return name in self.needed and (binding is None or self.needed[name] < binding.lineno)

    def add_imports(self, first: dict[str, ast.stmt]) -> None:
        lines = [IMPORTS[name] for name in IMPORTS if self.is_missing(name, first.get(name))]
        if not lines:
            return
        body = self.module.body
        index = 0
        if (
            isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and type(body[0].value.value) is str
        ):
            index = 1
        while index < len(body) and isinstance(body[index], ast.ImportFrom) and body[index].module == "__future__":  # type: ignore[attr-defined]
            index += 1
        if index == len(body):
            return
        statement = body[index]
        decorators = getattr(statement, "decorator_list", [])
        line = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        column = 0 if decorators else statement.col_offset
        start = self.offset(line, column)
        separator = "\n" if column == 0 else "; "
        self.edits.append((start, start, "".join(line + separator for line in lines)))
